// The first matching rows of a segment in the order of a field or a distance, by an index.

package import Geospatial
import Indexing
import OrdinalSets
package import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel

/// What answers are ordered by.
package enum RowOrder: Sendable {
    /// By a field's value; rows without one come first in ascending order and last in descending.
    case field(String, isAscending: Bool)
    /// Nearest first; rows without a place are left to the caller.
    case distance(String, from: Location)
}

/// A place in an order where a walk begins.
package struct RowBoundary {
    /// Rows of values before this one can be passed over.
    let value: FieldValue
    /// Whether a row stands behind the place: settles rows of that value.
    let includes: (Int) -> Bool

    /// The distinct values from the boundary on.
    fileprivate func values(of index: OrderedIndex, isAscending: Bool) -> Range<Int> {
        let all = 0..<index.distinctCount
        switch (value, index.family) {
        // Rows without a value come last in descending order: all others are passed over.
        case (.null, _): return isAscending ? all : 0..<0
        case (.bool, .number), (.int64, .number), (.double, .number), (.date, .date), (.string, .text):
            let bound = KeyBound(value, isInclusive: true)
            return isAscending ? index.distinct(from: bound, to: nil) : index.distinct(from: nil, to: bound)
        default: return all
        }
    }
}

extension SegmentQuery {
    /// The first matching rows in an order, equal ones by row; `nil` when neither an index nor a column gives that order.
    ///
    /// - Parameter boundary: Where to begin; `nil` for the beginning.
    /// - Throws: `EvaluationError` as `count`.
    package func rows(
        orderedBy order: RowOrder, limit: Int, from boundary: RowBoundary? = nil
    ) throws(EvaluationError) -> [UInt32]? {
        guard limit > 0 else { return nil }
        switch order {
        case .field(let name, let isAscending):
            if usage.building(.sortable, of: name) == true,
                let rows = try walk(field: name, isAscending: isAscending, limit: limit, from: boundary)
            {
                return rows
            }
            return try top(field: name, isAscending: isAscending, limit: limit, from: boundary)
        case .distance(let name, let place):
            return usage.building(.sortable, of: name) == true
                ? try nearest(field: name, to: place, limit: limit, from: boundary) : nil
        }
    }

    private func contains(
        _ row: Int, in probe: PlanNode, _ boundary: RowBoundary?
    ) throws(EvaluationError) -> Bool {
        if let deleted, deleted.rows[row] { return false }
        return try executor.contains(row, in: probe) && boundary?.includes(row) ?? true
    }

    /// Walks the index from its end until enough rows matched.
    private func walk(
        field: String, isAscending: Bool, limit: Int, from boundary: RowBoundary?
    ) throws(EvaluationError) -> [UInt32]? {
        let rowCount = indexes.segment.count
        let estimate = max(1, plan.estimate(rowCount: rowCount))
        guard let column = indexes.segment.schema.position(of: field),
            // A step costs about as much as a row that is sorted.
            limit.multipliedReportingOverflow(by: rowCount).partialValue / estimate < estimate,
            let index = indexes.ordered(column: column), !index.isOverLists
        else { return nil }
        let probe = try executor.probe(plan)
        var found: [UInt32] = []
        if isAscending, try collectMissing(column, probe, limit, boundary, &found) { return found }
        let values = boundary?.values(of: index, isAscending: isAscending) ?? 0..<index.distinctCount
        for step in 0..<values.count {
            let distinct = isAscending ? values.lowerBound + step : values.upperBound - 1 - step
            let run = index.run(ofDistinct: distinct..<distinct + 1)
            for position in run.range {
                let row = run.order[position]
                guard try contains(Int(row), in: probe, boundary) else { continue }
                found.append(row)
                if found.count == limit { return found }
            }
        }
        if !isAscending { _ = try collectMissing(column, probe, limit, boundary, &found) }
        return found
    }

    /// Looks at the value of every row that matches, and keeps the first.
    private func top(
        field: String, isAscending: Bool, limit: Int, from boundary: RowBoundary?
    ) throws(EvaluationError) -> [UInt32]? {
        let segment = indexes.segment
        guard let column = segment.schema.position(of: field).map({ segment.columns[$0] }) else { return nil }
        var matching = try rows()
        if let boundary { matching.removeAll { !boundary.includes(Int($0)) } }
        var missing: [UInt32] = []
        if let presence = column.presence {
            missing = matching.filter { !presence[Int($0)] }
            matching.removeAll { !presence[Int($0)] }
        }
        var top = TopRows(limit: min(limit, matching.count))
        guard top.insert(matching, of: column, isAscending: isAscending) else { return nil }
        let rows = isAscending ? missing + top.rows() : top.rows() + missing
        return Array(rows.prefix(limit))
    }

    /// Adds matching rows without a value; true when the limit is reached.
    private func collectMissing(
        _ column: Int, _ probe: PlanNode, _ limit: Int, _ boundary: RowBoundary?, _ found: inout [UInt32]
    ) throws(EvaluationError) -> Bool {
        let segment = indexes.segment
        guard let presence = segment.columns[column].presence else { return found.count >= limit }
        for row in 0..<segment.count where !presence[row] {
            guard try contains(row, in: probe, boundary) else { continue }
            found.append(UInt32(truncatingIfNeeded: row))
            if found.count == limit { return true }
        }
        return false
    }

    private func nearest(
        field: String, to place: Location, limit: Int, from boundary: RowBoundary?
    ) throws(EvaluationError) -> [UInt32]? {
        guard let column = indexes.segment.schema.position(of: field),
            case .location(let locations) = indexes.segment.columns[column].values,
            let tree = indexes.spatial(column: column)
        else { return nil }
        let probe = try executor.probe(plan)
        var failure: EvaluationError?
        let isIncluded = { (row: UInt32) -> Bool in
            do throws(EvaluationError) { return try contains(Int(row), in: probe, boundary) } catch {
                failure = failure ?? error
                return false
            }
        }
        let neighbors = tree.nearest(
            limit, to: place, location: { locations.location(Int($0)) }, isIncluded: isIncluded)
        if let failure { throw failure }
        // Fewer than asked for: rows without a place follow, which only the caller orders.
        return neighbors.count == limit ? neighbors.map(\.row) : nil
    }
}
