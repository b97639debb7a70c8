// Schemas that take away what the ones before had, as in memory.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct SchemaChangeTests {
    /// A schema of fields by type, each `a INT64`.
    private static func schema(_ types: [String: [String]]) throws -> ContainerSchema {
        let text = types.sorted { $0.key < $1.key }.map { name, fields in
            "RECORD TYPE \(name) (\(fields.map { $0 + " QUERYABLE" }.joined(separator: ", ")));"
        }
        return try ContainerSchema(text: "DEFINE SCHEMA " + text.joined(separator: " "))
    }

    private static let fields = [
        "a INT64", "d DOUBLE", "s STRING", "l LIST<INT64>", "p LOCATION", "t TIMESTAMP", "r REFERENCE",
    ]

    private static let records = [
        Record(type: "T", id: Record.ID("x"), fields: ["a": 1, "s": "text", "t": .null]),
        Record(type: "T", id: Record.ID("y", zoneID: RecordZone.ID("Z")), fields: ["d": .double(0.5)]),
        Record(type: "U", id: Record.ID("u"), fields: ["b": 1]),
    ]

    /// What a change of the schema is answered with, and what a query says then.
    private static func outcome(_ changed: ContainerSchema, _ container: Container) async throws -> String {
        let before = try schema(["T": fields, "U": ["b INT64"], "Empty": ["c STRING"]])
        try container.setSchema(before)
        let database = container.privateDatabase
        try await database.save(RecordZone(id: RecordZone.ID("Z")))
        for record in records { try await database.save(record) }
        try await database.save(
            Subscription(recordType: "T", predicate: "t == nil", id: "watch", options: [.firesOnRecordCreation]))
        let other = try Container(sharing: container, account: .user("_b0b"), configuration: Configuration())
        try await other.privateDatabase.save(Record(type: "T", id: Record.ID("other"), fields: ["l": [1, 2]]))
        do throws(DatabaseError) {
            try container.setSchema(changed)
        } catch {
            #expect(container.schema == before, "nothing is changed")
            return "\(error)"
        }
        #expect(container.schema.recordTypes["T"] == changed.recordTypes["T"])
        return try await database.records(matching: Query("T", "TRUEPREDICATE"), in: .all)
            .map { "\($0.id) \($0.fields.sorted { $0.key < $1.key })" }.joined(separator: "\n")
    }

    private static func without(_ field: Int) -> [String] {
        fields.enumerated().filter { $0.offset != field }.map(\.element)
    }

    @Test func whatHasNoValuesGoes() async throws {
        let fields = Self.fields
        let (others, empty) = (["b INT64"], ["c STRING"])
        var cases: [(types: [String: [String]], words: String?)] = fields.indices.map { number in
            let words: [Int: String] = [
                0: "field a of T must stay INT64", 1: "field d of T must stay DOUBLE",
                2: "field s of T must stay STRING",
                3: "field l of T must stay LIST<INT64>", 5: "subscription watch of _",
            ]
            return (["T": Self.without(number), "U": others, "Empty": empty], words[number])
        }
        cases += [
            (["T": fields, "U": others], nil),
            (["T": fields, "Empty": empty], "field b of U must stay INT64"),
            (["U": others, "Empty": empty], "field a of T must stay INT64"),
            (["T": Self.without(4) + ["p STRING"], "U": others], nil),
            (["T": Self.without(6) + ["r LIST<REFERENCE>"], "U": others, "New": empty], nil),
            (["T": Self.without(5) + ["t INT64"], "U": others], nil),
            (["T": Self.without(0) + ["a DOUBLE"], "U": others], "field a of T must stay INT64"),
        ]
        for (types, words) in cases {
            let schema = try Self.schema(types)
            let here = try await Self.outcome(schema, Container(identifier: "here"))
            let there = try await Self.outcome(schema, ServerPlace().open())
            #expect(there == here, "\(types)")
            if let words { #expect(there.contains(words), "\(types): \(there)") }
        }
    }

    /// The indexes of field `a`: other containers of the server have such a table, too.
    private static let isOfField = "schemaname = current_schema() AND tablename = 'r_T' AND indexname LIKE 'T.a~%'"

    @Test func fieldsComeBackAsOthers() async throws {
        let place = try ServerPlace()
        let (container, second) = (try place.open(), try place.open())
        let database = container.privateDatabase
        func check(_ field: String, _ value: FieldValue, _ predicate: RecordPredicate) async throws {
            try container.setSchema(Self.schema(["T": [field, "b INT64"]]))
            let saved = Record(type: "T", id: Record.ID("r"), fields: ["a": value, "b": 1])
            let result = try second.privateDatabase.modify(ModifyRequest(saves: [saved], policy: .allKeys))
            _ = try result.saves[0].result.get()
            for database in [database, second.privateDatabase] {
                #expect(try await database.count(matching: Query("T", predicate), in: .all) == 1)
            }
            let column = try place.number(
                "SELECT count(*) FROM pg_indexes WHERE \(Self.isOfField)")
            #expect((column ?? 0) > 0, "another type has an index of its own")
            var record = try await database.record(for: Record.ID("r"))
            record["a"] = .null
            try await database.save(record)
            try container.setSchema(Self.schema(["T": ["b INT64"]]))
            #expect(throws: DatabaseError.self) { try second.privateDatabase.countNow(Query("T", predicate), in: .all) }
        }
        for _ in 0..<2 {
            try await check("a INT64", 5, "a > 4")
            try await check("a STRING", "five", "a BEGINSWITH 'f'")
            try await check("a LIST<STRING>", ["five"], "'five' IN a")
        }
        let indexes = try place.number(
            "SELECT count(DISTINCT left(indexname, 5)) FROM pg_indexes WHERE \(Self.isOfField)")
        #expect(indexes == 3, "INT64, STRING, LIST<STRING>")
        try await database.deleteRecord(withID: Record.ID("r"))
        try container.setSchema(ContainerSchema())
        try await second.privateDatabase.save(Record(type: "T", id: Record.ID("r"), fields: ["a": .double(0.5)]))
        #expect(try await database.count(matching: Query("T", "a < 1"), in: .all) == 1)
    }
}
