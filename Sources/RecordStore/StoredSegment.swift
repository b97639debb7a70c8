// A segment of a snapshot, and which of its rows still count.

package import Indexing
package import OrdinalSets
package import RecordColumns

/// A segment of a store with what belongs to its rows.
package struct StoredSegment: Sendable {
    package let indexes: SegmentIndexes
    /// The sequence number of each row, ascending.
    package let sequences: RunLengthMap
    /// Rows that were deleted, or are stored in another segment since they were changed.
    package var deleted: DeletedRows?
    /// Whether it is too large to be merged with others.
    package var isComplete = false

    package var segment: Segment { indexes.segment }
    /// Number of rows that are not deleted.
    package var liveCount: Int { segment.count - (deleted?.count ?? 0) }

    init(_ segment: Segment, sequences: RunLengthMap, deleted: DeletedRows? = nil) {
        self.init(SegmentIndexes(segment), sequences: sequences, deleted: deleted)
    }

    /// A segment with the indexes that it has already.
    package init(_ indexes: SegmentIndexes, sequences: RunLengthMap, deleted: DeletedRows? = nil) {
        self.indexes = indexes
        self.sequences = sequences
        self.deleted = deleted
    }

    /// Whether this is the same segment, whatever was deleted since.
    func isSame(as other: StoredSegment) -> Bool { indexes === other.indexes }

    /// Whether a row is not deleted.
    package func isLive(_ row: Int) -> Bool { !(deleted?.rows[row] ?? false) }
}

/// Rows of a segment that no longer count.
package struct DeletedRows: Sendable {
    package private(set) var rows: Bitmap
    /// How many they are.
    package private(set) var count = 0

    /// None of so many rows.
    package init(of rowCount: Int) { rows = Bitmap(count: rowCount) }

    /// Adds a row.
    package mutating func insert(_ row: Int) {
        guard !rows[row] else { return }
        rows[row] = true
        count += 1
    }
}
