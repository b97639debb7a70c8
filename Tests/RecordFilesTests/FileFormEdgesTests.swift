// The form of a file by its name and its first bytes, its encoding, its first line, and cells of typed columns.

import Foundation
import Geospatial
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct FileFormEdgesTests {
    private static let collection = #""type":"FeatureCollection""#

    /// Names, beginnings, and the form.
    static let forms: [(name: String, start: String, format: RecordFormat)] = [
        ("f.ndjson", "[1]", .ndjson), ("f.JSONL.gz", "[1]", .ndjson), ("f.csv.zst", "{", .csv), ("f.TSV", "a,b", .tsv),
        ("f.tab.gz", "a,b", .tsv), ("f.geojson", "a,b", .json), ("f.GEOJSON", "a,b", .json), ("f.gz", "[1]", .json),
        ("f.json", "{\"a\":1}\n{\"a\":2}", .ndjson), ("f.json", "{\n\"a\":1}", .json),
        ("f.json", "{ \r\n\"a\":1}", .json),
        ("f", "{\"a\":1} \r\n{}", .ndjson), ("f", "{\"a\":1", .ndjson), ("f", " \n\t[1]", .json), ("f", "", .ndjson),
        ("f", " \n", .ndjson), ("f", "a\tb", .tsv), ("f", "a\tb,c", .csv), ("f", "a;b", .csv), ("f", "a\nb\tc", .csv),
        ("f", "{\(collection),", .json), ("f", "{\"a\":{\(collection)}}", .ndjson),
    ]

    @Test("A file is of the form that its name tells, else its first line")
    func formsOfFiles() {
        for (name, start, format) in Self.forms {
            let found = Array(start.utf8).withUnsafeBufferPointer { RecordFormat(ofFile: name, startingWith: $0) }
            #expect(found == format, "\(name) \(start)")
        }
    }

    @Test("A collection is told by the outermost object")
    func beginningsOfCollections() {
        let mark = Self.collection
        for (text, begins) in [
            ("{\(mark)", true), ("{ \"type\" :\r\n\t\"FeatureCollection\"", true), ("{\"a\":{\(mark)", false),
            ("{\"a\":[{\(mark)", false), ("{\"a\":{},\(mark)", true), ("{\"a\":[{}],\(mark)", true),
            (#"{"a":"x\"{",\#(mark)"#, true), (#"{"a":"\\",\#(mark)"#, true), ("{\"a\":\"{\",\(mark)", true),
            ("{\"a\":\"}\",\(mark)", true), (mark, false), ("{\"type\":\"Feature\"", false), ("{", false),
        ] {
            #expect(FeatureCollection.begins(text.utf8) == begins, "\(text)")
        }
    }

    @Test("A header tells what separates cells, outside of its quotes")
    func separators() {
        for (header, separator) in [
            ("a,b", ","), ("a;b", ";"), ("a\tb", "\t"), ("a;b,c", ","), ("a\tb;c", ";"), ("\"a,b\";c", ";"),
            ("\"a\n,b\";c", ";"), ("\n \r\na;b\nc,d", ";"), ("ab\nc;d", ","), ("", ","), ("\"a\"\"b;\"\tc", "\t"),
        ] {
            let found = Array(header.utf8).withUnsafeBufferPointer { RecordFormat.separator(ofHeader: $0) }
            #expect(found == Unicode.Scalar(separator), "\(header)")
        }
    }

    @Test("The first line that is not blank ends outside of the quotes of cells")
    func firstLines() {
        for (text, count) in [
            ("ab\ncd", 3), ("\n \r\nab\n", 7), ("\"a\nb\"\nc", 6), ("\"a\"\"\n\"\nc", 7), ("{\"a\nb\"}\n", 4),
            ("[\"a\nb\"]\n", 4), ("ab", nil), ("\"a\n", nil), ("\n\n", nil),
        ] as [(String, Int?)] {
            var line = FirstLine()
            var taken = 0
            for byte in text.utf8 where !line.isEnded {
                line.take(byte)
                taken += 1
            }
            #expect((line.isEnded ? taken : nil) == count, "\(text)")
        }
    }

    // MARK: Encodings

    static let heads: [(head: [UInt8], encoding: ForeignEncoding?)] = [
        ([0xFF, 0xFE], .utf16LittleEndian), ([0xFE, 0xFF], .utf16BigEndian), ([0x61, 0, 0x62, 0], .utf16LittleEndian),
        ([0, 0x61, 0, 0x62], .utf16BigEndian), ([0x61, 0, 0x62], nil), ([0x61, 0, 0, 0], nil), ([0, 0x61, 0, 0], nil),
        ([0, 0, 0x61, 0], nil), ([0, 0, 0, 0x61], nil), ([0x61, 0, 0x62, 0x63], nil), ([], nil), ([0x61], nil),
        // Letters of Western Europe, but no character of UTF-8 that is only cut.
        ([0x61, 0xE9, 0x62, 0x63, 0x64], .windows1252), ([0x61, 0xE9, 0x62, 0x63], nil),
        ([0xC3, 0xA9, 0x62, 0x63], nil),
        ([0x7B, 0xE9, 0x62, 0x63, 0x64], nil), ([0x5B, 0xE9, 0x62, 0x63, 0x64], nil),
        ([0x61, 0xE9, 0x81, 0x63, 0x64], nil), ([0x61, 0xE9, 0x9D, 0x63, 0x64], nil),
        ([0x61, 0xE9, 0x62, 0, 0x64], nil),
    ]

    @Test("The first bytes tell the encoding")
    func encodings() {
        for (head, encoding) in Self.heads { #expect(ForeignEncoding(startingWith: head) == encoding, "\(head)") }
    }

    @Test("Letters of Western Europe are those that Foundation knows")
    func lettersOfWesternEurope() {
        var rest: [UInt8] = []
        for byte in UInt8(0)...0xFF where ![0x81, 0x8D, 0x8F, 0x90, 0x9D].contains(byte) {
            let letter = String(data: Data([byte]), encoding: .windowsCP1252)
            let found = String(decoding: ForeignEncoding.windows1252.utf8([byte], &rest), as: UTF8.self)
            #expect(found == letter, "\(byte)")
        }
    }

    @Test("Bytes that are put back are read again before all others")
    func bytesPutBack() throws {
        let source = try ByteSource(bytes: Array("abcdefgh".utf8), name: "f")
        func read(_ count: Int) throws -> String {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = try bytes.withUnsafeMutableBufferPointer { try source.read(into: $0) }
            return String(decoding: bytes.prefix(got), as: UTF8.self)
        }
        #expect(try read(3) == "abc")
        source.putBack(Array("xyz".utf8))
        #expect(try read(2) == "xy")
        source.putBack(Array("12".utf8))
        #expect(try read(2) == "12")
        #expect(try read(9) == "z")
        #expect(try read(9) == "defgh")
        #expect(try read(9) == "" && source.storedRead == 8 && source.storedSize == 8 && source.isReady)
    }

    // MARK: Cells of typed columns

    private static let place = Location(latitude: 1, longitude: 2)

    /// A type, a cell, and its value.
    static let cells: [(type: String, cell: String, value: FieldValue)] = [
        ("INT64", "12", 12), ("DOUBLE", "12", .double(12)), ("DOUBLE", "0.5", .double(0.5)), ("NUMBER", "12", 12),
        ("NUMBER", "0.5", .double(0.5)), ("DOUBLE", #"{"$double":2}"#, .double(2)), ("BOOLEAN", "TRUE", true),
        ("BOOLEAN", "false", false), ("STRING", "12", "12"), ("STRING", "{}", "{}"),
        ("BYTES", "AQ==", .data(Data([1]))),
        ("BYTES", #"{"$data":"AQ=="}"#, .data(Data([1]))),
        ("TIMESTAMP", "2001-01-01", .date(Date(timeIntervalSinceReferenceDate: 0))),
        ("TIMESTAMP", #"{"$date":0}"#, .date(Date(timeIntervalSince1970: 0))),
        ("LOCATION", #"{"lat":1,"lon":2}"#, .location(place)),
        ("REFERENCE", #"{"reference":"x"}"#, .reference(RecordReference("x"))),
        ("LIST<DOUBLE>", "[1,2.5]", [.double(1), .double(2.5)]), ("LIST<DOUBLE>", "[null,1]", [.null, .double(1)]),
        ("LIST<INT64>", "[1,null]", [1, .null]), ("LIST<>", #"["x"]"#, ["x"]),
    ]

    @Test("A cell is read as its column's type")
    func cellsOfTypes() throws {
        for (type, cell, value) in Self.cells {
            let quoted = "\"\(cell.replacing("\"", with: "\"\""))\""
            let records = try load("a:\(type)\n\(quoted)\n", name: "f.csv").records
            #expect(records[0]["a"] == value, "\(type) \(cell)")
        }
    }

    /// A type, a cell that it does not take, and the hint.
    static let wrong: [(type: String, cell: String, hint: String)] = [
        ("INT64", "1.5", "expected a whole number"), ("INT64", #"{"$double":1}"#, "expected a whole number"),
        ("NUMBER", "[1]", "expected a number"), ("DOUBLE", "true", "expected a number"),
        ("BOOLEAN", "1", "expected true or false"), ("TIMESTAMP", "5", "expected a date such as 2025-07-04T12:00:00Z"),
        ("BYTES", "5", "expected base64"), ("LOCATION", "5", #"expected {"latitude": 50.45, "longitude": 30.52}"#),
        ("REFERENCE", #"{"lat":1,"lon":2}"#, #"expected {"reference": "name"}"#),
        ("LIST<INT64>", #"{"$set":[1]}"#, #"expected a list such as ["a", "b"]"#),
        ("LIST<INT64>", "[1.5]", #"expected a list such as ["a", "b"]"#),
        ("LIST<STRING>", "[true]", #"expected a list such as ["a", "b"]"#),
        ("LIST<LIST<INT64>>", "[1]", #"expected a list such as ["a", "b"]"#),
    ]

    @Test("A cell that is not of its column's type is told, with what is expected")
    func cellsOfOtherTypes() {
        for (type, cell, hint) in Self.wrong {
            let quoted = "\"\(cell.replacing("\"", with: "\"\""))\""
            let error = #expect(throws: FileError.self) { try load("a:\(type)\n\(quoted)\n", name: "f.csv") }
            #expect(
                error?.message == "the cell is no \(type), as the header says it is" && error?.hint == hint
                    && error?.kind == .value && error?.field == "a" && error?.line == 2, "\(type) \(cell)")
        }
    }

    @Test("Titles are names with a type behind the last colon, where it is one")
    func titles() throws {
        let table = try load("a:b:INT64,:INT64,c:X,,a:b\n1,2,3,4,5\n", name: "f.csv")
        let names = table.records.schemas[0].fields.map(\.name)
        #expect(Set(names) == ["a:b", ":INT64", "c:X", "column4", "a:b_1"], "\(names)")
        #expect(table.report.columns.map(\.name) == ["a:b", ":INT64", "c:X", "column4", "a:b_1"])
        #expect(table.report.columns.map(\.type) == [.int64, nil, nil, nil, nil])
        #expect(table.report.notes == ["f.csv: the header names 'a:b' again: that column is 'a:b_1'"])
    }

    @Test("Of pieces of a stream each note is told once, and each field of several kinds")
    func notesOfPieces() {
        var report = LoadReport()
        report.notes = ["one", "field n, line 1", "field n, line 2", "field m"]
        report.mixedFields = ["field n, line 1": "n", "field n, line 2": "n", "field m": "m"]
        var told: Set<String> = []
        #expect(report.news(&told) == ["one", "field n, line 1", "field m"])
        #expect(report.news(&told).isEmpty)
        report.notes.append("two")
        #expect(report.news(&told) == ["two"])
    }
}
