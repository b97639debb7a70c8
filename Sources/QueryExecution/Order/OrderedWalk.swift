// Matching rows of a segment in the order of an index, looked up as far as somebody reads.

import Indexing
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore

/// A walk along an ordered index that stops at the rows of a plan, one distinct value after another.
///
/// It passes rows in blocks, of which bitmaps and columns keep those that may match; what is left is decided row by
/// row, as far as somebody reads. Rejected: a step for each row, which takes a hundred times as long, mostly to find
/// out whose turn it is.
final class OrderedWalk {
    /// A value that was reached.
    enum Value {
        /// None: that of rows without one.
        case missing
        /// A distinct value of the index.
        case distinct(Int)
    }

    private let query: SegmentQuery
    private let index: OrderedIndex
    private let presence: Bitmap?
    private let probe: PlanNode
    /// The parts of the plan that are decided for a block of rows at once, deleted rows among them.
    private let filters: [PlanNode]
    private let rest: PlanNode
    private let isAscending: Bool
    private let boundary: RowBoundary?
    private let watch = QueryDeadline.watch
    /// The distinct values that were not passed yet.
    private var values: Range<Int>
    /// The positions of a value of many rows that were not passed yet.
    private var positions = 0..<0
    /// Whether the rows without a value, first in ascending order and last in descending, were not passed yet.
    private var hasMissing: Bool
    /// The rows of a block that passed the filters.
    private var kept: [UInt32] = []
    /// The values of these, the next one at the end.
    private var groups: [(distinct: Int, rows: Range<Int>)] = []
    private var blockSize = 128
    private var passed = 0

    /// A walk of a query's matches.
    ///
    /// - Parameters:
    ///   - column: What the index is over; `nil` for the names of records.
    ///   - boundary: Where to begin; `nil` for the beginning.
    /// - Throws: `EvaluationError` when the predicate has no meaning for a row.
    init(
        _ query: SegmentQuery, along index: OrderedIndex, over column: Column?, isAscending: Bool,
        from boundary: RowBoundary?
    ) throws(EvaluationError) {
        self.query = query
        (self.index, presence, self.isAscending, self.boundary) = (index, column?.presence, isAscending, boundary)
        // What the plan says of the index itself is where the walk begins and ends.
        let stretch = query.plan.stretch(of: index, over: column)
        probe = try query.executor.probe(stretch?.rest ?? query.plan)
        var (filters, rest) = probe.blockwiseParts
        if let deleted = query.deleted {
            filters.append(.complement(.bitmap(deleted.rows, cardinality: deleted.count)))
        }
        (self.filters, self.rest) = (filters, rest)
        let values = boundary?.values(of: index, isAscending: isAscending) ?? 0..<index.distinctCount
        self.values = stretch.map { values.clamped(to: $0.values) } ?? values
        hasMissing = presence != nil && stretch == nil
    }

    /// Goes to the next value that rows match, and adds these, ascending, to a list; `nil` at the end.
    ///
    /// - Parameter most: So many rows at most; those of the value that are left then are not given any more.
    /// - Throws: `EvaluationError` when the predicate has no meaning for a row, or the query's time is over.
    func next(to rows: inout [UInt32], atMost most: Int = .max) throws(EvaluationError) -> Value? {
        if isAscending, try appendMissing(to: &rows, atMost: most) { return .missing }
        let count = rows.count
        while let group = try nextGroup() {
            try append(group.rows, to: &rows, atMost: most)
            while !positions.isEmpty, rows.count - count < most {
                try passBlock(of: group.distinct)
                guard let more = groups.popLast() else { continue }
                try append(more.rows, to: &rows, atMost: most - (rows.count - count))
            }
            positions = 0..<0
            if rows.count > count { return .distinct(group.distinct) }
        }
        return try appendMissing(to: &rows, atMost: most) ? .missing : nil
    }

    /// A value that was reached, as orders compare it.
    func key(of value: Value) -> FieldValue {
        switch value {
        case .missing: .null
        case .distinct(let distinct): index.key(ofDistinct: distinct)
        }
    }

