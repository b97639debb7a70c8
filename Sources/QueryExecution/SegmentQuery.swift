// A predicate prepared for the live rows of one segment.

import Glibc
package import Indexing
package import OrdinalSets
package import PredicateSemantics
package import QueryPlanning
import RecordColumns
package import RecordStore

/// A plan for one segment with what executes it.
///
/// Indexes and columns know nothing of deletion: deleted rows are taken out of what a plan gives, and the evaluator is
/// never asked about them, so that a record that is gone cannot make a predicate fail.
package struct SegmentQuery: Sendable {
    /// Number of processor cores.
    package static let availableThreads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    package let plan: PlanNode
    let indexes: SegmentIndexes
    let deleted: DeletedRows?
    let executor: SegmentExecutor<EvaluatedRows>
    let usage: SegmentPlanner.IndexUsage
    /// The predicate, and what planned it: to say why rows are read.
    let bound: BoundPredicate
    let planner: SegmentPlanner

    /// - Parameters:
    ///   - deleted: Rows that no longer count.
    ///   - snapshot: Where references lead.
    ///   - usage: Which indexes may be used or built.
    ///   - joins: Plans paths through references, for all segments of a query.
    ///   - threads: The most threads that the query uses; those beyond one only for very many rows.
    package init(
        _ bound: BoundPredicate, over indexes: SegmentIndexes, deleted: DeletedRows? = nil,
        in snapshot: Snapshot, usage: SegmentPlanner.IndexUsage, joins: JoinPlanner,
        context: EvaluationContext, threads: Int = Self.availableThreads
    ) {
        self.indexes = indexes
        self.deleted = deleted
        self.usage = usage
        let segment = indexes.segment
        let rows = EvaluatedRows(
            segment, of: snapshot, names: bound.fieldNames, deleted: deleted?.rows, context: context)
        self.bound = bound
        planner = SegmentPlanner(indexes, keys: snapshot.keys, usage: usage, joins: joins)
        plan = planner.plan(bound)
        executor = SegmentExecutor(rowCount: segment.count, evaluator: rows, threads: threads)
    }

    /// Number of rows of the segment, deleted ones included.
    package var rowCount: Int { executor.rowCount }

    /// How many rows match.
    /// - Throws: `EvaluationError` from the first row, in order, that the predicate has no meaning for.
    package func count() throws(EvaluationError) -> Int {
        guard let deleted else { return try executor.count(plan) }
        switch plan {
        case .none: return 0
        case .all: return executor.rowCount - deleted.count
        case .bitmap(let bitmap, let cardinality, _): return cardinality - bitmap.intersectionCount(deleted.rows)
        default: return try rowSet().cardinality
        }
    }

    /// The rows that match, ascending.
    /// - Throws: `EvaluationError` as `count`.
    package func rows() throws(EvaluationError) -> [UInt32] {
        deleted == nil ? try executor.rows(plan) : try rowSet().ordinals
    }

    /// The rows that match, as a set.
    /// - Throws: `EvaluationError` as `count`.
    package func rowSet() throws(EvaluationError) -> OrdinalSet {
        let members = try executor.set(plan)
        guard let deleted else { return members }
        return members.subtracting(OrdinalSet(bitmap: deleted.rows, cardinality: deleted.count))
    }
}

/// The rows of a segment under a bound predicate.
struct EvaluatedRows: RowEvaluator {
    private let source: Source
    private let deleted: Bitmap?
    private let context: EvaluationContext

    /// The columns that predicates read, looked up when the first row is decided: most plans never ask.
    private final class Source: Sendable {
        private let segment: Segment
        private let snapshot: Snapshot
        private let names: [String]
        private let known = SetOnce<SegmentRows>()

        init(_ segment: Segment, of snapshot: Snapshot, names: [String]) {
            (self.segment, self.snapshot, self.names) = (segment, snapshot, names)
        }

        var rows: SegmentRows {
            known.load() ?? known.storeIfNil(SegmentRows(segment, of: snapshot, names: names))
        }
    }

    init(
        _ segment: Segment, of snapshot: Snapshot, names: [String], deleted: Bitmap?,
        context: EvaluationContext
    ) {
        source = Source(segment, of: snapshot, names: names)
        (self.deleted, self.context) = (deleted, context)
    }

    func holds(_ node: BoundNode, row: Int) throws(EvaluationError) -> Bool {
        if let deleted, deleted[row] { return false }
        return try node.evaluate(on: RowSource(rows: source.rows, row: row), context: context)
    }
}
