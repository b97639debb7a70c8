// Groups of rows by the values of fields, numbered over all segments.

import Deadlines
import PredicateSemantics
import RecordColumns
import RecordModel

/// Rows of one segment with the groups that they are in.
struct GroupedRows {
    /// A row appears once for each of its groups: there are several where a field of the key is a list.
    var rows: [UInt32]
    /// The group of each.
    var groups: [UInt32]
    /// Groups have numbers below this.
    var groupCount: Int

    /// Calls a function with each row that has a value in a column.
    /// - Throws: `GroupingError` as `body`, and when the query was interrupted.
    @inline(__always)
    func forEach(
        presentIn column: Column, _ watch: Deadline.Watch,
        _ body: (_ row: Int, _ group: Int) throws(GroupingError) -> Void
    ) throws(GroupingError) {
        for index in rows.indices {
            if index & 0x1FFF == 0x1FFF { try watch.checkGroups() }
            let row = Int(rows[index])
            if column.isPresent(row) { try body(row, Int(groups[index])) }
        }
    }
}

extension Deadline.Watch {
    /// - Throws: `GroupingError.evaluation` of kind `cancelled` or `timeLimit`.
    func checkGroups() throws(GroupingError) {
        if let interruption { throw .evaluation(EvaluationError(interruption)) }
    }
}

/// Numbers the keys of groups, and counts their rows.
struct GroupTable {
    /// The distinct values of each field of the key.
    private var values: [DistinctValues]
    /// For the second field of the key and those behind it: groups by the fields before, and the field's value.
    private var tables: [CodeTable]
    /// How many rows each group has: none where a value occurs in no group.
    private(set) var counts: [Int] = []

    init(fieldCount: Int) {
        values = [DistinctValues](repeating: DistinctValues(), count: fieldCount)
        tables = [CodeTable](repeating: CodeTable(), count: max(0, fieldCount - 1))
        if fieldCount == 0 { counts = [0] }
    }

    /// Finds the groups of rows.
    ///
    /// - Parameter sources: The fields of the key, for the rows' segment.
    /// - Throws: `EvaluationError` of kind `timeLimit` or `cancelled`.
    mutating func grouped(
        _ rows: [UInt32], by sources: [FieldSource], watch: Deadline.Watch
    ) throws(EvaluationError) -> GroupedRows {
        var result = GroupedRows(rows: rows, groups: [], groupCount: 1)
        if sources.isEmpty { result.groups = [UInt32](repeating: 0, count: rows.count) }
        for (field, source) in sources.enumerated() {
            let numbered = try values[field].numbered(source, at: result.rows, watch: watch)
            if let positions = numbered.positions {
                result.rows = positions.map { result.rows[Int($0)] }
                if field > 0 { result.groups = positions.map { result.groups[Int($0)] } }
            }
            if field == 0 {
                result.groups = numbered.numbers
                continue
            }
            for (index, number) in numbered.numbers.enumerated() {
                if index & 0x1FFF == 0x1FFF { try watch.check() }
                let group = tables[field - 1].number(of: UInt64(result.groups[index]) << 32 | UInt64(number))
                result.groups[index] = UInt32(truncatingIfNeeded: group)
            }
        }
        if let values = values.first { result.groupCount = tables.last?.words.count ?? values.values.count }
        counts.append(contentsOf: repeatElement(0, count: result.groupCount - counts.count))
        for group in result.groups { counts[Int(group)] += 1 }
        return result
    }

    /// The values of a group's key, in order of the fields.
    func key(of group: Int) -> [FieldValue] {
        var key: [FieldValue] = []
        var prefix = group
        for (table, values) in zip(tables, values.dropFirst()).reversed() {
            key.append(values.values[Int(table.words[prefix] & 0xFFFF_FFFF)])
            prefix = Int(table.words[prefix] >> 32)
        }
        if let first = values.first { key.append(first.values[prefix]) }
        return key.reversed()
    }
}
