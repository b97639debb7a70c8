// What is found out about columns: bounds of their blocks, numbers that are none, texts that are ASCII; types in common.

import FoundationEssentials
import Glibc
import RecordModel
import Testing

@testable import RecordColumns

@Suite struct ColumnFactsTests {
    private static func column(_ values: [FieldValue]) throws -> Column {
        try Column.of("v", count: values.count) { values[$0] }
    }

    private static func dates(_ seconds: [Double]) -> [FieldValue] {
        seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    }

    /// Rows without a value and numbers that are none have no part in the bounds.
    @Test func boundsAreThoseOfTheValues() throws {
        let cases: [(values: [FieldValue], low: Double, high: Double)] = [
            ([5, .null, 7], 5, 7), ([.null, -5, -7], -7, -5), ([0.5, .null], 0.5, 0.5), ([1, 0.5, .null], 0.5, 1),
            ([.double(.nan), 1.5], 1.5, 1.5), ([.double(.nan), .double(.nan)], .infinity, -.infinity),
            ([.double(-.infinity), 0.5, .double(.infinity)], -.infinity, .infinity),
            ([.null, 3, .double(.nan)], 3, 3), (Self.dates([5, -2]) + [.null], -2, 5),
            ([.int64(1 << 53), .int64(-1 << 53)], -0x1p53, 0x1p53),
        ]
        for (values, low, high) in cases {
            let zones = try #require(try Self.column(values).zoneMap)
            #expect(zones.minima == [low] && zones.maxima == [high], "\(values)")
        }
        for values: [FieldValue] in [["a"], [true], [.null], [[1]], [.data(Data())]] {
            #expect(try Self.column(values).zoneMap == nil, "\(values)")
        }
    }

    /// Whole numbers that are no doubles lie between the bounds, not beside them.
    @Test func boundsOfLargeNumbersAreRoundedOutwards() throws {
        let edge: Int64 = 1 << 53
        for number in [edge + 1, edge + 3, -edge - 1, -edge - 3, .max, .max - 1, .min, .min + 1, 1 << 60 | 1] {
            // By themselves, and beside a fraction, which is in another kind of column.
            for values: [FieldValue] in [[.int64(number)], [.int64(number), 0.5]] {
                let zones = try #require(try Self.column(values).zoneMap)
                #expect(NumericOrder.compare(number, zones.minima[0]) >= 0, "\(number)")
                #expect(NumericOrder.compare(number, zones.maxima[0]) <= 0, "\(number)")
            }
        }
    }

    @Test(arguments: [4095, 4096, 4097, 8192, 8193]) func blocksHaveBoundsOfTheirOwn(count: Int) throws {
        let zones = try #require(try Self.column((0..<count).map { .int64(Int64($0)) }).zoneMap)
        let starts = Array(stride(from: 0, to: count, by: 4096))
        #expect(zones.minima == starts.map { Double($0) })
        #expect(zones.maxima == starts.map { Double(min(count, $0 + 4096) - 1) })
    }

    @Test func numbersThatAreNoneAreNoticed() throws {
        let nan = FieldValue.double(.nan)
        for values in [[0.5, nan], [1, nan, .null], [nan], Self.dates([1, .nan])] {
            #expect(try Self.column(values).holdsNaN, "\(values)")
        }
        for values in [[0.5, .null], [1, 2], [1, 0.5], [.double(.infinity)], ["NaN"], Self.dates([1]), [.null]] {
            #expect(try !Self.column(values).holdsNaN, "\(values)")
        }
    }

