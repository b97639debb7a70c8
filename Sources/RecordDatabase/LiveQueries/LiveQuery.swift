// A query whose result is kept as records change.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Synchronization

/// One reader's live query: its result, and the steps that wait to be taken.
final class LiveQuery: Sendable {
    private typealias Reader = CheckedContinuation<QueryChange?, Never>

    private struct State {
        var answer: LiveAnswer
        var waiting: [QueryChange] = []
        var reader: Reader?
        var isEnded = false
    }

    let bound: BoundPredicate
    let recordType: String
    let zoneID: RecordZone.ID?
    /// Whether the result depends on more than each record by itself: on records behind references, or the clock. Then
    /// the query runs again after each commit.
    let readsMore: Bool
    private let keys: [SortKey]
    private let clock: @Sendable () -> Date
    private let capacity: Int
    /// Version of the snapshot that the first result is of: it has all commits up to that.
    private let firstVersion: Int
    private let state: Mutex<State>

    init(
        _ bound: BoundPredicate, recordType: String, zoneID: RecordZone.ID?, keys: [SortKey],
        _ configuration: Configuration, on snapshot: Snapshot
    ) throws(EvaluationError) {
        self.bound = bound
        self.recordType = recordType
        self.zoneID = zoneID
        self.keys = keys
        readsMore = bound.usesContext || bound.followsReferences || keys.contains(where: \.readsOtherRecords)
        capacity = max(1, configuration.limits.stepsWaiting)
        clock = configuration.clock
        let answer = try Self.answer(bound, recordType, zoneID, keys, clock(), on: snapshot)
        firstVersion = snapshot.version
        state = Mutex(State(answer: answer, waiting: [.initial(answer.records)]))
    }

    private static func answer(
        _ bound: BoundPredicate, _ type: String, _ zoneID: RecordZone.ID?, _ keys: [SortKey], _ now: Date,
        on snapshot: Snapshot
    ) throws(EvaluationError) -> LiveAnswer {
        let context = EvaluationContext(now: now, seed: UInt64.random(in: .min ... .max))
        let plan = SnapshotQuery(bound, over: snapshot, type: type, zoneID: zoneID, settings: .init(context: context))
        var answer = LiveAnswer(keys: keys)
        do throws(PageError) {
            answer.fill(try plan.page(sortedBy: keys, limit: Int.max).rows, of: snapshot)
        } catch {
            if case .evaluation(let error) = error { throw error }
        }
        return answer
    }

    // MARK: Steps

    /// The records of a commit that a query is about: as they are now, those that left by name.
    struct Concern {
        var entered: [Record] = []
        var stayed: [Record] = []
        var left: [Record.ID] = []
    }

    /// Takes in a commit.
    func take(_ event: CommitEvent, _ concern: Concern) {
        step(event) { answer in
            var changes: [QueryChange] = []
            for id in concern.left { if let change = answer.remove(id) { changes.append(change) } }
            for record in concern.stayed {
                if let change = answer.update(record, in: event.after) { changes.append(change) }
            }
            for record in concern.entered {
                if let change = answer.insert(record, in: event.after) { changes.append(change) }
            }
            return changes
        }
    }

    /// Runs again after a commit. When that fails, the earlier result stays.
    func ask(_ event: CommitEvent) {
        let next = try? Self.answer(bound, recordType, zoneID, keys, clock(), on: event.after)
        guard let next else { return }
        step(event) { $0.become(next) }
    }

    private func step(_ event: CommitEvent, _ changes: (inout LiveAnswer) -> [QueryChange]) {
        let (reader, change) = state.withLock { state -> (Reader?, QueryChange?) in
            // Commits that were staged together lead to one snapshot.
            guard !state.isEnded, event.after.version > firstVersion else { return (nil, nil) }
            state.waiting += changes(&state.answer)
            if state.waiting.count > capacity { state.waiting = [.initial(state.answer.records)] }
            guard let reader = state.reader, !state.waiting.isEmpty else { return (nil, nil) }
            state.reader = nil
            return (reader, state.waiting.removeFirst())
        }
        reader?.resume(returning: change)
    }

    /// Ends the query; what waits is still given.
    func end() {
        let reader = state.withLock { state in
            state.isEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// All steps that wait.
    func takeSteps() -> [QueryChange] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// The next step; `nil` after the end, or when the task is cancelled. Of two readers the first is sent away.
    func next() async -> QueryChange? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, displaced) = state.withLock { state -> (QueryChange??, Reader?) in
                    if !state.waiting.isEmpty { return (.some(state.waiting.removeFirst()), nil) }
                    if state.isEnded || Task.isCancelled { return (.some(nil), nil) }
                    let displaced = state.reader
                    state.reader = continuation
                    return (nil, displaced)
                }
                displaced?.resume(returning: nil)
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            end()
        }
    }
}

extension SortKey {
    /// Whether other records may decide: those behind references, and all of them where rare words weigh more.
    fileprivate var readsOtherRecords: Bool {
        switch criterion {
        case .field(let name): name.contains(".")
        case .relevance: true
        case .distance, .recordName: false
        }
    }
}
