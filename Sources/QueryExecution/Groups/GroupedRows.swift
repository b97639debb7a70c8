// Rows of one segment with the groups that they are in.

import Deadlines
import OrdinalSets
import PredicateSemantics
import RecordColumns

/// Rows of one segment with the groups that they are in.
struct GroupedRows {
    /// A row appears once for each of its groups: there are several where a field of the key is a list.
    var rows: [UInt32]
    /// The group of each.
    var groups: [UInt32]
    /// Groups have numbers below this.
    var groupCount: Int

    /// How many rows are worked on before somebody looks whether the query was interrupted.
    static let stretch = 1 << 12

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

    /// Rows of a column and their groups for a kernel, some at a time.
    @unsafe struct Stretch {
        /// A bit for each row with a value; `nil` where all have one.
        let present: UnsafePointer<UInt64>?
        let rows: UnsafePointer<UInt32>
        let groups: UnsafePointer<UInt32>
        let count: Int
    }

    /// Calls a function with all rows, a stretch at a time.
    /// - Throws: `GroupingError` when the query was interrupted.
    func forEachStretch(
        of column: Column, _ watch: Deadline.Watch, _ body: (Stretch) -> Void
    ) throws(GroupingError) {
        var start = 0
        while start < rows.count {
            let part = start..<min(start + Self.stretch, rows.count)
            unsafe rows.withUnsafeBufferPointer { rows in
                unsafe groups.withUnsafeBufferPointer { groups in
                    guard let firstRow = rows.baseAddress, let firstGroup = groups.baseAddress else { return }
                    unsafe column.withPresence { present in
                        // SAFETY: both lists have an element for each of the part's positions.
                        unsafe body(
                            Stretch(
                                present: present, rows: firstRow + part.lowerBound,
                                groups: firstGroup + part.lowerBound, count: part.count))
                    }
                }
            }
            start = part.upperBound
            try watch.checkGroups()
        }
    }
}

extension Column {
    /// Calls a function with a bit for each row that has a value; `nil` where all have one.
    func withPresence(_ body: (UnsafePointer<UInt64>?) -> Void) {
        guard let presence else { return body(nil) }
        unsafe presence.words.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}

extension Deadline.Watch {
    /// - Throws: `GroupingError.evaluation` of kind `cancelled` or `timeLimit`.
    func checkGroups() throws(GroupingError) {
        if let interruption { throw .evaluation(EvaluationError(interruption)) }
    }
}