    /// Wherever the one byte is, also behind the last eight that are looked at together.
    @Test func oneCharacterThatIsNotASCIIIsNoticed() throws {
        for length in 1...20 {
            let plain = [Character](repeating: "\u{7F}", count: length)
            func isASCII(_ values: [FieldValue]) throws -> Bool { try Self.column(values).isASCII }
            #expect(try isASCII([.string(String(plain))]))
            for place in 0..<length {
                var characters = plain
                characters[place] = "é"
                let text = FieldValue.string(String(characters))
                #expect(try !isASCII([text]) && !isASCII([.list(["a", text])]), "\(length) \(place)")
            }
        }
        // Few texts of many rows, and many; lists in lists; other values.
        let few = (0..<100).map { FieldValue.string($0 == 99 ? "é" : "a") }
        let many = (0..<100).map { FieldValue.string("text \($0)" + ($0 == 99 ? "é" : "")) }
        for values in [few, many, [[["a"], ["é"]]]] { #expect(try !Self.column(values).isASCII) }
        for values in [Array(few.dropLast()), Array(many.dropLast()), [1], [.null], [[[1]]]] {
            #expect(try Self.column(values).isASCII)
        }
    }

    private static let merged: [(a: FieldType, b: FieldType, both: FieldType)] = [
        (.int64, .int64, .int64), (.int64, .double, .number), (.number, .int64, .number), (.number, .double, .number),
        (.bool, .int64, .any), (.string, .date, .any), (.any, .int64, .any), (.list(nil), .list(.int64), .list(.int64)),
        (.list(.int64), .list(.double), .list(.number)), (.list(.int64), .list(.string), .list(.any)),
        (.list(nil), .list(nil), .list(nil)), (.list(.list(nil)), .list(.list(.date)), .list(.list(.date))),
        (.list(nil), .int64, .any), (.object, .any, .any),
    ]

    @Test func typesHaveOneInCommon() {
        for (a, b, both) in Self.merged {
            #expect(a.merged(with: b) == both && b.merged(with: a) == both, "\(a) \(b)")
            // Nothing is known of a field that may be anything for want of values.
            let covering = a == .any ? b : b == .any ? a : both
            #expect(a.covering(b) == covering && b.covering(a) == covering, "\(a) \(b)")
        }
    }

    private static let numbers: [(text: String, number: TextNumber?)] = [
        ("0", .int(0)), ("-0", .int(0)), ("7", .int(7)), ("10", .int(10)), ("007", nil), ("00", nil), ("-01", nil),
        ("9223372036854775807", .int(.max)), ("9223372036854775808", nil), ("-9223372036854775808", .int(.min)),
        ("-9223372036854775809", nil), ("1.5", .double(1.5)), ("0.5", .double(0.5)), ("-0.5", .double(-0.5)),
        ("1.0", .double(1)), ("00.5", nil), (".5", nil), ("1.", nil), ("1e3", .double(1000)), ("1E+3", .double(1000)),
        ("15e-1", .double(1.5)), ("0e0", .double(0)), ("1e", nil), ("1e+", nil), ("1e400", nil), ("-1e400", nil),
        ("+1", nil), ("-", nil), ("--1", nil), ("", nil), (" 1", nil), ("1 ", nil),
        ("1x", nil), ("1.5.5", nil), ("0x10", nil), ("nan", nil), ("inf", nil), ("1_000", nil), ("１", nil),
    ]

    @Test func numbersAreWrittenAsInJSON() {
        for (text, number) in Self.numbers {
            #expect(Array(text.utf8).withUnsafeBufferPointer { TextNumber($0) } == number, "\(text)")
        }
        let words: [(String, Bool?)] = [
            ("true", true), ("TRUE", true), ("True", true), ("false", false), ("fAlSe", false), ("tru", nil),
            ("truee", nil), ("", nil), ("falsetrue", nil), ("1", nil), ("T", nil),
        ]
        for (text, value) in words {
            #expect(Array(text.utf8).withUnsafeBufferPointer { TextReading.truthValue($0) } == value, "\(text)")
        }
    }

    /// Nothing is read behind a text: it may be the last of a file, with no memory after it.
    @Test func numbersAreReadUpToTheirEnd() throws {
        // A multiple of every size of pages.
        let size = 1 << 16
        let map: UnsafeMutableRawPointer? = mmap(
            nil, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let memory = try #require(map)
        let isMapped = memory != MAP_FAILED
        try #require(isMapped)
        defer { munmap(memory, 2 * size) }
        let isClosed = mprotect(memory + size, size, PROT_NONE) == 0
        try #require(isClosed)
        for (text, number) in Self.numbers {
            let bytes = Array(text.utf8)
            let start = memory + (size - bytes.count)
            start.copyMemory(from: bytes, byteCount: bytes.count)
            let first = UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self)
            let read = TextNumber(UnsafeBufferPointer(start: first, count: bytes.count))
            #expect(read == number, "\(text)")
        }
    }
}
