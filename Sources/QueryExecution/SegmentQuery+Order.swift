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
    /// By the record's name.
    case name(isAscending: Bool)
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
    /// - Parameters:
    ///   - boundary: Where to begin; `nil` for the beginning.
    ///   - includingTies: Whether all rows follow that are level with the last one: something else settles them.
    /// - Throws: `EvaluationError` as `count`.
    package func rows(
        orderedBy order: RowOrder, limit: Int, from boundary: RowBoundary? = nil, includingTies: Bool = false
    ) throws(EvaluationError) -> [UInt32]? {
        guard limit > 0 else { return nil }
        let stretch = Stretch(limit: limit, boundary: boundary, includesTies: includingTies)
        switch order {
        case .field(let name, let isAscending):
            if usage.building(.sortable, of: name) == true, isWalkShorter(limit),
                let column = indexes.segment.schema.position(of: name), let index = indexes.ordered(column: column),
                !index.isOverLists
            {
                let presence = indexes.segment.columns[column].presence
                return try walk(index, presence, isAscending: isAscending, stretch)
            }
            return includingTies ? nil : try top(field: name, isAscending: isAscending, limit: limit, from: boundary)
        case .name(let isAscending):
            guard case .all = usage, isWalkShorter(limit), let index = indexes.orderedNames() else { return nil }
            return try walk(index, nil, isAscending: isAscending, stretch)
        case .distance(let name, let place):
            return usage.building(.sortable, of: name) == true
                ? try nearest(field: name, to: place, stretch) : nil
        }
    }

    /// How far an order is followed.
    private struct Stretch {
        let limit: Int
        let boundary: RowBoundary?
        let includesTies: Bool
    }

    /// Whether an index is the shorter way to the first matches: a step costs about as much as a row that is sorted.
    private func isWalkShorter(_ limit: Int) -> Bool {
        let rowCount = indexes.segment.count
        let estimate = max(1, plan.estimate(rowCount: rowCount))
        let (product, isTooLarge) = limit.multipliedReportingOverflow(by: rowCount)
        return !isTooLarge && product / estimate < estimate
    }

    private func contains(
        _ row: Int, in probe: PlanNode, _ boundary: RowBoundary?
    ) throws(EvaluationError) -> Bool {
        if let deleted, deleted.rows[row] { return false }
        return try executor.contains(row, in: probe) && boundary?.includes(row) ?? true
    }

    /// Walks the index from its end until enough rows matched.
    private func walk(
        _ index: OrderedIndex, _ presence: Bitmap?, isAscending: Bool, _ stretch: Stretch
    ) throws(EvaluationError) -> [UInt32] {
        let probe = try executor.probe(plan)
        let watch = QueryDeadline.watch
        var looked = 0
        var found: [UInt32] = []
        if isAscending, try collectMissing(presence, probe, stretch, &found) { return found }
        let values = stretch.boundary?.values(of: index, isAscending: isAscending) ?? 0..<index.distinctCount
        for step in 0..<values.count {
            let distinct = isAscending ? values.lowerBound + step : values.upperBound - 1 - step
            let run = index.run(ofDistinct: distinct..<distinct + 1)
            for position in run.range {
                let row = run.order[position]
                looked &+= 1
                if looked % 4096 == 0 { try watch.check() }
                guard try contains(Int(row), in: probe, stretch.boundary) else { continue }
                found.append(row)
                if found.count == stretch.limit, !stretch.includesTies { return found }
            }
            if found.count >= stretch.limit { return found }
        }
        if !isAscending { _ = try collectMissing(presence, probe, stretch, &found) }
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
        _ presence: Bitmap?, _ probe: PlanNode, _ stretch: Stretch, _ found: inout [UInt32]
    ) throws(EvaluationError) -> Bool {
        guard let presence else { return found.count >= stretch.limit }
        let watch = QueryDeadline.watch
        for row in 0..<indexes.segment.count {
            if row % 4096 == 4095 { try watch.check() }
            if presence[row] { continue }
            guard try contains(row, in: probe, stretch.boundary) else { continue }
            found.append(UInt32(truncatingIfNeeded: row))
            if found.count == stretch.limit, !stretch.includesTies { return true }
        }
        return found.count >= stretch.limit
    }

    private func nearest(
        field: String, to place: Location, _ stretch: Stretch
    ) throws(EvaluationError) -> [UInt32]? {
        guard stretch.limit <= indexes.segment.count, let column = indexes.segment.schema.position(of: field),
            case .location(let locations) = indexes.segment.columns[column].values,
            let tree = indexes.spatial(column: column)
        else { return nil }
        let probe = try executor.probe(plan)
        var failure: EvaluationError?
        let isIncluded = { (row: UInt32) -> Bool in
            do throws(EvaluationError) { return try contains(Int(row), in: probe, stretch.boundary) } catch {
                failure = failure ?? error
                return false
            }
        }
        // One more than the limit tells whether others are as near as the last.
        var wanted = stretch.limit + (stretch.includesTies ? 1 : 0)
        while true {
            let neighbors = tree.nearest(
                wanted, to: place, location: { locations.location(Int($0)) }, isIncluded: isIncluded)
            if let failure { throw failure }
            // Fewer than asked for: rows without a place follow, which only the caller orders.
            guard neighbors.count >= stretch.limit, let last = neighbors.last else { return nil }
            if !stretch.includesTies || neighbors.count < wanted
                || last.distance > neighbors[stretch.limit - 1].distance
            {
                return neighbors.map(\.row)
            }
            wanted *= 2
        }
    }
}
