// What the metadata of a share says: its root record as far as it is asked for, whose it is, and who accepted it.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct ShareMetadataTests {
    /// The URL of a share of a record with two fields, to which a user is invited.
    private func share(of container: CKContainer, with user: CKRecord.ID) async throws -> URL {
        let zone = CKRecordZone(zoneName: "Z")
        let root = CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: "list", zoneID: zone.zoneID))
        root["title"] = "L"
        root["note"] = "n"
        try await container.privateCloudDatabase.save(zone)
        try await container.privateCloudDatabase.save(root)
        let share = CKShare(rootRecord: root)
        let participant = try await container.shareParticipant(forUserRecordID: user)
        participant.permission = .readOnly
        share.addParticipant(participant)
        _ = try await container.privateCloudDatabase.modifyRecords(saving: [share, root], deleting: [])
        return try #require(share.url)
    }

    @Test("The root record comes with the fields that are asked for, with all, or not at all")
    func fields() async throws {
        let (own, log) = (try Container(identifier: "roots", account: .user("_a11ce")), Log())
        let bob = CKContainer(try Container(sharing: own, account: .user("_b0b")))
        let url = try await share(of: CKContainer(own), with: CKRecord.ID(recordName: "_b0b"))
        let cases: [(fetchesRoot: Bool, keys: [String]?)] = [(true, ["title"]), (true, nil), (true, []), (false, nil)]
        for (fetchesRoot, keys) in cases {
            let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
            (fetch.shouldFetchRootRecord, fetch.rootRecordDesiredKeys) = (fetchesRoot, keys)
            fetch.perShareMetadataResultBlock = { _, result in
                let root = (try? result.get())?.rootRecord
                log.add(root.map { $0.allKeys().sorted().joined(separator: " ") } ?? "none")
            }
            fetch.fetchShareMetadataResultBlock = { log.add("end \(Scene.word($0))") }
            await awaited { done in
                fetch.completionBlock = { done(()) }
                bob.add(fetch)
            }
        }
        #expect(
            log.lines == ["title", "end done", "note title", "end done", "", "end done", "none", "end done"])
    }

    @Test("Metadata tells whose the share is and whether the user accepted it; the share, who the user is")
    func users() async throws {
        let own = try Container(identifier: "users of shares", account: .user("_a11ce"))
        let (bob, bobID) = (
            CKContainer(try Container(sharing: own, account: .user("_b0b"))), CKRecord.ID(recordName: "_b0b")
        )
        let url = try await share(of: CKContainer(own), with: bobID)
        let invited = try await bob.shareMetadata(for: url)
        #expect(invited.participantStatus == .pending && invited.participantRole == .privateUser)
        #expect(invited.ownerIdentity.lookupInfo?.userRecordID?.recordName == "_a11ce")
        let accepted = try await bob.accept(invited)
        #expect(accepted.currentUserParticipant?.userIdentity.userRecordID == bobID)
        #expect(accepted.currentUserParticipant?.role == .privateUser)
        let again = try await bob.shareMetadata(for: url)
        #expect(again.participantStatus == .accepted)
    }
}
