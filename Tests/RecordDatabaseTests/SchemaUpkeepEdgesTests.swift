// What a schema keeps when it changes: migrations that were made, and no demand of a field that went.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SchemaUpkeepEdgesTests {
    /// A schema that is set says nothing of migrations: what was made stays made.
    @Test func migrationsOutliveTheirSchema() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.put(record("r", ["n": 1]))
        let migration = SchemaMigration("next") { change in
            change.updateRecords(ofType: "T") { $0["n"] = $0["n"] == 1 ? 2 : 3 }
        }
        #expect(try await container.migrate([migration]) == ["next"])
        var schema = try ContainerSchema(text: container.schema.text)
        schema.recordTypes["U"] = ContainerSchema.RecordType(fields: ["b": ContainerSchema.Field(.string)])
        #expect(schema.migrations.isEmpty)
        try container.setSchema(schema)
        #expect(container.schema.recordTypes["U"] != nil && container.schema.migrations == ["next"])
        #expect(try await container.migrate([migration]) == [])
        #expect(try await database.record(for: Record.ID("r")).fields == ["n": 2])
    }

    /// Of a field that went nothing is demanded, where taking it away was the last step.
    @Test func fieldsThatWentAreNotDemanded() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        var schema = container.schema
        schema.recordTypes["T"] = ContainerSchema.RecordType(fields: [
            "a": ContainerSchema.Field(.int64), "b": ContainerSchema.Field(.string, traits: [.unique, .required]),
        ])
        try container.setSchema(schema)
        try await database.put(record("r", ["a": 1, "b": "x"]))
        #expect(try await container.migrate([SchemaMigration("1") { $0.dropField("b", of: "T") }]) == ["1"])
        let type = try #require(container.schema.recordTypes["T"])
        #expect(type.fields.keys.sorted() == ["a"] && type.requiredKeys.isEmpty && type.uniqueKeys.isEmpty)
        try await database.put(record("s", ["a": 2]))
        #expect(try await database.record(for: Record.ID("s")).fields == ["a": 2])
    }

    /// The record that has a value already is the one that is named, whatever records without a value came before.
    @Test func theOneThatHasTheValueIsNamed() throws {
        var known = UniqueValues(of: ["b"], "T")
        let values: [(name: String, value: FieldValue)] = [("none", .null), ("a", "x"), ("neither", .null), ("c", "y")]
        for (name, value) in values { try known.add([value], Record.ID(name)) }
        for (value, holder) in [("x", "a"), ("y", "c")] as [(FieldValue, String)] {
            let error = #expect(throws: DatabaseError.self) { try known.add([value], Record.ID("new")) }
            #expect(error?.reason == "field b of T is UNIQUE, and record \(holder) has the same value")
        }
    }
}
