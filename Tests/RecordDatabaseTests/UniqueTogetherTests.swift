// UNIQUE (a, b): fields whose values are unique together, checked by every way to save.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import Campaigns
@testable import RecordDatabase

@Suite struct UniqueTogetherTests {
    private static let schema = """
        DEFINE SCHEMA
            RECORD TYPE File (
                folder REFERENCE QUERYABLE,
                name   STRING QUERYABLE,
                size   INT64,
                UNIQUE (folder, name)
            );
        """
    private static let zoneID = RecordZone.ID("Other")

    private func container(_ folder: TemporaryFolder? = nil) async throws -> Container {
        let container =
            try folder.map { try Container(identifier: "test", storedAt: $0.url) } ?? Container(identifier: "test")
        try container.setSchema(ContainerSchema(text: Self.schema))
        _ = try await container.privateDatabase.modifyRecordZones(
            saving: [RecordZone(id: Self.zoneID)], deleting: [])
        return container
    }

    private static func file(_ id: String, _ folder: String?, _ name: String?) -> Record {
        Record(
            type: "File", id: Record.ID(id),
            fields: [
                "folder": folder.map { .reference(RecordReference(recordID: Record.ID($0))) } ?? .null,
                "name": name.map { .string($0) } ?? .null,
            ])
    }

    // MARK: Saves

