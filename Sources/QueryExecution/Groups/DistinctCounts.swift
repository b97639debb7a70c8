// How many different values groups have.

import Deadlines
import FoundationEssentials
import PredicateSemantics
import RecordColumns
import RecordModel

/// Counts the distinct values of each group, of list fields the distinct elements.
struct DistinctCounts: GroupAccumulator {
    /// Numbers for the values that are no numbers and no dates.
    private var values = DistinctValues()
    private var words = GroupedWords()
    private var counts: [Int64] = []

    mutating func add(_ entries: GroupedRows, _ source: FieldSource, watch: Deadline.Watch) throws(GroupingError) {
        if case .column(let column, _) = source {
            switch column.values {
            case .int64(let numbers):
                return try words.append(numbers, of: column, entries, watch: watch)
            case .double(let numbers): return try add(entries, column, watch) { Identity(numbers[$0]).parts }
            case .date(let seconds): return try add(entries, column, watch) { (.date, seconds[$0].equalBits) }
            default: break
            }
        }
        let numbered: NumberedRows
        do {
            numbered = try values.numbered(source, at: entries.rows, watch: watch)
        } catch {
            throw .evaluation(error)
        }
        for (index, number) in numbered.numbers.enumerated() where number != 0 {
            if index & 0x1FFF == 0x1FFF { try watch.checkGroups() }
            let group = entries.groups[numbered.positions.map { Int($0[index]) } ?? index]
            words.append(Identity(values.values[Int(number)], number: number).parts, Int(group))
        }
    }

    /// Adds the values of a column's rows.
    @inline(__always)
    private mutating func add(
        _ entries: GroupedRows, _ column: Column, _ watch: Deadline.Watch,
        _ identity: (_ row: Int) -> (GroupedWords.Family, UInt64)
    ) throws(GroupingError) {
        try entries.forEach(presentIn: column, watch) { row, group in words.append(identity(row), group) }
    }

    mutating func finish(groupCount: Int, watch: Deadline.Watch) throws(GroupingError) {
        counts = try words.distinctCounts(groupCount: groupCount, watch: watch)
    }

    func value(of group: Int) -> FieldValue { .int64(group < counts.count ? counts[group] : 0) }
}

/// A value as a family and a word: equal values have equal ones.
private struct Identity {
    let parts: (GroupedWords.Family, UInt64)

    /// A number: those that are whole are what whole numbers are.
    @inline(__always)
    init(_ number: Double) {
        if let whole = Int64(exactly: number) {
            parts = (.whole, UInt64(bitPattern: whole))
        } else {
            parts = (.fraction, number.equalBits)
        }
    }

    /// - Parameter number: The number that the value has among all.
    init(_ value: FieldValue, number: UInt32) {
        parts =
            switch value {
            case .int64(let whole): (.whole, UInt64(bitPattern: whole))
            case .double(let fraction): Identity(fraction).parts
            case .date(let date): (.date, date.timeIntervalSinceReferenceDate.equalBits)
            default: (.other, UInt64(number))
            }
    }
}
