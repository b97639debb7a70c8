// The matches of all segments in the order of a field's indexes: the segments' walks, merged.

import Indexing
import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore

extension SnapshotQuery {
    /// The matching records in the order of an index that every segment has, value by value, read only as far as
    /// wanted.
    ///
    /// - Parameters:
    ///   - order: A field's value, or the record's name.
    ///   - limit: How many records will be read.
    ///   - value: Records of values before this one in the order are passed over.
    ///   - isIncluded: Which of the others count.
    /// - Returns: `nil` where there is no such index, and where to look at all matches is the shorter way.
    /// - Throws: `EvaluationError` as `count`.
    func merge(
        orderedBy order: RowOrder, limit: Int, from value: FieldValue? = nil,
        where isIncluded: ((SnapshotRow) -> Bool)? = nil
    ) throws(EvaluationError) -> OrderedMerge? {
        guard isWalkShorter(limit, order) else { return nil }
        var walks: [OrderedMerge.Walk] = []
        for part in parts {
            let boundary = isIncluded.map { isIncluded in
                RowBoundary(value: value ?? .null) { isIncluded(self.row($0, of: part)) }
            }
            guard let source = try part.query.walk(orderedBy: order, from: boundary) else { return nil }
            let stored = snapshot.segments[part.segment]
            walks.append(OrderedMerge.Walk(segment: part.segment, sequences: stored.sequences, source: source))
        }
        return try OrderedMerge(walks, isAscending: order.isAscending)
    }

    /// The first matching records of the query's one segment, in an order, ties in order of insertion; `nil` when
    /// neither an index nor a column gives that order.
    ///
    /// - Parameters: As those of `merge`.
    /// - Throws: `EvaluationError` as `count`.
    func onlyRows(
        orderedBy order: RowOrder, limit: Int, from value: FieldValue?, where isIncluded: ((SnapshotRow) -> Bool)?
    ) throws(EvaluationError) -> [SnapshotRow]? {
        guard let part = parts.first else { return nil }
        let boundary = isIncluded.map { isIncluded in
            RowBoundary(value: value ?? .null) { isIncluded(self.row($0, of: part)) }
        }
        let found = try part.query.rows(orderedBy: order, limit: limit, from: boundary)
        return found.map { rows in rows.map { row(Int($0), of: part) } }
    }

    /// Records among which are the first `limit` in an order, ties in order of insertion; themselves in order of
    /// insertion. `nil` when that is no shorter than to sort all that match.
    ///
    /// - Parameters:
    ///   - value: Records of values before this one in the order are passed over.
    ///   - includingTies: Whether all records follow that are level with the last ones: something else settles them.
    ///   - isIncluded: Which of the others count.
    /// - Throws: `EvaluationError` as `count`.
    func leadingRows(
        orderedBy order: RowOrder, limit: Int, from value: FieldValue? = nil, includingTies: Bool = false,
        where isIncluded: ((SnapshotRow) -> Bool)? = nil
    ) throws(EvaluationError) -> [SnapshotRow]? {
        var rows: [SnapshotRow] = []
        var isShorter = false
        for part in parts {
            let boundary = isIncluded.map { isIncluded in
                RowBoundary(value: value ?? .null) { isIncluded(self.row($0, of: part)) }
            }
            let leading = try part.query.rows(
                orderedBy: order, limit: limit, from: boundary, includingTies: includingTies)
            if let leading {
                isShorter = true
                append(leading, of: part, to: &rows)
            } else {
                let all = try part.query.rows()
                append(
                    boundary.map { boundary in all.filter { boundary.includes(Int($0)) } } ?? all, of: part, to: &rows)
            }
        }
        guard isShorter else { return nil }
        rows.sort { $0.sequence < $1.sequence }
        return rows
    }

    /// Whether an index is the shorter way to the first matches.
    private func isWalkShorter(_ limit: Int, _ order: RowOrder) -> Bool {
        var estimate = WalkEstimate()
        for part in parts { estimate.add(part.query, order) }
        return estimate.isShorter(limit)
    }
}

extension RowOrder {
    fileprivate var isAscending: Bool {
        switch self {
        case .field(_, let isAscending), .name(let isAscending): isAscending
        case .distance: true
        }
    }
}

extension SegmentQuery {
    /// The matches in an order, by an index or, in a small segment, sorted at once; `nil` where neither gives the
    /// order.
    fileprivate func walk(
        orderedBy order: RowOrder, from boundary: RowBoundary?
    ) throws(EvaluationError) -> OrderedMerge.Source? {
        let segment = indexes.segment
        switch order {
        case .field(let name, let isAscending):
            guard let column = orderingColumn(name), let position = segment.schema.position(of: name) else {
                return nil
            }
            if segment.count < Snapshot.indexedRows {
                return .sorted(
                    try sortedGroups(isAscending: isAscending, boundary) { column.value($0) }[...])
            }
            guard usage.building(.sortable, of: name) == true, let index = indexes.ordered(column: position),
                !index.isOverLists, index.hasSortableKeys
            else { return nil }
            return .index(
                try OrderedWalk(self, along: index, over: column, isAscending: isAscending, from: boundary))
        case .name(let isAscending):
            if segment.count < Snapshot.indexedRows {
                return .sorted(
                    try sortedGroups(isAscending: isAscending, boundary) { .string(segment.names.string($0)) }[...])
            }
            guard case .all = usage, let index = indexes.orderedNames() else { return nil }
            return .index(try OrderedWalk(self, along: index, over: nil, isAscending: isAscending, from: boundary))
        case .distance: return nil
        }
    }

