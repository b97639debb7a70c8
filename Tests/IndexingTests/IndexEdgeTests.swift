// Edges of indexes: texts that differ by what cannot be seen, alternatives without a trigram, words that are kept apart,
// stored parts that do not belong together.

import Geospatial
import RecordModel
import Testing
import TextAnalysis

@testable import Indexing
@testable import RecordColumns

@Suite struct IndexEdgeTests {
    private static func texts(_ texts: [String]) -> Column {
        Column(values: .text(TextColumn(texts)), presence: nil, count: texts.count)
    }

    private static func rows(_ index: OrderedIndex, _ distinct: Int) -> [UInt32] {
        unsafe index.run(ofDistinct: distinct..<distinct + 1).withRows { unsafe Array($0) }
    }

    /// Texts that go on with zero bytes come after those that end there, among few rows and among many.
    @Test(arguments: [60, 1_494, 1_500, 1_800, 6_000]) func zeroBytesAreCharacters(count: Int) throws {
        let words = ["a", "a\0", "a\0\0", "abcdefgh", "abcdefgh\0", "abcdefghi"]
        let column = Self.texts((0..<count).map { words[$0 % words.count] })
        let index = try #require(OrderedIndex.build(over: column))
        #expect(index.distinctCount == words.count && index.entryCount == count)
        for (number, word) in words.enumerated() {
            #expect(index.key(ofDistinct: number) == .string(word) && index.distinct(equalTo: .string(word)) == number)
            #expect(Self.rows(index, number) == stride(from: number, to: count, by: words.count).map { UInt32($0) })
        }
    }

    /// An alternative of less than three letters may be anywhere.
    @Test func alternativesWithoutATrigramAreServedByNone() throws {
        let index = TrigramIndex.build(over: TextColumn(["abcd", "x", "xyz", "abc", "zabcdz"]))
        func needles(_ texts: [String]) -> TextCondition { .isAny(texts.map { PreparedNeedle($0, options: []) }) }
        let patterns: [(pattern: String, rows: [UInt32]?)] = [
            (".*abcd.*|xyz", [0, 2, 4]), ("xyz|abc|abcd", [0, 2, 3, 4]), ("abcd.*x", [0, 4]), ("(abcd|xy)zzz", []),
            ("abcd|x", nil), ("x|abcd", nil), ("abcd|.*", nil), ("ab|xyz", nil), ("(abcd|xy)z", nil), ("a.c", nil),
        ]
        var cases: [(condition: TextCondition, rows: [UInt32]?)] = [
            (needles(["abcd", "xyz"]), [0, 2, 4]), (needles(["abcd", "x"]), nil), (needles(["abcd"]), [0, 4]),
        ]
        for (pattern, rows) in patterns {
            cases.append((.matches(try RegularExpression(pattern, options: [])), rows))
        }
        for (condition, rows) in cases {
            #expect(index.candidates(condition.requirement) == rows, "\(condition)")
            #expect(TrigramIndex.canServe(condition.requirement) == (rows != nil), "\(condition)")
        }
    }

    /// Words of too many bytes, too many for their text, or that begin with a mark are looked at row by row; so are
    /// words with characters that folding may join.
    @Test func foreignWordsThatAreNotKept() {
        let long = String(repeating: "é", count: 32)
        let half = String(repeating: "é", count: 20)
        let words = NonASCIITerms.build(
            over: TextColumn([
                "plain", "über", "привет", "λόγος", "日本", "e\u{301}x", "👍", "über 日本", long, long + "é", "\u{301}a",
                half + " " + half, half + " " + half + " " + half, "Größe über",
            ]))
        #expect(words.otherRows == [9, 10, 12])
        #expect(words.specialRows == [4, 5, 6, 7, 9, 10, 12])
        let needle = PreparedNeedle("über", options: [])
        let found = words.find(Array(needle.folded.utf8), needle: needle, options: [])
        #expect(found.sure == [1, 7, 13] && found.unsure == words.otherRows)
        let last = words.find(Array(long.utf8), needle: PreparedNeedle(long, options: []), options: [])
        #expect(last.sure == [8] && last.unsure == words.otherRows)
    }

