// What an index must be to have a line in the catalogue.

import RecordColumns
import RecordModel

/// An index over rows of a segment. Immutable; may be read from any thread.
///
/// All that the catalogue knows of a kind of index. Predicates are no business of it: planning looks up what the type
/// offers besides.
protocol SegmentIndex: AnyObject, Sendable {
    static var kind: IndexKind { get }

    /// - Returns: `nil` where there can be none, such as for values of another type.
    static func build(_ key: IndexKey, of indexes: SegmentIndexes) -> Self?

    /// An index that was stored. Its numbers are compared with their bounds, not with the values.
    ///
    /// - Returns: `nil` where another index is missing that it belongs to.
    static func read(_ key: IndexKey, from reader: BlockReader, of indexes: SegmentIndexes) throws(BlockError) -> Self?

    /// The index, to be stored.
    var blocks: WrittenBlocks { get }

    /// Whether the index depends on the version of Unicode's tables. Such an index is rebuilt where they are others.
    var isOfText: Bool { get }

    /// Whether both say the same, however they hold it.
    func isSame(as other: Self) -> Bool

    /// Number of entries, and of the distinct values that they are of, if there are such. Complexity: up to O(entries).
    var size: (entries: Int, distinct: Int?) { get }

    /// Room taken, in bytes.
    var byteCount: Int { get }
}

extension SegmentIndex {
    var kind: IndexKind { Self.kind }

    var isOfText: Bool { true }

    func isSame(as other: Self) -> Bool { blocks.isSame(as: other.blocks) }
}

/// An index that is faster made of those of merged segments than of the values. All others are rebuilt.
protocol MergeableIndex: SegmentIndex {
    typealias Source = IndexSource<Self>

    /// The index of rows that come from several segments.
    ///
    /// - Parameter rowCount: Number of the new rows.
    /// - Returns: `nil` when these cannot be merged: then it is rebuilt.
    static func merging(_ sources: [Source], rowCount: Int) -> Self?
}

/// An index and where its rows have gone.
struct IndexSource<Index> {
    let index: Index
    /// The new row of each row; `UInt32.max` for one that is left out.
    let rows: [UInt32]
}
