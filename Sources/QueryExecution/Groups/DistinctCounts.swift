// How many different values groups have.

import Deadlines
import PredicateSemantics
import RecordModel

/// Counts the distinct values of each group, of list fields the distinct elements.
struct DistinctCounts: GroupAccumulator {
    private var values = DistinctValues()
    /// Groups with the numbers of their values.
    private var pairs = CodeTable()
    private var counts: [Int] = []

    mutating func add(_ entries: GroupedRows, _ source: FieldSource, watch: Deadline.Watch) throws(GroupingError) {
        counts.grow(to: entries.groupCount, 0)
        let numbered: NumberedRows
        do {
            numbered = try values.numbered(source, at: entries.rows, watch: watch)
        } catch {
            throw .evaluation(error)
        }
        for (index, number) in numbered.numbers.enumerated() where number != 0 {
            if index & 0x1FFF == 0x1FFF { try watch.checkGroups() }
            let group = entries.groups[numbered.positions.map { Int($0[index]) } ?? index]
            let known = pairs.words.count
            if pairs.number(of: UInt64(group) << 32 | UInt64(number)) == known { counts[Int(group)] += 1 }
        }
    }

    func value(of group: Int) -> FieldValue { .int64(group < counts.count ? Int64(counts[group]) : 0) }
}
