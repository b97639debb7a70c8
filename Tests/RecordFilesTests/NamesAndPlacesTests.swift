// What holds across pieces of a stream, members within members, and names of files with several dots.

import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct NamesAndPlacesTests {
    @Test("Records without names are named by their file and line, also where a piece is read alone")
    func namesInPieces() throws {
        for (name, text) in [("f.ndjson", "{\"a\":1}\n{\"a\":2}\n"), ("f.csv", "a\n1\n2\n")] {
            let first = name == "f.csv" ? 2 : 1
            for (files, lines, names) in [
                (0, 0, ["\(first)", "\(first + 1)"]), (0, 40, ["\(40 + first)", "\(41 + first)"]),
                (2, 0, ["3:\(first)", "3:\(first + 1)"]), (1, 40, ["2:\(40 + first)", "2:\(41 + first)"]),
            ] {
                let records = try load(text, name: name) { ($0.filesBefore, $0.linesBefore) = (files, lines) }.records
                try #require(records.count == 2)
                #expect((0..<2).map { records[$0].record.id.recordName } == names, "\(name) \(files) \(lines)")
            }
        }
    }

    @Test("A cell without content is no value of a column of numbers, dates or truth values, in quotes or without")
    func emptyCellsOfGuessedColumns() throws {
        let columns: [(type: FieldType, cell: String, value: FieldValue)] = [
            (.number, "7", 7), (.bool, "true", true), (.number, "seven", "seven"), (.string, "7", "7"),
        ]
        for (type, cell, value) in columns {
            let text = "id,n\na,\"\"\nb,\nc,\(cell)\n"
            let records = try load(text, name: "f.csv") {
                ($0.guessedTypes, $0.widensMixedFields) = (["n": type], true)
            }.records
            try #require(records.count == 3)
            // An empty text is a text.
            let empty: FieldValue = type == .string ? "" : .null
            #expect((0..<3).map { records[$0]["n"] } == [empty, .null, value], "\(type) \(cell)")
        }
    }

    @Test(
        "The form is told by what follows the last dot of a name, wherever there are others",
        arguments: [
            ("f.2026.tsv", true), ("f.csv.tsv", true), ("a.b/c.d/f.tsv.gz", true), ("../f.v1.2.tab", true),
            ("f.tsv.csv", false), ("a.tsv/f.csv", false),
        ])
    func namesWithSeveralDots(name: String, isOfTabs: Bool) throws {
        let record = try load("a,b\tc\n1,2\t3\n", name: name).records[0]
        #expect(record[isOfTabs ? "c" : "a"] == (isOfTabs ? 3 : 1), "\(name)")
    }

    @Test("The column of a wrong field is that of the record's own member, and none of a member within another")
    func columnsOfMembersWithinMembers() {
        for (line, column) in [
            (#"{"a":"x","b":{"a":2}}"#, 6), (#"{"b":{"a":2},"a":"x"}"#, 18), (#"{"a":"x","b":[{"a":2}]}"#, 6),
        ] {
            let error = #expect(throws: FileError.self) { try load("{\"a\":1}\n\(line)\n") }
            #expect(error?.kind == .mixture && error?.field == "a" && error?.line == 2, "\(line)")
            #expect(error?.column == column, "\(line)")
        }
    }
}
