// Which indexes questions have built.

import Indexing
import RecordStore
import TextAnalysis

extension RecordSet {
    /// An index that questions have built, over all records.
    package struct BuiltIndex: Hashable, Sendable {
        /// What it is of: `ordered`, `words`, `places`.
        package var kind: String
        /// The field; `nil` for the order of the records' names and the words of all texts.
        package var field: String?
        /// How texts are folded, as option letters.
        package var options: String
        /// Rows that have a value, with lists and texts each element or word once a row.
        package var entries: Int
        /// Distinct values, counted in each segment; `nil` for places.
        package var distinct: Int?
        /// Room taken, in bytes.
        package var bytes: Int
    }

    /// The indexes built so far, by field and kind.
    package var indexes: [BuiltIndex] {
        var found: [BuiltIndex] = []
        for summary in snapshot.segments.flatMap(\.indexes.summaries) {
            let index = BuiltIndex(
                kind: summary.kind.rawValue, field: summary.field, options: Self.letters(summary.options),
                entries: summary.entries, distinct: summary.distinct, bytes: summary.bytes)
            if let known = found.firstIndex(where: {
                ($0.kind, $0.field, $0.options) == (index.kind, index.field, index.options)
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

    private static func letters(_ options: TextOptions) -> String {
        let letters: [(TextOptions, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
        ]
        return letters.filter { options.contains($0.0) }.map(\.1).joined()
    }
}
