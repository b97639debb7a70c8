// Values and orders of tables that others made, by the forms of their columns.

import Campaigns
import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .serialized)
struct TableEdgesTests {
    private let catalog: TableCatalog

    init() throws {
        let connection = try Connection(ConnectionString(PostgreSQLServer.shared().address))
        let name = "edges \(UUID().uuidString)"
        try connection.run(
            Statement(
                """
                CREATE TEMPORARY TABLE \(Statement.name(name)) (n int8, d float8, r real, q numeric, b bool, day date,
                m timestamp, t text, x bytea, u uuid, ns int8[], ts text[])
                """))
        catalog = try TableCatalog(name, on: connection)
    }

    private func value(_ column: String, _ bytes: [UInt8]?) throws -> FieldValue? {
        try #require(catalog.columns.first { $0.name == column }).form.value(bytes)
    }

    private static func big(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private static func small(_ numbers: Int32...) -> [UInt8] { numbers.flatMap { big(Int64($0)).suffix(4) } }

    private static func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

    @Test("Numbers and dates have the width of their form, and others are none")
    func widths() throws {
        let one: [UInt8] = [0x3F, 0xF0, 0, 0, 0, 0, 0, 0]
        let cases: [(column: String, bytes: [UInt8], value: FieldValue?)] = [
            ("n", Self.big(-5), -5), ("n", Self.small(5), nil), ("n", Self.big(5) + [0], nil), ("n", [], nil),
            ("d", one, 1.0), ("d", Array(one.dropLast()), nil), ("d", one + [0], nil), ("b", [1], true),
            ("b", [0], false),
            // The server counts from 2000, a year of 366 days, and records from 2001.
            ("day", Self.small(366), Self.date(0)), ("day", Self.small(0), Self.date(-31_622_400)),
            ("day", Self.small(367), Self.date(86_400)), ("day", [0, 0, 1], nil), ("day", Self.small(1) + [0], nil),
            ("day", Self.small(.max), Self.date(.infinity)), ("day", Self.small(.min), Self.date(-.infinity)),
            ("m", Self.big(31_622_400_000_000), Self.date(0)), ("m", Self.big(0), Self.date(-31_622_400)),
            ("m", Self.big(-250_000), Self.date(-31_622_400.25)), ("m", Self.big(250_000), Self.date(-31_622_399.75)),
            ("m", Self.big(-1_000_000), Self.date(-31_622_401)), ("m", Self.big(-1_500_000), Self.date(-31_622_401.5)),
            ("m", Self.big(.max), Self.date(.infinity)), ("m", Self.big(.min), Self.date(-.infinity)),
            ("m", Self.small(1), nil), ("m", Self.big(1) + [0], nil), ("x", [0, 9], .data(Data([0, 9]))),
        ]
        for (column, bytes, expected) in cases { #expect(try value(column, bytes) == expected, "\(column) \(bytes)") }
        for column in catalog.columns { #expect(column.form.value(nil) == .null, "\(column.name)") }
    }

    @Test("Decimals are whole numbers of 64 bits, else doubles, else texts")
    func decimals() throws {
        let cases: [(column: String, text: String, value: FieldValue)] = [
            ("q", "12", 12), ("q", "-12.00", -12), ("q", "12.50", 12.5), ("q", "", ""), ("q", "12.05", 12.05),
            ("q", "9223372036854775807.0", .int64(.max)), ("q", "9223372036854775808", .double(0x1p63)),
            ("q", "1.0.0", "1.0.0"), ("q", "Infinity", .double(.infinity)), ("q", "none", "none"),
            ("r", "0.1", 0.1), ("r", "none", "none"), ("t", "12", "12"), ("t", "", ""), ("u", "12", "12"),
        ]
        for (column, text, expected) in cases {
            #expect(try value(column, Array(text.utf8)) == expected, "\(column) \(text)")
        }
    }

    @Test("Arrays of up to six dimensions are lists, and bytes that end too early are none")
    func arrays() throws {
        func numbers(_ bytes: [UInt8]) throws -> FieldValue? { try value("ns", bytes) }
        let five = Self.small(8) + Self.big(5)
        #expect(try numbers(Self.small(0, 0, 20)) == [])
        #expect(try numbers(Self.small(1, 0, 20, 0, 1)) == [])
        #expect(try numbers(Self.small(1, 0, 20, 1, 1) + five) == [5])
        #expect(try numbers(Self.small(1, 1, 20, 2, 1, -1) + five) == [.null, 5])
        #expect(try numbers(Self.small(2, 0, 20, 1, 1, 2, 1) + five + five) == [[5, 5]])
        let six = Self.small(6, 0, 20) + (0..<6).flatMap { _ in Self.small(1, 1) } + five
        #expect(try numbers(six) == [[[[[[5]]]]]])
        let seven = Self.small(7, 0, 20) + (0..<7).flatMap { _ in Self.small(1, 1) } + five
        let damaged: [[UInt8]] = [
            [], Self.small(0), Self.small(0, 0), Self.small(0, 0) + [0, 0, 0], Self.small(-1, 0, 20), seven,
            Self.small(1, 0, 20), Self.small(1, 0, 20, 0), Self.small(1, 0, 20, -1, 1), Self.small(1, 0, 20, 1, 1),
            Self.small(1, 0, 20, 1, 1, 8), Self.small(1, 0, 20, 1, 1) + five.dropLast(),
            Self.small(1, 0, 20, 1, 1, 0), Self.small(1, 0, 20, 2, 1) + five, Self.small(2, 0, 20, 1, 1, 1) + five,
        ]
        for bytes in damaged { #expect(try numbers(bytes) == nil, "\(bytes)") }
        // A text may be empty, and may be all that is left.
        #expect(try value("ts", Self.small(1, 0, 25, 3, 1, 0, 1) + [0x61] + Self.small(0)) == ["", "a", ""])
    }

    // MARK: Orders

    private func order(_ keys: SortKey...) -> TableOrder? { TableOrder(keys, catalog.columns) }

    @Test("The server sorts by the first keys, as far as it tells values apart as records do")
    func orders() throws {
        func clause(_ keys: SortKey...) -> String? { TableOrder(keys, catalog.columns)?.clause.printed().text }
        #expect(clause() == nil && clause(.ascending("t")) == nil && clause(.ascending("none")) == nil)
        #expect(clause(.ascending("x")) == nil && clause(.ascending("ns")) == nil && clause(.relevance) == nil)
        let (n, d) = ("\"r\".\"n\" ASC NULLS FIRST", "\"r\".\"d\" DESC NULLS LAST")
        #expect(clause(.ascending("n"), .descending("d")) == "\(n), \(d)")
        #expect(clause(.ascending("n"), .ascending("t"), .descending("d")) == n)
        for column in ["b", "day", "u", "r"] {
            #expect(clause(.descending("d"), .ascending(column), .ascending("n"))?.hasSuffix(n) == true, "\(column)")
        }
        // Decimals and moments that are others there may be the same here.
        for column in ["q", "m"] {
            #expect(clause(.descending("d"), .ascending(column), .ascending("n"))?.hasSuffix(n) == false, "\(column)")
        }
        let values = order(.descending("d"), .ascending("n"))?.values([1, 2.5, 3, 4, true])
        #expect(values == [2.5, 1])
    }

    @Test("A row is behind another one in the first key in which they differ, where no rounding may hide others")
    func behind() throws {
        let exact = try #require(order(.ascending("n"), .ascending("d")))
        #expect(!exact.isBehind([1, 2.0], [1, 2.0]) && exact.isBehind([2, 2.0], [1, 2.0]))
        #expect(exact.isBehind([1, 3.0], [1, 2.0]) && exact.isBehind([1, 2.0], [.null, 2.0]))
        #expect(!exact.isBehind([1, 2.0], [1.0, 2]) && !exact.isBehind([1.0, .null], [1, .null]))
        #expect(exact.isBehind([1, 2.0], [1.5, 2.0]) && exact.isBehind([1.5, 2.0], [1, 2.0]))
        #expect(!exact.isBehind([.double(.nan), 1.0], [.double(.nan), 1.0]), "it is one value in an order")
        let decimal = try #require(order(.ascending("q")))
        let few = Int64(1) << 53
        let cases: [(value: FieldValue, isBehind: Bool)] = [
            (.int64(few - 1), true), (.int64(few), false), (.int64(few + 1), false), (.int64(1 - few), true),
            (.int64(-few), false), (.double(0x1p53 - 1), true), (.double(0x1p53), false), (.double(0x1p54), false),
            (.double(-0x1p53), false), (.double(1 - 0x1p53), true), (.double(.nan), true), (.double(.infinity), false),
            (.null, true), (0.5, true), (3, false),
        ]
        for (value, isBehind) in cases { #expect(decimal.isBehind([value], [3]) == isBehind, "\(value)") }
        #expect(decimal.isBehind([3], [.int64(few)]), "what comes behind is what may be hidden")
        let large = try #require(order(.ascending("n")))
        #expect(large.isBehind([.int64(few + 1)], [.int64(few)]) && large.isBehind([.int64(.max)], [3]))
    }
}
