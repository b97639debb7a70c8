// Ordered indexes against the plain definition: sort the rows and look.

import Testing
import _TestSupport

@testable import Indexing
@testable import RecordColumns
@testable import RecordModel
@testable import TextAnalysis

@Suite struct OrderedIndexTests {
    /// Columns of every kind that has an order, with equal values, gaps and edges.
    private static let columns: [(name: String, values: [FieldValue])] = [
        ("whole", [3, 1, .null, 3, -7, .int64(.max), .int64(.min), 0, 1]),
        ("fraction", [0.5, .double(-0.0), 0.0, .null, 1e300, -1e300, 0.5]),
        ("mixed", [1, 1.5, .null, 2, 1.0, -3, .int64(1 << 53)]),
        ("truth", [true, false, .null, true, true]),
        ("text", ["b", "a", "", "ab", "abcdefgh", "abcdefghi", "abcdefgh\u{0}", .null, "é", "e\u{301}", "Z", "a"]),
        (
            "references",
            [
                .reference(RecordReference("r2")), .reference(RecordReference("r1")), .null,
                .reference(RecordReference("r2")),
            ]
        ),
        ("lists", [["b", "a", "b"], [], .null, ["a"], ["c", "b"]]),
        ("numbers in lists", [[3, 1, 3], [1], .null, [2, 3]]),
        ("nothing", [.null, .null]),
    ]

    private static func column(_ values: [FieldValue]) throws -> Column {
        let builder = RecordLoader()
        for (row, value) in values.enumerated() {
            // A second field keeps rows without a value in the table.
            let record = Record(
                type: "T", id: Record.ID("\(row)"), fields: ["row": .int64(Int64(row)), "field": value])
            try builder.append(record, origin: row + 1)
        }
        let segment = try #require(builder.finish().segments.first)
        return segment.column(named: "field") ?? .missing(count: values.count)
    }

    /// The values that a row stands under.
    private static func entries(_ value: FieldValue) -> [FieldValue] {
        if case .list(let elements) = value { elements } else { value.isNull ? [] : [value] }
    }

    private static func rows(_ run: PostingSlice) -> [Int] { unsafe run.withRows { unsafe $0.map { Int($0) } } }

    /// Rows, where their values begin, and the values all take room.
    @Test func roomIsThatOfAllParts() throws {
        let values = (0..<4_000).map { FieldValue.int64(Int64($0 * 3_000_000_007 % 3_999)) }
        let index = try #require(OrderedIndex.build(over: try Self.column(values)))
        #expect(index.entryCount == 4_000 && index.distinctCount < 4_000)
        let least = 4 * index.entryCount + 4 * (index.distinctCount + 1) + 8 * index.distinctCount
        #expect((least...least * 5 / 4).contains(index.byteCount), "\(index.byteCount), not \(least)")
    }

    @Test(arguments: columns.indices)
    func everyValueIsFoundWithItsRows(_ number: Int) throws {
        let (name, values) = Self.columns[number]
        let index = try #require(OrderedIndex.build(over: try Self.column(values)), "\(name)")
        for sought in values.flatMap(Self.entries) {
            let expected = values.indices.filter { row in
                Self.entries(values[row]).contains { Self.areEqual($0, sought) }
            }
            let distinct = try #require(index.distinct(equalTo: sought), "\(name): \(sought)")
            let run = index.run(ofDistinct: distinct..<distinct + 1)
            #expect(run.isAscending)
            #expect(Self.rows(run) == expected, "\(name): \(sought)")
            #expect(index.bitmap(ofDistinct: distinct).ordinals.map(Int.init) == expected)
            #expect(Self.areEqual(index.key(ofDistinct: distinct), sought) || name == "references")
        }
        let pairs = values.indices.reduce(0) { sum, row in
            var seen: [FieldValue] = []
            for entry in Self.entries(values[row]) where !seen.contains(where: { Self.areEqual($0, entry) }) {
                seen.append(entry)
            }
            return sum + seen.count
        }
        #expect(index.entryCount == pairs, "\(name)")
    }

    @Test func valuesOfAnotherFamilyAreNotFound() throws {
        let numbers = try #require(OrderedIndex.build(over: try Self.column([1, 2, .null])))
        for stranger in [
            "1", .date(.init(timeIntervalSinceReferenceDate: 1)), .reference(RecordReference("1")), 1.5, 3,
        ]
            as [FieldValue]
        {
            #expect(numbers.distinct(equalTo: stranger) == nil)
        }
        #expect(numbers.distinct(equalTo: 1.0) == 0)
        #expect(numbers.distinct(equalTo: true) == 0)
        let texts = try #require(OrderedIndex.build(over: try Self.column(["1", "a"])))
        #expect(texts.distinct(equalTo: 1) == nil)
        #expect(texts.distinct(from: KeyBound(1, isInclusive: true), to: nil).isEmpty)
    }

