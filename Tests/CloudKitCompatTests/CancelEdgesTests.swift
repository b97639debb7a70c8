// Operations that are cancelled or fail halfway, in the callbacks of today and of earlier editions, and calls with
// handlers.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@testable import CloudKitCompat

@Suite(.mayDeadlock) struct CancelEdgesTests {
    private let bobID = CKRecord.ID(recordName: "_b0b")

    /// Adds an operation to a container, and waits until it has ended.
    private func run(_ operation: CKOperation, on container: CKContainer) async {
        await awaited { done in
            operation.completionBlock = { done(()) }
            container.add(operation)
        }
    }

    private static func word(_ error: (any Error)?) -> String {
        error.map { Scene.word(Result<Void, any Error>.failure($0)) } ?? "done"
    }

    @Test("Users that are looked up after a cancellation are not told")
    func users() async throws {
        let (scene, log) = (try await Scene(), Log())
        let container = scene.container
        _ = try Container(sharing: scene.own, account: .user("_b0b"))
        let ids = [try await container.userRecordID(), bobID]
        for isCancelled in [false, true] {
            let discover = CKDiscoverUserIdentitiesOperation(
                userIdentityLookupInfos: ids.map { CKUserIdentity.LookupInfo(userRecordID: $0) })
            discover.userIdentityDiscoveredBlock = { [weak discover] identity, _ in
                log.add(identity.userRecordID?.recordName ?? "-")
                if isCancelled { discover?.cancel() }
            }
            discover.discoverUserIdentitiesResultBlock = { log.add("end \(Scene.word($0))") }
            discover.discoverUserIdentitiesCompletionBlock = { log.add("old \(Self.word($0))") }
            await run(discover, on: container)
            let all = CKDiscoverAllUserIdentitiesOperation()
            all.discoverAllUserIdentitiesResultBlock = { log.add("all \(Scene.word($0))") }
            all.discoverAllUserIdentitiesCompletionBlock = { log.add("old \(Self.word($0))") }
            if isCancelled { all.cancel() }
            await run(all, on: container)
        }
        #expect(
            log.lines == [
                "_a11ce", "_b0b", "end done", "old done", "all done", "old done", "_a11ce", "end operationCancelled",
                "old operationCancelled", "all operationCancelled", "old operationCancelled",
            ])
    }

    @Test("Shares, their metadata and their participants after a cancellation are told as cancelled")
    func sharing() async throws {
        let own = try Container(identifier: "cancelled sharing", account: .user("_a11ce"))
        let alice = CKContainer(own)
        let bob = CKContainer(try Container(sharing: own, account: .user("_b0b")))
        let app = SharingApp(container: alice)
        try await app.start()
        let url = try #require(try await app.shareEverything(publicPermission: .readOnly).url)
        let metadata = try await bob.shareMetadata(for: url)
        let foreign = try #require(URL(string: "https://example.com"))
        let log = Log()

        let fetch = CKFetchShareMetadataOperation(shareURLs: [url, foreign])
        fetch.perShareMetadataResultBlock = { [weak fetch] _, result in
            log.add(Scene.word(result))
            fetch?.cancel()
        }
        fetch.fetchShareMetadataResultBlock = { log.add("end \(Scene.word($0))") }
        await run(fetch, on: bob)

        let accept = CKAcceptSharesOperation(shareMetadatas: [metadata, metadata])
        accept.perShareResultBlock = { [weak accept] _, result in
            log.add(Scene.word(result))
            accept?.cancel()
        }
        accept.acceptSharesResultBlock = { log.add("end \(Scene.word($0))") }
        await run(accept, on: bob)

        let infos = [CKUserIdentity.LookupInfo(userRecordID: bobID), .init(phoneNumber: "1")]
        let people = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
        people.perShareParticipantResultBlock = { [weak people] _, result in
            log.add(Scene.word(result))
            people?.cancel()
        }
        people.fetchShareParticipantsResultBlock = { log.add("end \(Scene.word($0))") }
        await run(people, on: alice)
        #expect(log.lines == (0..<3).flatMap { _ in ["done", "operationCancelled", "end operationCancelled"] })
    }

    @Test("A share that could not be accepted is told by its URL, and a root record by its metadata")
    func unaccepted() async throws {
        let alice = CKContainer(try Container(identifier: "unaccepted", account: .user("_a11ce")))
        let app = SharingApp(container: alice)
        try await app.start()
        let list = try await app.makeList("L", notes: [])
        let url = try #require(try await app.share(list, with: [], mayWrite: true).url)
        let metadata = try await alice.shareMetadata(for: url)
        let names = [metadata.rootRecordID.recordName, metadata.share.recordID.recordName]
        #expect(names[0] == list.root.recordID.recordName && names[1] != names[0])
        let (accept, log) = (CKAcceptSharesOperation(shareMetadatas: [metadata]), Log())
        accept.acceptSharesCompletionBlock = { error in
            let errors = (error as? CKError)?.partialErrorsByItemID ?? [:]
            log.add("\(errors.keys.map { $0 == AnyHashable(url) })")
        }
        await run(accept, on: alice)
        #expect(log.lines == ["[true]"])
    }

    @Test("Matches after a cancellation are not told, and a cancelled batch tells its older callback of each record")
    func records() async throws {
        let (scene, log) = (try await Scene(), Log())
        let query = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let search = CKQueryOperation(query: query)
        search.recordMatchedBlock = { [weak search] id, _ in
            log.add(id.recordName)
            search?.cancel()
        }
        search.queryResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(search)
        let batch = CKModifyRecordsOperation(recordsToSave: [scene.record("n"), scene.record("m")])
        batch.perRecordProgressBlock = { [weak batch] _, _ in batch?.cancel() }
        batch.perRecordCompletionBlock = { log.add("\($0.recordID.recordName) \(Self.word($1))") }
        await scene.run(batch)
        #expect(
            log.lines == ["a", "end operationCancelled", "n operationCancelled", "m operationCancelled"])
    }

    @Test("Changes after a cancellation are not told, of a database and of a zone without any")
    func changes() async throws {
        let (scene, log) = (try await Scene(), Log())
        let empty = CKRecordZone(zoneName: "A")
        try await scene.database.save(empty)
        let all = CKFetchDatabaseChangesOperation()
        all.resultsLimit = 1
        all.recordZoneWithIDChangedBlock = { [weak all] _ in
            log.add("zone")
            all?.cancel()
        }
        all.changeTokenUpdatedBlock = { _ in log.add("token") }
        all.fetchDatabaseChangesResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(all)
        let zones = CKFetchRecordZoneChangesOperation(recordZoneIDs: [scene.zone, empty.zoneID])
        zones.recordZoneFetchResultBlock = { [weak zones] id, result in
            log.add("\(id.zoneName) \(Scene.word(result))")
            zones?.cancel()
        }
        zones.fetchRecordZoneChangesResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(zones)
        #expect(
            log.lines == [
                "zone", "token", "end operationCancelled", "Z done", "A operationCancelled", "end operationCancelled",
            ])
    }

    @Test("Zones of a stretch after a cancellation are not told, and one in the last callback counts")
    func lastItems() async throws {
        let (scene, log) = (try await Scene(), Log())
        let database = scene.database
        for name in ["A", "B"] { try await database.save(CKRecordZone(zoneName: name)) }
        let zones = CKFetchDatabaseChangesOperation()
        zones.recordZoneWithIDChangedBlock = { [weak zones] _ in
            log.add("zone")
            zones?.cancel()
        }
        zones.fetchDatabaseChangesResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(zones)
        let fetch = CKFetchRecordsOperation(recordIDs: [scene.id("a")])
        fetch.perRecordResultBlock = { [weak fetch] id, _ in
            log.add(id.recordName)
            fetch?.cancel()
        }
        fetch.fetchRecordsResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(fetch)
        let search = CKQueryOperation(query: CKQuery(recordType: "T", predicate: NSPredicate(format: "name == 'b'")))
        search.recordMatchedBlock = { [weak search] id, _ in
            log.add(id.recordName)
            search?.cancel()
        }
        search.queryResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(search)
        // What is saved is saved.
        let batch = CKModifyRecordZonesOperation(recordZonesToSave: [CKRecordZone(zoneName: "C")])
        batch.perRecordZoneSaveBlock = { [weak batch] id, _ in
            log.add(id.zoneName)
            batch?.cancel()
        }
        batch.modifyRecordZonesResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(batch)
        #expect(
            log.lines == ["zone", "a", "b"].flatMap { [$0, "end operationCancelled"] } + ["C", "end done"])
    }

    @Test("Zones that only configurations name are fetched by name, and what fails of a batch of zones is told")
    func zones() async throws {
        let (scene, log) = (try await Scene(), Log())
        let made = ["D", "B", "C", "A"].map { CKRecordZone(zoneName: $0) }
        _ = try await scene.database.modifyRecordZones(saving: made, deleting: [])
        let fetch = CKFetchRecordZoneChangesOperation()
        fetch.configurationsByRecordZoneID = Dictionary(
            uniqueKeysWithValues: made.map { ($0.zoneID, CKFetchRecordZoneChangesConfiguration()) })
        fetch.recordZoneFetchResultBlock = { id, _ in log.add(id.zoneName) }
        await scene.run(fetch)
        let batch = CKModifyRecordZonesOperation(recordZonesToSave: [CKRecordZone(zoneName: "_bad")])
        batch.modifyRecordZonesResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(batch)
        let good = CKModifyRecordZonesOperation(recordZonesToSave: [CKRecordZone(zoneName: "E")])
        good.modifyRecordZonesResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(good)
        #expect(log.lines == ["A", "B", "C", "D", "end partialFailure", "end done"])
    }

    @Test("A token for the web is told as missing, or as cancelled, in the older callback too")
    func webToken() async throws {
        let (scene, log) = (try await Scene(), Log())
        for isCancelled in [false, true] {
            let operation = CKFetchWebAuthTokenOperation(apiToken: "x")
            operation.fetchWebAuthTokenCompletionBlock = { log.add("\($0 ?? "-") \(Self.word($1))") }
            if isCancelled { operation.cancel() }
            await scene.run(operation)
        }
        #expect(log.lines == ["- missingEntitlement", "- operationCancelled"])
    }

    // MARK: Handlers

    @Test("What a handler is told as saved is an object of its own, with what the database added")
    func saved() async throws {
        let scene = try await Scene()
        let (database, record) = (scene.database, scene.record("n"))
        let told: CKRecord? = await awaited { done in database.save(record) { saved, _ in done(saved) } }
        let tag = try #require(told?.recordChangeTag)
        #expect(told !== record && record.recordChangeTag == tag)
        #expect("\(record)".hasSuffix(", recordChangeTag=\(tag)>"))
        let zone = CKRecordZone(zoneName: "Y")
        let savedZone: CKRecordZone? = await awaited { done in database.save(zone) { saved, _ in done(saved) } }
        #expect(savedZone?.zoneID == zone.zoneID && savedZone !== zone)
        let subscription = CKDatabaseSubscription(subscriptionID: "s")
        let savedSubscription: CKSubscription? = await awaited { done in
            database.save(subscription) { saved, _ in done(saved) }
        }
        #expect(savedSubscription?.subscriptionID == "s" && savedSubscription !== subscription)
    }

    @Test("Without a limit all zones that changed come at once")
    func limits() async throws {
        let scene = try await Scene()
        for name in ["X", "Y"] { try await scene.database.save(CKRecordZone(zoneName: name)) }
        for (limit, count) in [(nil, 3), (1, 1), (2, 2)] as [(Int?, Int)] {
            let changes = try await scene.database.databaseChanges(since: nil, resultsLimit: limit)
            #expect(changes.modifications.count == count && changes.moreComing == (count < 3))
        }
    }

    @Test("A container that could not be made tells why, in handlers too, and two of one name are one")
    func containers() async throws {
        let broken = CKContainer(identifier: "").privateCloudDatabase
        let code: String = await awaited { done in
            broken.fetch(withRecordID: CKRecord.ID(recordName: "a")) { _, error in done(Self.word(error)) }
        }
        #expect(code == "invalidArguments")
        let name = "one of two \(UUID().uuidString)"
        let record = CKRecord(recordType: "T")
        try await CKContainer(identifier: name).privateCloudDatabase.save(record)
        let found = try await CKContainer(identifier: name).privateCloudDatabase.record(for: record.recordID)
        #expect(found.recordID == record.recordID)
    }

    @Test("There are no contacts, and nobody is told so who is not signed in")
    func contacts() async throws {
        let scene = try await Scene()
        for (container, expected) in [(scene.container, "0 done"), (scene.nobody, "-1 notAuthenticated")] {
            let told: String = await awaited { done in
                container.discoverAllIdentities { done("\($0?.count ?? -1) \(Self.word($1))") }
            }
            #expect(told == expected)
        }
    }
}