    @Test func aSecondRecordWithTheValuesIsRejected() async throws {
        let database = try await container().privateDatabase
        try await database.save(Self.file("a", "home", "notes"))
        let error = await #expect(throws: DatabaseError.self) {
            try await database.save(Self.file("b", "home", "notes"))
        }
        #expect(error?.code == .constraintViolation)
        #expect(error?.reason == "fields folder, name of File are UNIQUE together, and record a has the same values")
        // One of the values alone may be the same, and what lacks a value is like no other.
        for (id, folder, name) in [
            ("c", "home", "todo"), ("d", "work", "notes"), ("e", nil, "notes"), ("f", nil, "notes"),
            ("g", "home", nil), ("h", "home", nil),
        ] { try await database.save(Self.file(id, folder, name)) }
        // A change of one field is compared with the other one as it is stored.
        var moved = try await database.record(for: Record.ID("d"))
        moved["folder"] = .reference(RecordReference(recordID: Record.ID("home")))
        let changed = moved
        await #expect(throws: DatabaseError.self) { try await database.save(changed) }
        // In all zones, and free again once the other one is gone.
        let elsewhere = Record(
            type: "File", id: Record.ID("x", zoneID: Self.zoneID), fields: ["name": "n", "folder": .null])
        try await database.save(elsewhere)
        try await database.deleteRecord(withID: Record.ID("a"))
        try await database.save(changed)
    }

    @Test func zonesShareTheirValues() async throws {
        let container = try await container()
        try container.setSchema(
            ContainerSchema(text: "DEFINE SCHEMA RECORD TYPE T (UNIQUE (a, b), a INT64, b STRING QUERYABLE);"))
        let database = container.privateDatabase
        func record(_ zone: RecordZone.ID, _ a: Int64) -> Record {
            Record(type: "T", id: Record.ID("r\(a)", zoneID: zone), fields: ["a": .int64(a), "b": "x"])
        }
        try await database.save(record(.default, 1))
        try await database.save(record(Self.zoneID, 2))
        await #expect(throws: DatabaseError.self) { try await database.save(record(Self.zoneID, 1)) }
    }

    @Test func batchesTransactionsAndImportsAreChecked() async throws {
        let database = try await container().privateDatabase
        let two = ["d", "e"].map { Self.file($0, "home", "same") }
        let results = try await database.modifyRecords(saving: two, deleting: [], atomically: false)
        #expect(throws: Never.self) { try results.saveResults[Record.ID("d")]?.get() }
        #expect(throws: DatabaseError.self) { try results.saveResults[Record.ID("e")]?.get() }
        // Values may be exchanged within a transaction.
        try await database.save(Self.file("f", "home", "other"))
        try await database.write { transaction in
            for (id, name) in [("d", "other"), ("f", "same")] {
                var record = try transaction.record(for: Record.ID(id))
                record["name"] = .string(name)
                try transaction.save(record)
            }
        }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in
                for id in ["g", "h"] { try transaction.save(Self.file(id, "work", "same")) }
            }
        }
        #expect(error?.code == .constraintViolation)
        let set = try RecordSet(records: (0..<1200).map { Self.file("i\($0)", "f\($0 % 30)", "n\($0 % 31)") })
        let failed = await #expect(throws: DatabaseError.self) { try await database.import(set) }
        #expect(failed?.code == .partialFailure && failed?.partialErrors.count == 1200 - 930)
    }

    // MARK: Schema

    @Test func listsAreWrittenAndStored() async throws {
        let folder = TemporaryFolder()
        let container = try await container(folder)
        let text = container.schema.text
        #expect(text.contains("        UNIQUE (folder, name)"))
        #expect(try ContainerSchema(text: text) == container.schema)
        try await container.privateDatabase.save(Self.file("a", "home", "x"))
        container.close()
        let again = try Container(identifier: "test", storedAt: folder.url)
        #expect(again.schema.text == text)
        await #expect(throws: DatabaseError.self) {
            try await again.privateDatabase.save(Self.file("b", "home", "x"))
        }
        again.close()
    }

    @Test(arguments: [
        ("a INT64, UNIQUE (a)", "two different fields"), ("a INT64, UNIQUE (a, a)", "two different fields"),
        ("a INT64, b BYTES, UNIQUE (a, b)", "field b cannot be in UNIQUE (a, b)"),
        ("a INT64, b ENCRYPTED STRING, UNIQUE (a, b)", "field b cannot be in UNIQUE (a, b)"),
        ("alpha INT64, b INT64, UNIQUE (b, alpa)", "there is no field alpa for UNIQUE (b, alpa)"),
        ("a INT64, b INT64, UNIQUE (a, b), UNIQUE (b, a)", "UNIQUE (b, a) appears twice"),
        ("a INT64, UNIQUE (a", "expected , or )"), ("a INT64, UNIQUE ()", "the name of a field"),
    ])
    func wrongListsAreRejected(_ parts: String, _ message: String) throws {
        let error = #expect(throws: SyntaxError.self) {
            try ContainerSchema(text: "DEFINE SCHEMA RECORD TYPE T (\(parts));")
        }
        #expect(error?.message.contains(message) == true, "\(error.map(String.init(describing:)) ?? "")")
    }

    @Test func aListOfTheAPIIsChecked() throws {
        let container = try Container(identifier: "test")
        var schema = container.schema
        schema.recordTypes["T"] = ContainerSchema.RecordType(
            fields: ["alpha": .init(.string), "beta": .init(.int64)], uniqueTogether: [["alpha", "betta"]])
        let wrong = schema
        let error = #expect(throws: DatabaseError.self) { try container.setSchema(wrong) }
        #expect(error?.reason == "type T: there is no field betta for UNIQUE (alpha, betta)")
        #expect(error?.hint == "did you mean beta?")
        schema.recordTypes["T"]?.uniqueTogether = [["alpha", "beta"]]
        try container.setSchema(schema)
        #expect(container.schema.text.contains("UNIQUE (alpha, beta)"))
    }

    @Test func storedRecordsAreCheckedWhenAListIsNew() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        for (id, a, b) in [("x", 1, 1), ("y", 1, 2), ("z", 1, 1)] as [(String, Int64, Int64)] {
            try await database.save(
                Record(type: "T", id: Record.ID(id), fields: ["a": .int64(a), "b": .int64(b)]))
        }
        let migration = SchemaMigration("1 unlike") { $0.setUniqueTogether([["a", "b"]], in: "T") }
        let error = await #expect(throws: DatabaseError.self) { try await container.migrate([migration]) }
        #expect(error?.code == .constraintViolation && error?.reason.contains("fields a, b of T") == true)
        try await database.deleteRecord(withID: Record.ID("z"))
        try await container.migrate([migration])
        await #expect(throws: DatabaseError.self) {
            try await database.save(Record(type: "T", id: Record.ID("w"), fields: ["a": 1, "b": 2]))
        }
        // A renamed field stays in the list; one that goes has to be taken out before.
        let dropped = SchemaMigration("3 drop") { $0.dropField("b", of: "T") }
        let renamed = SchemaMigration("2 rename") { $0.renameField("a", of: "T", to: "c") }
        await #expect(throws: DatabaseError.self) { try await container.migrate([migration, renamed, dropped]) }
        #expect(container.schema.recordTypes["T"]?.uniqueTogether == [["c", "b"]])
        // What a migration makes of records is checked, too.
        let updated = SchemaMigration("3 equal") { $0.updateRecords(ofType: "T") { $0["b"] = 7 } }
        let equal = await #expect(throws: DatabaseError.self) {
            try await container.migrate([migration, renamed, updated])
        }
        #expect(equal?.code == .constraintViolation)
        try await container.migrate([
            migration, renamed,
            SchemaMigration("3 free") {
                $0.setUniqueTogether([], in: "T")
                $0.dropField("b", of: "T")
            },
        ])
    }

    // MARK: At random

    private struct Key: Hashable {
        let folder: Int
        let name: Int
    }

    private static func record(_ number: Int, _ key: Key) -> Record {
        file("x\(number)", "f\(key.folder)", "n\(key.name)")
    }

    /// Random transactions beside a model: the same are accepted, in segments with and without indexes.
    @Test(arguments: [1, 2] as [UInt64])
    func randomTransactionsAreAcceptedAsAModelSays(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let database = try await container().privateDatabase
        var model: [Int: Key] = [:]
        for number in 0..<600 { model[number] = Key(folder: number % 25, name: number / 25) }
        try await database.write { [model] transaction in
            for (number, key) in model { try transaction.save(Self.record(number, key)) }
        }
        var accepted = 0
        for _ in 0..<150 {
            var changes: [Int: Key] = [:]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changes[Int.random(in: 0..<620, using: &random)] = Key(
                    folder: Int.random(in: 0..<30, using: &random), name: Int.random(in: 0..<30, using: &random))
            }
            let next = model.merging(changes) { $1 }
            let isLegal = Set(next.values).count == next.count
            let isSaved: Bool
            do {
                try await database.write { [changes] transaction in
                    for (number, key) in changes {
                        var saved = (try? transaction.record(for: Record.ID("x\(number)"))) ?? Self.record(number, key)
                        for (field, value) in Self.record(number, key).fields { saved[field] = value }
                        try transaction.save(saved)
                    }
                }
                isSaved = true
            } catch {
                #expect((error as? DatabaseError)?.code == .constraintViolation)
                isSaved = false
            }
            #expect(isSaved == isLegal)
            if isSaved { (model, accepted) = (next, accepted + 1) }
        }
        #expect(accepted > 10 && accepted < 140)
        #expect(try database.snapshot().records(ofType: "File").count == model.count)
    }
}
