// A stretch of an index's row order: what a lookup finds, without a copy.

package import RecordColumns

/// Rows that are neighbours in an index: a range of its row order.
package struct PostingSlice: Sendable {
    /// The row order of the index.
    package let order: ColumnBuffer<UInt32>
    /// The positions of the rows in the order.
    package let range: Range<Int>
    /// Whether the rows ascend: those of one value do.
    package let isAscending: Bool
    /// Whether a row can appear more than once: in runs over several values of a list index.
    package let mayRepeat: Bool

    /// Number of entries: of rows, unless rows repeat.
    package var count: Int { range.count }

    /// Calls `body` with the rows.
    package func withRows<Result>(_ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
        unsafe order.withElements { rows in
            // SAFETY: lookups only make ranges within the order.
            unsafe body(UnsafeBufferPointer(rebasing: rows[range]))
        }
    }
}
