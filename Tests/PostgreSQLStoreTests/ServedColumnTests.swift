// Exports of servers as tables: their columns are those of the records.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct ServedColumnTests {
    /// The export of one record, whose type has other fields, too.
    private static func text(
        of container: Container, as format: RecordFormat, beside fields: [String]
    ) async throws -> String {
        var schema = container.schema
        var type = ContainerSchema.RecordType(fields: ["n": ContainerSchema.Field(.int64)])
        for field in fields { type.define(field, ContainerSchema.Field(.string)) }
        schema.recordTypes["T"] = type
        try container.setSchema(schema)
        try await container.privateDatabase.save(Record(type: "T", id: Record.ID("r"), fields: ["n": 1]))
        var bytes: [UInt8] = []
        try container.privateDatabase.withPortions(ofType: "T") { records throws(DatabaseError) in
            try RecordExport.write(records, as: format, options: RecordExport.Options()) { piece in
                bytes += piece
                piece = []
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A field that no record has a value of is no column.
    @Test(arguments: [RecordFormat.csv, .tsv]) func tablesHaveTheColumnsOfTheirRecords(
        _ format: RecordFormat
    ) async throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        let text = try await Self.text(of: container, as: format, beside: ["spare"])
        let lines = text.split(whereSeparator: \.isNewline)
        #expect(lines.count == 2)
        let columns = lines.first?.split { $0 == "," || $0 == "\t" }.map(String.init) ?? []
        #expect(columns == ["id", "type", "n:INT64"], "\(lines)")
    }

    /// A field that no record has a value of is in nobody's way, though it is named as what an export says itself.
    @Test(arguments: ["id", "type"]) func namesOfExportsMayBeThoseOfFields(_ name: String) async throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        let text = try await Self.text(of: container, as: .ndjson, beside: [name])
        #expect(text == #"{"id":"r","type":"T","n":1}"# + "\n")
    }
}