    /// Where the bytes are found and a mark may follow, only the row itself can tell.
    @Test func bytesBeforeMarksAreUnsure() throws {
        let index = try #require(
            OrderedIndex.build(
                over: Self.texts([
                    "ab", "abc", "ab\u{20DD}", "abé", "xaby", "ab\u{20DD} ab", "ab\u{301}", "ba", "ab\u{301}",
                ])))
        // In the order of bytes: ab, abc, abé, ab and an accent, ab in a circle, the same and ab, ba, xaby.
        let found = index.distinct(holding: Array("ab".utf8))
        #expect(found.sure == [0..<3, 5..<6, 7..<8] && found.unsure == [6, 8, 2])
        let missing = index.distinct(holding: Array("bb".utf8))
        #expect(missing.sure.isEmpty && missing.unsure.isEmpty)
        let number = try #require(OrderedIndex.build(over: try Column.of("n", count: 2) { .int64(Int64($0)) }))
        let none = number.distinct(holding: [0x30])
        #expect(none.sure.isEmpty && none.unsure.isEmpty)
    }

    /// Rows of one value ascend; those of several do not, and come again where a row has several values.
    @Test func rowsOfStretches() throws {
        let values: [FieldValue] = [["b", "a"], ["b"], ["c"]]
        let lists = try #require(OrderedIndex.build(over: try Column.of("l", count: 3) { values[$0] }))
        let numbers = try #require(OrderedIndex.build(over: try Column.of("n", count: 3) { .int64(Int64($0)) }))
        for (index, isList) in [(lists, true), (numbers, false)] {
            for (range, count) in [(0..<0, 0), (0..<1, 1), (0..<2, isList ? 3 : 2), (0..<3, isList ? 4 : 3)] {
                let run = index.run(ofDistinct: range)
                #expect(run.count == count && run.isAscending == (range.count < 2), "\(range)")
                #expect(run.mayRepeat == (isList && range.count > 1), "\(range)")
            }
        }
    }

    /// Orders are read with keys of their kind, and with texts for all of them.
    @Test func ordersHaveKeysOfTheirKind() throws {
        func reads(_ index: OrderedIndex, _ change: (inout WrittenBlocks) -> Void) -> Bool {
            let reader = StoredBlocks.reader(index.blocks.replacing(change))
            return (try? OrderedIndex(from: reader, rowCount: index.rowCount)) != nil
        }
        let number = try #require(OrderedIndex.build(over: try Column.of("n", count: 3) { .int64(Int64($0)) }))
        let text = try #require(OrderedIndex.build(over: Self.texts(["b", "a", "b"])))
        for index in [number, text] {
            #expect(reads(index) { _ in })
            for (name, value) in [("family", 9), ("family", -1), ("keys", 3), ("keys", -1), ("isOverLists", 2)] {
                #expect(!reads(index) { $0.add(name, value) }, "\(name) \(value)")
            }
            #expect(!reads(index) { $0.add("order", [0, 1, 3] as [UInt32]) })
            // References belong to a column.
            #expect(!reads(index) { $0.add("family", 3) })
        }
        #expect(reads(number) { $0.add("family", 1) } && !reads(number) { $0.add("family", 2) })
        #expect(!reads(text) { $0.add("family", 0) } && !reads(text) { $0.add("family", 1) })
        #expect(!reads(text) { $0.add("options", 256) } && !reads(text) { $0.add("starts", [0, 0, 3] as [UInt32]) })
        #expect(!reads(number) { $0.add("values", [1, 2] as [Int64]) })
        #expect(!reads(text) { $0.add("texts", TextColumn(["b", "a"]).blocks) })
        #expect(!reads(text) { $0.add("positions", [0, 3] as [UInt32]) })
        #expect(reads(text) { $0.add("positions", [1, 0] as [UInt32]) })
    }

    /// What an order says of its texts, whether some have characters that join those before them, is true of them.
    @Test(arguments: [(["b", "a", "\u{E9}"], 0), (["b", "x\u{301}", "a"], 1)])
    func ordersTellWhetherTheirTextsJoin(texts: [String], mayJoin: Int) throws {
        let index = try #require(OrderedIndex.build(over: Self.texts(texts)))
        func opened(_ number: Int) throws -> OrderedIndex {
            let reader = StoredBlocks.reader(index.blocks.replacing { $0.add("mayJoin", number) })
            return try OrderedIndex(from: reader, rowCount: texts.count)
        }
        let (right, wrong) = (try opened(mayJoin), try opened(1 - mayJoin))
        #expect(right.isSame(as: index) && !wrong.isSame(as: index))
    }

    /// A tree of places is of rows that there are.
    @Test func treesHaveRowsThatThereAre() throws {
        let degrees = [10.0, 20, 30, 40, 50, 60]
        let rows: [UInt32] = [0, 2, 5]
        let tree = SpatialTree(rows: rows, latitudes: degrees.span, longitudes: degrees.span)
        #expect(try tree.reopened(rowCount: 6).count == 3)
        for rowCount in [0, 2, 5] {
            #expect(throws: BlockError.self, "\(rowCount)") { try tree.reopened(rowCount: rowCount) }
        }
    }

    /// Counts of words add up to their places, block by block.
    @Test func countsOfWordsAddUpToTheirPlaces() throws {
        let index = try #require(
            OrderedIndex.buildTokens(
                over: [try Column.of("l", count: 2) { [["a b"], ["b"]][$0] }], rowCount: 2,
                tokenizer: Tokenizer(options: [])))
        #expect(index.entryCount == 3)
        func read(
            _ counts: [UInt8] = [1, 1, 1], large: [(entry: Int, count: Int)] = [], starts: [UInt32] = [0],
            lengths: [UInt32] = [2, 1], places: Int = 3
        ) -> WordPositions? {
            var tree = WrittenBlocks()
            tree.add("counts", counts)
            tree.add("largeEntries", large.map(\.entry))
            tree.add("largeCounts", large.map(\.count))
            tree.add("blockStarts", starts)
            tree.add("rowLengths", lengths)
            tree.add("bytes", [UInt8](repeating: 0, count: places))
            return try? WordPositions(from: StoredBlocks.reader(tree), index: index)
        }
        #expect(read()?.wordCount == 3)
        let large = read([.max, 1, 1], large: [(0, 300)], places: 302)
        #expect(large?.count(ofEntry: 0) == 300 && large?.count(ofEntry: 1) == 1)
        #expect(read([.max, 1, 1], places: 257)?.count(ofEntry: 0) == 255)
        for counts in [[1, 1, 2], [1, 1], [1, 1, 1, 0], [0, 1, 1]] as [[UInt8]] {
            #expect(read(counts) == nil, "\(counts)")
        }
        for starts in [[1], [], [0, 0], [0, 3]] as [[UInt32]] { #expect(read(starts: starts) == nil, "\(starts)") }
        #expect(read(lengths: [3]) == nil && read(places: 2) == nil && read(places: 4) == nil)
        // A count is large beyond a byte, of an entry that there is, once, and where the byte says so.
        #expect(read([.max, 1, 1], large: [(0, 255)], places: 257) == nil)
        #expect(read([.max, 1, 1], large: [(0, 256)], places: 258)?.count(ofEntry: 0) == 256)
        #expect(read([.max, 1, 1], large: [(0, 300), (0, 300)], places: 302) == nil)
        #expect(read([.max, 1, 1], large: [(3, 300)], places: 302) == nil)
        #expect(read([.max, 1, 1], large: [(-1, 300)], places: 302) == nil)
        #expect(read([1, 1, 1], large: [(0, 300)], places: 302) == nil)
        #expect(read([.max, 1, 1], large: [(0, 300)], places: 257) == nil)
    }
}
