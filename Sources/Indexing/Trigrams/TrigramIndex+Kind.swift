// Trigrams of texts as a kind of index.

import RecordColumns
import RecordModel

extension TrigramIndex: SegmentIndex {
    package static let kind = IndexKind(number: 4, name: "trigram", mark: .substring)

    static func build(_ key: IndexKey, of indexes: SegmentIndexes) -> TrigramIndex? {
        indexes.texts(of: key).map { build(over: $0) }
    }

    static func read(
        _: IndexKey, from reader: BlockReader, of indexes: SegmentIndexes
    ) throws(BlockError) -> TrigramIndex? {
        try TrigramIndex(from: reader, rowCount: indexes.segment.count)
    }

    /// Pairs of a row and a trigram, and trigrams as far as classes of bytes tell them apart.
    var size: (entries: Int, distinct: Int?) {
        let codes = Set(rowBlocks.flatMap { block in (0..<block.codes.count).map { block.codes[$0] } })
        return (rowBlocks.reduce(0) { $0 + $1.entryCount }, codes.count)
    }
}

extension SegmentIndexes {
    /// The trigrams of a column of texts; `nil` for other columns, and those of few distinct texts.
    ///
    /// - Complexity: O(bytes) the first time, then O(1).
    package func trigrams(column: Int, building: Bool = true) -> TrigramIndex? {
        index(TrigramIndex.self, column: column, building: building)
    }
}
