// A query whose result is kept as records change.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Synchronization

/// One reader's live query: its result, and the steps that wait to be taken.
final class LiveQuery: Sendable {
    /// The steps that wait.
    let steps: ReaderQueue<QueryChange>
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
    private let result: Mutex<LiveResult>

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
        let result = try Self.result(bound, recordType, zoneID, keys, clock(), on: snapshot)
        firstVersion = snapshot.version
        steps = ReaderQueue([.initial(result.records)])
        self.result = Mutex(result)
    }

    private static func result(
        _ bound: BoundPredicate, _ type: String, _ zoneID: RecordZone.ID?, _ keys: [SortKey], _ now: Date,
        on snapshot: Snapshot
    ) throws(EvaluationError) -> LiveResult {
        let context = EvaluationContext(now: now, seed: UInt64.random(in: .min ... .max))
        let plan = SnapshotQuery(bound, over: snapshot, type: type, zoneID: zoneID, settings: .init(context: context))
        var result = LiveResult(keys: keys)
        do throws(PageError) {
            result.fill(try plan.page(sortedBy: keys, limit: Int.max).rows, of: snapshot)
        } catch {
            if case .evaluation(let error) = error { throw error }
        }
        return result
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
        step(event) { result in
            var changes: [QueryChange] = []
            for id in concern.left { if let change = result.remove(id) { changes.append(change) } }
            for record in concern.stayed {
                if let change = result.update(record, in: event.after) { changes.append(change) }
            }
            for record in concern.entered {
                if let change = result.insert(record, in: event.after) { changes.append(change) }
            }
            return changes
        }
    }

    /// Runs again after a commit. When that fails, the earlier result stays.
    func run(after event: CommitEvent) {
        let next = try? Self.result(bound, recordType, zoneID, keys, clock(), on: event.after)
        guard let next else { return }
        step(event) { $0.become(next) }
    }

    private func step(_ event: CommitEvent, _ changes: (inout LiveResult) -> [QueryChange]) {
        // Commits that were staged together lead to one snapshot.
        guard event.after.version > firstVersion else { return }
        steps.update { waiting in
            result.withLock { result in
                waiting += changes(&result)
                if waiting.count > capacity { waiting = [.initial(result.records)] }
            }
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
