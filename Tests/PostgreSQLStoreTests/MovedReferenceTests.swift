// References that migrations move on servers: records go with their new owners, and no more with the old ones.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct MovedReferenceTests {
    private static func owner(_ name: String) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name), action: .deleteSelf))
    }

    /// What a migration gave to another owner is left when the first one goes.
    @Test func recordsGoWithTheOwnersThatAMigrationGaveThem() async throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        let database = container.privateDatabase
        let street = Record(type: "Street", id: Record.ID("s"), fields: ["of": Self.owner("a")])
        let towns = ["a", "b"].map { Record(type: "Town", id: Record.ID($0), fields: ["n": 1]) }
        _ = try await database.modifyRecords(saving: towns + [street], deleting: [])
        let moved = SchemaMigration("1") { $0.updateRecords(ofType: "Street") { $0["of"] = Self.owner("b") } }
        try await container.migrate([moved])
        try await database.deleteRecord(withID: Record.ID("a"))
        #expect(try await database.record(for: street.id).fields == ["of": Self.owner("b")])
        try await database.deleteRecord(withID: Record.ID("b"))
        await #expect(throws: DatabaseError.self) { try await database.record(for: street.id) }
    }
}
