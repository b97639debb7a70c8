// Sharing under CloudKit's names: an application of two users, operations, objects and their archives.

import CloudKitCompat
import Foundation
import RecordDatabase
import Synchronization
import Testing

@Suite struct SharingTests {
    private let own: Container
    private let alice: CKContainer
    private let bob: CKContainer
    private let bobID = CKRecord.ID(recordName: "_b0b")

    init() throws {
        own = try Container(identifier: "sharing names", account: .user("_a11ce"))
        alice = CKContainer(own)
        bob = CKContainer(try Container(sharing: own, account: .user("_b0b")))
    }

    @Test("An application whose users share lists")
    func application() async throws {
        let (alices, bobs) = (SharingApp(container: alice), SharingApp(container: bob))
        try await alices.start()
        try await bobs.start()
        let list = try await alices.makeList("Groceries", notes: ["milk", "bread"])
        _ = try await alices.makeList("Secrets", notes: ["none"])
        #expect(try await bobs.sharedLists().isEmpty)
        let share = try await alices.share(list, with: [bobID], mayWrite: false)
        let url = try #require(share.url)
        let accepted = try await bobs.open(url)
        #expect(accepted[CKShare.SystemFieldKey.title] == "Groceries")
        #expect(try await bobs.open(url).currentUserParticipant?.acceptanceStatus == .accepted)
        var lists = try await bobs.sharedLists()
        #expect(lists.map(\.title) == ["Groceries"] && lists[0].notes.count == 2)
        #expect(lists[0].root.recordID.zoneID.ownerName == "_a11ce")
        let seen = lists[0]
        await #expect(throws: SharingAppError.self) { try await bobs.add("tea", to: seen) }
        await #expect(throws: SharingAppError.self) { try await bobs.change(seen.notes[0], to: "tea") }
        // The owner gives leave to write.
        let again = try await alices.share(list, with: [bobID], mayWrite: true)
        #expect(again.url == url && again.participants.map(\.permission) == [.readWrite, .readWrite])
        try await bobs.add("tea", to: lists[0])
        try await bobs.change(lists[0].notes[0], to: "oat milk")
        lists = try await bobs.sharedLists()
        #expect(lists[0].notes.count == 3)
        #expect(lists[0].notes.contains { $0["text"] == "oat milk" })
        // Leaving, coming back, and the end of the share.
        try await bobs.stopSharing(lists[0])
        #expect(try await bobs.sharedLists().isEmpty)
        _ = try await bobs.open(url)
        #expect(try await bobs.sharedLists().count == 1)
        try await alices.stopSharing(list)
        #expect(try await bobs.sharedLists().isEmpty)
        #expect(try await alice.privateCloudDatabase.record(for: list.root.recordID).share == nil)
        let all = try await alices.shareEverything(publicPermission: .readOnly)
        #expect(
            try await alice.privateCloudDatabase.recordZone(for: all.recordID.zoneID).share?.recordID == all.recordID)
        _ = try await bobs.open(#require(all.url))
        #expect(try await bobs.sharedLists().map(\.title) == ["Groceries", "Secrets"])
    }

    @Test("Metadata, accepting and participants as operations")
    func operations() async throws {
        let app = SharingApp(container: alice)
        try await app.start()
        let list = try await app.makeList("L", notes: ["n"])
        let told = Log()
        let people = CKFetchShareParticipantsOperation(userIdentityLookupInfos: [
            .init(userRecordID: bobID), .init(emailAddress: "bob@example.com"),
        ])
        let found = Mutex<[CKShare.Participant]>([])
        people.perShareParticipantResultBlock = { info, result in
            told.add("\(info.emailAddress ?? "user") \(Scene.word(result))")
            if case .success(let participant) = result { found.withLock { $0.append(participant) } }
        }
        people.fetchShareParticipantsResultBlock = { told.add("end \(Scene.word($0))") }
        await run(people, on: alice)
        #expect(told.lines == ["user done", "bob@example.com unknownItem", "end partialFailure"])
        let participant = try #require(found.withLock { $0.first })
        #expect(participant.userIdentity.userRecordID == bobID && participant.role == .privateUser)
        let root = try await alice.privateCloudDatabase.record(for: list.root.recordID)
        let share = CKShare(rootRecord: root)
        #expect(root.share?.recordID == share.recordID && share.url == nil)
        share.addParticipant(participant)
        participant.permission = .readWrite
        _ = try await alice.privateCloudDatabase.modifyRecords(saving: [share, root], deleting: [])
        #expect(share.participants.count == 2 && share.participants[1].acceptanceStatus == .pending)
        #expect(share.participants[1].permission == .readWrite && share.owner == share.currentUserParticipant)
        let url = try #require(share.url)
        let foreign = try #require(URL(string: "https://example.com"))
        let fetch = CKFetchShareMetadataOperation(shareURLs: [url, foreign])
        fetch.shouldFetchRootRecord = true
        fetch.rootRecordDesiredKeys = ["title"]
        let metadata = Mutex<CKShare.Metadata?>(nil)
        let log = Log()
        fetch.perShareMetadataResultBlock = { url, result in
            log.add("\(url.host ?? "") \(Scene.word(result))")
            if case .success(let found) = result { metadata.withLock { $0 = found } }
        }
        fetch.fetchShareMetadataResultBlock = { log.add("end \(Scene.word($0))") }
        await run(fetch, on: bob)
        #expect(log.lines == ["www.icloud.com done", "example.com invalidArguments", "end partialFailure"])
        let known = try #require(metadata.withLock { $0 })
        #expect(known.rootRecord?["title"] == "L" && known.hierarchicalRootRecordID == known.rootRecord?.recordID)
        #expect(known.ownerIdentity.userRecordID?.recordName == "_a11ce" && known.participantPermission == .readWrite)
        let accept = CKAcceptSharesOperation(shareMetadatas: [known])
        accept.perShareResultBlock = { log.add("\($0.containerIdentifier) \(Scene.word($1))") }
        accept.acceptSharesResultBlock = { log.add("end \(Scene.word($0))") }
        await run(accept, on: bob)
        #expect(log.lines.suffix(2) == ["sharing names done", "end done"])
        #expect(try await bob.sharedCloudDatabase.allRecordZones().map(\.zoneID.ownerName) == ["_a11ce"])
        let unset = CKAcceptSharesOperation()
        unset.acceptSharesResultBlock = { log.add("unset \(Scene.word($0))") }
        await run(unset, on: bob)
        #expect(log.lines.last == "unset invalidArguments")
    }

