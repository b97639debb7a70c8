// Parts of exported texts: what the database wrote, keys of other names, pieces, and texts of no records.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct ExportPartTests {
    // MARK: What the database wrote

    /// A record below another one in a zone, that was changed ten seconds after it was made.
    private static func changed(_ world: World) async throws -> Record {
        try await world.mine.put(record("p", in: world.zone))
        var child = record("r", in: world.zone, ["n": 1])
        child.setParent(world.own("p"))
        var saved = try await world.mine.put(child)[0]
        world.clock.advance(10)
        saved["n"] = 2
        return try await world.mine.put(saved)[0]
    }

    /// Read again, each of the system fields has the value of the record's metadata under its key.
    @Test(arguments: RecordFormat.allCases) func systemFieldsAreToldByTheirKeys(_ format: RecordFormat) async throws {
        let world = try await World()
        let saved = try await Self.changed(world)
        let tag = try #require(saved.recordChangeTag)
        let (made, changed) = (try #require(saved.creationDate), try #require(saved.modificationDate))
        #expect(changed.timeIntervalSince(made) == 10)
        let set = try world.mine.snapshot().records(ofType: "T")
        var options = RecordExport.Options()
        options.includesSystemFields = true
        let text = try RecordExport(set, as: format, options: options).text()
        let again = try RecordSet(bytes: Array(text.utf8), name: "a.\(format)")
        let found = try #require(try again.records(matching: "n == 2").first)
        let user = FieldValue.reference(RecordReference(recordID: Record.ID(World.alice)))
        #expect(found.fields["$created"] == .date(made))
        #expect(found.fields["$modified"] == .date(changed))
        #expect(found.fields["$createdBy"] == user && found.fields["$modifiedBy"] == user)
        #expect(found.fields["$changeTag"] == .string(tag))
        // Nobody gets them who does not ask.
        #expect(try !RecordExport(set, as: format).text().contains("$created"))
    }

    @Test func titlesOfSystemFields() async throws {
        let world = try await World()
        _ = try await Self.changed(world)
        let set = try world.mine.snapshot().records(ofType: "T")
        var options = RecordExport.Options()
        for (includes, written) in [
            (false, ""),
            (
                true,
                "$created:TIMESTAMP,$createdBy:REFERENCE,$modified:TIMESTAMP,$modifiedBy:REFERENCE,"
                    + "$changeTag:STRING,"
            ),
        ] {
            options.includesSystemFields = includes
            let text = try RecordExport(set, as: .csv, options: options).text()
            #expect(text.hasPrefix("id,type,$zone,$parent:REFERENCE,\(written)n:INT64\n"), "\(text)")
        }
        // Records of no database have none.
        let loose = try RecordSet(records: [record("r", ["n": 1])])
        for format in RecordFormat.allCases {
            let text = try RecordExport(loose, as: format, options: options).text()
            #expect(try text == RecordExport(loose, as: format).text())
        }
    }

    // MARK: Keys

    @Test func typesHaveAnotherKey() throws {
        let set = try RecordSet(records: [record("r", ["type": 1])])
        let error = #expect(throws: DatabaseError.self) { try RecordExport(set, as: .ndjson) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.reason == "the records have a field 'type' of their own")
        var options = RecordExport.Options()
        options.typeKey = "kind"
        let text = try RecordExport(set, as: .ndjson, options: options).text()
        #expect(text == #"{"id":"r","kind":"T","type":1}"# + "\n")
        #expect(try RecordExport(set, as: .csv, options: options).text() == "id,kind,type:INT64\nr,T,1\n")
    }

    // MARK: Pieces

    /// What is written in two pieces, wherever it is cut, is what is written at once.
    @Test(arguments: RecordFormat.allCases) func piecesMakeTheWholeText(_ format: RecordFormat) throws {
        // The last record has a field of its own: it is a column of each piece.
        let records = (0..<5).map { record("r\($0)", $0 == 4 ? ["late": "x"] : ["n": .int64(Int64($0))]) }
        let set = try RecordSet(records: records)
        let whole = try RecordExport(set, as: format).text()
        for cut in 1...5 {
            var first = try RecordExport(set, at: Array(0..<cut), as: format)
            var rest = try RecordExport(set, at: Array(cut..<5), as: format)
            (first.isFollowed, rest.follows) = (true, true)
            #expect(first.count == cut && rest.count == 5 - cut)
            #expect(try first.text() + rest.text() == whole, "\(cut)")
        }
    }

    private static let empty: [(format: RecordFormat, text: String)] = [
        (.ndjson, ""), (.json, "[]\n"), (.csv, "id,type\n"), (.tsv, "id\ttype\n"),
    ]

    @Test(arguments: empty.indices) func noRecordsHaveAText(_ index: Int) throws {
        let (format, text) = Self.empty[index]
        #expect(try RecordExport(RecordSet(records: [Record]()), as: format).text() == text)
    }

    private static let types: [(a: FieldType, b: FieldType, both: FieldType)] = [
        (.int64, .int64, .int64), (.int64, .string, .any), (.list(nil), .list(.string), .list(.string)),
        (.list(.string), .list(nil), .list(.string)), (.list(nil), .list(nil), .list(nil)),
        (.list(.int64), .list(.string), .any), (.list(nil), .string, .any), (.string, .list(nil), .any),
        (.list(.date), .list(.date), .list(.date)),
    ]

    /// Lists without elements have the type of others, and other types that differ are any.
    @Test func typesOfPiecesAreJoined() {
        for (a, b, both) in Self.types { #expect(a.joined(with: b) == both, "\(a), \(b)") }
    }
}
