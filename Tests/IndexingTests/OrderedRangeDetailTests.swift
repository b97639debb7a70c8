// Ranges of texts, dates and truth values in ordered indexes, and which values an order holds at all.

import FoundationEssentials
import RecordModel
import Testing
import TextAnalysis

@testable import Indexing
@testable import RecordColumns

@Suite struct OrderedRangeDetailTests {
    private static func index(_ values: [FieldValue], _ options: TextOptions = []) throws -> OrderedIndex {
        let column = try Column.of("v", count: values.count) { values[$0] }
        return try #require(OrderedIndex.build(over: column, options: options))
    }

    private static func rows(_ index: OrderedIndex, _ low: KeyBound?, _ high: KeyBound?) -> [UInt32] {
        index.run(ofDistinct: index.distinct(from: low, to: high)).withRows { unsafe $0.sorted() }
    }

    private static func day(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
    private static func closed(_ value: FieldValue) -> KeyBound { KeyBound(value, isInclusive: true) }
    private static func open(_ value: FieldValue) -> KeyBound { KeyBound(value, isInclusive: false) }

    /// Ends are in the range where they are inclusive; a text that begins with an end is above it.
    @Test func rangesOfTexts() throws {
        let index = try Self.index(["b", "a", "ab", .null, "", "B", "b", "é"])
        let cases: [(low: KeyBound?, high: KeyBound?, rows: [UInt32])] = [
            (nil, nil, [0, 1, 2, 4, 5, 6, 7]), (Self.closed("a"), nil, [0, 1, 2, 6, 7]),
            (Self.open("a"), nil, [0, 2, 6, 7]), (nil, Self.closed("a"), [1, 4, 5]), (nil, Self.open("a"), [4, 5]),
            (Self.closed("a"), Self.closed("b"), [0, 1, 2, 6]), (Self.open("a"), Self.open("b"), [2]),
            (Self.closed("b"), Self.closed("b"), [0, 6]), (Self.open("b"), Self.closed("b"), []),
            (Self.closed("b"), Self.open("b"), []), (Self.closed("c"), Self.closed("a"), []),
            (Self.closed("aa"), Self.closed("ac"), [2]), (Self.open("b"), nil, [7]), (Self.closed("z"), nil, [7]),
            (nil, Self.open(""), []), (nil, Self.closed(""), [4]), (Self.closed(1), nil, []), (nil, Self.closed(1), []),
            (Self.closed("a"), Self.closed(1), []),
        ]
        for (low, high, rows) in cases {
            #expect(Self.rows(index, low, high) == rows, "\(String(describing: low)) \(String(describing: high))")
        }
    }

    /// Ends are folded as the texts are.
    @Test func rangesOfFoldedTexts() throws {
        let index = try Self.index(["B", "a", "É", "c", "A"], [.caseInsensitive, .diacriticInsensitive])
        let cases: [(low: KeyBound?, high: KeyBound?, rows: [UInt32])] = [
            (Self.closed("A"), Self.closed("B"), [0, 1, 4]), (Self.open("Á"), Self.closed("C"), [0, 3]),
            (Self.closed("D"), nil, [2]), (nil, Self.open("b"), [1, 4]), (Self.closed("e"), Self.closed("é"), [2]),
        ]
        for (low, high, rows) in cases {
            #expect(Self.rows(index, low, high) == rows, "\(String(describing: low)) \(String(describing: high))")
        }
    }

    @Test func rangesOfDates() throws {
        let index = try Self.index([Self.day(2), Self.day(-1), .null, Self.day(2), Self.day(0.5)])
        let cases: [(low: KeyBound?, high: KeyBound?, rows: [UInt32])] = [
            (nil, nil, [0, 1, 3, 4]), (Self.closed(Self.day(0.5)), nil, [0, 3, 4]),
            (Self.open(Self.day(0.5)), nil, [0, 3]), (nil, Self.closed(Self.day(0.5)), [1, 4]),
            (nil, Self.open(Self.day(0.5)), [1]), (Self.closed(Self.day(2)), Self.closed(Self.day(2)), [0, 3]),
            (Self.open(Self.day(2)), nil, []), (Self.closed(Self.day(0)), Self.closed(Self.day(1)), [4]),
            // Dates are no numbers.
            (Self.closed(0), nil, []), (nil, Self.closed(5.0), []),
        ]
        for (low, high, rows) in cases {
            #expect(Self.rows(index, low, high) == rows, "\(String(describing: low)) \(String(describing: high))")
        }
        #expect(index.distinct(equalTo: Self.day(2)) == 2 && index.distinct(equalTo: 2.0) == nil)
        #expect(index.key(ofDistinct: 0) == Self.day(-1) && index.distinct(equalTo: Self.day(1)) == nil)
    }

    /// Truth values are 0 and 1 among numbers.
    @Test func rangesOfTruthValues() throws {
        let index = try Self.index([true, false, .null, true])
        let cases: [(low: KeyBound?, high: KeyBound?, rows: [UInt32])] = [
            (Self.closed(true), nil, [0, 3]), (nil, Self.open(true), [1]), (Self.open(0), nil, [0, 3]),
            (Self.closed(0.5), Self.closed(1.5), [0, 3]), (Self.open(1), nil, []), (Self.closed("1"), nil, []),
            (Self.closed(false), Self.closed(true), [0, 1, 3]), (Self.closed(Self.day(0)), nil, []),
        ]
        for (low, high, rows) in cases {
            #expect(Self.rows(index, low, high) == rows, "\(String(describing: low)) \(String(describing: high))")
        }
    }

    /// An order holds values of one family; numbers are one, with truth values.
    @Test func familiesOfValues() {
        let reference = FieldValue.reference(RecordReference("r"))
        let values: [FieldValue] = [1, 1.5, true, Self.day(1), "a", reference, .null, [1]]
        let families: [(family: OrderedIndex.Family, includes: [Bool])] = [
            (.number, [true, true, true, false, false, false, false, false]),
            (.date, [false, false, false, true, false, false, false, false]),
            (.text([]), [false, false, false, false, true, false, false, false]),
            (.reference(.default), [false, false, false, false, false, true, false, false]),
        ]
        for (family, includes) in families { #expect(values.map(family.includes) == includes, "\(family)") }
    }
}
