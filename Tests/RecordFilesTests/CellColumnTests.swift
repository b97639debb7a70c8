// Columns of CSV in records of several types and zones, and in several files: each is read one way.

import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct CellColumnTests {
    private static func values(_ loaded: LoadedRecords, _ field: String) -> [FieldValue] {
        (0..<loaded.records.count).map { loaded.records[$0][field] }
    }

    // MARK: Cells without a type

    static let columns: [(separator: String, cells: [String], values: [FieldValue])] = [
        (";", ["1.234", "5,50", "12.500", "1.000,00"], [.int64(1234), .double(5.5), .int64(12_500), .double(1000)]),
        (";", ["1.234", "5", "1.5"], [.double(1.234), .int64(5), .double(1.5)]),
        (";", ["1.234", "1,5", "1.5"], ["1.234", "1,5", "1.5"]),
        (",", ["007", "5", "5"], ["007", "5", "5"]), (",", ["5", "6.5", ""], [.int64(5), .double(6.5), .null]),
        (",", ["true", "False"], [.bool(true), .bool(false)]), (",", ["true", "1"], ["true", "1"]),
        (",", ["1", "", "x"], ["1", .null, "x"]), (",", ["\"\"", "5"], [.null, .int64(5)]),
        (",", ["2024-01-01T00:00:00Z", "soon"], ["2024-01-01T00:00:00Z", "soon"]),
    ]

    /// Each record is of a type of its own, or in a zone of its own; segments have as few rows as can be, too.
    @Test(arguments: columns.indices, ["type", "$zone"]) func cellsOfAllTypesTell(index: Int, part: String) throws {
        let (separator, cells, expected) = Self.columns[index]
        for types in [cells.count, 2, 1] {
            let rows = cells.enumerated().map { row, cell in
                ["\(row)", "P\(row % types)", cell].joined(separator: separator) + "\n"
            }
            let text = ["id", part, "v"].joined(separator: separator) + "\n" + rows.joined()
            for segmentRows in [1 << 26, 1] {
                let loaded = try load(text, name: "f.csv") { $0.loaderLimits.segmentRows = segmentRows }
                #expect(Self.values(loaded, "v") == expected, "\(types) \(segmentRows)")
            }
        }
    }

    /// Columns do not tell of each other, and types without a cell take no harm.
    @Test func otherColumnsStay() throws {
        let loaded = try load("id,type,v,w\n1,A,007,1\n2,B,5,2\n3,C,,3\n", name: "f.csv")
        #expect(Self.values(loaded, "v") == ["007", "5", .null])
        #expect(Self.values(loaded, "w") == [.int64(1), .int64(2), .int64(3)])
        #expect(loaded.records.schemas.map { $0.type(of: "v") } == [.string, .string, .string])
    }

    /// What is left out tells nothing.
    @Test func recordsLeftOutTellNothing() throws {
        let loaded = try load("id,type,v,w:INT64\n1,A,x,y\n2,A,7,1\n3,B,z,y\n4,B,5,2\n", name: "f.csv") {
            $0.skipBadLines = true
        }
        #expect(Self.values(loaded, "v") == [.int64(7), .int64(5)])
    }

    // MARK: Cells of a declared type

    @Test(arguments: ["DOUBLE", "NUMBER"]) func titlesHoldForAllTypes(title: String) throws {
        let point = #expect(throws: FileError.self) {
            try load("id;type;b:\(title)\n1;A;1.5\n2;B;5,5\n", name: "f.csv")
        }
        #expect(point?.line == 3 && point?.field == "b")
        let comma = #expect(throws: FileError.self) {
            try load("id;type;b:\(title)\n1;A;5,5\n2;B;1.5\n", name: "f.csv")
        }
        #expect(comma?.line == 3 && comma?.field == "b" && comma?.hint?.contains("decimal comma") == true)
        for cells in [["1.234", "5,5"], ["5,5", "1.234"]] {
            let loaded = try load("id;type;b:\(title)\n1;A;\(cells[0])\n2;B;\(cells[1])\n", name: "f.csv")
            let numbers = Self.values(loaded, "b").compactMap { Double(fieldValue: $0) }
            #expect(numbers == cells.map { $0 == "5,5" ? 5.5 : 1234 }, "\(cells)")
        }
        let left = try load("id;type;b:\(title);m:INT64\n1;A;1,5;x\n2;B;1.5;2\n3;A;1.234;3\n", name: "f.csv") {
            $0.skipBadLines = true
        }
        #expect(Self.values(left, "b") == [.double(1.5), .double(1.234)])
    }

    // MARK: Several files

    private static func loadAll(
        _ files: [(name: String, text: String)], _ change: (inout LoadOptions) -> Void = { _ in }
    ) throws -> LoadedRecords {
        var options = LoadOptions()
        change(&options)
        let reader = RecordFileReader(options: options)
        for file in files { try reader.load(bytes: Array(file.text.utf8), name: file.name) }
        return reader.finish()
    }

    @Test func filesOfOneLoad() throws {
        let files: [(name: String, text: String)] = [
            ("a.csv", "id;type;v\n1;A;1.234\n"), ("b.csv", "id;type;v\n2;B;5,5\n"),
        ]
        #expect(try Self.values(Self.loadAll(files), "v") == [.int64(1234), .double(5.5)])
        // Files that are kept apart have columns of their own.
        let apart = try Self.loadAll(files) { $0.separatesFiles = true }
        #expect(Self.values(apart, "v") == [.double(1.234), .double(5.5)])
        // Where commas separate the cells, none is in a number, whatever another file has.
        let mixed = try Self.loadAll([("a.csv", "id,type,v\n1,A,1.234\n"), ("b.csv", "id;type;v\n2;B;5,5\n")])
        #expect(Self.values(mixed, "v") == [.double(1.234), .double(5.5)])
    }

    /// Lines of JSON tell of themselves what their values are.
    @Test func linesOfJSONStay() throws {
        let lines = #"{"id":"1","type":"A","v":"x"}"# + "\n"
        let loaded = try Self.loadAll([("a.ndjson", lines), ("b.csv", "id,type,v\n2,B,5\n3,C,6\n")])
        #expect(Self.values(loaded, "v") == ["x", .int64(5), .int64(6)])
    }

    /// Texts of converted lines are texts, those of other fields and files are dates where they read so.
    @Test func textsOfConvertedLines() throws {
        let moment = "2024-01-01T00:30:00+02:00"
        let lines = Array(#"{"id":"1","a":"\#(moment)","d":"\#(moment)","n":1}"#.utf8) + [0x0A]
        var options = LoadOptions()
        options.converter = { _ in ConvertedLines(bytes: lines, textFields: ["id", "a", "n", "none"]) }
        let reader = RecordFileReader(options: options)
        try reader.load(path: "t")
        let later = #"{"id":"2","type":"Other","a":"\#(moment)"}"# + "\n"
        try reader.load(bytes: Array(later.utf8), name: "b.ndjson")
        let loaded = reader.finish()
        let date = try #require(RFC3339.date(moment))
        #expect(Self.values(loaded, "a") == [.string(moment), .date(date)])
        #expect(Self.values(loaded, "d") == [.date(date), .null] && Self.values(loaded, "n") == [.int64(1), .null])
        #expect(loaded.records.count == 2 && loaded.records[0].record.id == Record.ID("1"))
    }
}
