// Operations: their queue, their settings, their end.

import CloudKitCompat
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct OperationRules {
    static let rules: [Rule] = [
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
        Rule(309, 324, text: "settings: the operation's, then those it is added with, then its group's") {
            scene async throws in
            let group = CKOperationGroup()
            group.defaultConfiguration.container = scene.container
            group.defaultConfiguration.timeoutIntervalForRequest = 5
            group.defaultConfiguration.allowsCellularAccess = false
            let own = scene.modify([scene.record("grouped")])
            own.group = group
            let queue = OperationQueue()
            queue.addOperation(own)
            await awaited { done in queue.addBarrierBlock { done(()) } }
            #expect(try await scene.database.record(for: scene.id("grouped"))["size"] as? Int == 1)

            let (added, shared) = (scene.fetch([scene.id("a")]), CKOperation.Configuration())
            added.configuration.timeoutIntervalForRequest = 7
            (shared.timeoutIntervalForRequest, shared.timeoutIntervalForResource) = (8, 9)
            scene.database.configuredWith(configuration: shared, group: group) { database in
                #expect(database !== scene.database && database.databaseScope == .private)
                database.add(added)
            }
            await scene.run(scene.fetch([]))
            let settings = added.resolvedConfiguration
            #expect(settings.timeoutIntervalForRequest == 7 && settings.timeoutIntervalForResource == 9)
            #expect(!settings.allowsCellularAccess && !settings.isLongLived && settings.qualityOfService == .default)
            #expect(added.group === group && scene.log.lines.contains("a done"))
            // A group of its own stays.
            let grouped = scene.fetch([])
            grouped.group = CKOperationGroup()
            let before = grouped.group
            scene.database.configuredWith(configuration: shared, group: group) { $0.add(grouped) }
            await scene.run(scene.fetch([]))
            #expect(grouped.group === before && grouped.group !== group)
            #expect(grouped.resolvedConfiguration.allowsCellularAccess)
            #expect(scene.fetch([]).resolvedConfiguration.timeoutIntervalForRequest == 60)
        },
        Rule(324, text: "a group does not make one batch of its operations") { scene async throws in
            let group = CKOperationGroup()
            let (good, bad) = (scene.modify([scene.record("n")]), scene.modify([scene.record("a")]))
            (good.group, bad.group) = (group, group)
            await scene.run(good, bad)
            // Callbacks of two operations may run at the same time.
            #expect(scene.log.lines.filter { $0.hasPrefix("end") }.sorted() == ["end done", "end partialFailure"])
            #expect(try await scene.database.record(for: scene.id("n"))["size"] as? Int == 1)
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
        Rule(312, 313, text: "high priority first, then order of adding, calls with handlers behind") {
            _ async throws in
            let script = FaultScript()
            var configuration = Configuration()
            configuration.faults = script.faults
            let container = try Container(identifier: "order", account: .user("_a11ce"), configuration: configuration)
            let database = CKContainer(container).privateCloudDatabase
            let queue = database.operationQueue
            queue.isSuspended = true
            database.fetchAllSubscriptions { _, _ in }
            let priorities: [Operation.QueuePriority] = [.veryLow, .normal, .low, .veryHigh, .normal, .high]
            for (index, priority) in priorities.enumerated() {
                let ids = (0..<index).map { CKRecord.ID(recordName: "r\($0)") }
                let operation = CKFetchRecordsOperation(recordIDs: ids)
                operation.queuePriority = priority
                operation.fetchRecordsResultBlock = { _ in }
                database.add(operation)
            }
            queue.isSuspended = false
            await awaited { done in queue.addBarrierBlock { done(()) } }
            let calls = script.calls.map { $0.kind == .fetchRecords ? "\($0.itemCount)" : "\($0.kind)" }
            #expect(calls == ["3", "5", "1", "4", "fetchSubscriptions", "2", "0"])
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
                // Long enough for another callback to come in between, if it could.
                Thread.sleep(forTimeInterval: 0.01)
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
            scene.database.add(operation)
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
            let both = scene.modify([scene.record("k")], [scene.id("a"), scene.id("b")])
            both.perRecordProgressBlock = { [weak both] _, _ in both?.cancel() }
            await scene.run(both)
            #expect(
                log.lines.suffix(4) == [
                    "k operationCancelled", "-a operationCancelled", "-b operationCancelled", "end operationCancelled",
                ])
            #expect(try await scene.database.record(for: scene.id("a")).recordType == "T")
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
    ]

    @Test("Operations", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(try await Scene()) }
}
