// Groups of rows by the values of fields, numbered over all segments.

internal import CKernels
import Deadlines
import PredicateSemantics
import RecordColumns
import RecordModel

/// Numbers the keys of groups, and counts their rows.
struct GroupTable {
    /// The distinct values of each field of the key.
    private var values: [DistinctValues]
    /// For the second field of the key and those behind it: groups by the fields before, and the field's value.
    private var tables: [CodeTable]
    /// How many rows each group has: none where a value occurs in no group.
    private(set) var counts: [Int64] = []

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
        unsafe counts.withUnsafeMutableBufferPointer { counts in
            unsafe result.groups.withUnsafeBufferPointer { groups in
                // SAFETY: the groups of rows are below the number of groups, which the counts have room for.
                unsafe kernels_group_count(groups.baseAddress, groups.count, counts.baseAddress)
            }
        }
        return result
    }

    /// Counts rows by the values of the table's only field; which rows they are is not kept.
    ///
    /// - Throws: `EvaluationError` of kind `timeLimit` or `cancelled`.
    mutating func count(_ rows: [UInt32], by source: FieldSource, watch: Deadline.Watch) throws(EvaluationError) {
        guard case .column(let column, _) = source, case .list(let lists) = column.values,
            case .dictionary(let dictionary) = lists.elements.values,
            dictionary.values.count <= rows.count
        else {
            _ = try grouped(rows, by: [source], watch: watch)
            return
        }
        // Texts that are equal with other bytes are one value of several codes.
        let numbers = (0..<dictionary.values.count).map { values[0].number(of: .string(dictionary.values.string($0))) }
        counts.append(contentsOf: repeatElement(0, count: values[0].values.count - counts.count))
        let missing = try lists.count(
            dictionary.codes, numbered: numbers, in: column, at: rows, into: &counts, watch: watch)
        counts[0] += missing
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

extension ListColumn {
    /// Adds one for each row to the counts of the groups that are in its list.
    /// - Parameter numbers: By code the number of its group.
    /// - Returns: How many rows are in no group.
    fileprivate func count(
        _ codes: ColumnBuffer<UInt32>, numbered numbers: [UInt32], in column: Column, at rows: [UInt32],
        into counts: inout [Int64], watch: Deadline.Watch
    ) throws(EvaluationError) -> Int64 {
        var last = [UInt32](repeating: 0, count: counts.count)
        var missing = 0
        for start in stride(from: 0, to: rows.count, by: GroupedRows.stretch) {
            try watch.check()
            let part = start..<min(start + GroupedRows.stretch, rows.count)
            unsafe rows.withUnsafeBufferPointer { rows in
                unsafe codes.withElements { codes in
                    unsafe offsets.withElements { offsets in
                        unsafe column.withPresence { present in
                            unsafe elements.withPresence { elements in
                                // SAFETY: the column has an offset more than rows, a code for each element, a number
                                // for each code, and a count and a mark for each number.
                                missing += unsafe kernels_group_count_lists(
                                    codes.baseAddress, elements, offsets.baseAddress, present,
                                    rows.baseAddress.map { unsafe $0 + part.lowerBound }, part.count, numbers, &last,
                                    &counts)
                            }
                        }
                    }
                }
            }
        }
        return Int64(missing)
    }
}
