// The matching records in order of insertion.

import OrdinalSets
package import PredicateSemantics
import RecordColumns
package import RecordStore

extension SnapshotQuery {
    /// The records that match, in order of insertion.
    /// - Throws: `EvaluationError` as `count`.
    package func rows() throws(EvaluationError) -> [SnapshotRow] { try rows(first: .max).rows }

    /// The first of the records that match, in order of insertion, and how many match in all.
    func rows(first limit: Int) throws(EvaluationError) -> (rows: [SnapshotRow], matched: Int) {
        var rows: [SnapshotRow] = []
        var matched = 0
        for part in parts {
            // Those of a segment ascend.
            let found = try part.query.rows()
            matched += found.count
            append(found.prefix(limit), of: part, to: &rows)
        }
        if parts.count > 1 { rows.sort { $0.sequence < $1.sequence } }
        rows.removeLast(max(0, rows.count - limit))
        return (rows, matched)
    }

    /// The numbers of the records that match (see `RecordNumbers`), ascending: the order of insertion.
    /// - Throws: `EvaluationError` as `count`.
    package func numbers() throws(EvaluationError) -> [UInt32] {
        if snapshot.isOneWholeSegment { return try parts.first?.query.rows() ?? [] }
        var found: [MatchingRows.Part] = []
        for part in parts { found.append(MatchingRows.Part(segment: part.segment, rows: try part.query.rows())) }
        return snapshot.numbers(of: MatchingRows(parts: found))
    }

    func append(_ found: some Collection<UInt32>, of part: Part, to rows: inout [SnapshotRow]) {
        rows.reserveCapacity(rows.count + found.count)
        for row in found { rows.append(self.row(Int(row), of: part)) }
    }

    /// A row of a part's segment as one of the snapshot.
    func row(_ row: Int, of part: Part) -> SnapshotRow {
        SnapshotRow(
            segment: part.segment, row: row, sequence: snapshot.segments[part.segment].sequences[row])
    }
}

extension Snapshot {
    /// The numbers of rows, ascending: the order of insertion.
    package func numbers(of matches: MatchingRows) -> [UInt32] {
        if isOneWholeSegment { return matches.parts.first?.rows ?? [] }
        let known = recordNumbers
        var numbers: [UInt32] = []
        var areAscending = true
        for part in matches.parts {
            let count = numbers.count
            // Those of a segment ascend.
            known.append(numbersOf: part.rows, of: part.segment, to: &numbers)
            if count > 0, count < numbers.count, numbers[count] < numbers[count - 1] { areAscending = false }
        }
        if areAscending { return numbers }
        // A bitmap is the way to sort many numbers.
        return numbers.count > known.count / 64
            ? Bitmap(ordinals: numbers, count: known.count).ordinals : numbers.sorted()
    }

    /// The numbers of rows, in their order.
    package func numbers(of rows: [SnapshotRow]) -> [UInt32] {
        if isOneWholeSegment { return rows.map { UInt32(truncatingIfNeeded: $0.row) } }
        let known = recordNumbers
        return rows.map { UInt32(truncatingIfNeeded: known.number(segment: $0.segment, row: $0.row)) }
    }
}
