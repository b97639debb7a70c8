// Answers in the order of a field or a distance, by an index where that is the shorter way.

package import Geospatial
import Indexing
import OrdinalSets
package import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel

extension TableQuery {
    /// What answers are ordered by.
    package enum Order: Sendable {
        /// By a field's value; rows without one come first in ascending order and last in descending.
        case field(String, isAscending: Bool)
        /// Nearest first; rows without a place are left to the caller.
        case distance(String, from: Location)
    }

    /// The first matching positions in an order, equal ones by position; `nil` when neither an index nor a column
    /// gives that order.
    /// - Throws: `EvaluationError` as `count`.
    package func positions(orderedBy order: Order, limit: Int) throws(EvaluationError) -> [UInt32]? {
        // Only where one segment holds the whole table are its rows the positions.
        guard limit > 0, parts.count == 1, let part = parts.first, table.table.segments.count == 1 else {
            return nil
        }
        switch order {
        case .field(let name, let isAscending):
            if usage == .all, let rows = try walk(part, field: name, isAscending: isAscending, limit: limit) {
                return rows
            }
            return try top(part, field: name, isAscending: isAscending, limit: limit)
        case .distance(let name, let place):
            return usage == .all ? try nearest(part, field: name, to: place, limit: limit) : nil
        }
    }

    /// Walks the index from its end until enough rows matched.
    private func walk(
        _ part: Part, field: String, isAscending: Bool, limit: Int
    ) throws(EvaluationError) -> [UInt32]? {
        let indexes = table.indexes[part.segment]
        let rowCount = indexes.segment.count
        let estimate = max(1, part.plan.estimate(rowCount: rowCount))
        guard let column = indexes.segment.schema.position(of: field),
            // A step costs about as much as a row that is sorted.
            limit.multipliedReportingOverflow(by: rowCount).partialValue / estimate < estimate,
            let index = indexes.ordered(column: column), !index.isOverLists
        else { return nil }
        let probe = try part.executor.probe(part.plan)
        var found: [UInt32] = []
        if isAscending, try collectMissing(part, column, probe, limit, &found) { return found }
        for step in 0..<index.distinctCount {
            let distinct = isAscending ? step : index.distinctCount - 1 - step
            let run = index.run(ofDistinct: distinct..<distinct + 1)
            for position in run.range {
                let row = run.order[position]
                guard try part.executor.contains(Int(row), in: probe) else { continue }
                found.append(row)
                if found.count == limit { return found }
            }
        }
        if !isAscending { _ = try collectMissing(part, column, probe, limit, &found) }
        return found
    }

    /// Looks at the value of every row that matches, and keeps the first.
    private func top(
        _ part: Part, field: String, isAscending: Bool, limit: Int
    ) throws(EvaluationError) -> [UInt32]? {
        let segment = table.indexes[part.segment].segment
        guard let column = segment.schema.position(of: field).map({ segment.columns[$0] }) else { return nil }
        var matching = try part.executor.rows(part.plan)
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
        _ part: Part, _ column: Int, _ probe: PlanNode, _ limit: Int, _ found: inout [UInt32]
    ) throws(EvaluationError) -> Bool {
        let segment = table.indexes[part.segment].segment
        guard let presence = segment.columns[column].presence else { return found.count >= limit }
        for row in 0..<segment.count where !presence[row] {
            guard try part.executor.contains(row, in: probe) else { continue }
            found.append(UInt32(truncatingIfNeeded: row))
            if found.count == limit { return true }
        }
        return false
    }

    private func nearest(
        _ part: Part, field: String, to place: Location, limit: Int
    ) throws(EvaluationError) -> [UInt32]? {
        let indexes = table.indexes[part.segment]
        guard let column = indexes.segment.schema.position(of: field),
            case .location(let locations) = indexes.segment.columns[column].values,
            let tree = indexes.spatial(column: column)
        else { return nil }
        let probe = try part.executor.probe(part.plan)
        var failure: EvaluationError?
        let isIncluded = { (row: UInt32) -> Bool in
            do throws(EvaluationError) { return try part.executor.contains(Int(row), in: probe) } catch {
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
