// Positions of words as a kind of index.

import RecordColumns
import RecordModel
package import TextAnalysis

extension WordPositions: SegmentIndex {
    static let kind = IndexKind(number: 2, name: "word position", mark: .searchable, coversAllFields: true)

    static func build(_ key: IndexKey, of indexes: SegmentIndexes) -> WordPositions? {
        indexes.tokens(column: key.column, options: key.options, analysis: key.analysis).flatMap {
            build(over: indexes.textColumns(key.column), index: $0, tokenizer: key.tokenizer)
        }
    }

    static func read(
        _ key: IndexKey, from reader: BlockReader, of indexes: SegmentIndexes
    ) throws(BlockError) -> WordPositions? {
        let index = indexes.tokens(
            column: key.column, options: key.options, analysis: key.analysis, building: false)
        guard let index else { return nil }
        return try WordPositions(from: reader, index: index)
    }

    var size: (entries: Int, distinct: Int?) { (index.entryCount, index.distinctCount) }
}

extension SegmentIndexes {
    /// The positions of the words of `tokens(column:options:analysis:building:)`.
    ///
    /// - Complexity: O(bytes) the first time, then O(1).
    package func wordPositions(
        column: Int?, options: TextOptions, analysis: WordAnalysis? = nil, building: Bool = true
    ) -> WordPositions? {
        index(WordPositions.self, column: column, options: options, analysis: analysis, building: building)
    }
}
