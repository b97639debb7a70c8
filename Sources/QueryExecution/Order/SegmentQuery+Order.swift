// The first matching rows of a segment in the order of a field or a distance, by an index.

package import Geospatial
import Indexing
import OrdinalSets
package import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore

/// What results are ordered by.
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
    /// Whether a row follows the place: settles rows of that value.
    let includes: (Int) -> Bool

    /// The distinct values from the boundary on.
    func values(of index: OrderedIndex, isAscending: Bool) -> Range<Int> {
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
    /// The first matching rows in an order, equal ones by row; `nil` when neither an index nor a column gives that
    /// order.
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
            if usage.building(.sortable, of: name) == true, isWalkShorter(limit, order),
                let column = orderingColumn(name), let position = indexes.segment.schema.position(of: name),
                let index = indexes.ordered(column: position), !index.isOverLists
            {
                return try walk(index, column, isAscending: isAscending, stretch)
            }
            return try top(field: name, isAscending: isAscending, stretch)
        case .name(let isAscending):
            guard case .all = usage, isWalkShorter(limit, order), let index = indexes.orderedNames() else { return nil }
            return try walk(index, nil, isAscending: isAscending, stretch)
        case .distance(let name, let place):
            return usage.building(.sortable, of: name) == true
                ? try nearest(field: name, to: place, stretch) : nil
        }
    }

    /// The column that alone says what an order by a field compares; `nil` for names that mean something else in a
    /// record that has no such field.
    func orderingColumn(_ name: String) -> Column? {
        let segment = indexes.segment
        guard let column = segment.schema.position(of: name).map({ segment.columns[$0] }) else { return nil }
        let isOfOthers = ["id", "recordName", "type", "recordType"].contains(name) || name.utf8.contains(0x2E)
        return isOfOthers && column.presence != nil ? nil : column
    }

    /// How far an order is followed.
    private struct Stretch {
        let limit: Int
        let boundary: RowBoundary?
        let includesTies: Bool
    }

    /// Whether an index is the shorter way to the first matches.
    private func isWalkShorter(_ limit: Int, _ order: RowOrder) -> Bool {
        var estimate = WalkEstimate()
        estimate.add(self, order)
        return estimate.isShorter(limit)
    }

    /// How many rows have the values that the matches have of a field that gives the order, and what else the matches
    /// satisfy; `nil` where the plan does not say, or the field has no index yet.
    fileprivate func stretch(of order: RowOrder) -> (rows: Int, rest: PlanNode)? {
        guard case .field(let name, _) = order, let position = indexes.segment.schema.position(of: name),
            let index = indexes.ordered(column: position, building: false),
            let (values, rest) = plan.stretch(of: index, over: indexes.segment.columns[position])
        else { return nil }
        return (index.positions(ofDistinct: values).count, rest)
    }

    /// Whether a row that is not deleted matches and follows a boundary.
    func contains(
        _ row: Int, in probe: PlanNode, _ boundary: RowBoundary?
    ) throws(EvaluationError) -> Bool {
        if let deleted, deleted.rows[row] { return false }
        return try executor.contains(row, in: probe) && boundary?.includes(row) ?? true
    }

    /// Walks the index until enough rows matched.
    private func walk(
        _ index: OrderedIndex, _ column: Column?, isAscending: Bool, _ stretch: Stretch
    ) throws(EvaluationError) -> [UInt32] {
        let walk = try OrderedWalk(
            self, along: index, over: column, isAscending: isAscending, from: stretch.boundary)
        var found: [UInt32] = []
        while found.count < stretch.limit {
            let most = stretch.includesTies ? Int.max : stretch.limit - found.count
            guard try walk.next(to: &found, atMost: most) != nil else { break }
        }
        return found
    }

    /// Looks at the value of every row that matches, and keeps the first.
    private func top(
        field: String, isAscending: Bool, _ stretch: Stretch
    ) throws(EvaluationError) -> [UInt32]? {
        guard let column = orderingColumn(field) else { return nil }
        var matching = try rows()
        if let boundary = stretch.boundary { matching.removeAll { !boundary.includes(Int($0)) } }
        var missing: [UInt32] = []
        if let presence = column.presence {
            missing = matching.filter { !presence[Int($0)] }
            matching.removeAll { !presence[Int($0)] }
        }
        var top = TopRows(limit: min(stretch.limit, matching.count))
        guard top.insert(matching, of: column, isAscending: isAscending) else { return nil }
        let present = stretch.includesTies ? top.rows(levelWithLastOf: matching, column, isAscending) : top.rows()
        let (first, second) = isAscending ? (missing, present) : (present, missing)
        if stretch.includesTies { return first.count >= stretch.limit ? first : first + second }
        return Array((first + second).prefix(stretch.limit))
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
            do throws(EvaluationError) { return try self.contains(Int(row), in: probe, stretch.boundary) } catch {
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
            // Fewer than requested: rows without a place follow, which only the caller orders.
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

/// What a walk along indexes would cost, beside a look at every match.
struct WalkEstimate {
    private var rows = 0
    private var matches = 1
    private var isBlockwise = true

    mutating func add(_ query: SegmentQuery, _ order: RowOrder) {
        let stretch = query.stretch(of: order)
        rows += stretch?.rows ?? query.rowCount
        matches += query.plan.estimate(rowCount: query.rowCount)
        isBlockwise = isBlockwise && (stretch?.rest ?? query.plan).isBlockwise
    }

    /// Of so many rows one in `rows / matches` matches. A step costs about as much as a match that is looked at, and a
    /// tenth of that where rows are passed in blocks.
    func isShorter(_ limit: Int) -> Bool {
        let (product, isTooLarge) = limit.multipliedReportingOverflow(by: rows)
        return !isTooLarge && product / matches / (isBlockwise ? 10 : 1) < matches
    }
}
