// Callbacks that wait for other calls of their database: programs do, with semaphores and groups.

import CloudKitCompat
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

/// A callback, and a call that makes it.
private struct Callback: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: @Sendable (Scene, @escaping @Sendable () -> Void) -> Void

    init(_ name: String, _ start: @escaping @Sendable (Scene, @escaping @Sendable () -> Void) -> Void) {
        (testDescription, self.start) = (name, start)
    }

    static let all: [Callback] = handlers + blocks

    private static let handlers: [Callback] = [
        Callback("record") { scene, tell in scene.database.fetch(withRecordID: scene.id("a")) { _, _ in tell() } },
        Callback("save") { scene, tell in scene.database.save(scene.record("n")) { _, _ in tell() } },
        Callback("delete") { scene, tell in scene.database.delete(withRecordID: scene.id("a")) { _, _ in tell() } },
        Callback("query") { scene, tell in
            let query = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
            scene.database.perform(query, inZoneWith: nil) { _, _ in tell() }
        },
        Callback("zones") { scene, tell in scene.database.fetchAllRecordZones { _, _ in tell() } },
        Callback("subscriptions") { scene, tell in scene.database.fetchAllSubscriptions { _, _ in tell() } },
        Callback("changes") { scene, tell in
            scene.database.fetchDatabaseChanges(since: nil) { _ in tell() }
        },
        Callback("account") { scene, tell in scene.container.accountStatus { _, _ in tell() } },
        Callback("user") { scene, tell in scene.container.fetchUserRecordID { _, _ in tell() } },
    ]

    private static let blocks: [Callback] = [
        Callback("perRecordResultBlock") { scene, tell in
            let operation = CKFetchRecordsOperation(recordIDs: [scene.id("a")])
            operation.perRecordResultBlock = { _, _ in tell() }
            scene.database.add(operation)
        },
        Callback("fetchRecordsCompletionBlock") { scene, tell in
            let operation = CKFetchRecordsOperation(recordIDs: [scene.id("a")])
            operation.fetchRecordsCompletionBlock = { _, _ in tell() }
            scene.database.add(operation)
        },
        Callback("perRecordSaveBlock") { scene, tell in
            let operation = CKModifyRecordsOperation(recordsToSave: [scene.record("n")])
            operation.perRecordSaveBlock = { _, _ in tell() }
            scene.database.add(operation)
        },
        Callback("perRecordDeleteBlock") { scene, tell in
            let operation = CKModifyRecordsOperation(recordIDsToDelete: [scene.id("a")])
            operation.perRecordDeleteBlock = { _, _ in tell() }
            scene.database.add(operation)
        },
        Callback("queryResultBlock") { scene, tell in
            let query = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
            let operation = CKQueryOperation(query: query)
            operation.queryResultBlock = { _ in tell() }
            scene.database.add(operation)
        },
        Callback("recordZoneFetchResultBlock") { scene, tell in
            let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [scene.zone])
            operation.recordZoneFetchResultBlock = { _, _ in tell() }
            scene.database.add(operation)
        },
        Callback("recordZoneWithIDChangedBlock") { scene, tell in
            let operation = CKFetchDatabaseChangesOperation()
            operation.recordZoneWithIDChangedBlock = { _ in tell() }
            scene.database.add(operation)
        },
        Callback("modifyRecordZonesResultBlock") { scene, tell in
            let operation = CKModifyRecordZonesOperation(recordZonesToSave: [CKRecordZone(zoneName: "Y")])
            operation.modifyRecordZonesResultBlock = { _ in tell() }
            scene.database.add(operation)
        },
        Callback("fetchSubscriptionsResultBlock") { scene, tell in
            let operation = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
            operation.fetchSubscriptionsResultBlock = { _ in tell() }
            scene.database.add(operation)
        },
        Callback("completionBlock") { scene, tell in
            let operation = CKFetchRecordsOperation(recordIDs: [])
            operation.completionBlock = { tell() }
            scene.database.add(operation)
        },
    ]
}

@Suite(.mayDeadlock) struct WaitingTests {
    /// Makes further calls and waits until all have ended.
    @Sendable private static func waitsForOthers(_ scene: Scene) -> Bool {
        let group = DispatchGroup()
        for _ in 0..<4 { group.enter() }
        scene.database.fetch(withRecordID: scene.id("b")) { _, _ in group.leave() }
        scene.container.accountStatus { _, _ in group.leave() }
        let operation = CKFetchRecordsOperation(recordIDs: [scene.id("b")])
        operation.perRecordResultBlock = { _, _ in group.leave() }
        operation.completionBlock = { group.leave() }
        scene.database.add(operation)
        return group.waitUnlessDeadlocked()
    }

