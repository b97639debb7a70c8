// Schemas that grow and change: names that are not allowed, marks that do not suit a new type, and full records.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SchemaGrowthEdgesTests {
    /// Fields that a Swift type declares and no record has are defined as far as their names are allowed.
    @Test func declaredFieldsHaveLegalNames() throws {
        var draft = SchemaDraft(ContainerSchema(), environment: .development, maximumNameLength: 14)
        let declared: [String: FieldType] = [
            "four": .int64, "fifteen_letters": .string, "_n": .string, "a b": .string, "cloudkit.title": .string,
        ]
        let check = ValueCheck(zoneID: .default, userName: "u")
        let stored = try draft.stored([:], ofType: "T", declared: declared, check)
        #expect(stored.isEmpty)
        #expect(draft.schema.recordTypes["T"]?.fields.mapValues(\.type) == ["four": .int64])
    }

    /// Of what files have, a schema takes what a database can hold under its name.
    @Test func learnedNamesAreLegal() {
        let fields = ["n", "_n", "recordID", "a b"].map { FieldDefinition(name: $0, type: .int64) }
        var schema = ContainerSchema()
        let isNew = schema.define(
            [RecordSchema(recordType: "T", fields: fields), RecordSchema(recordType: "_T", fields: fields)], except: [])
        #expect(isNew)
        #expect(schema.recordTypes.keys.sorted() == ["T", "Users"])
        #expect(schema.recordTypes["T"]?.fields.keys.sorted() == ["n"])
    }

    private typealias Traits = ContainerSchema.Traits

    private static let numbers: [(traits: Traits, type: FieldType, expected: Traits)] = [
        ([.number], .string, []), ([.number], .int64, []), ([.number, .required], .date, [.required]),
        ([.number, .unique], .string, [.unique]), ([.number, .unique], .list(.double), []),
    ]

    /// A field that gets another type is no NUMBER any more.
    @Test(arguments: numbers.indices) func numbersThatGetATypeOfTheirOwn(_ number: Int) throws {
        let (traits, type, expected) = Self.numbers[number]
        let field = ContainerSchema.Field(.double, traits: traits)
        var schema = ContainerSchema(recordTypes: ["T": ContainerSchema.RecordType(fields: ["f": field])])
        let migration = SchemaMigration("1") { $0.retypeField("f", of: "T", to: type) }
        for step in migration.steps { try step.apply(to: &schema) }
        #expect(schema.recordTypes["T"]?.fields["f"]?.type == type)
        #expect(schema.recordTypes["T"]?.fields["f"]?.traits == expected)
        #expect(!schema.text.contains("NUMBER"))
    }

    /// A migration may fill a record to the last byte, and not beyond.
    @Test func recordsMayBeFull() async throws {
        func filling(_ bytes: Int) -> SchemaMigration {
            SchemaMigration("\(bytes)") { change in
                change.updateRecords(ofType: "T") { $0["a"] = .string(String(repeating: "y", count: bytes)) }
            }
        }
        var configuration = Configuration()
        configuration.limits.bytesPerRecord = 100
        let container = try Container(identifier: "test", configuration: configuration)
        try await container.privateDatabase.save(record("r", ["a": "short"]))
        #expect(try await container.migrate([filling(100)]) == ["100"])
        await fails(.invalidArguments) { try await container.migrate([filling(100), filling(101)]) }
    }
}
