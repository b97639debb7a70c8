// Operations: the rules of their queue and their callbacks.

import CloudKitCompat
import RecordDatabase
import Synchronization
import Testing

/// A rule of the model, or a few that one scene shows, and the scene.
struct Rule: Sendable, CustomTestStringConvertible {
    let numbers: [Int]
    let text: String
    let show: @Sendable (Scene) async throws -> Void

    init(_ numbers: Int..., text: String, _ show: @escaping @Sendable (Scene) async throws -> Void) {
        self.numbers = numbers
        self.text = text
        self.show = show
    }

    var testDescription: String { numbers.map { "R\($0)" }.joined(separator: " ") + " " + text }
}

/// What callbacks tell, in order.
final class Log: Sendable {
    private let state = Mutex<[String]>([])
    var lines: [String] { state.withLock { $0 } }
    func add(_ line: String) { state.withLock { $0.append(line) } }
}

/// A number that callbacks change.
final class Counter: Sendable {
    private let state = Mutex(0)

    @discardableResult
    func add(_ step: Int) -> Int {
        state.withLock { number in
            number += step
            return number
        }
    }
}

/// A container with records a and b in the default zone and c in the zone Z, and what was told of them.
struct Scene: Sendable {
    let container: CKContainer
    let nobody: CKContainer
    let log = Log()
    let zone = CKRecordZone.ID(zoneName: "Z")

    var database: CKDatabase { container.privateCloudDatabase }

    init() async throws {
        let own = try Container(identifier: "operations", account: .user("_a11ce"))
        container = CKContainer(own)
        nobody = CKContainer(try Container(sharing: own, account: .none))
        try await database.save(CKRecordZone(zoneID: zone))
        _ = try await database.modifyRecords(
            saving: [record("a"), record("b"), record("c", zone)], deleting: [])
    }

    func record(_ name: String, _ zone: CKRecordZone.ID = .default) -> CKRecord {
        let record = CKRecord(recordType: "T", recordID: id(name, zone))
        record["name"] = name
        record["size"] = 1
        return record
    }

    func id(_ name: String, _ zone: CKRecordZone.ID = .default) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: zone)
    }

    /// A fetch whose callbacks write the log.
    func fetch(_ ids: [CKRecord.ID]?) -> CKFetchRecordsOperation {
        let operation = CKFetchRecordsOperation()
        operation.recordIDs = ids
        listen(operation)
        return operation
    }

    func listen(_ operation: CKFetchRecordsOperation) {
        let log = log
        operation.perRecordProgressBlock = { log.add("\($0.recordName) \($1)") }
        operation.perRecordResultBlock = { log.add("\($0.recordName) \(Self.word($1))") }
        operation.fetchRecordsResultBlock = { log.add("end \(Self.word($0))") }
    }

    /// A batch whose callbacks write the log.
    func modify(_ records: [CKRecord], _ ids: [CKRecord.ID] = []) -> CKModifyRecordsOperation {
        let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: ids)
        let log = log
        operation.perRecordProgressBlock = { log.add("\($0.recordID.recordName) \($1)") }
        operation.perRecordSaveBlock = { log.add("\($0.recordName) \(Self.word($1))") }
        operation.perRecordDeleteBlock = { log.add("-\($0.recordName) \(Self.word($1))") }
        operation.modifyRecordsResultBlock = { log.add("end \(Self.word($0))") }
        return operation
    }

    /// Runs operations to their ends, their `completionBlock`s too.
    func run(_ operations: CKDatabaseOperation..., on database: CKDatabase? = nil) async {
        let queue = (database ?? self.database)
        queue.operationQueue.isSuspended = true
        await withTaskGroup(of: Void.self) { group in
            for operation in operations {
                let (stream, end) = AsyncStream.makeStream(of: Void.self)
                let own = operation.completionBlock
                operation.completionBlock = {
                    own?()
                    end.finish()
                }
                queue.add(operation)
                group.addTask { for await _ in stream {} }
            }
            queue.operationQueue.isSuspended = false
        }
    }

    static func word(_ result: Result<some Any, any Error>) -> String {
        switch result {
        case .success: "done"
        case .failure(let error): (error as? CKError).map { "\($0.code)" } ?? "\(error)"
        }
    }
}

