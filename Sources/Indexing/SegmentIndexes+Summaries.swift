// What indexes a segment has, for people.

import Geospatial
import OrdinalSets
import RecordColumns
import RecordModel
package import TextAnalysis

/// An index that was built.
package struct IndexSummary: Hashable, Sendable {
    /// What the index is of.
    package enum Kind: String, Hashable, Sendable {
        case ordered, words, places
    }

    package var kind: Kind
    /// The field; `nil` for the order of the records' names and the words of all texts.
    package var field: String?
    /// How texts are folded.
    package var options: TextOptions
    /// Rows that have a value, with lists and texts each element or word once a row.
    package var entries: Int
    /// Distinct values; `nil` for places.
    package var distinct: Int?
    /// Room taken, in bytes.
    package var bytes: Int
}

extension SegmentIndexes {
    /// The indexes built so far, by field and kind.
    package var summaries: [IndexSummary] {
        let found = summaries(of: ordered, .ordered) + summaries(of: tokens, .words) + spatialSummaries
        return found.sorted { a, b in
            (a.field ?? "", a.kind.rawValue, a.options.rawValue) < (b.field ?? "", b.kind.rawValue, b.options.rawValue)
        }
    }

    private func field(_ key: IndexKey) -> String? {
        segment.schema.fields.indices.contains(key.column) ? segment.schema.fields[key.column].name : nil
    }

    private func summaries(of cache: IndexCache<OrderedIndex>, _ kind: IndexSummary.Kind) -> [IndexSummary] {
        cache.built.map { key, index in
            IndexSummary(
                kind: kind, field: field(key), options: key.textOptions, entries: index.entryCount,
                distinct: index.distinctCount, bytes: index.byteCount)
        }
    }

    private var spatialSummaries: [IndexSummary] {
        spatial.built.map { key, index in
            IndexSummary(
                kind: .places, field: field(key), options: [], entries: index.count, distinct: nil,
                bytes: index.byteCount)
        }
    }
}
