// The relevance of the records that a query finds.

import Indexing
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import TextAnalysis

/// What scores need of the records that a query is about: how many hold what is looked for, how often, and how long
/// their texts are. Counted once for any number of scores.
///
/// Statistics are over all live records that the query is about and not over those of a segment, so that scores do not
/// depend on how records came to lie in segments.
package struct QueryRelevance: Sendable {
    /// A search with its statistics.
    fileprivate struct Term: Sendable {
        var weight: Double
        var averageLength: Double
    }

    /// What one segment knows of a search.
    fileprivate struct Hits: Sendable {
        var lengths: ColumnBuffer<UInt32>
        var hits: WordPostings
    }

    fileprivate let terms: [Term]
    /// By segment, and by search; `nil` where the segment has no such texts.
    fileprivate let segments: [Int: [Hits?]]

    /// - Returns: `nil` when the predicate looks for no words.
    /// - Complexity: O(1) a segment for words of an index with places, O(rows) for beginnings of words; building of
    ///   these; O(bytes) where they are neither there nor may be built.
    init?(_ searches: [WordSearch], over parts: [(segment: Int, query: SegmentQuery)]) {
        if searches.isEmpty { return nil }
        var totals = [Totals](repeating: Totals(), count: searches.count)
        var segments: [Int: [Hits?]] = [:]
        for part in parts {
            var found = [Hits?](repeating: nil, count: searches.count)
            // Searches of the same texts under the same folding share one reading.
            var groups: [Group: [Int]] = [:]
            for (index, search) in searches.enumerated() {
                let group = Group(
                    field: search.field?.name, options: search.options, analyzers: search.analyzers)
                groups[group, default: []].append(index)
            }
            for (group, members) in groups {
                guard let counts = part.query.wordCounts(group, members.map { searches[$0] }) else { continue }
                let common = Totals(counts, without: part.query.deleted)
                for (member, hits) in zip(members, counts.hits) {
                    found[member] = Hits(lengths: counts.rowLengths, hits: hits)
                    totals[member].add(common, matching: hits.rowCount(without: part.query.deletedRow))
                }
            }
            segments[part.segment] = found
        }
        terms = totals.map { Term(weight: $0.weight, averageLength: $0.averageLength) }
        self.segments = segments
    }

    /// A field, or all texts, under a folding and analysis.
    fileprivate struct Group: Hashable {
        var field: String?
        var options: TextOptions
        var analyzers: FieldAnalyzers?
    }

    /// Sums over segments.
    private struct Totals {
        var records = 0
        var words = 0
        var matching = 0

        init() {}

        /// Records with words, and their words, deleted ones left out.
        init(_ counts: WordCounts, without deleted: DeletedRows?) {
            records = counts.rowsWithWords
            words = counts.wordCount
            for row in deleted?.rows.ordinals ?? [] {
                let length = Int(counts.rowLengths[Int(row)])
                words -= length
                records -= length > 0 ? 1 : 0
            }
        }

        mutating func add(_ other: Totals, matching: Int) {
            records += other.records
            words += other.words
            self.matching += matching
        }

        var weight: Double { Relevance.weight(matching: matching, of: records) }
        var averageLength: Double { records > 0 ? Double(words) / Double(records) : 1 }
    }
}

extension SegmentQuery {
    /// Where searches find something in the texts of a group; `nil` where the segment has none.
    fileprivate func wordCounts(_ group: QueryRelevance.Group, _ searches: [WordSearch]) -> WordCounts? {
        let segment = indexes.segment
        var column: Int?
        if let field = group.field {
            guard let position = segment.schema.position(of: field), segment.columns[position].mayHoldText else {
                return nil
            }
            column = position
        }
        let building = planner.buildsWords(of: column) ?? false
        guard let analyzers = group.analyzers else {
            return indexes.wordCounts(
                of: searches.map(\.pattern), column: column, options: group.options, building: building)
        }
        // Each field is searched for words of its own.
        let columns = column.map { [$0] } ?? segment.columns.indices.filter { segment.columns[$0].mayHoldText }
        return WordCounts(
            sumOf: columns.map { column in
                let field = segment.schema.fields[column].name
                return indexes.wordCounts(
                    of: searches.map { $0.pattern(in: field) }, column: column, options: group.options,
                    analysis: analyzers[field], building: building)
            })
    }

    fileprivate var deletedRow: ((UInt32) -> Bool)? { deleted.map { deleted in { deleted.rows[Int($0)] } } }
}

extension QueryRelevance {
    /// The scores of rows, which ascend within each segment, in order.
    /// - Complexity: O(searches) a row, times the logarithm of its distance from the row before.
    fileprivate func scores(of rows: [SnapshotRow]) -> [Double] {
        var bySegment: [Int: (rows: [UInt32], places: [Int])] = [:]
        for (place, row) in rows.enumerated() {
            bySegment[row.segment, default: ([], [])].rows.append(UInt32(truncatingIfNeeded: row.row))
            bySegment[row.segment, default: ([], [])].places.append(place)
        }
        if bySegment.count == 1, let (segment, found) = bySegment.first {
            return scores(of: found.rows, segment: segment)
        }
        var scores = [Double](repeating: 0, count: rows.count)
        for (segment, found) in bySegment {
            for (place, score) in zip(found.places, self.scores(of: found.rows, segment: segment)) {
                scores[place] = score
            }
        }
        return scores
    }

    /// The scores of rows of one segment, ascending, in order.
    private func scores(of rows: [UInt32], segment: Int) -> [Double] {
        var scores = [Double](repeating: 0, count: rows.count)
        for (term, hits) in zip(terms, segments[segment] ?? []) {
            guard let hits else { continue }
            var cursor = WordPostings.Cursor(hits.hits)
            for (place, row) in rows.enumerated() {
                scores[place] += Relevance.score(
                    count: cursor.count(in: row), length: Int(hits.lengths[Int(row)]),
                    averageLength: term.averageLength, weight: term.weight)
            }
        }
        return scores
    }
}

extension SnapshotQuery {
    /// What relevance needs of the records that the query is about; `nil` when the predicate looks for no words.
    /// - Complexity: as that of `QueryRelevance`.
    package func relevance() -> QueryRelevance? {
        QueryRelevance(searches, over: parts.map { ($0.segment, $0.query) })
    }

    /// The scores of rows in order of insertion, in that order.
    func scores(of rows: [SnapshotRow], by relevance: QueryRelevance) -> [Double] {
        relevance.scores(of: rows)
    }
}

/// The best of scored ordinals.
enum RelevanceOrder {
    /// The first `limit` places of a list of scores, highest score first unless `isAscending`, equal ones in order.
    /// - Complexity: O(n) for most lists, O(n log limit) at most.
    static func leading(_ limit: Int, of scores: [Double], isAscending: Bool) -> [Int] {
        var top = TopRows(limit: min(limit, scores.count))
        top.insert(scores: scores, isAscending: isAscending)
        return top.rows().map { Int($0) }
    }
}
