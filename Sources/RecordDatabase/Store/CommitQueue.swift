// Saves that wait to be written, and who writes them.
//
// One thread writes at a time, and takes all that wait: they share one write to the log and one wait for the disk. A
// thread that may wait itself writes when nobody else does; for tasks, which suspend, a thread of the database's own
// does so.

import Dispatch
import QueryExecution
import RecordColumns
import RecordModel
import RecordStore
import Synchronization

/// A batch on its way into a database.
final class WaitingSave: Sendable {
    typealias Outcome = Result<ModifyResult, DatabaseError>

    let database: StoredDatabase
    let byteCount: Int
    private let plan: Mutex<BatchPlan>
    /// Told once what became of the batch.
    let finish: @Sendable (Outcome) -> Void
    /// Changed by the queue that the batch waits in.
    fileprivate let isCancelled = Atomic(false)

    init(_ plan: BatchPlan, of database: StoredDatabase, finish: @escaping @Sendable (Outcome) -> Void) {
        self.database = database
        byteCount = plan.byteCount
        self.plan = Mutex(plan)
        self.finish = finish
    }

    /// Makes the batch part of a group, as far as its items pass all checks.
    ///
    /// - Returns: The result of the batch, and whether that rests on what the group stores.
    /// - Throws: `DatabaseError`; then nothing of it is.
    func stage(
        in group: CommitGroup, of store: ContainerStore
    ) throws(DatabaseError) -> (result: ModifyResult, isStaged: Bool) {
        try plan.withLock { plan throws(DatabaseError) in
            // It may be staged once more.
            var plan = plan
            let state = try group.state(of: database, hasGraph: true)
            let snapshot = try group.snapshot(of: database, for: plan)
            if let batch = plan.sentBatch, state.repeats(batch, of: plan.caller.client) {
                return (plan.repeated(on: snapshot, group.schema), isStaged: group.isStaged)
            }
            let date = plan.caller.configuration.clock()
            let commit = plan.resolve(on: snapshot, state, group.schema, date: date)
            if !commit.isEmpty { try group.add(commit, to: database) }
            return (plan.result(commit), isStaged: !commit.isEmpty)
        }
    }

    /// The end of a batch that was cancelled before it began.
    fileprivate func cancel() { finish(.failure(.cancelled)) }
}

extension DatabaseError {
    static var cancelled: DatabaseError { DatabaseError(.operationCancelled, "the task was cancelled") }
    fileprivate static var lostSave: DatabaseError { DatabaseError(.internalError, "a save was lost") }
}

extension BatchPlan {
    /// The result of a batch that was applied before.
    func repeated(on snapshot: Snapshot, _ schema: ContainerSchema) -> ModifyResult {
        var (result, opener) = (ModifyResult(), RecordOpener(caller.keys))
        for item in saves {
            let stored = snapshot.find(item.id).map { segment, row in
                opener.shownRecord(
                    item.record.id, RowVersion(segment, row), schema.recordTypes[segment.recordType])
            }
            result.saves.append((item.record.id, .success(stored ?? item.record)))
        }
        for item in deletes { result.deletes.append((item.requested, .success(()))) }
        return result
    }
}

/// The saves of a store that wait. May be used from any thread.
final class CommitQueue: Sendable {
    private struct State {
        var waiting: [WaitingSave] = []
        /// Whether somebody takes what waits until nothing does.
        var isWriting = false
    }

    private let state = Mutex(State())
    /// The saves that are not done.
    private let unfinished = DispatchGroup()

    /// What one group takes: whoever comes first in it waits for all of them.
    private static let groupLimits = (saves: 512, bytes: 8 << 20)

    /// Puts a save behind those that wait.
    ///
    /// - Returns: Whether nobody writes: then the caller has it done.
    func append(_ save: WaitingSave) -> Bool {
        unfinished.enter()
        let (isFirst, isCancelled) = state.withLock { state in
            if save.isCancelled.load(ordering: .relaxed) { return (false, true) }
            state.waiting.append(save)
            defer { state.isWriting = true }
            return (!state.isWriting, false)
        }
        if isCancelled { end(save, .failure(.cancelled)) }
        return isFirst
    }

    /// Takes a save away, unless it is being written already.
    func cancel(_ save: WaitingSave) {
        let isWaiting = state.withLock { state in
            save.isCancelled.store(true, ordering: .relaxed)
            guard let position = state.waiting.firstIndex(where: { $0 === save }) else { return false }
            state.waiting.remove(at: position)
            return true
        }
        if isWaiting { end(save, .failure(.cancelled)) }
    }

    /// The saves to write together next; none when nothing waits, and then whoever comes next has to write.
    func takeGroup() -> [WaitingSave] {
        state.withLock { state in
            var bytes = 0
            let count = state.waiting.prefix(Self.groupLimits.saves).count { save in
                defer { bytes += save.byteCount }
                return bytes < Self.groupLimits.bytes
            }
            let group = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(count)
            if group.isEmpty { state.isWriting = false }
            return group
        }
    }

    /// Gives up writing if nothing waits; false when something does.
    func stopIfIdle() -> Bool {
        state.withLock { state in
            if state.waiting.isEmpty { state.isWriting = false }
            return state.waiting.isEmpty
        }
    }

