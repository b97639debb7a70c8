// What migrations leave alone: values that a step does not change, records that are gone, room that is not used.

import Foundation
import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import RecordDatabase

@Suite struct MigrationValueEdgesTests {
    private static let numbered = SchemaMigration("1") { $0.updateRecords(ofType: "T") { $0["n"] = 2 } }

    /// Two migrations of one name are a slip, though each could be made.
    @Test func namesOfMigrationsDiffer() async throws {
        let container = try Container(identifier: "test")
        let error = await fails(.invalidArguments) {
            try await container.migrate([
                SchemaMigration("1") { $0.addField("a", .init(.string), to: "T") },
                SchemaMigration("1") { $0.addField("b", .init(.string), to: "T") },
            ])
        }
        #expect(error?.reason == "two migrations have one name")
        #expect(container.schema.recordTypes["T"] == nil && container.schema.migrations == [])
    }

    /// An update is held to what it changes, and not to what was there before.
    @Test func referencesThatStayNeedNoTarget() async throws {
        let container = try Container(identifier: "test")
        try await container.privateDatabase.put(record("r", ["n": 1, "of": .reference(RecordReference("none"))]))
        var configuration = Configuration()
        configuration.requiresReferenceTargets = true
        let strict = try Container(sharing: container, account: .localUser, configuration: configuration)
        #expect(try await strict.migrate([Self.numbered]) == ["1"])
        let found = try await container.privateDatabase.record(for: Record.ID("r"))
        #expect(found["n"] == .int64(2) && found.fields.keys.sorted() == ["n", "of"])
    }

    /// Encrypted values stay as they are when other fields of their records are updated.
    @Test func encryptedValuesStayBesideUpdates() async throws {
        let world = try await World()
        var note = record("n", ["title": "a"], type: "Note")
        note.encryptedValues["text"] = "secret"
        try await world.mine.save(note)
        try await world.alice.migrate([SchemaMigration("1") { $0.updateRecords(ofType: "Note") { $0["title"] = "b" } }])
        let kept = try await world.mine.record(for: Record.ID("n"))
        #expect(kept["title"] == "b" && kept.encryptedValues["text"] == FieldValue("secret"))
    }

    /// Each record that is changed gets a change tag of its own.
    @Test func changeTagsDiffer() async throws {
        let container = try Container(identifier: "test")
        let (database, names) = (container.privateDatabase, ["a", "b", "c"])
        try await database.put(record("a", ["n": 1]), record("b", ["n": 1]), record("c", ["n": 1]))
        try await container.migrate([Self.numbered])
        var tags: Set<String> = []
        for name in names { tags.insert(try await database.record(for: Record.ID(name)).recordChangeTag ?? "") }
        #expect(tags.count == names.count)
    }

    /// Of a store that is all but full only what a migration adds counts, and not what it writes again.
    @Test func valuesThatStayNeedNoRoom() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        let records = (0..<10).map { number in
            record("r\(number)", ["n": 1, "text": .string(String(repeating: "\(number)", count: 12_000))])
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        let snapshot = try #require(try database.snapshot().records)
        var configuration = Configuration()
        configuration.limits.bytesPerStore = snapshot.segments.reduce(60_000) { $0 + $1.segment.byteCount }
        let full = try Container(sharing: container, account: .localUser, configuration: configuration)
        #expect(try await full.migrate([Self.numbered]) == ["1"])
        #expect(try database.snapshot().records(ofType: "T").count(matching: "n == 2") == 10)
    }

    // MARK: Deleted records

    /// Deleted rows lie beside others of their segment: they are not written again.
    @Test func deletedRecordsStayAway() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        let records = (0..<12).map { record("r\($0)", ["n": 1]) }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        for number in 0..<3 { try await database.deleteRecord(withID: Record.ID("r\(number)")) }
        #expect(try await container.migrate([Self.numbered]) == ["1"])
        let set = try database.snapshot().records(ofType: "T")
        #expect(try set.count == 9 && set.count(matching: "n == 2") == 9)
        #expect(!(await database.has("r0")))
    }

    /// What a reference of a deleted record led to says nothing of the path that a subscription follows.
    @Test func deletedRecordsLeadNowhere() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.put(
            record("acme", ["name": "Acme"], type: "Firm"), record("ann", ["name": "Ann"], type: "Person"))
        let cars = (0..<12).map { number in
            record("c\(number)", ["owner": .reference(RecordReference(number == 0 ? "ann" : "acme"))], type: "Car")
        }
        _ = try await database.modifyRecords(saving: cars, deleting: [])
        try await database.deleteRecord(withID: Record.ID("c0"))
        try await database.save(Subscription(recordType: "Car", predicate: "owner.name == 'Acme'", id: "s"))
        try await container.migrate([SchemaMigration("1") { $0.renameField("name", of: "Firm", to: "label") }])
        guard case .query(_, let predicate, _, _) = try await database.subscription(for: "s").subject else {
            Issue.record("the subscription is of another kind")
            return
        }
        #expect(predicate.description == "owner.label == \"Acme\"")
    }
}
