// Words that are not ASCII as a kind of index.

import RecordColumns

extension NonASCIITerms: SegmentIndex {
    /// Every search of texts needs one, so that no field is marked for it.
    static let kind = IndexKind(number: 5, name: "non-ASCII term", mark: [])

    static func build(_ key: IndexKey, of indexes: SegmentIndexes) -> NonASCIITerms? {
        indexes.texts(of: key).map { build(over: $0) }
    }

    static func read(
        _: IndexKey, from reader: BlockReader, of indexes: SegmentIndexes
    ) throws(BlockError) -> NonASCIITerms? {
        try NonASCIITerms(from: reader, rowCount: indexes.segment.count)
    }

    var size: (entries: Int, distinct: Int?) { (rows.count, words.count) }
}

extension SegmentIndexes {
    /// The words that are not ASCII of a column of texts; `nil` for other columns. Folded scans need them.
    ///
    /// - Complexity: O(bytes) the first time, then O(1).
    package func nonASCIITerms(column: Int) -> NonASCIITerms? {
        index(NonASCIITerms.self, column: column, building: true)
    }
}