    /// Ends a save.
    func end(_ save: WaitingSave, _ outcome: WaitingSave.Outcome) {
        save.finish(outcome)
        unfinished.leave()
    }

    /// Number of saves that wait behind those that are being written.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Whether saves are being written.
    var isWriting: Bool { state.withLock { $0.isWriting } }

    /// Returns when no save waits or is being written.
    func waitUntilIdle() { unfinished.wait() }
}

extension ContainerStore {
    /// Saves a batch, and returns when it is stored.
    /// - Throws: `DatabaseError`.
    func save(_ plan: BatchPlan, to database: StoredDatabase) throws(DatabaseError) -> ModifyResult {
        if Task.isCancelled { throw .cancelled }
        let outcome = Mutex<WaitingSave.Outcome?>(nil)
        let done = DispatchSemaphore(value: 0)
        let save = WaitingSave(plan, of: database) { result in
            outcome.withLock { $0 = result }
            done.signal()
        }
        if queue.append(save) {
            // Nothing waited before it: it is in the first group.
            write(queue.takeGroup())
            if !queue.stopIfIdle() { startWriting() }
        }
        done.wait()
        guard let result = outcome.withLock({ $0 }) else { throw .lostSave }
        return try result.get()
    }

    /// As `save(_:to:)`, for a task, which is suspended meanwhile.
    func saveSuspending(_ plan: BatchPlan, to database: StoredDatabase) async throws(DatabaseError) -> ModifyResult {
        if let result = try saveAtOnce(plan, to: database) { return result }
        let queue = queue
        let waiting = Mutex<WaitingSave?>(nil)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let save = WaitingSave(plan, of: database) { continuation.resume(returning: $0) }
                waiting.withLock { $0 = save }
                if Task.isCancelled { save.isCancelled.store(true, ordering: .relaxed) }
                if queue.append(save) { startWriting() }
            }
        } onCancel: {
            if let save = waiting.withLock({ $0 }) { queue.cancel(save) }
        }
        return try outcome.get()
    }

    /// Saves a batch on this thread where that takes no time: a small one, in memory, with nobody else at work and
    /// nobody to tell; else `nil`.
    private func saveAtOnce(_ plan: BatchPlan, to database: StoredDatabase) throws(DatabaseError) -> ModifyResult? {
        guard journal == nil, plan.saves.count + plan.deletes.count <= 16, plan.byteCount < 1 << 16,
            !database.records.isOverdue, events.isUnwatched, database.liveQueries.isEmpty
        else { return nil }
        if Task.isCancelled { throw .cancelled }
        let save = WaitingSave(plan, of: database) { _ in }
        let outcome = try writingIfFree(to: [database]) { group throws(DatabaseError) in
            let outcome = try save.stage(in: group, of: self)
            try group.commit()
            return (outcome.result, changesLiveQueries: group.changesLiveQueries)
        }
        // Those of other databases follow the schema, and somebody may have begun to watch meanwhile.
        if let outcome, outcome.changesLiveQueries || !events.isUnwatched || !database.liveQueries.isEmpty {
            events.deliver()
        }
        return outcome?.0
    }

    // MARK: Writing

    /// Has a thread of the database's own write all that waits.
    private func startWriting() {
        let work: @Sendable () -> Void = { [self] in
            while true {
                let group = queue.takeGroup()
                if group.isEmpty { return }
                write(group)
            }
        }
        if !BackgroundThread.run(work) { work() }
    }

    /// Writes saves together, and tells each what became of it.
    private func write(_ saves: [WaitingSave]) {
        if saves.isEmpty { return }
        var databases: [StoredDatabase] = []
        for save in saves where !databases.contains(where: { $0 === save.database }) { databases.append(save.database) }
        let outcomes =
            outcomes(of: saves, in: databases, together: saves.count > 1)
            ?? outcomes(of: saves, in: databases, together: false) ?? saves.map { _ in .failure(.lostSave) }
        events.deliver()
        for (save, outcome) in zip(saves, outcomes) { queue.end(save, outcome) }
        checkpointIfNeeded()
    }

    /// Stages and stores saves.
    ///
    /// - Parameter together: Whether those of different records are staged together.
    /// - Returns: What became of each; `nil` when they do not fit the store together: nothing is stored then.
    private func outcomes(
        of saves: [WaitingSave], in databases: [StoredDatabase], together: Bool
    ) -> [WaitingSave.Outcome]? {
        do throws(DatabaseError) {
            return try writing(to: databases, makesRuns: together) { group throws(DatabaseError) in
                let staged = saves.map { save in
                    Result { () throws(DatabaseError) in try save.stage(in: group, of: self) }
                }
                do throws(DatabaseError) {
                    try group.commit()
                } catch {
                    if together, group.misfit != nil { return nil }
                    // What failed by itself keeps its own errors.
                    return staged.map { $0.flatMap { $0.isStaged ? .failure(error) : .success($0.result) } }
                }
                return staged.map { $0.map(\.result) }
            }
        } catch {
            return saves.map { _ in .failure(error) }
        }
    }
}
