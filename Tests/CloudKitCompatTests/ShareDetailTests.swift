// Shares and their participants as objects, and what operations of sharing tell of failures.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing

@Suite struct ShareDetailTests {
    private let alice: CKContainer
    private let bob: CKContainer
    private let bobID = CKRecord.ID(recordName: "_b0b")

    init() throws {
        let own = try Container(identifier: "share details", account: .user("_a11ce"))
        alice = CKContainer(own)
        bob = CKContainer(try Container(sharing: own, account: .user("_b0b")))
    }

    @Test("A user is added to a share once, changed when added again, and removed")
    func participants() async throws {
        let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Z"))
        let first = try await alice.shareParticipant(forUserRecordID: bobID)
        let second = try await alice.shareParticipant(forUserRecordID: bobID)
        (first.permission, second.permission) = (.readOnly, .readWrite)
        #expect(first != second && first.participantID != second.participantID)
        share.addParticipant(first)
        share.addParticipant(second)
        #expect(share.participants.map(\.role) == [.owner, .privateUser] && share.participants[1] === first)
        #expect(first.permission == .readWrite)
        let copy = try #require(first.copy() as? CKShare.Participant)
        copy.permission = .readOnly
        #expect(copy == first && first.permission == .readWrite)
        share.removeParticipant(copy)
        #expect(share.participants.map(\.role) == [.owner])
    }

    @Test("Participants stay, and their objects go on to change the share, when everyone may do something")
    func everyone() async throws {
        let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Z"))
        let participant = try await alice.shareParticipant(forUserRecordID: bobID)
        share.addParticipant(participant)
        share.publicPermission = .readOnly
        participant.permission = .readWrite
        #expect(share.publicPermission == .readOnly && share.participants.map(\.role) == [.owner, .privateUser])
        let copy = try #require(share.copy() as? CKShare)
        #expect(copy.publicPermission == .readOnly && copy.participants.last?.permission == .readWrite)
    }

    @Test("A share has the name that it is given, and its record knows it")
    func names() {
        let root = CKRecord(recordType: "List")
        let id = CKRecord.ID(recordName: "the share")
        let share = CKShare(rootRecord: root, shareID: id)
        #expect(share.recordID == id && root.share?.recordID == id)
        #expect(share.changedKeys().isEmpty && share.allKeys().isEmpty)
        share[CKShare.SystemFieldKey.title] = "a"
        #expect(share.changedKeys() == ["cloudkit.title"] && share.allKeys() == ["cloudkit.title"])
        share.publicPermission = .readWrite
        #expect(share.publicPermission == .readWrite && share[CKShare.SystemFieldKey.title] == "a")
        let whole = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Z"))
        #expect(whole.recordID.recordName == "cloudkit.zoneshare" && whole.recordID.zoneID.zoneName == "Z")
        #expect(whole.publicPermission == .none)
    }

    private func run(_ operation: CKOperation, on container: CKContainer) async {
        operation.configuration.container = container
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        operation.completionBlock = { end.finish() }
        container.add(operation)
        for await _ in stream {}
    }

    @Test("Operations of sharing tell failures by what was asked for, in their older callbacks too")
    func failures() async throws {
        let app = SharingApp(container: alice)
        try await app.start()
        let share = try await app.shareEverything(publicPermission: .readOnly)
        let url = try #require(share.url)
        let foreign = try #require(URL(string: "https://example.com"))
        let log = Log()
        let fetch = CKFetchShareMetadataOperation(shareURLs: [foreign, url])
        fetch.perShareMetadataBlock = { log.add("\($0 == url) \($1 != nil) \($2 != nil)") }
        fetch.fetchShareMetadataCompletionBlock = { error in
            let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
            log.add("\(errors.keys.map { $0 == AnyHashable(foreign) })")
        }
        await run(fetch, on: bob)
        #expect(log.lines == ["false false true", "true true false", "[true]"])

        // An owner does not accept.
        let metadata = try await bob.shareMetadata(for: url)
        #expect(metadata.rootRecordID == metadata.share.recordID)
        let (told, accept) = (Log(), CKAcceptSharesOperation(shareMetadatas: [metadata]))
        accept.perShareCompletionBlock = { told.add("\($0 == metadata) \($1 != nil) \($2 != nil)") }
        accept.acceptSharesCompletionBlock = { error in
            let error = error as? CKError
            told.add("\(error?.code == .partialFailure) \(error?.partialErrorsByItemID?.count ?? 0)")
        }
        await run(accept, on: alice)
        #expect(told.lines == ["true false true", "true 1"])

        let infos = [CKUserIdentity.LookupInfo(phoneNumber: "1"), .init(userRecordID: bobID)]
        let (found, people) = (Log(), CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos))
        let phone = infos[0]
        people.shareParticipantFetchedBlock = { found.add($0.userIdentity.userRecordID?.recordName ?? "-") }
        people.fetchShareParticipantsCompletionBlock = { error in
            let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
            found.add("\(errors.keys.map { $0 == AnyHashable(phone) })")
        }
        await run(people, on: alice)
        #expect(found.lines == ["_b0b", "[true]"])
    }

    @Test("A share is iterated over the fields that it shows, and its words are theirs")
    func shownFields() async throws {
        let app = SharingApp(container: alice)
        try await app.start()
        let share = try await app.shareEverything(publicPermission: .readOnly)
        share["note"] = "two words"
        #expect(share.url != nil && share.map { $0.0 } == ["cloudkit.title", "note"])
        #expect(share.allTokens() == ["All", "lists", "two", "words"])
    }
}
