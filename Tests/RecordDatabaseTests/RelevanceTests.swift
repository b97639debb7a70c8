// Scores against BM25 counted record by record; they are the same from tables, indexes and stores of any segments.

import Foundation
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Testing
import TextAnalysis
import _TestSupport

@testable import RecordDatabase

/// BM25 as the formula is written, over all records, without an index.
private struct PlainRelevance {
    /// What is looked for: words side by side, or the beginning of one.
    struct Sought {
        var field: String?
        var words: [String]
        var isPrefix = false
    }

    var records: [Record]
    private let tokenizer = Tokenizer(options: [.caseInsensitive, .diacriticInsensitive])

    init(_ records: [Record]) { self.records = records }

    /// The words of the searched texts of a record, text by text.
    private func texts(_ record: Record, _ field: String?) -> [[String]] {
        let values = field.map { [record[$0]] } ?? Array(record.fields.values)
        return values.flatMap { value -> [String] in
            switch value {
            case .string(let text): [text]
            case .list(let elements): elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
            default: []
            }
        }.map { tokenizer.terms(of: $0) }
    }

    private func count(_ sought: Sought, _ record: Record) -> Int {
        texts(record, sought.field).reduce(0) { sum, words in
            if sought.isPrefix { return sum + words.count { $0.hasPrefix(sought.words[0]) } }
            guard words.count >= sought.words.count else { return sum }
            return sum
                + (0...words.count - sought.words.count).count {
                    Array(words[$0..<$0 + sought.words.count]) == sought.words
                }
        }
    }

    private func length(_ record: Record, _ field: String?) -> Int {
        texts(record, field).reduce(0) { $0 + $1.count }
    }

    /// The scores of some of the records.
    func scores(_ matching: [Record], _ sought: [Sought]) -> [Double] {
        var sums = [Double](repeating: 0, count: matching.count)
        for sought in sought {
            let lengths = records.map { length($0, sought.field) }.filter { $0 > 0 }
            let average = Double(lengths.reduce(0, +)) / Double(lengths.count)
            let found = records.count { count(sought, $0) > 0 }
            let weight = log(1 + (Double(lengths.count - found) + 0.5) / (Double(found) + 0.5))
            for (index, record) in matching.enumerated() {
                let tf = Double(count(sought, record))
                let share = 1 - 0.75 + 0.75 * Double(length(record, sought.field)) / average
                sums[index] += weight * tf * 2.2 / (tf + 1.2 * share)
            }
        }
        return sums
    }
}

@Suite(.waits) struct RelevanceTests {
    private static let words = ["a", "b", "c", "New", "york", "yorkshire", "café", "東京都", "the", "the", "the", "rare"]

