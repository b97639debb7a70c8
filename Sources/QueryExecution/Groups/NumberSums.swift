// Sums and averages of groups.

internal import CKernels
import Deadlines
import OrdinalSets
import PredicateSemantics
import RecordColumns
import RecordModel

/// Adds the numbers of each group; truth values are 1 and 0.
struct NumberSums: GroupAccumulator {
    private struct Total {
        // Cannot leave its range: there are not enough rows for that.
        var whole: Int128 = 0
        var fraction = 0.0
        var count = 0
        var isFractional = false

        @inline(__always)
        mutating func add(_ number: Int64) {
            whole &+= Int128(number)
            count += 1
        }

        @inline(__always)
        mutating func add(_ number: Double) {
            fraction += number
            count += 1
            isFractional = true
        }

        var double: Double { Double(whole) + fraction }
    }

    let aggregate: Aggregate
    private var totals: [Total] = []

    init(aggregate: Aggregate) { self.aggregate = aggregate }

    mutating func add(_ entries: GroupedRows, _ source: FieldSource, watch: Deadline.Watch) throws(GroupingError) {
        totals.grow(to: entries.groupCount, Total())
        if case .column(let column, _) = source {
            switch column.values {
            case .int64(let numbers):
                return try unsafe add(entries, column, watch) { stretch, totals in
                    unsafe numbers.withElements { numbers in
                        // SAFETY: the column has a value for each row, and there is a total for each group.
                        unsafe kernels_group_sum_i64(
                            numbers.baseAddress, stretch.present, stretch.rows, stretch.groups, stretch.count, totals)
                    }
                }
            case .double(let numbers):
                return try unsafe add(entries, column, watch) { stretch, totals in
                    unsafe numbers.withElements { numbers in
                        // SAFETY: as above.
                        unsafe kernels_group_sum_f64(
                            numbers.baseAddress, stretch.present, stretch.rows, stretch.groups, stretch.count, totals)
                    }
                }
            case .bool(let bits):
                return try entries.forEach(presentIn: column, watch) { totals[$1].add(bits[$0] ? 1 as Int64 : 0) }
            case .missing: return
            default: break
            }
        }
        for (index, row) in entries.rows.enumerated() {
            if index & 0xFFF == 0xFFF { try watch.checkGroups() }
            let value = source.value(Int(row))
            switch value.number {
            case .integer(let number): totals[Int(entries.groups[index])].add(number)
            case .double(let number): totals[Int(entries.groups[index])].add(number)
            case nil:
                if let fault = aggregate.fault(of: OperandType(of: value)) { throw .aggregate(fault) }
            }
        }
    }

    /// Adds what a kernel makes of a column's rows.
    private mutating func add(
        _ entries: GroupedRows, _ column: Column, _ watch: Deadline.Watch,
        _ kernel: (GroupedRows.Stretch, UnsafeMutablePointer<kernels_total>?) -> Void
    ) throws(GroupingError) {
        var sums = [kernels_total](repeating: kernels_total(), count: entries.groupCount)
        // Sums of fractions go on where the rows before ended: so they do not depend on segments.
        if case .double = column.values { for group in sums.indices { sums[group].fraction = totals[group].fraction } }
        try unsafe entries.forEachStretch(of: column, watch) { stretch in
            unsafe sums.withUnsafeMutableBufferPointer { unsafe kernel(stretch, $0.baseAddress) }
        }
        for (group, sum) in sums.enumerated() where sum.count > 0 {
            totals[group].whole &+= Int128(sum.high) << 32 + Int128(sum.low)
            totals[group].count += Int(sum.count)
            guard case .double = column.values else { continue }
            totals[group].fraction = sum.fraction
            totals[group].isFractional = true
        }
    }

    func value(of group: Int) throws(GroupingError) -> FieldValue {
        let total = group < totals.count ? totals[group] : Total()
        if case .average = aggregate { return total.count == 0 ? .null : .double(total.double / Double(total.count)) }
        if total.isFractional { return .double(total.double) }
        guard let sum = Int64(exactly: total.whole) else { throw .aggregate(aggregate.overflow) }
        return .int64(sum)
    }
}
