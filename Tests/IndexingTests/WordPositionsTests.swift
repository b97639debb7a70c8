// Places of words against the words of each text.

import Testing
import _TestSupport

@testable import Indexing
@testable import RecordColumns
@testable import TextAnalysis

@Suite struct WordPositionsTests {
    private static func lists(_ rows: [[String]]) -> Column {
        var offsets: [UInt32] = [0]
        for row in rows { offsets.append(offsets[offsets.count - 1] + UInt32(row.count)) }
        let texts = rows.flatMap { $0 }
        let elements = Column(values: .text(TextColumn(texts)), presence: nil, count: texts.count)
        return Column(
            values: .list(ListColumn(offsets: ColumnBuffer(offsets), elements: elements)), presence: nil,
            count: rows.count)
    }

    /// Checks every count, length and phrase of rows that are lists of texts.
    private static func check(_ rows: [[String]], phrases: [[String]]) throws {
        let options: TextOptions = .caseInsensitive
        let column = lists(rows)
        let index = try #require(
            OrderedIndex.buildTokens(over: [column], rowCount: rows.count, tokenizer: Tokenizer(options: options)))
        let positions = try #require(
            WordPositions.build(over: [column], index: index, tokenizer: Tokenizer(options: options)))
        let tokenizer = Tokenizer(options: options)
        let texts = rows.map { $0.map { tokenizer.terms(of: $0) } }
        for (row, texts) in texts.enumerated() {
            #expect(Int(positions.rowLengths[row]) == texts.reduce(0) { $0 + $1.count })
        }
        #expect(positions.wordCount == texts.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } })
        #expect(positions.rowsWithWords == texts.count { $0.contains { !$0.isEmpty } })
        for distinct in 0..<index.distinctCount {
            guard case .string(let word) = index.key(ofDistinct: distinct) else { continue }
            for entry in index.run(ofDistinct: distinct..<distinct + 1).range {
                let count = texts[Int(index.order[entry])].reduce(0) { $0 + $1.count { $0 == word } }
                if positions.count(ofEntry: entry) != count { Issue.record("\(word) \(entry)") }
            }
        }
        for phrase in phrases {
            let words = phrase.compactMap { index.distinct(ofFolded: Array($0.utf8)) }
            guard words.count == phrase.count else { continue }
            var cursor = PhraseCursor(words, of: positions)
            // Up, then down: cursors may go backwards.
            for row in Array(rows.indices) + rows.indices.reversed() {
                let expected = texts[row].reduce(0) { sum, text in
                    guard text.count >= phrase.count else { return sum }
                    return sum
                        + (0...text.count - phrase.count).count {
                            Array(text[$0..<$0 + phrase.count]) == phrase
                        }
                }
                let found = cursor.count(in: UInt32(row))
                if found != expected { Issue.record("\(phrase) in \(row): \(found), not \(expected)") }
            }
        }
    }

    @Test func placesAreThoseOfTheTexts() throws {
        var random = SplitMix64(seed: 5)
        let words = ["a", "b", "c", "New", "york", "a-word-of-more-than-fifteen-bytes", "東京都", "é", "3.14", ","]
        for rows in [1, 63, 64, 65, 400] {
            let texts = (0..<rows).map { _ in
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    (0..<Int.random(in: 0...12, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                        .joined(separator: " ")
                }
            }
            let phrases = (0..<60).map { _ in
                (0..<Int.random(in: 2...3, using: &random)).map { _ in
                    ["a", "b", "c", "new", "york", "fifteen", "bytes", "東京"].randomElement(using: &random) ?? ""
                }
            }
            try Self.check(texts, phrases: phrases + [["a", "a"], ["a", "a", "a"]])
        }
    }

    /// Counts beyond a byte, places beyond one and beyond two bytes.
    @Test(arguments: [100, 255, 256, 300, 70_000]) func longTexts(count: Int) throws {
        let long = Array(repeating: "x x y", count: count / 3).joined(separator: " ")
        try Self.check(
            [["x y"], [long, "y x"], [], ["y x y x y"]], phrases: [["x", "x"], ["x", "y"], ["y", "x"], ["y", "y"]])
    }

    /// Each part counts for the room that it takes, and for no other's.
    @Test func roomIsThatOfAllParts() throws {
        let tokenizer = Tokenizer(options: [])
        let index = try #require(
            OrderedIndex.buildTokens(over: [Self.lists([["a"]])], rowCount: 1, tokenizer: tokenizer))
        let many = 100_000
        func ones<Element: FixedWidthInteger & BitwiseCopyable>(_ count: Int) -> ColumnBuffer<Element> {
            ColumnBuffer([Element](repeating: 0, count: count))
        }
        let cases: [(positions: WordPositions.Positions, counts: Int, large: Int, rows: Int, starts: Int, bytes: Int)] =
            [
                (.bytes(ones(1)), 1, 0, 1, 1, 0), (.bytes(ones(many)), 1, 0, 1, 1, many),
                (.halves(ones(many)), 1, 0, 1, 1, 2 * many), (.words(ones(many)), 1, 0, 1, 1, 4 * many),
                (.bytes(ones(1)), many, 0, 1, 1, many), (.bytes(ones(1)), 1, 0, many, 1, 4 * many),
                (.bytes(ones(1)), 1, 0, 1, many, 4 * many), (.bytes(ones(1)), 1, 1000, 1, 1, 32_000),
                (.halves(ones(many)), many, 0, many, many, 11 * many),
            ]
        for (positions, counts, large, rows, starts, bytes) in cases {
            let numbers = Dictionary(uniqueKeysWithValues: (0..<large).map { ($0, 300) })
            let room = WordPositions(
                index: index, counts: ones(counts), largeCounts: numbers, positions: positions, rowLengths: ones(rows),
                blockStarts: ones(starts)
            ).byteCount
            #expect((bytes..<bytes + 2000).contains(room), "\(room), not \(bytes)")
        }
    }

    @Test func anIndexOfOtherTextsHasNoPlaces() throws {
        let index = try #require(
            OrderedIndex.buildTokens(
                over: [Self.lists([["a b"], ["b"]])], rowCount: 2, tokenizer: Tokenizer(options: [])))
        #expect(
            WordPositions.build(over: [Self.lists([["a b"], ["c"]])], index: index, tokenizer: Tokenizer(options: []))
                == nil)
        #expect(
            WordPositions.build(over: [Self.lists([["a b"], ["a"]])], index: index, tokenizer: Tokenizer(options: []))
                == nil)
    }
}
