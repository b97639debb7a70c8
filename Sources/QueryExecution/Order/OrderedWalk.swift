// Matching rows of a segment in the order of an index, looked up as far as somebody reads.

import Indexing
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel

/// A walk along an ordered index that stops at the rows of a plan, one distinct value after another.
///
/// It costs a step for each row that it passes, whether that matches or not, and nothing for those behind the last that
/// is read.
struct OrderedWalk {
    /// The matching rows of one value, ascending.
    struct Group {
        /// The value; `.null` for rows that have none.
        var value: FieldValue
        var rows: [UInt32]
    }

    private let query: SegmentQuery
    private let index: OrderedIndex
    private let presence: Bitmap?
    private let probe: PlanNode
    private let isAscending: Bool
    private let boundary: RowBoundary?
    private let watch = QueryDeadline.watch
    /// The distinct values that were not passed yet.
    private var values: Range<Int>
    /// Whether the rows without a value, first in ascending order and last in descending, were not passed yet.
    private var hasMissing: Bool
    private var passed = 0

    /// A walk of a query's matches.
    ///
    /// - Parameters:
    ///   - presence: The rows that have a value; `nil` for all.
    ///   - boundary: Where to begin; `nil` for the beginning.
    /// - Throws: `EvaluationError` when the predicate has no meaning for a row.
    init(
        _ query: SegmentQuery, along index: OrderedIndex, _ presence: Bitmap?, isAscending: Bool,
        from boundary: RowBoundary?
    ) throws(EvaluationError) {
        self.query = query
        (self.index, self.presence, self.isAscending, self.boundary) = (index, presence, isAscending, boundary)
        probe = try query.executor.probe(query.plan)
        values = boundary?.values(of: index, isAscending: isAscending) ?? 0..<index.distinctCount
        hasMissing = presence != nil
    }

    /// The next value that rows match; `nil` at the end.
    ///
    /// - Parameter most: So many rows at most; those of the value that are left then are not given any more.
    /// - Throws: `EvaluationError` when the predicate has no meaning for a row, or the query's time is over.
    mutating func next(atMost most: Int = .max) throws(EvaluationError) -> Group? {
        if isAscending, let group = try missing(atMost: most) { return group }
        while !values.isEmpty {
            let distinct = isAscending ? values.removeFirst() : values.removeLast()
            let run = index.run(ofDistinct: distinct..<distinct + 1)
            var rows: [UInt32] = []
            for position in run.range where rows.count < most {
                let row = run.order[position]
                if try matches(Int(row)) { rows.append(row) }
            }
            if !rows.isEmpty { return Group(value: index.key(ofDistinct: distinct), rows: rows) }
        }
        return try missing(atMost: most)
    }

    private mutating func missing(atMost most: Int) throws(EvaluationError) -> Group? {
        guard hasMissing, let presence else { return nil }
        hasMissing = false
        var rows: [UInt32] = []
        for row in 0..<query.rowCount where !presence[row] && rows.count < most {
            if try matches(row) { rows.append(UInt32(truncatingIfNeeded: row)) }
        }
        return rows.isEmpty ? nil : Group(value: .null, rows: rows)
    }

    private mutating func matches(_ row: Int) throws(EvaluationError) -> Bool {
        passed &+= 1
        if passed % 4096 == 0 { try watch.check() }
        return try query.contains(row, in: probe, boundary)
    }
}