    /// Adds the matching rows that have no value, once; whether there are any.
    private func appendMissing(to rows: inout [UInt32], atMost most: Int) throws(EvaluationError) -> Bool {
        guard hasMissing, let presence else { return false }
        hasMissing = false
        var found = 0
        for row in 0..<query.rowCount where !presence[row] && found < most {
            try count(passed: 1)
            guard try query.contains(row, in: probe, boundary) else { continue }
            rows.append(UInt32(truncatingIfNeeded: row))
            found += 1
        }
        return found > 0
    }

    private func count(passed count: Int) throws(EvaluationError) {
        passed &+= count
        if passed >= 4096 {
            passed = 0
            try watch.check()
        }
    }

    // MARK: Blocks

    /// The next value of which rows passed the filters.
    private func nextGroup() throws(EvaluationError) -> (distinct: Int, rows: Range<Int>)? {
        while groups.isEmpty {
            if values.isEmpty { return nil }
            let next = isAscending ? values.lowerBound : values.upperBound - 1
            positions = index.positions(ofDistinct: next..<next + 1)
            if positions.count > blockSize {
                values = isAscending ? next + 1..<values.upperBound : values.lowerBound..<next
                while groups.isEmpty, !positions.isEmpty { try passBlock(of: next) }
            } else {
                positions = 0..<0
                try passBlock()
            }
        }
        return groups.popLast()
    }

    /// Passes some of the rows of a value that many rows have.
    private func passBlock(of distinct: Int) throws(EvaluationError) {
        let block = positions.prefix(blockSize)
        positions = block.upperBound..<positions.upperBound
        kept = try filtered(index.rows(at: block))
        if !kept.isEmpty { groups = [(distinct, kept.indices)] }
    }

    /// Passes all rows of some values.
    private func passBlock() throws(EvaluationError) {
        let block = nextValues()
        let range = index.positions(ofDistinct: block)
        let rows = index.rows(at: range)
        let kept = try filtered(rows)
        var groups = groups
        self.groups = []
        var (row, place) = (0, 0)
        for distinct in block where place < kept.count {
            let first = place
            let end =
                rows.count == block.count
                ? row + 1 : index.positions(ofDistinct: distinct..<distinct + 1).upperBound - range.lowerBound
            while row < end {
                if place < kept.count, rows[row] == kept[place] { place += 1 }
                row += 1
            }
            if place > first { groups.append((distinct, first..<place)) }
        }
        if isAscending { groups.reverse() }
        (self.kept, self.groups) = (kept, groups)
    }

    /// Takes the next values whose rows fill a block.
    private func nextValues() -> Range<Int> {
        var count = min(blockSize, values.count)
        func taken(_ count: Int) -> Range<Int> {
            isAscending
                ? values.lowerBound..<values.lowerBound + count : values.upperBound - count..<values.upperBound
        }
        while count > 1, index.positions(ofDistinct: taken(count)).count > 2 * blockSize { count /= 2 }
        let block = taken(count)
        values = isAscending ? block.upperBound..<values.upperBound : values.lowerBound..<block.lowerBound
        return block
    }

    /// Those of a block's rows, in their order, that pass the filters.
    private func filtered(_ rows: [UInt32]) throws(EvaluationError) -> [UInt32] {
        try count(passed: rows.count)
        // Where few match, longer blocks cost less.
        blockSize = min(1024, blockSize * 2)
        var kept = rows
        for filter in filters where !kept.isEmpty { kept = try query.executor.keep(kept, in: filter) }
        return kept
    }

    /// Adds the first of the kept rows that match to a list.
    private func append(
        _ places: Range<Int>, to rows: inout [UInt32], atMost most: Int
    ) throws(EvaluationError) {
        if case .all = rest, boundary == nil {
            rows += kept[places.prefix(most)]
            return
        }
        let count = rows.count
        for row in kept[places] where rows.count - count < most {
            try self.count(passed: 1)
            if try query.executor.contains(Int(row), in: rest), boundary?.includes(Int(row)) ?? true {
                rows.append(row)
            }
        }
    }
}
