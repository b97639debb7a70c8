// More client programs of `Clients`, run: idioms of mappers, views, feeds, mocks, pipelines and streams.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite(.timeLimit(.minutes(5))) struct IdiomTests {
    private let store: Container
    private let container: CKContainer
    private let script = FaultScript()
    private var database: CKDatabase { container.privateCloudDatabase }
    private let folder = FileManager.default.temporaryDirectory.appending(path: "idioms-\(UUID().uuidString)")

    init() throws {
        var configuration = Configuration()
        configuration.faults = script.faults
        store = try Container(identifier: "idioms", account: .user("_a11ce"), configuration: configuration)
        container = CKContainer(store)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func record(_ name: String, _ type: String = "T", _ fields: [String: Int] = [:]) -> CKRecord {
        let record = CKRecord(recordType: type, recordID: CKRecord.ID(recordName: name))
        for (key, value) in fields { record[key] = value }
        return record
    }

    /// What a handler is called with.
    private func told<Value: Sendable>(_ body: (@escaping @Sendable (Value) -> Void) -> Void) async throws -> Value {
        let (stream, end) = AsyncStream.makeStream(of: Value.self)
        body {
            end.yield($0)
            end.finish()
        }
        var iterator = stream.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    @Test("Fields of every type, in every form")
    func fields() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "asset")
        try Data([1]).write(to: file)
        try await database.save(self.record("other"))
        let record = CKRecord(recordType: "Everything")
        #expect(exerciseFields(record, asset: file) == [])
        _ = try await database.save(record)
        let stored = try await database.record(for: record.recordID)
        #expect(stored["whole"] as? Int == 1 && stored["words"] as? [String] == ["a", "b"])
        let entry = DiaryEntry(record: record)
        #expect(entry.title == "untitled" && entry.stars == 0 && entry.mood == nil)
        (entry.stars, entry.mood) = (4, .merry)
        #expect(record["stars"] as? Int == 4 && record["mood"] as? String == "merry")
    }

    @Test("A model on the main actor")
    @MainActor func model() async throws {
        let model = NotesModel(container: container)
        await model.start()
        #expect(model.status == .available && model.userName == "_a11ce" && model.message == nil)
        try await model.add(["b", "a", "!c", "ab", "d"])
        #expect(model.notes.map(\.text) == ["!c", "a", "ab", "b", "d"] && model.notes[0].isPinned)
        await model.reload()
        #expect(model.notes.count == 5)
        await model.type("a").value
        #expect(model.notes.map(\.text) == ["a", "ab"])
        model.pinAll()
        let error: (any Error)? = await withCheckedContinuation { continuation in
            model.remove(model.notes[0]) { continuation.resume(returning: $0) }
        }
        #expect(error == nil && model.notes.map(\.text) == ["ab"])
    }

    @Test("A public feed with pages, groups and archives")
    func feed() async throws {
        let feed = PublicFeed(container: container)
        let failure: (any Error)? = try await told { feed.publish((0..<7).map { "Post \($0)" }, completion: $0) }
        #expect(failure == nil)
        let pages: Int = try await told { done in
            feed.loadAll(limit: 3) { pages, error in done(error == nil ? pages : -1) }
        }
        #expect(pages == 3 && feed.titles.first == "Post 6" && feed.titles.count == 7 && feed.cursor != nil)
        let found: CKRecord? = try await told { done in feed.find("Post 2") { record, _ in done(record) } }
        let post = try #require(found)
        let author: CKUserIdentity? = try await told { done in feed.author(of: post) { user, _ in done(user) } }
        #expect(author?.userRecordID?.recordName == "_a11ce")
        #expect(try PublicFeed.firstPost(in: feed.archive())?.recordID.recordName == "post-6")
        let user: CKRecord? = try await told { done in feed.userRecord { record, _ in done(record) } }
        #expect(user?.recordType == "Users")
    }

    @Test("What is done about each error")
    func errors() async throws {
        let policy = RetryPolicy()
        #expect(policy.remedy(for: CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 2.0])) == .retry(2))
        #expect(policy.remedy(for: CKError(.limitExceeded)) == .split)
        #expect(policy.remedy(for: CKError(.changeTokenExpired)) == .resetToken)
        let newer = CKError(_nsError: NSError(domain: CKErrorDomain, code: 99))
        #expect(policy.remedy(for: newer) == .tellUser("unknown 99"))
        let busy = CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 4.0]) as NSError
        #expect(busy.domain == CKErrorDomain && busy.code == 23 && RetryPolicy.delay(after: busy) == 4)
        let record = record("a", "T", ["x": 1, "y": 1])
        try await database.save(record)
        let stale = try #require(record.copy() as? CKRecord)
        record["x"] = 2
        try await database.save(record)
        stale["y"] = 5
        do {
            try await database.save(stale)
            Issue.record("no conflict")
        } catch let error as CKError {
            #expect(policy.remedy(for: error) == .merge)
            let merged = try #require(RetryPolicy.merge(error))
            #expect(merged["x"] as? Int == 2 && merged["y"] as? Int == 5)
            try await database.save(merged)
        }
        do {
            _ = try await database.modifyRecords(saving: [stale, self.record("b")], deleting: [])
            Issue.record("no failure")
        } catch {
            #expect(RetryPolicy.failures(of: error as NSError)[stale.recordID]?.code == .serverRecordChanged)
        }
        script.failNext(2, .fetchRecords, with: .zoneBusy)
        let found = try await policy.perform { try await database.record(for: stale.recordID) }
        #expect(found["y"] as? Int == 5)
    }

    @Test("Subscriptions, and dictionaries of notifications")
    func subscriptions() async throws {
        let center = SubscriptionCenter(container: container)
        let zone = CKRecordZone(zoneName: "Tasks")
        try await database.save(zone)
        // A query is of a type and fields that there are.
        let first = CKRecord(recordType: "Task", recordID: CKRecord.ID(zoneID: zone.zoneID))
        (first["done"], first["title"]) = (true, "first")
        try await database.save(first)
        let saved: Result<[String], any Error> = try await told { center.subscribe(completion: $0) }
        #expect(try saved.get() == ["all", "open-tasks", "zone"])
        let notifications = center.notifications
        let other = CKContainer(try Container(sharing: store, account: .user("_a11ce")))
        let task = CKRecord(recordType: "Task", recordID: CKRecord.ID(recordName: "t", zoneID: zone.zoneID))
        task["done"] = false
        try await other.privateCloudDatabase.save(task)
        let told = await center.outcomes(notifications, 3)
        #expect(told.contains(.record(task.recordID, .recordCreated)))
        #expect(told.contains(.zone("Tasks")) && told.contains(.database(.private)))
        #expect(center.handle(["aps": [:]]) == .foreign)
        #expect(try await center.unsubscribe() == 3)
    }

    @Test("Code that knows protocols alone works with the database and with a mock")
    func protocols() async throws {
        let tag = record("tag")
        try await database.save(tag)
        #expect(try await TagRepository(database: database).rename(tag.recordID, to: "x")["name"] as? String == "x")
        let mock = MockDatabase()
        mock.records[tag.recordID] = tag
        #expect(try await TagRepository(database: mock).rename(tag.recordID, to: "y")["name"] as? String == "y")
        mock.nextError = CKError(.networkFailure)
        await #expect(throws: CKError.self) { try await TagRepository(database: mock).rename(tag.recordID, to: "z") }
        let query = CKQuery(recordType: "T", predicate: NSPredicate(format: "name == %@", "y"))
        let found: Int = try await told { done in
            mock.perform(query, inZoneWith: nil) { records, _ in done(records?.count ?? -1) }
        }
        #expect(found == 1)
    }

    @Test("Operations one behind another in a queue of the application's own")
    func pipeline() async throws {
        let pipeline = OperationPipeline(database: database)
        let zone = CKRecordZone(zoneName: "Pipeline")
        let records = ["a", "b"].map {
            CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: $0, zoneID: zone.zoneID))
        }
        let report: String = try await told { done in
            DispatchQueue(label: "idioms").async { done(pipeline.run(zone, records)) }
        }
        #expect(report == "zones 1 true|saved a|saved b|batch 2 0 true|found 2")
        let cancelled = record("never")
        let error: CKError? = try await told { done in
            DispatchQueue(label: "idioms").async { done(pipeline.cancelled(cancelled)) }
        }
        #expect(error?.code == .operationCancelled)
        await #expect(throws: CKError.self) { try await database.record(for: cancelled.recordID) }
    }

    @Test("Sequences of pages, records and changes")
    func streams() async throws {
        let zone = CKRecordZone(zoneName: "Streams")
        try await database.save(zone)
        let ids = (0..<5).map { CKRecord.ID(recordName: "s\($0)", zoneID: zone.zoneID) }
        for id in ids { try await database.save(CKRecord(recordType: "S", recordID: id)) }
        let query = CKQuery(recordType: "S", predicate: NSPredicate(value: true))
        var counts: [Int] = []
        for try await page in QueryPages(database, query, limit: 2) { counts.append(page.count) }
        #expect(counts == [2, 2, 1])
        var names: Set<String> = []
        for try await record in database.stream(query, in: zone.zoneID) { names.insert(record.recordID.recordName) }
        #expect(names.count == 5)
        let (all, token) = try await database.allChanges(in: zone.zoneID)
        #expect(all == ids.map(\.recordName))
        try await database.deleteRecord(withID: ids[3])
        let new = CKRecord.ID(recordName: "new", zoneID: zone.zoneID)
        try await database.save(CKRecord(recordType: "S", recordID: new))
        var events: [String] = []
        for try await event in database.changes(in: zone.zoneID, since: token) {
            switch event {
            case .changed(let record): events.append("+\(record.recordID.recordName)")
            case .deleted(let id, let type): events.append("-\(id.recordName) \(type)")
            case .token: events.append("token")
            }
        }
        #expect(Set(events.dropLast()) == ["-s3 S", "+new"] && events.last == "token")
        #expect(try await database.zones().count == 2)
    }

    @Test("Batches that are halved, and conflicts that are resolved")
    func uploads() async throws {
        let records = (0..<450).map { record("u\($0)", "U", ["v": 1]) }
        let old = record("u7", "U", ["v": 9])
        try await database.save(old)
        let uploader = BatchUploader(database: database) { client, server in
            server["v"] = 10
            return server
        }
        try await uploader.upload(records, deleting: [CKRecord.ID(recordName: "u8")])
        #expect(await uploader.saved.count == 450)
        #expect(await uploader.failed.isEmpty)
        #expect(try await database.record(for: old.recordID)["v"] as? Int == 10)
    }

    @Test("A zone is shared as a whole, accepted, used and left")
    func sharing() async throws {
        let owner = ShareCoordinator(container: container)
        let guest = ShareCoordinator(container: CKContainer(try Container(sharing: store, account: .user("_b0b"))))
        let user = try await guest.container.userRecordID()
        var share = try await owner.shareZone("Lists", title: "My lists")
        share = try await owner.invite(user, to: share, mayWrite: true)
        #expect(try await owner.shareZone("Lists", title: "Again").recordID == share.recordID)
        let url = try #require(share.url)
        let accepted: Result<CKShare, any Error> = try await told { guest.accept(url, completion: $0) }
        let seen = try accepted.get()
        #expect(seen[CKShare.SystemFieldKey.title] as? String == "My lists")
        #expect(owner.summary(of: share) == ["someone owner accepted true", "someone private pending true"])
        let id = CKRecord.ID(recordName: "i", zoneID: CKRecordZone.ID(zoneName: "Lists"))
        try await database.save(CKRecord(recordType: "Item", recordID: id))
        let records = try await guest.sharedRecords("Item")
        let item = try #require(records.first)
        #expect(records.count == 1 && guest.mayEdit(item, seen) && owner.mayEdit(item, nil) == false)
        item["name"] = "of the guest"
        try await guest.container.sharedCloudDatabase.save(item)
        #expect(try await database.record(for: id)["name"] as? String == "of the guest")
        try await guest.leave(item.recordID.zoneID)
        #expect(try await guest.sharedRecords("Item").isEmpty)
    }

    @Test("Photos as assets, which go with their album")
    func photos() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let album = PhotoAlbum(database: database, folder: folder, name: "summer")
        try await album.upload([("sea", Data(count: 5000)), ("hill", Data(count: 100))])
        let photos = try await album.photos()
        #expect(photos.map(\.caption) == ["hill", "sea"] && photos.map(\.bytes) == [100, 5000])
        let steps = Log()
        let error: (any Error)? = try await told { done in
            album.download(photos.map(\.id), progress: { steps.add("\($0)") }, completion: done)
        }
        #expect(error == nil && steps.lines == ["0.5", "1.0"])
        try await album.remove()
        #expect(try await album.photos().isEmpty)
    }

    @Test("Predicates with arguments of every type")
    func predicates() async throws {
        let finder = StoreFinder(database: database)
        _ = try await database.modifyRecords(saving: StoreFinder.stores(), deleting: [])
        let near = try await finder.near(CLLocation(latitude: 52, longitude: 10), metres: 150_000)
        #expect(near.first == "Gamma" && Set(near) == ["Gamma", "Beta", "alpine"])
        #expect(
            try await finder.all() == [
                ["Alpha"], ["Beta", "Delta"], ["Gamma", "alpine", "Delta"], ["Gamma", "alpine"],
                ["Alpha", "Beta", "Gamma"], ["alpine", "Delta", "Epsilon"], ["Beta", "Delta"], ["Beta"],
                ["Alpha", "Gamma", "Delta"], ["Alpha", "Gamma", "alpine", "Delta", "Epsilon"], ["Delta"],
                ["Alpha", "Gamma", "alpine", "Delta", "Epsilon"], ["Beta", "alpine", "Epsilon"], [],
            ])
    }

    @Test("Archives of an application's own classes, and collections of Foundation")
    func archives() async throws {
        let zone = CKRecordZone(zoneName: "Archived")
        try await database.save(zone)
        for number in 0..<3 {
            let id = CKRecord.ID(recordName: "z\(number)", zoneID: zone.zoneID)
            try await database.save(CKRecord(recordType: "Z", recordID: id))
        }
        let state = ArchivedState()
        state.databaseToken = try await database.databaseChanges(since: nil).changeToken
        let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
        state.zoneTokens = [zone.zoneID: changes.changeToken]
        (state.zone, state.subscription) = (zone, CKDatabaseSubscription(subscriptionID: "all"))
        let query = CKQuery(recordType: "Z", predicate: NSPredicate(value: true))
        state.cursor = try await database.records(matching: query, inZoneWith: zone.zoneID, resultsLimit: 1).queryCursor
        let draft = CKRecord(recordType: "Draft")
        draft["text"] = "x"
        (state.drafts, state.pending) = ([draft], [draft.recordID])
        let read = try #require(try ArchivedState.read(state.saved()))
        #expect(read.databaseToken == state.databaseToken && read.zoneTokens == state.zoneTokens)
        #expect(read.zone == zone && read.subscription?.subscriptionID == "all" && read.pending == state.pending)
        #expect(read.drafts.first?["text"] as? String == "x" && read.cursor == state.cursor)
        let cursor = try #require(read.cursor)
        #expect(try await database.records(continuingMatchFrom: cursor).matchResults.count == 2)
        #expect(ObjectCollections.check(draft) == [])
    }

    @Test("A session of events and effects")
    func session() async throws {
        let session = SyncSession(container: container, zoneName: "Session")
        await session.use(ZoneMiddleware())
        await session.use(HaltMiddleware())
        await session.start()
        #expect(await session.state.isReady)
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "a", zoneID: session.zoneID))
        await session.save([record])
        #expect(await session.state.saved == [record.recordID])
        script.failNext(1, .modifyRecords, with: .networkFailure)
        await session.save([record])
        #expect(await session.state.failures == [.networkFailure])
        #expect(await session.state.halted == nil)
        await session.save([CKRecord(recordType: "T", recordID: record.recordID)])
        #expect(await session.state.halted == "2")
    }

    @Test("Scores with results as callbacks")
    func scores() async throws {
        let board = ScoreBoard(container: container)
        let friend = record("friend")
        try await container.publicCloudDatabase.save(friend)
        for (name, points) in [("ann", 5), ("bob", 9), ("cid", 1)] {
            let result: Result<CKRecord, any Error> = try await told {
                board.submit(name, points, friends: [friend], completion: $0)
            }
            #expect(try result.get().recordType == "Score")
        }
        let scores: Result<[Score], any Error> = try await told { board.fetch(Score.self, completion: $0) }
        #expect(try scores.get().map(\.player) == ["bob", "ann", "cid"])
        #expect(try scores.get().first?.friends == [friend.recordID])
        let name: Result<String?, any Error> = try await told { board.setNickname("A", completion: $0) }
        #expect(try name.get() == "A")
        #expect(try await board.deleteAll(below: 6) == 2)
    }

    @Test("Two sync engines whose delegates are on the main actor")
    @MainActor func mainActorSync() async throws {
        let other = CKContainer(try Container(sharing: store, account: .user("_a11ce")))
        let first = MainActorSync(database: database)
        let second = MainActorSync(database: other.privateCloudDatabase)
        first.set("one", for: "a")
        first.set("two", for: "b")
        try await first.synchronize()
        try await second.synchronize()
        #expect(second.items.mapValues(\.name) == ["a": "one", "b": "two"] && second.log == ["in _a11ce"])
        second.set("uno", for: "a")
        second.remove("b")
        first.set("eins", for: "a")
        try await second.synchronize()
        try await first.synchronize()
        let again = MainActorSync(database: database, stateData: first.stateData)
        try await again.synchronize()
        try await second.synchronize()
        #expect(first.items.mapValues(\.name) == ["a": "eins"] && second.items.mapValues(\.name) == ["a": "eins"])
        #expect(again.log.isEmpty)
    }
}
