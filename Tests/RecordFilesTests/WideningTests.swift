// Fields of files whose values are of kinds that do not mix.

import Geospatial
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

struct WideningTests {
    private func values(_ text: String, _ field: String, _ change: (inout LoadOptions) -> Void = { _ in }) throws
        -> (values: [FieldValue], type: FieldType?, notes: [String])
    {
        let loaded = try load(text) {
            $0.widensMixedFields = true
            change(&$0)
        }
        let values = (0..<loaded.records.count).map { loaded.records[$0][field] }
        return (values, loaded.records.schemas.first?.type(of: field), loaded.report.notes)
    }

    static let cases: [(lines: [String], values: [FieldValue])] = [
        (["1", "\"x\"", "2.5"], [.int64(1), .string("x"), .double(2.5)]),
        (["\"x\"", "1"], [.string("x"), .int64(1)]),
        (["true", "1", "[1]"], [.bool(true), .int64(1), .list([.int64(1)])]),
        (["[1,\"x\",[2]]"], [.list([.int64(1), .string("x"), .list([.int64(2)])])]),
        (["[1]", "[\"x\"]"], [.list([.int64(1)]), .list([.string("x")])]),
        (["{\"a\":1}", "3", "null"], [.object(["a": .int64(1)]), .int64(3), .null]),
        (
            ["{\"latitude\":1,\"longitude\":2}", "{\"a\":[]}"],
            [.location(Location(latitude: 1, longitude: 2)), .object(["a": .list([])])]
        ),
        (["{\"reference\":\"r\"}", "\"r\""], [.reference(RecordReference("r")), .string("r")]),
        (["{\"$data\":\"eHk=\"}", "1"], [.data(.init([0x78, 0x79])), .int64(1)]),
    ]

    @Test(arguments: cases.indices) func valuesStay(index: Int) throws {
        let (lines, expected) = Self.cases[index]
        // Twice: what comes behind a mixture is taken as well; and in segments of two rows, the later ones typed anew.
        for rows in [1 << 26, 2] {
            let text = (lines + lines).map { "{\"v\":\($0)}\n" }.joined()
            let found = try values(text, "v") { $0.loaderLimits.segmentRows = rows }
            #expect(found.values == expected + expected, "\(rows)")
            #expect(found.notes.count == 1 && found.notes[0].contains("field 'v' holds a"), "\(found.notes)")
        }
    }

    @Test func rowsInBetweenHaveNoValue() throws {
        let found = try values("{\"v\":1}\n{}\n{\"v\":\"x\"}\n{}\n{\"v\":2}\n", "v")
        #expect(found.values == [.int64(1), .null, .string("x"), .null, .int64(2)] && found.type == .any)
    }

    /// A record that is left out takes what it taught with it.
    @Test func recordsLeftOutWidenNothing() throws {
        let text = "{\"v\":1}\n{\"v\":\"x\",\"w\":{\"$date\":\"no\"}}\n{\"v\":2}\n"
        let found = try values(text, "v") { $0.skipBadLines = true }
        #expect(found.values == [.int64(1), .int64(2)] && found.notes.isEmpty, "\(found)")
    }

    @Test func otherLoadsStayStrict() throws {
        #expect(throws: FileError.self) { try load("{\"v\":1}\n{\"v\":\"x\"}\n") }
    }

    static let commas: [(text: String, number: TextNumber?)] = [
        ("1,5", .double(1.5)), ("-0,25", .double(-0.25)), ("1.234,5", .double(1234.5)),
        ("12.345.678", .int(12_345_678)),
        ("7", .int(7)), ("1.5", nil), ("1.23,4", nil), ("1,2,3", nil), (",5", nil), ("1,", nil), ("1234.567", nil),
        ("", nil), ("-", nil), ("0.123", nil), ("1.2e3", nil), ("1.+23", nil), ("1.-23,5", nil),
        (".123", nil), (".123,5", nil), ("-.123", nil), ("-1.234", .int(-1234)), ("1234", .int(1234)),
        ("1..234", nil), ("1.234.", nil), ("1,5.000", nil), ("12.345,", nil), ("0,5", .double(0.5)), ("00,5", nil),
    ]

    @Test(arguments: commas.indices) func decimalCommas(index: Int) {
        let (text, number) = Self.commas[index]
        var bytes = Array(text.utf8)
        bytes.reserveCapacity(1)
        #expect(bytes.withUnsafeBufferPointer { TextNumber(decimalComma: $0) } == number, "\(text)")
    }

    /// A column of numbers with a type is read one way, whichever of its cells tells it.
    @Test(arguments: [
        (["1.234,50", "1.234", "5"], [1234.5, 1234, 5]), (["1.234", "5", "-1.234", "1,5"], [1234, 5, -1234, 1.5]),
        (["1.234", "5", "1.5"], [1.234, 5, 1.5]), (["1.234", "1e3"], [1.234, 1000]),
    ]) func typedDecimalCommas(cells: [String], numbers: [Double]) throws {
        let rows = cells.enumerated().map { "\($0.offset);\($0.element)\n" }.joined()
        for type in ["DOUBLE", "NUMBER"] {
            let table = try load("id;price:\(type)\n" + rows, name: "f.csv").records
            let values = (0..<table.count).map { table[$0]["price"] as FieldValue }
            #expect(values.compactMap { Double(fieldValue: $0) } == numbers, "\(type)")
        }
        let loaded = try load("id;price\n" + rows, name: "f.csv").records
        #expect((0..<loaded.count).compactMap { Double(fieldValue: loaded[$0]["price"] as FieldValue) } == numbers)
    }

    @Test func typedGroupsOfDigits() throws {
        let wholes = try load("id;n:NUMBER\na;1.234\nb;1,5\nc;\n", name: "f.csv").records
        #expect((0..<3).map { wholes[$0]["n"] } == [.int64(1234), .double(1.5), .null])
        #expect(try load("id;n:INT64\na;1.234\n", name: "f.csv").records[0]["n"] == .int64(1234))
        let error = #expect(throws: FileError.self) {
            try load("id;n:NUMBER\na;1,5\nb;1.5\n", name: "f.csv")
        }
        #expect(error?.line == 3 && error?.field == "n" && error?.hint?.contains("decimal comma") == true)
        // What is left out tells nothing.
        let left = try load("id;n:NUMBER;m:INT64\na;1;1\nb;1,5;x\nc;1.5;2\nd;1.234;3\n", name: "f.csv") {
            $0.skipBadLines = true
        }
        #expect((0..<left.records.count).map { left.records[$0]["n"] } == [.int64(1), .double(1.5), .double(1.234)])
    }
}
