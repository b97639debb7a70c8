// Forms of indexes: the numbers that stored ones rely on, lists and bitmaps of stretches, cursors, sorted rows.

import FoundationEssentials
import RecordModel
import Testing
import TextAnalysis
import _TestSupport

@testable import Indexing
@testable import RecordColumns

@Suite struct IndexFormEdgesTests {
    private static func index(_ values: [FieldValue], _ options: TextOptions = []) throws -> OrderedIndex {
        try #require(OrderedIndex.build(over: Column.of("v", count: values.count) { values[$0] }, options: options))
    }

    /// Families and kinds of keys have numbers that are part of the format.
    @Test func ordersAreStoredUnderTheirNumbers() throws {
        func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        let cases: [(values: [FieldValue], family: Int64, keys: Int64)] = [
            ([2, 1], 0, 0), ([true], 0, 0), ([0.5], 0, 1), ([1, 0.5], 0, 1), ([date(1)], 1, 1), (["a"], 2, 2),
            ([.reference(RecordReference("a"))], 3, 2), ([["a"]], 2, 2), ([[1]], 0, 0), ([.null], 0, 0),
        ]
        for (values, family, keys) in cases {
            let blocks = try Self.index(values).blocks
            guard case .number(let storedFamily)? = blocks["family"], case .number(let storedKeys)? = blocks["keys"]
            else {
                Issue.record("no numbers of \(values)")
                continue
            }
            #expect(storedFamily == family && storedKeys == keys, "\(values)")
        }
        for options: TextOptions in [[], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized] {
            guard case .number(let stored)? = try Self.index(["a"], options).blocks["options"] else {
                Issue.record("no options")
                continue
            }
            #expect(stored == Int64(options.rawValue))
        }
    }