    private func run(_ operation: CKOperation, on container: CKContainer) async {
        operation.configuration.container = container
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        operation.completionBlock = { end.finish() }
        let queue = OperationQueue()
        queue.addOperation(operation)
        for await _ in stream {}
    }

    @Test("Forms with handlers")
    func handlers() async throws {
        let app = SharingApp(container: alice)
        try await app.start()
        let share = try await app.shareEverything(publicPermission: .readWrite)
        let url = try #require(share.url)
        let metadata: CKShare.Metadata = try await withCheckedThrowingContinuation { continuation in
            bob.fetchShareMetadata(with: url) { metadata, error in
                continuation.resume(with: metadata.map { .success($0) } ?? .failure(error ?? CKError(.internalError)))
            }
        }
        #expect(metadata.hierarchicalRootRecordID == nil && metadata.participantRole == .publicUser)
        let all = try await withCheckedThrowingContinuation { continuation in
            bob.accept([metadata]) { continuation.resume(with: $0) }
        }
        #expect(try all[metadata]?.get().recordID.recordName == CKRecordNameZoneWideShare)
        let again = await withCheckedContinuation { continuation in
            alice.accept(metadata) { continuation.resume(returning: ($0 == nil, ($1 as? CKError)?.code)) }
        }
        #expect(again == (true, .invalidArguments))
        let none = await withCheckedContinuation { continuation in
            alice.fetchShareParticipant(withPhoneNumber: "1") { _, error in
                continuation.resume(returning: (error as? CKError)?.code)
            }
        }
        #expect(none == .unknownItem)
        let users = try await alice.shareParticipants(forUserRecordIDs: [bobID, CKRecord.ID(recordName: "_none")])
        #expect(try users[bobID]?.get().participantID.isEmpty == false && users.count == 2)
        #expect(throws: CKError.self) { try users[CKRecord.ID(recordName: "_none")]?.get() }
        let nobody = CKContainer(try Container(sharing: own, account: .none))
        await #expect(throws: CKError.self) { _ = try await nobody.shareMetadatas(for: [url]) }
    }

    @Test("Shares and what belongs to them in archives")
    func archives() async throws {
        let app = SharingApp(container: alice)
        try await app.start()
        let list = try await app.makeList("L", notes: [])
        let share = try await app.share(list, with: [bobID], mayWrite: true)
        let metadata = try await bob.shareMetadata(for: #require(share.url))
        let options = CKAllowedSharingOptions(
            allowedParticipantPermissionOptions: .readOnly, allowedParticipantAccessOptions: .specifiedRecipientsOnly)
        func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
            let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
        }
        let coded = try #require(try archived(share))
        #expect(coded.url == share.url && coded.participants == share.participants && coded.recordID == share.recordID)
        #expect(coded.allKeys() == share.allKeys() && share.allKeys() == ["cloudkit.title", "cloudkit.type"])
        #expect(try archived(metadata) == metadata && archived(options) == options)
        #expect(try archived(share.participants[1]) == share.participants[1])
        #expect(options.copy() as? CKAllowedSharingOptions == options && options != .standard)
        #expect((share.copy() as? CKShare)?.url == share.url)
        // Its system fields alone are enough to change it.
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        share.encodeSystemFields(with: archiver)
        let decoder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let system = try #require(CKShare(coder: decoder))
        system[CKShare.SystemFieldKey.title] = "Other"
        try await alice.privateCloudDatabase.save(system)
        let stored = try #require(try await alice.privateCloudDatabase.record(for: share.recordID) as? CKShare)
        #expect(stored[CKShare.SystemFieldKey.title] == "Other" && stored.participants == share.participants)
    }

    @Test("The owner of a share is neither changed by an addition nor removed")
    func owner() throws {
        let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Z"))
        let own = try #require(share.owner.copy() as? CKShare.Participant)
        own.permission = .readOnly
        share.addParticipant(own)
        #expect(share.owner.permission == .readWrite && share.owner !== own)
        share.removeParticipant(share.owner)
        #expect(share.owner.permission == .readWrite && share.participants.contains { $0.role == .owner })
    }

    @Test("Who hands items to a window can be tested without one")
    func windows() async throws {
        let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Z"))
        let container = alice
        let representation = CKShareTransferRepresentation<Int> { number in
            switch number {
            case 0: nil
            case 1: .existing(share, container: container)
            default:
                .prepareShare(container: container, allowedSharingOptions: .standard) { throw CKError(.badContainer) }
            }
        }
        #expect(try await representation.share(for: 0) == nil)
        #expect(try await representation.share(for: 1) === share)
        await #expect(throws: CKError.self) { _ = try await representation.share(for: 2) }
        let observer = CKSystemSharingUIObserver(container: container)
        observer.systemSharingUIDidSaveShareBlock = { _, _ in Issue.record("there are no windows") }
        #expect(observer.container === container)
    }
}
