// The smallest and largest values of groups.

internal import CKernels
import Deadlines
import PredicateSemantics
import RecordColumns
import RecordModel

/// Finds the smallest or largest value of each group, in the order of sort keys.
struct Extremes: GroupAccumulator {
    let aggregate: Aggregate
    /// −1 for the smallest, 1 for the largest.
    let sign: Int
    private var best: [(value: FieldValue, prepared: FieldValue)] = []

    init(aggregate: Aggregate, sign: Int) { (self.aggregate, self.sign) = (aggregate, sign) }

    mutating func add(_ entries: GroupedRows, _ source: FieldSource, watch: Deadline.Watch) throws(GroupingError) {
        best.grow(to: entries.groupCount, (.null, .null))
        if case .column(let column, _) = source {
            switch column.values {
            case .int64(let numbers): return try add(entries, column, numbers, watch)
            case .double(let numbers), .date(let numbers):
                return try add(entries, column, watch) { NumericOrder.compare(numbers[$0], numbers[$1]) }
            case .dictionary(let texts) where texts.values.count < entries.rows.count:
                let ranks = texts.ranks
                return try add(entries, column, watch) { (row, other) in
                    ranks[Int(texts.codes[row])] - ranks[Int(texts.codes[other])]
                }
            case .missing: return
            default: break
            }
        }
        for (index, row) in entries.rows.enumerated() {
            if index & 0xFFF == 0xFFF { try watch.checkGroups() }
            try offer(source.value(Int(row)), Int(entries.groups[index]))
        }
    }

    /// Compares rows of a column of whole numbers, and only the best ones with those of other segments.
    private mutating func add(
        _ entries: GroupedRows, _ column: Column, _ numbers: ColumnBuffer<Int64>, _ watch: Deadline.Watch
    ) throws(GroupingError) {
        var rows = [Int64](repeating: -1, count: entries.groupCount)
        try unsafe entries.forEachStretch(of: column, watch) { stretch in
            unsafe rows.withUnsafeMutableBufferPointer { rows in
                unsafe numbers.withElements { numbers in
                    // SAFETY: the column has a value for each row, and there is a place for each group.
                    unsafe kernels_group_best_i64(
                        numbers.baseAddress, stretch.present, stretch.rows, stretch.groups, stretch.count, Int32(sign),
                        rows.baseAddress)
                }
            }
        }
        for (group, row) in rows.enumerated() where row >= 0 { try offer(column.value(Int(row)), group) }
    }

    /// Compares rows of a column, and only the best ones with those of other segments.
    @inline(__always)
    private mutating func add(
        _ entries: GroupedRows, _ column: Column, _ watch: Deadline.Watch, _ compare: (_ row: Int, _ other: Int) -> Int
    ) throws(GroupingError) {
        var rows = [Int](repeating: -1, count: entries.groupCount)
        try entries.forEach(presentIn: column, watch) { row, group in
            if rows[group] < 0 || compare(row, rows[group]) * sign > 0 { rows[group] = row }
        }
        for (group, row) in rows.enumerated() where row >= 0 { try offer(column.value(row), group) }
    }

    private mutating func offer(_ value: FieldValue, _ group: Int) throws(GroupingError) {
        if value.isNull { return }
        if let fault = aggregate.fault(of: OperandType(of: value)) { throw .aggregate(fault) }
        let prepared = SortOrder.prepared(value)
        if best[group].value.isNull || SortOrder.compare(prepared: prepared, best[group].prepared) * sign > 0 {
            best[group] = (value, prepared)
        }
    }

    func value(of group: Int) -> FieldValue { group < best.count ? best[group].value : .null }
}

extension DictionaryColumn {
    /// The place of each code's text in their order; equal texts of different bytes may have any.
    fileprivate var ranks: [Int] {
        let texts = (0..<values.count).map { SortOrder.prepared(.string(values.string($0))) }
        let order = texts.indices.sorted { SortOrder.compare(prepared: texts[$0], texts[$1]) < 0 }
        var ranks = [Int](repeating: 0, count: texts.count)
        for (rank, code) in order.enumerated() { ranks[code] = rank }
        return ranks
    }
}
