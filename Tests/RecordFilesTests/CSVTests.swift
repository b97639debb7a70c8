// Loading and writing comma-separated values.

import FoundationEssentials
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct CSVTests {
    @Test func kindsAreInferred() throws {
        let text =
            "id,n,f,b,d,s,z,e,q\r\na,1,1.5,true,2025-07-04T00:00:00Z,\"x,\"\"y\"\"\r\nz\",007,,\"\"\r\nb,2,2,FALSE,,y,1,,\r\n"
        let table = try load(text, name: "f.csv").records
        let types = Dictionary(uniqueKeysWithValues: table.schemas[0].fields.map { ($0.name, $0.type) })
        let expected: [String: FieldType] = [
            "n": .int64, "f": .number, "b": .bool, "d": .date, "s": .string, "z": .string, "e": .string, "q": .string,
        ]
        #expect(types == expected)
        #expect(table[0].record["s"] == "x,\"y\"\r\nz")
        #expect(table[0].record["z"] == "007")
        #expect(table[0].record["q"] == "")
        #expect(table[1].record["q"] == nil)
        #expect(table[1].record["b"] == false)
    }

    @Test func cellsOfRFC4180() throws {
        // Text, cells of column b by record; nil is a missing value.
        let cases: [(String, [String?])] = [
            ("a,b\n1,x\n", ["x"]),
            ("a,b\r\n1,x\r\n2,y", ["x", "y"]),
            ("a,b\n1,\"x,y\"\n", ["x,y"]),
            ("a,b\n1,\"x\"\"y\"\n", ["x\"y"]),
            ("a,b\n1,\"x\ny\r\nz\"\n", ["x\ny\r\nz"]),
            ("a,b\n1,\"\"\n2,\n3,z\n", ["", nil, "z"]),
            ("a,b\n1, x \n", [" x "]),
            ("a,b\n1,5\" pipe\n", ["5\" pipe"]),
            ("\"a\",\"b\"\n\"1\",\"x\"\n", ["x"]),
            ("a,b\n\n1,x\n\n", ["x"]),
            ("b,a\n\"\"\"\",1\n", ["\""]),
            ("\u{FEFF}b\nx\n", ["x"]),
            ("a;b,b\n1,é水\n", ["é水"]),
            ("a;b\n1;x,y\n2;\"p;q\"\n", ["x,y", "p;q"]), ("\"a,1\";b\n1;x\n", ["x"]), ("a\tb\n1\tx;y\n", ["x;y"]),
        ]
        for (text, expected) in cases {
            let table = try load(text, name: "f.csv").records
            let cells = (0..<table.count).map { position -> String? in
                if case .string(let text) = table[position]["b"] { text } else { nil }
            }
            #expect(cells == expected, "\(text)")
        }
        #expect(try load("a\tb\n1\tx,y\n", name: "noending").records[0]["b"] == "x,y")
        // What a file without an ending is, is told by its header: a comma, even beside tabs, is no tab-separated file.
        for (text, field) in [
            ("a\tb;c\n1\tx\n", "b;c"), ("a;b\tc\n1\tx\n", "c"), ("a,b\tc\n1,x\n", "b\tc"), ("a,b\n1,x\n", "b"),
            ("a;b\n1;x\n", "b"),
        ] {
            let table = try load(text, name: "noending").records
            #expect(table[0][field] == "x", "\(text)")
        }
        // Blanks before the first character that tells.
        for blanks in [" ", "\t", "\r\n", "\n \t"] {
            #expect(
                try load(blanks + "{\"b\":\"x\"}\n{\"b\":\"y\"}\n", name: "noending").records.count == 2, "\(blanks)")
            #expect(try load(blanks + "[{\"b\":\"x\"},{\"b\":\"y\"}]", name: "noending").records[1]["b"] == "y")
            #expect(try load(blanks + "{\n\"b\":\"x\"}", name: "noending").records[0]["b"] == "x")
        }
        #expect(try load("a,b\n", name: "f.csv").records.count == 0)
        #expect(try load(",b\n0,x\n", name: "f.csv").records[0]["column1"] == 0)
    }

    @Test func badCells() throws {
        // Text, line, column, kind.
        let cases: [(String, Int, Int?, FileError.Kind)] = [
            ("a,b\n1\n", 2, nil, .notARecord),
            ("a,b\n1,2,3\n", 2, nil, .notARecord),
            ("a,b\n\"x\ny\",2\n1,2,3\n", 4, nil, .notARecord),
            ("a,b\n1,\"x\n", 2, 3, .malformed),
            ("a,b\n1,\"x\"y\n", 2, 6, .malformed),
            // Columns count Unicode scalars.
            ("a,b\né,\"x\"y\n", 2, 6, .malformed), ("a,b\n€😀,\"é\"\"é\"y\n", 2, 10, .malformed),
            ("a,b\n😀,\"é\né\n", 2, 3, .malformed), ("a,b\n1,\"é\né\"y\n", 3, 3, .malformed),
            ("ä,é\r1,2\r", 1, 4, .malformed),
            ("id,b\n1,2\n1,3\n", 3, nil, .duplicate),
            ("a,b\r1,2\r3,4\r", 1, 4, .malformed),
            ("\"a\",\"b\"\r1,2\r", 1, 8, .malformed),
            ("a:LIST<STRING>\n\"[1,2]\"\n", 2, nil, .value),
            ("a:LIST<INT64>\n\"[1,2]\"\n\"[1,2.5]\"\n", 3, nil, .value),
            ("a:LIST<TIMESTAMP>\n\"[\"\"yesterday\"\"]\"\n", 2, nil, .value),
            ("a:LIST<LIST<STRING>>\n\"[[\"\"x\"\"],[1]]\"\n", 2, nil, .value),
        ]
        for (text, line, column, kind) in cases {
            let error = #expect(throws: FileError.self, "\(text)") { try load(text, name: "f.csv") }
            #expect(error?.line == line, "\(text)")
            #expect(error?.column == column, "\(text)")
            #expect(error?.kind == kind, "\(text)")
            #expect(error?.file == "f.csv")
            // In a piece of a file the lines before it count; the header is looked at when the file begins.
            if line == 1 { continue }
            let late = #expect(throws: FileError.self, "\(text)") {
                try load(text, name: "f.csv") { $0.linesBefore = 40 }
            }
            #expect(late?.line == line + 40 && late?.column == column, "\(text)")
        }
        var bytes = Array("a,b\n1,".utf8)
        bytes += [0xC3, 0x0A]
        #expect(throws: FileError.self) { try load(bytes, name: "f.csv") }
        let loaded = try load("a,b\n1,2\n1\n3,4\n\"x\"y,1\n5,6\n", name: "f.csv") { $0.skipBadLines = true }
        #expect(loaded.records.count == 3)
        #expect(loaded.report.skippedCount == 2)
        #expect(loaded.report.errors.map(\.line) == [3, 5])
        // Of a record that is left out nothing stays, whichever of its cells was wrong.
        for header in ["a:INT64,b", "b,a:INT64"] {
            let isFirst = header.hasPrefix("a")
            let rows = [("1", "x"), ("bad", "y"), ("3", "z"), ("worse", "v"), ("5", "w")]
            let text = rows.map { isFirst ? "\($0.0),\($0.1)\n" : "\($0.1),\($0.0)\n" }.joined()
            let left = try load("\(header)\n\(text)", name: "f.csv") { $0.skipBadLines = true }
            #expect(left.report.errors.map(\.line) == [3, 5] && left.records.count == 3)
            #expect((0..<left.records.count).map { left.records[$0]["a"] } == [1, 3, 5])
            #expect((0..<left.records.count).map { left.records[$0]["b"] } == ["x", "z", "w"])
        }
        // Quotes that are not closed take all lines that follow.
        let rest = try load("a,b\n\"x\ny\",1,2\n1,2\n\"1,2\n3,4\n5,6\n", name: "f.csv") { $0.skipBadLines = true }
        #expect(rest.records.count == 1)
        #expect(rest.report.skippedCount == 2)
        #expect(rest.report.skippedLineCount == 5)
    }

    /// Types of the options, over those of the header, and plain days in columns of dates.
    @Test func typesOfTheOptions() throws {
        let types: [String: FieldType] = ["born": .date, "code": .string, "absent": .int64]
        let text = "id,born,code:INT64,seen:TIMESTAMP\na,2019-05-01,007,2024-02-29\nb,2019-05-01T06:00:00+06:00,8,\n"
        let table = try load(text, name: "f.csv") { $0.columnTypes = types }.records
        let day = Date(timeIntervalSinceReferenceDate: 578_361_600)
        #expect(table[0]["born"] == .date(day) && table[1]["born"] == .date(day))
        #expect(table[0]["code"] == "007")
        #expect(table[0]["seen"] == .date(Date(timeIntervalSinceReferenceDate: 730_857_600)))
        let error = #expect(throws: FileError.self) {
            try load("id,born\na,2019-02-29\n", name: "f.csv") { $0.columnTypes = types }
        }
        #expect(error?.field == "born")
    }

    /// Each record is in the zone that its cell names, in the file's where the cell is empty.
    @Test func zonesOfCells() throws {
        let table = try load("id,$zone,b\n1,Work,x\n2,,y\n3,Home,z\n4,Work,w\n", name: "f.csv").records
        let zones = (0..<table.count).map { position in
            "\(table[position]["b"]) \(table[position].record.id.zoneID.zoneName)"
        }
        let expected = [("x", "Work"), ("y", RecordZone.ID.default.zoneName), ("z", "Home"), ("w", "Work")]
        #expect(Set(zones) == Set(expected.map { "\(FieldValue.string($0.0)) \($0.1)" }))
    }

    @Test func typedLists() throws {
        // A type of elements, a list, the type that the field gets.
        let cases: [(String, String, FieldType)] = [
            ("STRING", #"["x","2025-07-04T12:00:00Z"]"#, .list(.string)), ("STRING", "[]", .list(.string)),
            ("TIMESTAMP", #"["2025-07-04T12:00:00Z"]"#, .list(.date)), ("INT64", "[1,2]", .list(.int64)),
            ("DOUBLE", "[1,2]", .list(.double)), ("DOUBLE", #"[1,{"$double":"NaN"},0.5]"#, .list(.double)),
            ("NUMBER", "[1,0.5]", .list(.number)), ("BOOLEAN", "[true]", .list(.bool)),
            ("REFERENCE", #"[{"reference":"x"}]"#, .list(.reference)), ("", "[1]", .list(.int64)),
            ("LIST<INT64>", "[[1],[2]]", .list(.list(.int64))),
        ]
        for (element, list, type) in cases {
            let cell = list.replacing("\"", with: "\"\"")
            let table = try load("a:LIST<\(element)>\n\"\(cell)\"\n", name: "f.csv").records
            #expect(table.schemas[0].type(of: "a") == type, "\(element) \(list)")
        }
    }

    @Test func writesWhatItReads() throws {
        let cells = ["", "a", "a,b", "a\"b", "a\nb", "a\r\nb", " a ", "é水", "\"", ",", "a\r", "\r", "a\rb"]
        var writer = CSVWriter()
        writer.write("id")
        writer.write("c")
        writer.endLine()
        for (number, cell) in cells.enumerated() {
            writer.write(.string("r\(number)"))
            writer.write(.string(cell))
            writer.endLine()
        }
        let table = try load(writer.bytes, name: "f.csv").records
        #expect((0..<table.count).map { table[$0]["c"] } == cells.map { .string($0) })
        var line = CSVWriter(separator: "\t")
        for value: FieldValue in [
            nil, true, 1, 1.0, "a\tb", .reference(RecordReference("r")), [1, "x"], .data(Data([1])),
        ] {
            line.write(value)
        }
        #expect(String(decoding: line.bytes, as: UTF8.self) == "\ttrue\t1\t1.0\t\"a\tb\"\tr\t\"[1,\"\"x\"\"]\"\tAQ==")
    }
}
