// What indexes a segment has, for people.

package import TextAnalysis

/// An index that was built.
package struct IndexSummary: Hashable, Sendable {
    package var kind: IndexKind
    /// The field; `nil` for the order of the records' names and the words of all texts.
    package var field: String?
    /// How texts are folded.
    package var options: TextOptions
    /// What analyzes their words.
    package var analyzer: TextAnalyzer?
    /// Pairs of a row and a value that the index finds: for lists and texts each element or word once a row.
    package var entries: Int
    /// Distinct values; `nil` where an index does not tell them apart.
    package var distinct: Int?
    /// Room taken, in bytes.
    package var bytes: Int
}

extension SegmentIndexes {
    /// The indexes built so far, by field and kind.
    package var summaries: [IndexSummary] {
        let found = built.map { key, index in
            let size = index.size
            return IndexSummary(
                kind: index.kind, field: field(of: key), options: key.options,
                analyzer: key.analysis?.analyzer, entries: size.entries, distinct: size.distinct, bytes: index.byteCount
            )
        }
        return found.sorted { a, b in
            (a.field ?? "", a.kind.name, a.options.rawValue) < (b.field ?? "", b.kind.name, b.options.rawValue)
        }
    }
}
