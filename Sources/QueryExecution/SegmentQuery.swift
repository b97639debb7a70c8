// A predicate prepared for the live rows of one segment.

import Glibc
import Indexing
package import OrdinalSets
package import PredicateSemantics
package import QueryPlanning
import RecordColumns
import RecordStore

/// A plan for one segment with what executes it.
///
/// Indexes and columns know nothing of deletion: deleted rows are taken out of what a plan gives, and the evaluator
/// never sees them, so that a record that is gone cannot make a predicate fail.
///
/// An object, as those who look at the parts of a query would otherwise copy all that it refers to.
package final class SegmentQuery: Sendable {
    /// Number of processor cores.
    package static let availableThreads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    package let plan: PlanNode
    let indexes: SegmentIndexes
    let deleted: DeletedRows?
    let executor: SegmentExecutor<EvaluatedRows>
    let planner: SegmentPlanner
    private let predicate: QueryPredicate

    /// The predicate, simplified: to say why rows are read.
    var bound: BoundPredicate { predicate.bound }
    var usage: SegmentPlanner.IndexUsage { planner.usage }

    /// Plans a predicate.
    ///
    /// - Parameters:
    ///   - joins: Plans paths through references, for all segments of a query.
    convenience init(_ bound: BoundPredicate, over rows: QueriedRows, joins: JoinPlanner) {
        let planner = rows.planner(joins: joins)
        self.init(planner.plan(bound), of: .bound(bound), by: planner, rows, names: bound.fieldNames)
    }

    /// Plans the constraints of a predicate without simplifying it, or the predicate where only itself would tell.
    convenience init(_ predicate: FilledTemplate, over rows: QueriedRows) {
        let planner = rows.planner(joins: nil)
        let plan = planner.plan(predicate.constraints) ?? planner.plan(predicate.bound)
        self.init(plan, of: .template(predicate), by: planner, rows, names: predicate.template.fieldNames)
    }

    /// The rows of a small segment that meet the constraints of a predicate, as `ColumnLookup` gives them.
    convenience init(_ found: [UInt32], of predicate: FilledTemplate, over rows: QueriedRows) {
        let fields = predicate.template.fieldNames.joined(separator: ", ")
        let use = IndexUse(field: fields, kind: "columns", request: "values")
        self.init(
            .rows(found, use), of: .template(predicate), by: rows.planner(joins: nil), rows,
            names: predicate.template.fieldNames)
    }

    private init(
        _ plan: PlanNode, of predicate: QueryPredicate, by planner: SegmentPlanner, _ rows: QueriedRows, names: [String]
    ) {
        (self.plan, self.predicate, self.planner) = (plan, predicate, planner)
        (indexes, deleted) = (rows.stored.indexes, rows.stored.deleted)
        let segment = rows.stored.segment
        let evaluated = EvaluatedRows(
            segment, of: rows.snapshot, names: names, deleted: deleted?.rows, context: rows.settings.context)
        executor = SegmentExecutor(rowCount: segment.count, evaluator: evaluated, threads: rows.settings.threads)
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

/// The live rows of one segment, and the means of a query to them.
struct QueriedRows {
    let stored: StoredSegment
    /// Where references lead.
    let snapshot: Snapshot
    let settings: SnapshotQuery.Settings

    fileprivate func planner(joins: JoinPlanner?) -> SegmentPlanner {
        let usage = snapshot.isIndexed(stored) ? settings.usage : settings.usage.withoutBuilding
        return SegmentPlanner(stored.indexes, keys: snapshot.keys, usage: usage, joins: joins)
    }
}

/// The rows of a segment under a bound predicate.
struct EvaluatedRows: RowEvaluator {
    private let source: Source
    private let deleted: Bitmap?
    private let context: EvaluationContext

    /// The columns that predicates read, looked up when the first row is decided: most plans never need them.
    private final class Source: Sendable {
        private let segment: Segment
        private let snapshot: Snapshot
        private let names: [String]
        private let known = OnceCell<SegmentRows>()

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
