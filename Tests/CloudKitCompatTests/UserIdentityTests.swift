// Other users of a container, and what users allow.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

@Suite struct UserIdentityTests {
    @Test("Users are found by the identifier of their record, and by nothing else")
    func users() async throws {
        let own = try Container(identifier: "identities", account: .user("_a11ce"))
        _ = try Container(sharing: own, account: .user("_b0b"))
        let container = CKContainer(own)
        let id = CKRecord.ID(recordName: "_b0b")
        let found = try #require(try await container.userIdentity(forUserRecordID: id))
        #expect(found.userRecordID == id && found.hasiCloudAccount && found.lookupInfo?.userRecordID == id)
        #expect(try await container.userIdentity(forUserRecordID: CKRecord.ID(recordName: "_none")) == nil)
        #expect(try await container.userIdentity(forEmailAddress: "a@example.com") == nil)
        let told: Result<CKUserIdentity?, any Error> = await withCheckedContinuation { done in
            container.discoverUserIdentity(withUserRecordID: id) { identity, error in
                done.resume(returning: error.map { .failure($0) } ?? .success(identity))
            }
        }
        #expect(try told.get() == found)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: found, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKUserIdentity.self, from: archive) == found)
        let infos = CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["a", "b"])
        #expect(infos.map(\.emailAddress) == ["a", "b"] && infos[0] != infos[1])
    }

    @Test("What users allow")
    func permissions() async throws {
        let own = try Container(identifier: "permissions")
        let container = CKContainer(own)
        #expect(try await container.requestApplicationPermission(.userDiscoverability) == .granted)
        let others = CKContainer.ApplicationPermissions(rawValue: 2)
        for permissions in [others, others.union(.userDiscoverability)] {
            #expect(try await container.applicationPermissionStatus(for: permissions) == .denied)
        }
        #expect(try await container.applicationPermissionStatus(for: []) == .granted)
        try own.setAccount(.none)
        await #expect(throws: CKError.self) {
            try await container.applicationPermissionStatus(for: .userDiscoverability)
        }
    }
}
