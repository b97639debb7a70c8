// A term dictionary with the rows of each term.
//
// The rows of a term are a stretch of the order like the rows of any value, and those of all terms with one prefix are
// one stretch too, so that a token prefix costs no more than a range.

import RecordColumns
import RecordModel
package import TextAnalysis

/// The words of the texts of a column, or of all texts: an order of words.
package final class TokenIndex: MergeableIndex {
    package static let kind = IndexKind(number: 1, name: "token", mark: .searchable, coversAllFields: true)

    let terms: OrderedIndex

    init(_ terms: OrderedIndex) { self.terms = terms }

    static func build(_ key: IndexKey, of indexes: SegmentIndexes) -> TokenIndex? {
        OrderedIndex.buildTokens(
            over: indexes.textColumns(key.column), rowCount: indexes.segment.count, tokenizer: key.tokenizer
        )
        .map(TokenIndex.init)
    }

    static func merging(_ sources: [Source], rowCount: Int) -> TokenIndex? {
        OrderedIndex.merging(sources.map { IndexSource(index: $0.index.terms, rows: $0.rows) }, rowCount: rowCount)
            .map(TokenIndex.init)
    }

    static func read(
        _: IndexKey, from reader: BlockReader, of indexes: SegmentIndexes
    ) throws(BlockError) -> TokenIndex? {
        TokenIndex(try OrderedIndex(from: reader, rowCount: indexes.segment.count))
    }

    var blocks: WrittenBlocks { terms.blocks }
    var size: (entries: Int, distinct: Int?) { terms.size }
    var byteCount: Int { terms.byteCount }

    func isSame(as other: TokenIndex) -> Bool { terms.isSame(as: other.terms) }
}

extension SegmentIndexes {
    /// The words of a column of texts or lists of texts; of all such columns for `nil`.
    ///
    /// - Parameter analysis: What analyzes the words of a column. Those that it leaves out are not in the index.
    /// - Complexity: O(bytes) the first time, then O(1).
    package func tokens(
        column: Int?, options: TextOptions, analysis: WordAnalysis? = nil, building: Bool = true
    ) -> OrderedIndex? {
        index(TokenIndex.self, column: column, options: options, analysis: analysis, building: building)?.terms
    }
}
