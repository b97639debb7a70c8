// Which indexes queries have built.

import Indexing
import PredicateSemantics
import QueryPlanning
import RecordStore
package import TextAnalysis

extension RecordSet {
    /// An index that queries have built, over all records.
    package struct BuiltIndex: Hashable, Sendable {
        /// What plans call it: `ordered`, `token`, …
        package var kind: String
        /// The field; `nil` for the order of the records' names and the words of all texts.
        package var field: String?
        /// How texts are folded, as option letters.
        package var options: String
        /// What analyzes their words.
        package var analyzer: TextAnalyzer?
        /// Rows that have a value, with lists and texts each element or word once a row.
        package var entries: Int
        /// Distinct values, counted in each segment; `nil` where an index does not tell them apart.
        package var distinct: Int?
        /// Room taken, in bytes.
        package var bytes: Int
    }

    /// The indexes built so far, by field and kind.
    package var indexes: [BuiltIndex] {
        var found: [BuiltIndex] = []
        for summary in snapshot.segments.flatMap(\.indexes.summaries) {
            let index = BuiltIndex(
                kind: summary.kind.name, field: summary.field, options: summary.options.letters,
                analyzer: summary.analyzer, entries: summary.entries, distinct: summary.distinct, bytes: summary.bytes)
            if let known = found.firstIndex(where: {
                ($0.kind, $0.field, $0.options, $0.analyzer)
                    == (index.kind, index.field, index.options, index.analyzer)
            }) {
                found[known].entries += index.entries
                found[known].distinct = found[known].distinct.map { $0 + (index.distinct ?? 0) }
                found[known].bytes += index.bytes
            } else {
                found.append(index)
            }
        }
        return found
    }
}
