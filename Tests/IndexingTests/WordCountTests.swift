// How often words, phrases and beginnings of words occur, by positions and by reading, against splitting at blanks.

import RecordModel
import Testing
import TextAnalysis
import _TestSupport

@testable import Indexing
@testable import RecordColumns

@Suite struct WordCountTests {
    /// Rows of a text, and of a list of texts; both may be missing.
    private typealias Row = (text: String?, list: [String]?)

    private static let rows: [Row] = [
        ("a b a b", ["a", "b c"]), (nil, nil), ("a a a", nil), ("", []), (nil, ["b a", "b"]), ("c", ["", "a b"]),
        ("b a c a b x c", nil), ("ab abc b", ["abc", "ab ab"]), ("a-word-of-more-than-fifteen-bytes a", nil),
        (nil, ["a x c", "a", "c"]), ("x", nil), ("a b c a b c", ["c a"]),
    ]

    private static let patterns: [WordPattern?] = [
        .word("a"), .word("abc"), .word("missing"), nil, .phrase(["a", "b"]), .phrase(["a", "a"]),
        .phrase(["b", "a"]), .phrase(["a", "missing"]), .phrase(["a", "b", "c"]), .prefix("ab"), .prefix("A"),
        .prefix("zz"), .word("fifteen"), .phrase(["than", "fifteen", "bytes"]),
    ]
    /// Phrases with places for any word: of texts of which a row has several they are read.
    private static let gaps: [WordPattern?] = [
        .phrase(["a", "", "c"]), .phrase(["b", "a", "", "a", "b"]), .phrase(["b", "", "", "a"]), .word("b"),
    ]