    /// An index is listed with its kind, its column, −1 for none, and its folding.
    @Test func indexesAreListedByTheirKeys() throws {
        let records = [Record(type: "T", id: Record.ID("r"), fields: ["a": 1, "b": "x"])]
        let segment = try TypeInference(recordType: "T").segment(of: records, zoneID: .default, origin: 1)
        let indexes = SegmentIndexes(segment)
        _ = (indexes.ordered(column: 0), indexes.ordered(column: 1, options: .caseInsensitive))
        _ = (indexes.orderedNames(), indexes.tokens(column: nil, options: []))
        guard case .trees(let list)? = indexes.blocks["list"] else { return #expect(Bool(false), "no list") as Void }
        func number(_ tree: WrittenBlocks, _ name: String) -> Int64? {
            if case .number(let number)? = tree[name] { number } else { nil }
        }
        let found = list.map { entry in ["kind", "column", "options", "isOfText"].map { number(entry, $0) } }
        let folding = Int64(TextOptions.caseInsensitive.rawValue)
        #expect(found == [[0, -1, 0, 1], [0, 0, 0, 0], [0, 1, folding, 1], [1, -1, 0, 1]])
        #expect(indexes.blocks["analyzed"] == nil && indexes.builtCount == 4)
    }

    // MARK: Stretches of three bytes

    /// Letters, digits and the space are classes of their own; all others share those behind.
    @Test func bytesAreInTheClassesOfStoredIndexes() {
        let own = Array("abcdefghijklmnopqrstuvwxyz0123456789 ".utf8)
        #expect(own.map { Int(Trigram.classes[Int($0)]) } == Array(0...36) && Trigram.classes.count == 256)
        for byte in 0..<256 where !own.contains(UInt8(byte)) {
            #expect(Int(Trigram.classes[byte]) == (byte < 128 ? 37 + byte % 11 : 48 + byte % 16), "\(byte)")
        }
        #expect(Trigram.codes(of: Array("abcd".utf8)).sorted() == [0 << 12 | 1 << 6 | 2, 1 << 12 | 2 << 6 | 3])
        #expect(Trigram.codes(of: Array("ab".utf8)).isEmpty && Trigram.codes(of: Array("aaaa".utf8)) == [0])
        #expect(Trigram.codeCount == 1 << 18)
    }

    /// Two bytes a row in a list, a bit of each row in a bitmap: whichever takes less.
    @Test func rowsAreHeldInTheShorterForm() {
        for (rows, held, isBitmap) in [
            (64, 4, false), (64, 5, true), (65, 8, false), (65, 9, true), (128, 8, false), (128, 9, true),
            (1, 1, false),
        ] {
            let texts = TextColumn((0..<rows).map { $0 >= rows - held ? "abc" : "x" })
            var builder = TrigramBlockBuilder()
            let block = builder.block(of: texts, rows: 0..<rows)
            #expect(block.codes.withElements { Array($0) } == [1 << 6 | 2] && block.entryCount == held)
            #expect((block.starts[0] < 0) == isBitmap && block.rows.count == (isBitmap ? 0 : held), "\(rows) \(held)")
            #expect(block.words.count == (isBitmap ? (rows + 63) / 64 : 0))
            #expect(block.rows(.codes([1 << 6 | 2])) == (rows - held..<rows).map { UInt16($0) })
            let lists = [block.codes.byteCount, block.starts.byteCount, block.counts.byteCount]
            #expect(block.byteCount == block.rows.byteCount + block.words.byteCount + lists.reduce(0, +))
        }
    }

    /// Several parts, alternatives, and parts that do not occur, of lists and of bitmaps.
    @Test func partsAndAlternativesAreSoughtTogether() {
        let words = ["abc", "bcd", "xyz", "abcd", "nop"]
        var random = SplitMix64(seed: 9)
        let held = (0..<300).map { _ in
            words.filter { Int.random(in: 0..<($0 == "nop" ? 100 : $0 == "xyz" ? 2 : 9), using: &random) == 0 }
        }
        var builder = TrigramBlockBuilder()
        let block = builder.block(of: TextColumn(held.map { $0.joined(separator: " ") }), rows: 0..<300)
        func codes(_ text: String) -> TrigramQuery { .codes(Array(Trigram.codes(of: Array(text.utf8)))) }
        func rows(_ holds: ([String]) -> Bool) -> [UInt16] {
            held.indices.filter { holds(held[$0]) }.map { UInt16($0) }
        }
        func has(_ text: String) -> ([String]) -> Bool { { $0.contains { $0.contains(text) } } }
        for one in ["abc", "bcd", "xyz", "nop", "qqq"] {
            #expect(block.rows(codes(one)) == rows(has(one)), "\(one)")
            for other in ["abc", "xyz", "nop", "qqq"] {
                let (a, b) = (has(one), has(other))
                #expect(block.rows(.all([codes(one), codes(other)])) == rows { a($0) && b($0) }, "\(one) \(other)")
                #expect(block.rows(.any([codes(one), codes(other)])) == rows { a($0) || b($0) }, "\(one) \(other)")
                let mixed = TrigramQuery.all([.any([codes(one), codes("bcd")]), codes(other)])
                #expect(block.rows(mixed) == rows { (a($0) || $0.contains { $0.hasSuffix("bcd") }) && b($0) })
                let nested = TrigramQuery.any([.all([codes(one), codes("xyz")]), codes(other)])
                #expect(block.rows(nested) == rows { a($0) && $0.contains("xyz") || b($0) })
            }
        }
        #expect(block.rows(.all([])).isEmpty && block.rows(.any([])).isEmpty)
    }

    /// More candidates than wanted are none; as many as wanted are given.
    @Test func candidatesHaveALimit() {
        let index = TrigramIndex.build(over: TextColumn(["abc", "x", "abcd", "zabc"]))
        let wanted = RequiredText.text(Array("abc".utf8))
        #expect(index.candidates(wanted) == [0, 2, 3] && index.candidates(wanted, limit: 3) == [0, 2, 3])
        #expect(index.candidates(wanted, limit: 2) == nil && index.candidates(.text(Array("ab".utf8))) == nil)
        #expect(index.size.entries == 5 && index.size.distinct == 3 && index.rowCount == 4)
    }

    // MARK: Words

    @Test func lettersDigitsAndForeignBytesAreOfWords() {
        for byte in 0..<256 {
            let isASCII = byte < 128 && Character(UnicodeScalar(UInt8(byte))).isLetter
            let isDigit = (48...57).contains(byte)
            #expect(NonASCIITerms.isWordByte(UInt8(byte)) == (byte >= 128 || isASCII || isDigit), "\(byte)")
        }
    }

    /// Rows are found among those of their texts alone, wherever empty ones lie.
    @Test func foreignWordsAreThoseOfTheirRows() {
        let words = NonASCIITerms.build(over: TextColumn(["", "é", "", "", "aé x é", "x", "é é", ""]))
        func rows(_ word: Int) -> [UInt32] {
            (words.starts[word]..<words.starts[word + 1]).map { words.rows[Int($0)] }
        }
        #expect((0..<words.words.count).map { words.words.string($0) } == ["é", "aé"])
        #expect(rows(0) == [1, 4, 6] && rows(1) == [4] && words.otherRows.isEmpty && words.specialRows.isEmpty)
        #expect(words.size.entries == 4 && words.size.distinct == 2)
        #expect(words.byteCount >= words.words.byteCount + words.starts.byteCount + words.rows.byteCount)
        // Of several words the first must be an end of a word, and the last a beginning, or no row is looked at.
        func unsure(_ text: String) -> [UInt32] {
            let words = NonASCIITerms.build(over: TextColumn(["é b", "ñ b", "b aé", "éñ", "b ñé"]))
            return words.find(Array(text.utf8), needle: nil, options: []).unsure.sorted()
        }
        #expect(unsure("é b") == [0, 2, 4] && unsure("b é") == [0, 3] && unsure("b ñ") == [1, 4])
        // A word between others is a whole one.
        #expect(unsure(" é b ") == [0] && unsure(" éñ ") == [3] && unsure(" aé b") == [2])
        #expect(unsure("ñ b") == [1, 3] && unsure("ä b").isEmpty && unsure("b ä").isEmpty)
        let none = NonASCIITerms.build(over: TextColumn(["a", ""]))
        #expect(none.words.count == 0 && none.find([0xC3], needle: nil, options: []).unsure.isEmpty)
    }

    /// Words that were folded for a search take room beside those that are stored: their bytes, a blank behind each.
    @Test func foldedWordsTakeRoom() {
        let words = NonASCIITerms.build(over: TextColumn(["é", "aé"]))
        for options: TextOptions in [[], .caseInsensitive] {
            let before = words.byteCount
            _ = words.find(Array("é".utf8), needle: nil, options: options)
            #expect(words.byteCount >= before + "é aé ".utf8.count, "\(options.rawValue)")
        }
    }

    /// Counts are those of their rows, in whatever order rows are asked for; rows without a hit are left out.
    @Test func countsAreFoundInAnyOrder() {
        var random = SplitMix64(seed: 21)
        for count in [0, 1, 2, 30] {
            let counts = (0..<count).map { _ in max(0, Int.random(in: -2...3, using: &random)) }
            let hits = WordPostings(rows: counts.indices.map { UInt32($0) * 2 + 1 }) { counts[Int($0) / 2] }
            let rows = counts.count { $0 > 0 }
            #expect(hits.rowCount(without: nil) == rows)
            #expect(hits.rowCount { $0 < 10 } == counts.indices.count { $0 >= 5 && counts[$0] > 0 })
            var cursor = WordPostings.Cursor(hits)
            let all = Array(0...UInt32(count * 2 + 1))
            for row in all + all.reversed() + (all + all).shuffled(using: &random) {
                let expected = row % 2 == 1 && Int(row) / 2 < count ? counts[Int(row) / 2] : 0
                #expect(cursor.count(in: row) == expected, "\(count) \(row)")
            }
        }
    }

    // MARK: Sorted rows

    /// By key, then tie, then row, whether few are compared or many are counted into place.
    @Test(arguments: [0, 1, 2, 1_499, 1_500, 3_000]) func rowsAreSortedByKeyTieAndRow(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        for shift: UInt64 in [0, 8, 56] {
            let rows = (0..<count).map { row in
                let key = UInt64.random(in: 0..<200, using: &random) << shift | (shift == 56 ? 7 : 0)
                return KeyedRow(key: key, row: UInt32(row), tie: UInt32.random(in: 0..<3, using: &random))
            }
            var sorted = rows
            RowSorting.sort(&sorted)
            let expected = rows.sorted { ($0.key, $0.tie, $0.row) < ($1.key, $1.tie, $1.row) }
            #expect(sorted.map(\.row) == expected.map(\.row) && sorted.map(\.key) == expected.map(\.key))
        }
    }

    @Test func keysSortAsTheirNumbers() {
        let infinity = Double.infinity
        let doubles = [
            -infinity, -.greatestFiniteMagnitude, -1.5, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 1, 1.5,
            .greatestFiniteMagnitude, infinity, .nan,
        ]
        for (a, b) in zip(doubles, doubles.dropFirst()) { #expect(RowSorting.key(a) < RowSorting.key(b), "\(a) \(b)") }
        #expect(RowSorting.key(-0.0) == RowSorting.key(0.0) && RowSorting.key(-.nan) == RowSorting.key(Double.nan))
        let integers: [Int64] = [.min, .min + 1, -256, -1, 0, 1, 255, 256, .max - 1, .max]
        for (a, b) in zip(integers, integers.dropFirst()) {
            #expect(RowSorting.key(a) < RowSorting.key(b), "\(a) \(b)")
        }
    }
}