    private func sortedGroups(
        isAscending: Bool, _ boundary: RowBoundary?, _ value: (Int) -> FieldValue
    ) throws(EvaluationError) -> [OrderedMerge.Group] {
        var values: [(value: FieldValue, row: UInt32)] = []
        for row in try rows() where boundary?.includes(Int(row)) ?? true {
            values.append((SortOrder.prepared(value(Int(row))), row))
        }
        values.sort { a, b in
            let order = SortOrder.compare(prepared: a.value, b.value)
            return order == 0 ? a.row < b.row : (order < 0) == isAscending
        }
        var groups: [OrderedMerge.Group] = []
        for (value, row) in values {
            if let last = groups.last, SortOrder.compare(prepared: last.value, value) == 0 {
                groups[groups.count - 1].rows.append(row)
            } else {
                groups.append(OrderedMerge.Group(value: value, rows: [row]))
            }
        }
        return groups
    }
}

extension OrderedIndex {
    /// Whether the keys are the values that orders compare.
    fileprivate var hasSortableKeys: Bool {
        switch family {
        case .number, .date, .text: true
        default: false
        }
    }
}

/// Walks through several segments, merged into one order.
struct OrderedMerge {
    /// The matching rows of one value, ascending.
    struct Group {
        /// The value as `SortOrder.prepared` gives it; `.null` for rows that have none.
        var value: FieldValue
        var rows: [UInt32]
    }

    enum Source {
        case index(OrderedWalk)
        case sorted(ArraySlice<Group>)
    }

    /// An object, as looking at one of several would otherwise copy it.
    final class Walk {
        let segment: Int
        let sequences: RunLengthMap
        var source: Source
        /// The rows that come next.
        fileprivate var rows: [UInt32] = []

        init(segment: Int, sequences: RunLengthMap, source: Source) {
            (self.segment, self.sequences, self.source) = (segment, sequences, source)
        }

        /// Goes to the next value, and gives it; `nil` at the end.
        fileprivate func next() throws(EvaluationError) -> FieldValue? {
            switch source {
            case .index(let walk):
                rows.removeAll(keepingCapacity: true)
                // Texts of an index are folded as orders compare them.
                return try walk.next(to: &rows).map(walk.key)
            case .sorted(let groups):
                guard let group = groups.first else { return nil }
                source = .sorted(groups.dropFirst())
                rows = group.rows
                return group.value
            }
        }
    }

    private var walks: [Walk]
    private let isAscending: Bool
    /// The values of the walks that have not ended, the first in the order at the end.
    private var heads: [(walk: Int, value: FieldValue)] = []

    fileprivate init(_ walks: [Walk], isAscending: Bool) throws(EvaluationError) {
        (self.walks, self.isAscending) = (walks, isAscending)
        for walk in walks.indices { try advance(walk) }
    }

    /// Adds the records of the next value to a list, in order of insertion; whether there are any.
    ///
    /// - Throws: `EvaluationError` when the predicate has no meaning for a record, or the query's time is over.
    mutating func next(to rows: inout [SnapshotRow]) throws(EvaluationError) -> Bool {
        guard let first = heads.popLast() else { return false }
        let start = rows.count
        append(first.walk, to: &rows)
        while let other = heads.last, compare(first.value, other.value) == 0 {
            heads.removeLast()
            append(other.walk, to: &rows)
            try advance(other.walk)
        }
        try advance(first.walk)
        if rows.count - start > 1 { rows[start...].sort { $0.sequence < $1.sequence } }
        return true
    }

    private func append(_ number: Int, to rows: inout [SnapshotRow]) {
        let walk = walks[number]
        for row in walk.rows {
            rows.append(SnapshotRow(segment: walk.segment, row: Int(row), sequence: walk.sequences[Int(row)]))
        }
    }

    private mutating func advance(_ walk: Int) throws(EvaluationError) {
        guard let value = try walks[walk].next() else { return }
        var (low, high) = (0, heads.count)
        while low < high {
            let middle = (low + high) / 2
            if compare(heads[middle].value, value) > 0 { low = middle + 1 } else { high = middle }
        }
        if low == heads.count { heads.append((walk, value)) } else { heads.insert((walk, value), at: low) }
    }

    /// −1, 0 or 1 as a value comes before, level with or behind another.
    private func compare(_ a: FieldValue, _ b: FieldValue) -> Int {
        let order = SortOrder.compare(prepared: a, b)
        return isAscending ? order : -order
    }
}
