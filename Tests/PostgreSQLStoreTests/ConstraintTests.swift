// Schemas that demand more of records than they did when these were saved, as in memory.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct ConstraintTests {
    private static let types: [String: FieldType] = [
        "text": .string, "number": .double, "date": .date, "to": .reference, "list": .list(.string), "bytes": .data,
        "whole": .int64,
    ]

    /// A schema with traits of fields, and fields that are unique together.
    private static func schema(
        _ traits: [String: ContainerSchema.Traits] = [:], together: [[String]] = []
    ) -> ContainerSchema {
        var schema = ContainerSchema()
        var fields: [String: ContainerSchema.Field] = [:]
        for (name, kind) in types { fields[name] = ContainerSchema.Field(kind, traits: traits[name] ?? []) }
        var type = ContainerSchema.RecordType(fields: fields)
        type.uniqueTogether = together
        schema.recordTypes["T"] = type
        return schema
    }

    /// What a schema is answered with, in memory and on a server with the same records.
    private static func outcomes(
        _ changed: ContainerSchema, _ records: [Record]
    ) async throws -> (here: String, there: String) {
        var outcomes: [String] = []
        let place = try ServerPlace()
        for container in [try Container(identifier: "here"), try place.open()] {
            try container.setSchema(schema())
            let database = container.privateDatabase
            try await database.save(RecordZone(id: RecordZone.ID("Z")))
            for record in records { try await database.save(record) }
            do throws(DatabaseError) {
                try container.setSchema(changed)
                outcomes.append(container.schema == changed ? "done" : "not changed")
            } catch {
                outcomes.append("\(error)")
                #expect(container.schema == schema(), "nothing is changed")
            }
        }
        return (outcomes[0], outcomes[1])
    }

    private static func record(_ name: String, zone: String? = nil, _ fields: [String: FieldValue]) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: zone.map { RecordZone.ID($0) } ?? .default), fields: fields)
    }

    private static let full: [String: FieldValue] = [
        "text": "é", "number": .double(0), "date": .date(Date(timeIntervalSince1970: 0)), "list": ["x"],
        "bytes": .data(Data([1])), "whole": 1,
    ]

    @Test(arguments: types.keys.sorted())
    func valuesThatAreMissingAreNamed(_ field: String) async throws {
        if field == "to" { return }
        var records = ["c", "a", "b"].map { Self.record($0, Self.full) }
        let changed = Self.schema([field: [.required]])
        #expect(try await Self.outcomes(changed, records) == ("done", "done"))
        records[1][field] = .null
        records[2][field] = .null
        let (here, there) = try await Self.outcomes(changed, records)
        #expect(here == there && here.contains("record a has no value of field \(field)"), "\(here); \(there)")
    }

    @Test func valuesThatTwoRecordsHaveAreNamed() async throws {
        let reference = FieldValue.reference(RecordReference(recordID: Record.ID("a")))
        let cases: [(field: String, FieldValue, FieldValue)] = [
            ("text", "é", "e\u{301}"), ("text", "e", "é"), ("number", .double(0), .double(-0.0)),
            ("number", .double(0.1), .double(0.1)), ("whole", 1, 1),
            ("date", .date(Date(timeIntervalSince1970: 1)), .date(Date(timeIntervalSince1970: 1))),
            ("to", reference, reference), ("text", "a\u{0}", "a\u{0}"), ("text", "a\u{0}", "a\u{1}\u{2}"),
        ]
        for (field, first, second) in cases {
            let records = [
                Self.record("a", ["whole": 7]), Self.record("b", [field: first]), Self.record("c", [:]),
                Self.record("d", zone: field == "to" ? nil : "Z", [field: second]),
            ]
            let (here, there) = try await Self.outcomes(Self.schema([field: [.unique]]), records)
            #expect(here == there, "\(field): \(first), \(second)")
        }
        let records = [
            Self.record("a", ["text": "x", "whole": 1]), Self.record("b", ["text": "x"]),
            Self.record("c", ["text": "x", "whole": 2]), Self.record("d", ["text": "y", "whole": 1]),
        ]
        let together = Self.schema(together: [["text", "whole"]])
        #expect(try await Self.outcomes(together, records) == ("done", "done"))
        let (here, there) = try await Self.outcomes(together, records + [Self.record("e", ["whole": 2, "text": "x"])])
        #expect(here == there && here.contains("record c has the same values"), "\(here); \(there)")
    }

    /// Of fields that are unique together, one that is not sent has the value that is stored.
    @Test func fieldsThatStayCountBesideThoseThatChange() async throws {
        let container = try ServerPlace().open()
        try container.setSchema(Self.schema(together: [["text", "whole"]]))
        let database = container.privateDatabase
        try await database.save(Self.record("a", ["text": "x", "whole": 1]))
        var changed = try await database.save(Self.record("b", ["text": "x", "whole": 2]))
        changed["whole"] = 1
        let taken = changed
        let error = await #expect(throws: DatabaseError.self) { try await database.save(taken) }
        #expect(error?.code == .constraintViolation)
        #expect(error?.reason.contains("record a has the same values") == true, "\(error?.reason ?? "")")
        changed["whole"] = 3
        try await database.save(changed)
    }

    @Test func demandsHoldFromThenOn() async throws {
        let place = try ServerPlace()
        let (first, second) = (try place.open(), try place.open())
        try first.setSchema(Self.schema())
        try await first.privateDatabase.save(Self.record("a", ["text": "x"]))
        // Savers of another process that do not know of the demand yet are held to it.
        let savers = Task {
            var saved = 0
            for number in 0..<40 {
                do {
                    try await second.privateDatabase.save(
                        Self.record("r\(number)", ["whole": .int64(Int64(number / 2))]))
                    saved += 1
                } catch let error as DatabaseError where error.code == .constraintViolation {}
            }
            return saved
        }
        let query = Query("T", "whole != nil")
        var isDemanded = false
        while !isDemanded {
            do throws(DatabaseError) {
                try first.setSchema(Self.schema(["whole": [.unique]]))
                isDemanded = true
            } catch {
                #expect(error.code == .constraintViolation)
                let found = try await first.privateDatabase.records(matching: query, in: .default)
                for record in found { try await first.privateDatabase.deleteRecord(withID: record.id) }
            }
        }
        _ = try await savers.value
        var seen: Set<Int64> = []
        for record in try await first.privateDatabase.records(matching: query, in: .default) {
            if case .int64(let number) = record["whole"] { #expect(seen.insert(number).inserted) }
        }
    }
}