    private static func texts(_ row: Row, _ isList: Bool?) -> [String] {
        (isList == true ? [] : row.text.map { [$0] } ?? []) + (isList == false ? [] : row.list ?? [])
    }

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: { $0 == " " || $0 == "-" }).map(String.init)
    }

    /// Occurrences in the texts of a row, those that overlap among them.
    private static func count(_ pattern: WordPattern?, _ texts: [String]) -> Int {
        texts.reduce(0) { sum, text in
            let words = words(text)
            switch pattern {
            case nil: return sum
            case .word(let word): return sum + words.count { $0 == word }
            case .prefix(let prefix): return sum + words.count { $0.hasPrefix(prefix.lowercased()) }
            case .phrase(let phrase):
                let starts = words.indices.filter { start in
                    start + phrase.count <= words.count
                        && phrase.indices.allSatisfy { phrase[$0].isEmpty || phrase[$0] == words[start + $0] }
                }
                return sum + starts.count
            }
        }
    }

    private static func indexes() throws -> SegmentIndexes {
        let records = rows.enumerated().map { number, row in
            var record = Record(type: "T", id: Record.ID("\(number)"), fields: ["row": .int64(Int64(number))])
            if let text = row.text { record["text"] = .string(text) }
            if let list = row.list { record["list"] = .list(list.map { .string($0) }) }
            return record
        }
        return SegmentIndexes(
            try TypeInference(recordType: "T").segment(of: records, zoneID: .default, origin: 1))
    }

    private static func check(_ counts: WordCounts, of patterns: [WordPattern?], _ isList: Bool?, _ name: String) {
        let texts = rows.map { Self.texts($0, isList) }
        let lengths = texts.map { $0.reduce(0) { $0 + words($1).count } }
        #expect(lengths.indices.map { Int(counts.rowLengths[$0]) } == lengths, "\(name)")
        #expect(counts.wordCount == lengths.reduce(0, +) && counts.rowsWithWords == lengths.count { $0 > 0 }, "\(name)")
        var random = SplitMix64(seed: 9)
        #expect(counts.hits.count == patterns.count)
        for (pattern, hits) in zip(patterns, counts.hits) {
            let label = Comment(rawValue: "\(name) \(String(describing: pattern))")
            let expected = texts.map { count(pattern, $0) }
            #expect(hits.rowCount(without: nil) == expected.count { $0 > 0 }, label)
            let excluded: Set<UInt32> = [0, 6, 11]
            let others = expected.indices.count { expected[$0] > 0 && !excluded.contains(UInt32($0)) }
            #expect(hits.rowCount { excluded.contains($0) } == others, label)
            // Up, down, each twice, and in no order.
            var cursor = WordPostings.Cursor(hits)
            let up = Array(rows.indices)
            let order = up + up.reversed() + up.flatMap { [$0, $0] } + (up + up + up).shuffled(using: &random)
            for row in order { #expect(cursor.count(in: UInt32(row)) == expected[row], label) }
        }
    }

    @Test func countsAreThoseOfTheTexts() throws {
        let indexes = try Self.indexes()
        let text = try #require(indexes.segment.schema.position(of: "text"))
        let list = try #require(indexes.segment.schema.position(of: "list"))
        for building in [false, true] {
            for (name, column, isList) in [("text", text, false), ("list", list, true), ("all", nil, nil)]
                as [(String, Int?, Bool?)]
            {
                for patterns in [Self.patterns, Self.gaps] {
                    let counts = indexes.wordCounts(
                        of: patterns, column: column, options: .caseInsensitive, building: building)
                    Self.check(counts, of: patterns, isList, "\(name) \(building)")
                }
                let positions = indexes.wordPositions(column: column, options: .caseInsensitive, building: false)
                #expect((positions != nil) == building)
            }
        }
    }

    /// By positions where no row has several texts, which are built for it; where one may, the texts are read.
    @Test(arguments: [("text", true), ("list", false)]) func gapsAreFoundByPositions(_ name: String, _ isBuilt: Bool)
        throws
    {
        let indexes = try Self.indexes()
        let column = try #require(indexes.segment.schema.position(of: name))
        _ = indexes.wordCounts(of: Self.gaps, column: column, options: .caseInsensitive, building: true)
        #expect((indexes.wordPositions(column: column, options: .caseInsensitive, building: false) != nil) == isBuilt)
    }

    /// Of several columns together; of one, itself; of none there is nothing.
    @Test func countsOfColumnsAddUp() throws {
        let indexes = try Self.indexes()
        let parts = ["text", "list"].map { field in
            indexes.wordCounts(
                of: Self.patterns, column: indexes.segment.schema.position(of: field),
                options: .caseInsensitive, building: field == "list")
        }
        Self.check(try #require(WordCounts(sumOf: parts)), of: Self.patterns, nil, "sum")
        Self.check(try #require(WordCounts(sumOf: [parts[1]])), of: Self.patterns, true, "one")
        #expect(WordCounts(sumOf: []) == nil)
    }

    /// Stop words have no position of their own to be found at, but keep their place.
    @Test func wordsThatAreLeftOutKeepTheirPlace() throws {
        let analysis = WordAnalysis(TextAnalyzer(stopWords: ["b"]))
        let indexes = try Self.indexes()
        let column = try #require(indexes.segment.schema.position(of: "text"))
        for building in [false, true] {
            let counts = indexes.wordCounts(
                of: [.word("a"), .word("b"), .phrase(["a", "", "a"]), .phrase(["a", "a"])], column: column,
                options: .caseInsensitive, analysis: analysis, building: building)
            #expect(Self.rows.indices.map { counts.rowLengths[$0] } == [2, 0, 3, 0, 0, 1, 5, 2, 8, 0, 1, 4])
            #expect(counts.wordCount == 26 && counts.rowsWithWords == 8)
            let found = counts.hits.map { hits in
                var cursor = WordPostings.Cursor(hits)
                return [0, 2, 6, 11].map { cursor.count(in: $0) }
            }
            #expect(found == [[2, 3, 2, 2], [0, 0, 0, 0], [1, 1, 1, 0], [0, 2, 0, 0]], "\(building)")
        }
    }

    /// Words of more than fifteen bytes stand in line with short ones and with those that are left out.
    @Test func longWordsKeepTheirPlace() throws {
        let (one, two) = ("incomprehensibilities", "antidisestablishment")
        let texts = ["a \(one) b", "the \(one) the \(two) b", "\(one) \(two) \(one)", "the the", "b a \(two)"]
        let records = texts.enumerated().map {
            Record(type: "T", id: Record.ID("\($0)"), fields: ["text": .string($1)])
        }
        let indexes = SegmentIndexes(
            try TypeInference(recordType: "T").segment(of: records, zoneID: .default, origin: 1))
        let patterns: [(pattern: WordPattern, counts: [Int])] = [
            (.word(one), [1, 1, 2, 0, 0]), (.word("b"), [1, 1, 0, 0, 1]), (.phrase([one, "b"]), [1, 0, 0, 0, 0]),
            (.phrase([one, "", two]), [0, 1, 0, 0, 0]), (.phrase([one, two]), [0, 0, 1, 0, 0]),
            (.phrase([one, "", one]), [0, 0, 1, 0, 0]), (.phrase([two, "b"]), [0, 1, 0, 0, 0]),
            (.phrase(["a", one, "b"]), [1, 0, 0, 0, 0]), (.phrase(["a", two]), [0, 0, 0, 0, 1]),
            (.prefix("anti"), [0, 1, 1, 0, 1]), (.word("the"), [0, 0, 0, 0, 0]),
        ]
        for building in [false, true] {
            let counts = indexes.wordCounts(
                of: patterns.map(\.pattern), column: indexes.segment.schema.position(of: "text"),
                options: .caseInsensitive, analysis: WordAnalysis(TextAnalyzer(stopWords: ["the"])), building: building)
            #expect(texts.indices.map { counts.rowLengths[$0] } == [3, 3, 3, 0, 3])
            #expect(counts.wordCount == 12 && counts.rowsWithWords == 4)
            for ((pattern, expected), hits) in zip(patterns, counts.hits) {
                var cursor = WordPostings.Cursor(hits)
                #expect(texts.indices.map { cursor.count(in: UInt32($0)) } == expected, "\(pattern) \(building)")
            }
        }
    }

    /// A cursor finds the entry of a row wherever it looked before.
    @Test func entriesAreFoundInAnyOrder() {
        var random = SplitMix64(seed: 17)
        for count in [0, 1, 2, 3, 17, 200] {
            let rows = (0..<UInt32(count * 3)).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            // Among the entries of other words, which are no part of it.
            let order = ColumnBuffer<UInt32>([5, 0] + rows + [0, 1])
            let slice = PostingSlice(order: order, range: 2..<2 + rows.count, isAscending: true, mayRepeat: false)
            var cursor = EntryCursor(slice)
            let all = Array(0...UInt32(count * 3 + 1))
            let twice = all.flatMap { [$0, $0] }
            for row in all + all.reversed() + twice + (all + all).shuffled(using: &random) {
                #expect(cursor.entry(of: row) == rows.firstIndex(of: row).map { $0 + 2 }, "\(count) \(row)")
            }
        }
    }
}
