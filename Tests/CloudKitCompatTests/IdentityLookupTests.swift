// Users that an operation discovers, and what they were looked up by.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct IdentityLookupTests {
    @Test("A user that was discovered knows what it was looked up by")
    func discovered() async throws {
        let (scene, log) = (try await Scene(), Log())
        let info = CKUserIdentity.LookupInfo(userRecordID: try await scene.container.userRecordID())
        let discover = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [info])
        discover.userIdentityDiscoveredBlock = { identity, told in
            log.add("\(identity.lookupInfo == info) \(told == info)")
        }
        await awaited { done in
            discover.completionBlock = { done(()) }
            scene.container.add(discover)
        }
        #expect(log.lines == ["true true"])
    }

    @Test("A record that is no user's is no identity")
    func otherRecords() async throws {
        let (scene, log) = (try await Scene(), Log())
        let artwork = CKRecord(recordType: "Artwork", recordID: CKRecord.ID(recordName: "115"))
        try await scene.container.publicCloudDatabase.save(artwork)
        #expect(try await scene.container.userIdentity(forUserRecordID: artwork.recordID) == nil)
        let info = CKUserIdentity.LookupInfo(userRecordID: artwork.recordID)
        let discover = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [info])
        discover.userIdentityDiscoveredBlock = { _, _ in log.add("found") }
        discover.discoverUserIdentitiesResultBlock = { log.add("end \(Scene.word($0))") }
        await awaited { done in
            discover.completionBlock = { done(()) }
            scene.container.add(discover)
        }
        #expect(log.lines == ["end done"])
    }
}