@Suite struct OperationRules {
    static let rules: [Rule] = [
        Rule(128, 134, 140, 141, 142, 317, text: "a fetch tells of each record, of its end, and completes") {
            scene async throws in
            let operation = scene.fetch([scene.id("x")])
            #expect(operation.recordIDs == [scene.id("x")])
            operation.recordIDs = [scene.id("a"), scene.id("c", scene.zone)]
            let log = scene.log
            operation.completionBlock = { log.add("complete") }
            await scene.run(operation)
            #expect(log.lines == ["a 1.0", "a done", "c 1.0", "c done", "end done", "complete"])
        },
        Rule(129, 145, text: "an error of the whole fetch is told at the end alone") { scene async throws in
            await scene.run(scene.fetch(nil))
            await scene.run(scene.fetch((0...400).map { scene.id("r\($0)") }))
            await scene.run(scene.fetch([scene.id("a")]), on: scene.nobody.privateCloudDatabase)
            #expect(scene.log.lines == ["end invalidArguments", "end limitExceeded", "end notAuthenticated"])
        },
        Rule(130, text: "no identifiers are no error, and twice the same is once") { scene async throws in
            await scene.run(scene.fetch([]))
            await scene.run(scene.fetch([scene.id("a"), scene.id("a")]))
            #expect(scene.log.lines == ["end done", "a 1.0", "a done", "end done"])
        },
        Rule(131, 132, 133, text: "the record of the current user") { scene async throws in
            let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
            operation.recordIDs = [scene.id("a")]
            #expect(operation.recordIDs == nil)
            scene.listen(operation)
            await scene.run(operation)
            let other = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
            scene.listen(other)
            await scene.run(other, on: scene.nobody.publicCloudDatabase)
            #expect(scene.log.lines == ["_a11ce 1.0", "_a11ce done", "end done", "end notAuthenticated"])
        },
        Rule(135, 136, 137, 138, 139, text: "desired keys narrow what comes") { scene async throws in
            let cases: [([String]?, [String])] = [
                (nil, ["name", "size"]), (["size"], ["size"]), ([], []), (["size", "other"], ["size"]),
            ]
            for (keys, expected) in cases {
                let operation = CKFetchRecordsOperation(recordIDs: [scene.id("a")])
                operation.desiredKeys = keys
                let log = Log()
                operation.fetchRecordsCompletionBlock = { records, _ in
                    for record in (records ?? [:]).values {
                        record.allKeys().forEach(log.add)
                        if record.recordChangeTag == nil || !record.changedKeys().isEmpty { log.add("wrong") }
                    }
                }
                await scene.run(operation)
                #expect(log.lines == expected)
            }
        },
        Rule(143, 144, text: "missing records are in the error of the end") { scene async throws in
            for ids in [["a", "x", "y"], ["x", "y"]] {
                let operation = scene.fetch(ids.map { scene.id($0) })
                let log = Log()
                operation.fetchRecordsCompletionBlock = { records, error in
                    let missing = (error as? CKError)?.partialErrorsByItemID ?? [:]
                    let names = missing.keys.compactMap { ($0.base as? CKRecord.ID)?.recordName }
                    log.add("\((records ?? [:]).count) \(names.sorted())")
                }
                await scene.run(operation)
                #expect(log.lines == ["\(ids.count - 2) [\"x\", \"y\"]"])
                #expect(scene.log.lines.last == "end partialFailure")
            }
        },
        Rule(179, 180, text: "a batch tells of progress, of each item once, and of its end") { scene async throws in
            let operation = scene.modify([scene.record("n"), scene.record("a")], [scene.id("b")])
            operation.isAtomic = false
            let log = scene.log
            operation.modifyRecordsCompletionBlock = { saved, deleted, error in
                log.add(
                    "\(saved?.map(\.recordID.recordName) ?? []) \(deleted?.map(\.recordName) ?? []) \(error != nil)")
            }
            await scene.run(operation)
            #expect(
                log.lines == [
                    "n 0.0", "a 0.0", "n 1.0", "n done", "a serverRecordChanged", "-b done", "end partialFailure",
                    "[\"n\"] [\"b\"] true",
                ])
        },
        Rule(309, text: "an operation without a database uses the private one of the default container") {
            scene async throws in
            let record = scene.record("own queue")
            let operation = scene.modify([record])
            let queue = OperationQueue()
            queue.addOperation(operation)
            await awaited { done in queue.addBarrierBlock { done(()) } }
            #expect(scene.log.lines.last == "end done" && operation.database == nil)
            let database = CKContainer.default().privateCloudDatabase
            #expect(try await database.record(for: record.recordID)["size"] as? Int == 1)
        },
        Rule(310, text: "an operation runs on the database that it is added to") { scene async throws in
            let operation = scene.modify([scene.record("p")])
            operation.database = scene.database
            await scene.run(operation, on: scene.container.publicCloudDatabase)
            #expect(operation.database === scene.container.publicCloudDatabase)
            #expect(try await scene.container.publicCloudDatabase.record(for: scene.id("p")).recordType == "T")
            await #expect(throws: CKError.self) { try await scene.database.record(for: scene.id("p")) }
        },
        Rule(311, text: "settings are read when an operation is added") { scene async throws in
            scene.database.operationQueue.isSuspended = true
            let operation = scene.fetch([scene.id("a")])
            scene.database.add(operation)
            operation.recordIDs = [scene.id("b")]
            operation.perRecordProgressBlock = nil
            let log = scene.log
            await awaited { done in
                operation.completionBlock = { done(()) }
                scene.database.operationQueue.isSuspended = false
            }
            #expect(log.lines == ["a 1.0", "a done", "end done"])
        },
        Rule(312, 313, text: "high priority first, then order of adding; calls with handlers behind") {
            scene async throws in
            let log = scene.log
            let queue = scene.database.operationQueue
            queue.isSuspended = true
            scene.database.fetch(withRecordID: scene.id("a")) { _, _ in log.add("handler") }
            let priorities: [Operation.QueuePriority] = [.veryLow, .normal, .low, .veryHigh, .normal, .high]
            for (index, priority) in priorities.enumerated() {
                let operation = CKFetchRecordsOperation(recordIDs: [])
                operation.queuePriority = priority
                operation.fetchRecordsResultBlock = { _ in log.add("\(index) \(priority.rawValue)") }
                scene.database.add(operation)
            }
            queue.isSuspended = false
            await awaited { done in queue.addBarrierBlock { done(()) } }
            #expect(log.lines == ["3 8", "5 4", "1 0", "4 0", "handler", "2 -4", "0 -8"])
        },
        Rule(314, text: "a dependent waits for the other, cancelled or not") { scene async throws in
            for isCancelled in [false, true] {
                let (first, second) = (scene.fetch([]), scene.modify([]))
                second.addDependency(first)
                let log = Log()
                first.fetchRecordsResultBlock = { _ in log.add("first") }
                second.modifyRecordsResultBlock = { _ in log.add("second") }
                if isCancelled { first.cancel() }
                await scene.run(second, first)
                #expect(log.lines == ["first", "second"])
            }
        },
        Rule(315, 316, text: "callbacks do not overlap and are not on the main thread") { scene async throws in
            let log = scene.log
            let (running, overlaps) = (Counter(), Counter())
            let tell: @Sendable () -> Void = {
                if running.add(1) > 1 { overlaps.add(1) }
                log.add(Thread.isMainThread ? "main" : "other")
                running.add(-1)
            }
            let operation = CKFetchRecordsOperation(recordIDs: [scene.id("a"), scene.id("b")])
            operation.perRecordResultBlock = { _, _ in tell() }
            operation.fetchRecordsResultBlock = { _ in tell() }
            await scene.run(operation)
            await awaited { done in
                scene.database.fetch(withRecordID: scene.id("a")) { _, _ in
                    log.add(Thread.isMainThread ? "main" : "other")
                    done(())
                }
            }
            #expect(log.lines == ["other", "other", "other", "other"] && overlaps.add(0) == 0)
        },
        Rule(318, text: "an operation without callbacks does its work") { scene async throws in
            await scene.run(CKModifyRecordsOperation(recordsToSave: [scene.record("quiet")]))
            #expect(try await scene.database.record(for: scene.id("quiet"))["size"] as? Int == 1)
        },
        Rule(319, text: "an operation runs once") { scene async throws in
            let operation = scene.fetch([scene.id("a")])
            await scene.run(operation)
            let count = scene.log.lines.count
            #expect(scene.database.add(operation)?.code == .invalidArguments)
            await scene.run(CKFetchRecordsOperation(recordIDs: []))
            #expect(scene.log.lines.count == count && count > 0)
        },
        Rule(320, text: "cancelled before the start: no work, the end, completion") { scene async throws in
            let operation = scene.modify([scene.record("n")])
            let log = scene.log
            operation.completionBlock = { log.add("complete") }
            operation.cancel()
            await scene.run(operation)
            #expect(log.lines == ["end operationCancelled", "complete"])
            await #expect(throws: CKError.self) { try await scene.database.record(for: scene.id("n")) }
        },
        Rule(321, text: "cancelled while running: what was not told of is cancelled") { scene async throws in
            let operation = scene.fetch([scene.id("a"), scene.id("b")])
            let log = scene.log
            operation.perRecordResultBlock = { [weak operation] id, result in
                log.add("\(id.recordName) \(Scene.word(result))")
                operation?.cancel()
            }
            await scene.run(operation)
            #expect(log.lines == ["a 1.0", "a done", "b operationCancelled", "end operationCancelled"])
        },
        Rule(322, text: "a batch is cancelled before its commit as a whole, and not after") { scene async throws in
            let log = scene.log
            let before = scene.modify([scene.record("n"), scene.record("m")])
            before.perRecordProgressBlock = { [weak before] record, part in
                log.add("\(record.recordID.recordName) \(part)")
                before?.cancel()
            }
            await scene.run(before)
            #expect(log.lines == ["n 0.0", "n operationCancelled", "m operationCancelled", "end operationCancelled"])
            await #expect(throws: CKError.self) { try await scene.database.record(for: scene.id("n")) }
            let after = scene.modify([scene.record("n"), scene.record("m")])
            after.perRecordProgressBlock = { [weak after] _, part in if part == 1 { after?.cancel() } }
            await scene.run(after)
            #expect(log.lines.suffix(3) == ["n done", "m done", "end done"])
            #expect(try await scene.database.record(for: scene.id("m"))["size"] as? Int == 1)
        },
        Rule(323, text: "an async call whose task is cancelled") { scene async throws in
            let task = Task {
                try? await Task.sleep(for: .seconds(100))
                return try await scene.database.record(for: scene.id("a"))
            }
            task.cancel()
            let result = await task.result
            #expect(Scene.word(result) == "operationCancelled")
        },
        Rule(114, text: "a fetch of zones, some missing, or all") { scene async throws in
            let log = scene.log
            let some = CKFetchRecordZonesOperation(recordZoneIDs: [scene.zone, CKRecordZone.ID(zoneName: "None")])
            let all = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
            #expect(all.recordZoneIDs == nil)
            for operation in [some, all] {
                operation.perRecordZoneResultBlock = { log.add("\($0.zoneName) \(Scene.word($1))") }
                operation.fetchRecordZonesResultBlock = { log.add("end \(Scene.word($0))") }
                await scene.run(operation)
            }
            #expect(
                log.lines == [
                    "Z done", "None zoneNotFound", "end partialFailure", "_defaultZone done", "Z done", "end done",
                ])
        },
        Rule(115, text: "zones are saved and deleted each on its own") { scene async throws in
            let log = scene.log
            let operation = CKModifyRecordZonesOperation(
                recordZonesToSave: [CKRecordZone(zoneName: "Y"), CKRecordZone(zoneName: "_bad")],
                recordZoneIDsToDelete: [scene.zone])
            operation.perRecordZoneSaveBlock = { log.add("\($0.zoneName) \(Scene.word($1))") }
            operation.perRecordZoneDeleteBlock = { log.add("-\($0.zoneName) \(Scene.word($1))") }
            operation.modifyRecordZonesCompletionBlock = { log.add("\($0?.count ?? 0) \($1?.count ?? 0) \($2 != nil)") }
            await scene.run(operation)
            #expect(log.lines == ["Y done", "_bad invalidArguments", "-Z done", "1 1 true"])
        },
        Rule(279, text: "subscriptions are saved, fetched and deleted each on its own") { scene async throws in
            let log = scene.log
            let modify = CKModifySubscriptionsOperation(
                subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "s")], subscriptionIDsToDelete: ["none"])
            modify.perSubscriptionSaveBlock = { log.add("\($0) \(Scene.word($1))") }
            modify.perSubscriptionDeleteBlock = { log.add("-\($0) \(Scene.word($1))") }
            modify.modifySubscriptionsResultBlock = { log.add("end \(Scene.word($0))") }
            await scene.run(modify)
            let all = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
            #expect(all.subscriptionIDs == nil)
            for fetch in [all, CKFetchSubscriptionsOperation(subscriptionIDs: ["s", "none"])] {
                fetch.perSubscriptionResultBlock = { log.add("\($0) \(Scene.word($1))") }
                fetch.fetchSubscriptionsResultBlock = { log.add("end \(Scene.word($0))") }
                await scene.run(fetch)
            }
            #expect(
                log.lines == [
                    "s done", "-none unknownItem", "end partialFailure", "s done", "end done", "s done",
                    "none unknownItem", "end partialFailure",
                ])
        },
        Rule(239, 242, 243, text: "queries as operations: matches in order, then the cursor") { scene async throws in
            let log = scene.log
            let query = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
            query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            let cursors = Mutex<CKQueryOperation.Cursor?>(nil)
            for turn in 0..<2 {
                let operation = CKQueryOperation(query: query)
                if turn == 1 {
                    operation.cursor = cursors.withLock { $0 }
                    operation.query = CKQuery(recordType: "None", predicate: NSPredicate(value: true))
                }
                operation.resultsLimit = 1
                operation.recordMatchedBlock = { log.add("\($0.recordName) \(Scene.word($1))") }
                operation.queryResultBlock = { result in
                    log.add("end \(Scene.word(result))")
                    if case .success(let cursor) = result { cursors.withLock { $0 = cursor } }
                }
                await scene.run(operation)
                #expect((cursors.withLock { $0 } != nil) == (turn == 0))
            }
            #expect(log.lines == ["b done", "end done", "a done", "end done"])
        },
    ]

    @Test("Rules of operations", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(try await Scene()) }
}