    @Test func rangesHoldWhatLiesBetweenTheirEnds() throws {
        let values: [Int64] = [5, 3, 3, 9, -2, 0, 7, 7, 7]
        let index = try #require(OrderedIndex.build(over: try Self.column(values.map { .int64($0) })))
        let ends: [FieldValue] = [-3, -2, 0, 2.5, 3, 3.5, 7, 9, 10, .double(1e30), .double(-1e30)]
        for low in ends {
            for high in ends {
                for (lowIn, highIn) in [(true, true), (true, false), (false, true), (false, false)] {
                    let range = index.distinct(
                        from: KeyBound(low, isInclusive: lowIn), to: KeyBound(high, isInclusive: highIn))
                    let expected = values.indices.filter { row in
                        let value = Double(values[row])
                        let (l, h) = (low.number?.asDouble ?? .nan, high.number?.asDouble ?? .nan)
                        return (lowIn ? value >= l : value > l) && (highIn ? value <= h : value < h)
                    }
                    #expect(Self.rows(index.run(ofDistinct: range)).sorted() == expected)
                }
            }
        }
    }

    @Test func prefixesEndWithACharacter() throws {
        // x with an acute accent has no composed form: the accent belongs to the x before it.
        let values: [FieldValue] = ["x", "xa", "x\u{301}", "x\u{301}a", "xy", "y"]
        let index = try #require(OrderedIndex.build(over: try Self.column(values)))
        let rows = index.distinct(beginningWith: "x").flatMap { Self.rows(index.run(ofDistinct: $0)) }.sorted()
        #expect(rows == [0, 1, 4])
        #expect(index.distinct(beginningWith: "").isEmpty)
        #expect(index.distinct(beginningWith: "q").isEmpty)
    }

    /// Many texts are sorted as few are: those that begin alike, that end within the same eight bytes, and equal ones.
    @Test(arguments: [0, 1, 10, 1_499, 1_500, 4_000]) func textsAreInTheOrderOfTheirBytes(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        let kinds = [
            "", "a", "a\0", "a\0\0", "abcdefg", "abcdefgh", "abcdefgh\0", "abcdefghi", "b", "é", "\u{10FFFF}",
        ]
        let texts = (0..<count).map { _ in
            let text = kinds.randomElement(using: &random) ?? ""
            return Bool.random(using: &random) ? text : "0123456789abcdef" + text
        }
        let (order, starts) = TextSorting.sort((0..<UInt32(count)).map { $0 }, of: TextColumn(texts))
        let bytes = texts.map { Array($0.utf8) }
        let expected = texts.indices.sorted { a, b in
            bytes[a] == bytes[b] ? a < b : bytes[a].lexicographicallyPrecedes(bytes[b])
        }
        #expect(order.map { Int($0) } == expected)
        let firsts = expected.indices.filter { $0 == 0 || bytes[expected[$0]] != bytes[expected[$0 - 1]] }
        #expect(starts.map { Int($0) } == firsts)
    }

    /// Letters are held for sure at the end of a text and before ASCII and Latin letters: no mark of theirs follows.
    @Test func lettersAreHeldForSureBeforeLatin() throws {
        let texts: [(text: String, isSure: Bool?)] = [
            ("ab", true), ("xaby", true), ("ab1", true), ("abé", true), ("ab\u{250}", true), ("ab\u{280}", false),
            ("abж", false), ("ab\u{301}", false), ("ab\u{301} ab", true), ("a b", nil), ("", nil), ("xa", nil),
            ("ab\u{301}xab\u{301}", false), ("xab", true),
        ]
        let index = try #require(OrderedIndex.build(over: try Self.column(texts.map { .string($0.text) })))
        let (sure, unsure) = index.distinct(holding: Array("ab".utf8))
        let rows = sure.flatMap { index.rows(at: index.positions(ofDistinct: $0)) }.sorted()
        #expect(rows == texts.indices.filter { texts[$0].isSure == true }.map { UInt32($0) })
        #expect(unsure.sorted() == texts.indices.filter { texts[$0].isSure == false }.map { UInt32($0) })
        #expect(zip(sure, sure.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        let begun = index.rows(at: index.positions(ofDistinct: index.distinct(withBytes: "ab"))).sorted()
        #expect(begun == [0, 2, 3, 4, 5, 6, 7, 8, 12])
        #expect(index.distinct(withBytes: "b").isEmpty && index.distinct(withBytes: "").count == texts.count)
    }

    @Test func wordsAreFoundWithTheRowsThatHaveThem() throws {
        let values: [FieldValue] = ["The quick fox", "quick, QUICK brown", .null, "東京に行く", "Fóx"]
        let index = try #require(
            OrderedIndex.buildTokens(
                over: [try Self.column(values)], rowCount: values.count,
                tokenizer: Tokenizer(options: [.caseInsensitive, .diacriticInsensitive])))
        for (word, expected) in [("quick", [0, 1]), ("fox", [0, 4]), ("東京", [3]), ("brown", [1])] {
            let distinct = try #require(index.distinct(equalTo: .string(word)), "\(word)")
            #expect(Self.rows(index.run(ofDistinct: distinct..<distinct + 1)) == expected)
        }
        #expect(index.distinct(equalTo: "qui") == nil)
        let prefixed = index.distinct(beginningWith: "qu").flatMap { Self.rows(index.run(ofDistinct: $0)) }
        #expect(Set(prefixed) == [0, 1])
    }

    private static func areEqual(_ a: FieldValue, _ b: FieldValue) -> Bool {
        if let a = a.number, let b = b.number { return FieldValue.Number.compare(a, b) == 0 }
        return a == b
    }
}
