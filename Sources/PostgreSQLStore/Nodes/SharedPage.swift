// Pages of which each of several nodes gives its share.

import PredicateSemantics
import RecordDatabase
import RecordModel

/// The first rows of a selection, of a zone that is spread over nodes: of each its first rows in order, no more than
/// its share.
///
/// The names of records decide which node has them, so that each has about as many of the first rows as the others.
struct SharedPage {
    private let order: [SortKey]
    private let limit: Int
    /// Whether nodes were sure of all that they gave.
    private let areSure: Bool
    /// What the rows of all nodes have of the keys of the order, where they are behind the start of the page.
    private let rows: [[FieldValue]]

    /// - Parameter moments: What nodes gave.
    init(_ selection: ServerSelection, _ moments: [ServerMoment]) {
        let order = selection.order
        (self.order, limit) = (order, selection.limit ?? .max)
        areSure = moments.allSatisfy { $0.areRowsSure != false }
        let start = selection.start.map { start in zip(order, start.values).map { $0.prepared($1) } }
        rows = moments.flatMap(\.rows).map { Self.place(of: $0, in: order) }.filter { row in
            start.map { order.compare(prepared: $0, row) < 0 } ?? true
        }
    }

    /// How many of the first rows one of some nodes has at most, but for one time in a thousand.
    static func share(of limit: Int, among count: Int) -> Int {
        let mean = Double(limit) / Double(count)
        return min(limit, Int((mean + 3 * mean.squareRoot()).rounded(.up)) + 1)
    }

    /// Whether a node gave all of its rows that are among the first: those that it kept come behind its last one, and
    /// enough others do not.
    func isWhole(_ moment: ServerMoment) -> Bool {
        if !moment.areRowsShared { return true }
        guard areSure, let last = moment.rows.last else { return false }
        let place = Self.place(of: last, in: order)
        return rows.count { order.compare(prepared: $0, place) <= 0 } >= limit
    }

    private static func place(of row: ServerRow, in order: [SortKey]) -> [FieldValue] {
        order.map { $0.prepared(row.value(of: $0.criterion)) }
    }
}