    private static func record(_ number: Int, _ random: inout SplitMix64) -> Record {
        var record = Record(type: "T", id: Record.ID("r\(number)"))
        func text(_ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in
                Self.words.dropLast(Int.random(in: 0...1, using: &random)).randomElement(using: &random) ?? ""
            }.joined(separator: " ")
        }
        record["body"] = .string(text(20))
        if number % 3 != 0 { record["title"] = .string(text(4)) }
        if number % 4 == 0 { record["tags"] = .list([.string(text(3)), .string(text(3))]) }
        record["n"] = .int64(Int64(number))
        return record
    }

    private static func records(_ count: Int, seed: UInt64) -> [Record] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { record($0, &random) }
    }

    private static let queries: [(String, [PlainRelevance.Sought])] = [
        ("body TOKENMATCHES[cd] 'york'", [.init(field: "body", words: ["york"])]),
        (
            "body TOKENMATCHES[cd] 'the rare'",
            [.init(field: "body", words: ["the"]), .init(field: "body", words: ["rare"])]
        ),
        ("body TOKENMATCHES[cdp] 'new york'", [.init(field: "body", words: ["new", "york"])]),
        ("allTokens TOKENMATCHES[cdl] 'CAFE'", [.init(field: nil, words: ["cafe"])]),
        ("self CONTAINS 'cafe b' AND n > 20", [.init(field: nil, words: ["cafe"]), .init(field: nil, words: ["b"])]),
        ("ANY tokenize(body,'cd') BEGINSWITH 'yor'", [.init(field: "body", words: ["yor"], isPrefix: true)]),
        (
            "(title TOKENMATCHES[cd] 'new' OR tags TOKENMATCHES[cdp] 'the the') AND NOT (body TOKENMATCHES[cd] 'a')",
            [.init(field: "title", words: ["new"]), .init(field: "tags", words: ["the", "the"])]
        ),
        ("body TOKENMATCHES[cd] 'absent' OR n < 9", [.init(field: "body", words: ["absent"])]),
        ("body TOKENMATCHES[cdp] '東京都'", [.init(field: "body", words: ["東京", "都"])]),

    ]

    /// The right order of the matching records: best first, ties as they came.
    private static func ranking(
        _ predicate: RecordPredicate, _ records: [Record], _ sought: [PlainRelevance.Sought]
    ) throws -> [(Record.ID, Double)] {
        let matching = try predicate.filter(records)
        let scores = PlainRelevance(records).scores(matching, sought)
        return zip(matching.map(\.id), scores).enumerated().sorted { a, b in
            a.element.1 != b.element.1 ? a.element.1 > b.element.1 : a.offset < b.offset
        }.map(\.element)
    }

    @Test(arguments: queries.map(\.0)) func tables(text: String) throws {
        let sought = try #require(Self.queries.first { $0.0 == text }?.1)
        let records = Self.records(150, seed: 3)
        let predicate = try RecordPredicate(format: text)
        let expected = try Self.ranking(predicate, records, sought)
        #expect(expected.count > 2)
        for builds in [true, false] {
            var set = try RecordSet(records: records)
            set.buildsIndexes = builds
            for limit in [nil, 0, 1, 7] {
                let found = try set.ordinalsByRelevance(matching: predicate, limit: limit)
                #expect(found.map { records[$0.ordinal].id } == expected.prefix(limit ?? .max).map(\.0))
                for (found, expected) in zip(found, expected) { #expect(abs(found.score - expected.1) < 1e-12) }
            }
            let prepared = try set.prepare(predicate, sortedBy: [.relevance], limit: 5)
            #expect(try prepared.ordinals().map { records[Int($0)].id } == expected.prefix(5).map(\.0))
            let worst = SortKey(.relevance, isAscending: true)
            let least = try set.ordinals(matching: predicate, sortedBy: [worst, .descending("n")], limit: 3)
            #expect(try least.first == found(predicate, set, worst))
        }
    }

    /// The record of the least score, of several the one with the greatest number.
    private func found(_ predicate: RecordPredicate, _ set: RecordSet, _ key: SortKey) throws -> Int? {
        let all = try set.ordinalsByRelevance(matching: predicate)
        let last = try #require(all.last)
        return all.filter { $0.score == last.score }.map(\.ordinal).max()
    }

    /// A store of several segments, and the records that are left in it, in the order in which they were first saved.
    private static func store() throws -> (store: RecordStore, left: [Record]) {
        var random = SplitMix64(seed: 8)
        let store = RecordStore()
        var left: [Record] = []
        for start in stride(from: 0, to: 1900, by: 630) {
            var batch = RecordBatch()
            let new = (start..<start + 630).map { record($0, &random) }
            for record in new { batch.save(record) }
            try store.commit(batch)
            left += new
        }
        var batch = RecordBatch()
        let deleted = Set(stride(from: 0, to: 1890, by: 7).map { Record.ID("r\($0)") })
        for id in deleted { batch.delete(id) }
        let changed = stride(from: 3, to: 1890, by: 50).filter { $0 % 7 != 0 }.map { record($0, &random) }
        for record in changed { batch.save(record) }
        try store.commit(batch)
        let new = Dictionary(uniqueKeysWithValues: changed.map { ($0.id, $0) })
        return (store, left.filter { !deleted.contains($0.id) }.map { new[$0.id] ?? $0 })
    }

    /// What was deleted, and what records were before they were changed, counts for nothing.
    @Test func storesScoreWhatIsLeft() throws {
        let (store, left) = try Self.store()
        let snapshot = store.snapshot
        let schema = try #require(snapshot.schema(ofType: "T"))
        for (text, sought) in Self.queries {
            let predicate = try RecordPredicate(format: text)
            let expected = try Self.ranking(predicate, left, sought)
            let query = SnapshotQuery(try Binder(schema: schema).bind(predicate), over: snapshot, type: "T")
            let found = try query.ordered(by: [.relevance], limit: nil, relevance: query.relevance())
            #expect(expected.count > 5, "\(text)")
            #expect(found.rows.map(snapshot.recordID) == expected.map(\.0), "\(text)")
            let scores = try #require(found.scores)
            #expect(scores.count == expected.count, "\(text)")
            #expect(zip(scores, expected).allSatisfy { abs($0 - $1.1) < 1e-12 }, "\(text)")
            // Pages add up to the order of the whole.
            var ids: [Record.ID] = []
            var cursor: PageCursor?
            repeat {
                let page = try query.page(sortedBy: [.relevance], limit: 60, after: cursor)
                ids += page.rows.map(snapshot.recordID)
                cursor = page.next
            } while cursor != nil
            #expect(ids == expected.map(\.0), "\(text)")
        }
    }

    @Test func withoutWordsThereIsNoRelevance() throws {
        let set = try RecordSet(records: Self.records(5, seed: 1))
        for text in [
            "n > 1", "NOT (body TOKENMATCHES 'a')", "body CONTAINS 'a'", "body TOKENMATCHES ''", "TRUEPREDICATE",
        ] {
            let predicate = try RecordPredicate(format: text)
            let error = #expect(throws: RecordPredicateError.self) {
                try set.ordinals(matching: predicate, sortedBy: [.relevance])
            }
            #expect(error?.message.contains("token comparison") == true)
            #expect(throws: RecordPredicateError.self) { try set.prepare(predicate, sortedBy: [.relevance]) }
        }
    }
}
