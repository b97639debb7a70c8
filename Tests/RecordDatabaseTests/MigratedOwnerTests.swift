// Records that a migration takes from their owners: they do not go with them any more.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct MigratedOwnerTests {
    @Test func whatHasNoOwnerAnyMoreStays() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.put(record("owner", ["n": 1], type: "Owner"))
        let owner = FieldValue.reference(RecordReference("owner", action: .deleteSelf))
        try await database.put(record("held", ["owner": owner, "n": 1]))
        #expect(try await container.migrate([SchemaMigration("1") { $0.dropField("owner", of: "T") }]) == ["1"])
        try await database.deleteRecord(withID: Record.ID("owner"))
        #expect(!(await database.has("owner")))
        #expect(await database.has("held"))
    }
}
