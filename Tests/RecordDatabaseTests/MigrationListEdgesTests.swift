// Lists of migrations at their edges: the order of those that were made, and values of nil that an update gives.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct MigrationListEdgesTests {
    private static func adding(_ names: [String]) -> [SchemaMigration] {
        names.map { name in
            SchemaMigration(name) { $0.addField("f" + name, ContainerSchema.Field(.int64), to: "T") }
        }
    }

    /// Every migration that was made stands before those that were not, each in its place.
    @Test(arguments: [["1", "3", "2"], ["3", "1", "2"], ["2", "1"], ["3", "2"]])
    func whatWasMadeComesFirst(_ names: [String]) async throws {
        let container = try Container(identifier: "test")
        #expect(try await container.migrate(Self.adding(["1", "2"])) == ["1", "2"])
        let error = await fails(.invalidArguments) { try await container.migrate(Self.adding(names)) }
        #expect(error?.reason == "migrations were made in another order: 1, 2")
        #expect(container.schema.migrations == ["1", "2"])
        #expect(container.schema.recordTypes["T"]?.fields.keys.sorted() == ["f1", "f2"])
        // Those at the beginning may be left out.
        #expect(try await container.migrate(Self.adding(["2", "3"])) == ["3"])
    }

    /// What an update sets to nil is no value: it needs no field, and no name that a field can have.
    @Test func valuesOfNilNeedNoField() async throws {
        let container = try Container(identifier: "test")
        try await container.privateDatabase.put(record("r", ["n": 1, "m": 1]))
        let migration = SchemaMigration("1") { change in
            change.updateRecords(ofType: "T") { fields in
                fields["1"] = FieldValue.null
                fields["m"] = FieldValue.null
                fields["n"] = 2
            }
        }
        #expect(try await container.migrate([migration]) == ["1"])
        #expect(try await container.privateDatabase.record(for: Record.ID("r")).fields == ["n": 2])
        #expect(container.schema.recordTypes["T"]?.fields.keys.sorted() == ["m", "n"])
    }
}