    @Test("A callback may wait for other calls", arguments: Callback.all)
    private func waiting(_ callback: Callback) async throws {
        let scene = try await Scene()
        let hasEnded = await awaited { (done: @escaping @Sendable (Bool) -> Void) in
            callback.start(scene) { done(Self.waitsForOthers(scene)) }
        }
        #expect(hasEnded)
    }

    @Test("When a callback has ended, calls take turns as before")
    func turns() async throws {
        let scene = try await Scene()
        let queue = scene.database.operationQueue
        _ = await awaited { (done: @escaping @Sendable (Bool) -> Void) in
            scene.database.fetch(withRecordID: scene.id("a")) { _, _ in done(true) }
        }
        while queue.operationCount > 0 { try await Task.sleep(for: .milliseconds(2)) }
        let hasCompany = await awaited { (done: @escaping @Sendable (Bool) -> Void) in
            let second = DispatchSemaphore(value: 0)
            queue.addOperation { done(second.wait(timeout: .now() + .milliseconds(200)) == .success) }
            queue.addOperation { second.signal() }
        }
        #expect(!hasCompany)
    }

    @Test("Callbacks may wait in callbacks that are waited for")
    func nested() async throws {
        let scene = try await Scene()
        @Sendable func descend(_ depth: Int, _ done: @escaping @Sendable (Bool) -> Void) {
            scene.database.fetch(withRecordID: scene.id("a")) { _, _ in
                guard depth > 0 else { return done(true) }
                let (end, inner) = (DispatchSemaphore(value: 0), Counter())
                descend(depth - 1) {
                    if $0 { inner.add(1) }
                    end.signal()
                }
                done(end.waitUnlessDeadlocked() && inner.add(0) == 1)
            }
        }
        #expect(await awaited { done in descend(30, done) })
    }

    @Test("A callback may wait for a call that is in the queue already")
    func queuedBefore() async throws {
        let scene = try await Scene()
        let (first, second) = (scene.fetch([scene.id("a")]), scene.fetch([scene.id("b")]))
        let (end, log) = (DispatchSemaphore(value: 0), Log())
        first.perRecordResultBlock = { _, _ in
            log.add(end.waitUnlessDeadlocked() ? "waited" : "deadlock")
        }
        second.fetchRecordsResultBlock = { _ in end.signal() }
        await scene.run(first, second)
        #expect(log.lines == ["waited"])
    }

    @Test("Callbacks of one operation come one after another while one waits")
    func order() async throws {
        let scene = try await Scene()
        let operation = scene.fetch([scene.id("a"), scene.id("b")])
        let log = scene.log
        operation.perRecordProgressBlock = nil
        operation.perRecordResultBlock = { id, _ in
            log.add("\(id.recordName) begins")
            let end = DispatchSemaphore(value: 0)
            scene.database.fetch(withRecordID: id) { _, _ in
                log.add("other call")
                end.signal()
            }
            if !end.waitUnlessDeadlocked() { log.add("deadlock") }
            log.add("\(id.recordName) ends")
        }
        await scene.run(operation)
        #expect(
            log.lines == ["a begins", "other call", "a ends", "b begins", "other call", "b ends", "end done"])
    }

    @Test("The width of the queue is what the program set, whatever runs")
    func width() async throws {
        let scene = try await Scene()
        let queue = scene.database.operationQueue
        let widths = Mutex<[Int]>([queue.maxConcurrentOperationCount])
        for width in [3, OperationQueue.defaultMaxConcurrentOperationCount, 1] {
            let operation = CKFetchRecordsOperation(recordIDs: [])
            operation.fetchRecordsResultBlock = { _ in
                queue.maxConcurrentOperationCount = width
                let isWaiting = Self.waitsForOthers(scene)
                widths.withLock { $0.append(isWaiting ? queue.maxConcurrentOperationCount : 0) }
            }
            await scene.run(operation)
        }
        #expect(widths.withLock { $0 } == [1, 3, -1, 1])
    }

    @Test("A call that is cancelled in the queue is told so")
    func cancelled() async throws {
        let scene = try await Scene()
        let queue = scene.database.operationQueue
        queue.isSuspended = true
        let error = await awaited { (done: @escaping @Sendable ((any Error)?) -> Void) in
            scene.database.save(scene.record("n")) { done($1) }
            queue.cancelAllOperations()
            queue.isSuspended = false
        }
        #expect((error as? CKError)?.code == .operationCancelled)
        await #expect(throws: CKError.self) { try await scene.database.record(for: scene.id("n")) }
    }
}
