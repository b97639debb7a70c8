// How often the bodies of `write` have servers read, and that what they save rests on what is stored.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct TransactionReadTests {
    /// A container with the records `a` and `b`, each with two fields.
    private struct Scene {
        let server: CountingServer
        let container: Container
        var database: Database { container.privateDatabase }

        init() throws {
            (server, container) = try ServerPlace().open(behind: { CountingServer($0) })
            for name in ["a", "b"] {
                try database.save(
                    Record(type: "T", id: Record.ID(name), fields: ["n": 1, "other": .string(name)]), on: container)
            }
            // A field for references, and its column, before anything is counted.
            var first = Record(type: "T", id: Record.ID("c"))
            first["owner"] = .reference(RecordReference(recordID: Record.ID("a"), action: .deleteSelf))
            try database.save(first, on: container)
        }

        /// How often a body had the server read.
        func reads(_ body: @escaping @Sendable (DatabaseTransaction) throws -> Void) async throws -> Int {
            let before = server.reads
            try await database.write(body)
            return server.reads - before
        }
    }

    private static let (a, b) = (Record.ID("a"), Record.ID("b"))

    @Test func recordsThatABodyReadAreNotReadAgain() async throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let (a, b) = (Self.a, Self.b)
        let one = try await scene.reads { transaction in
            var record = try transaction.record(for: a)
            record["n"] = 2
            try transaction.save(record)
        }
        let both = try await scene.reads { transaction in
            for id in [a, b] {
                var record = try transaction.record(for: id)
                record["n"] = (record["n"] ?? 0) + 10
                try transaction.save(record)
            }
        }
        #expect(one == 1 && both == 2)
        let found = try scene.database.fetch([a, b])
        let records = try [a, b].map { try #require(found[$0]).get() }
        #expect(records.map { $0["n"] } == [12, 11] && records.map { $0["other"] } == ["a", "b"])
    }

    @Test func whatElseACommitDependsOnIsRead() async throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let (a, b) = (Self.a, Self.b)
        let withNew = try await scene.reads { transaction in
            var record = try transaction.record(for: a)
            record["n"] = 3
            try transaction.save(record)
            try transaction.save(Record(type: "T", id: Record.ID("new"), fields: ["n": 1]))
        }
        let withTarget = try await scene.reads { transaction in
            var record = try transaction.record(for: b)
            record["owner"] = .reference(RecordReference(recordID: a, action: .deleteSelf))
            try transaction.save(record)
        }
        #expect(withNew == 2 && withTarget == 2)
        // What was found by a query may be of other servers.
        let found = try await scene.reads { transaction in
            try transaction.updateAll("T", where: "n == 3") { $0["n"] = 4 }
        }
        #expect(found == 2)
        // Those that refer to it go with the record.
        _ = try await scene.reads { transaction in
            _ = try transaction.record(for: a)
            transaction.deleteRecord(withID: a)
        }
        let left = try scene.database.fetch(["a", "b", "c", "new"].map { Record.ID($0) })
        let names = left.compactMap { id, result in (try? result.get()) == nil ? nil : id.recordName }
        #expect(names == ["new"])
    }

    @Test func whatATransactionChangedIsFoundBehindReferences() throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        let (database, town, street) = (container.privateDatabase, Record.ID("town"), Record.ID("street"))
        try database.save(Record(type: "Town", id: town, fields: ["name": "A"]), on: container)
        let reference = FieldValue.reference(RecordReference(recordID: town))
        try database.save(
            Record(type: "Street", id: street, fields: ["town": reference, "lamps": 0]), on: container)
        let renamed = try database.writeNow { transaction in
            var record = try transaction.record(for: town)
            record["name"] = "B"
            try transaction.save(record)
            let before = try transaction.updateAll("Street", where: "town.name == 'A'") { $0["lamps"] = 1 }
            let after = try transaction.updateAll("Street", where: "town.name == 'B'") { $0["lamps"] = 2 }
            return [before, after]
        }
        #expect(renamed == [0, 1])
        #expect(try #require(try database.fetch([street])[street]).get()["lamps"] == 2)
        let deleted = try database.writeNow { transaction in
            transaction.deleteRecord(withID: town)
            return try transaction.deleteAll("Street", where: "town.name == nil")
        }
        #expect(deleted == 1)
        let left = try database.fetch([street])[street].flatMap { try? $0.get() }
        #expect(left == nil)
    }

    @Test func aRecordThatWasFetchedBeforeIsNotTakenForTheStoredOne() async throws {
        let scene = try Scene()
        defer { scene.container.close() }
        let a = Self.a
        let stale = try #require(try scene.database.fetch([a])[a]).get()
        _ = try await scene.reads { transaction in
            var record = try transaction.record(for: a)
            record["n"] = 5
            try transaction.save(record)
        }
        let error = await #expect(throws: DatabaseError.self) {
            try await scene.database.write { transaction in
                _ = try transaction.record(for: a)
                var record = stale
                record["n"] = 6
                try transaction.save(record)
            }
        }
        #expect(error?.code == .serverRecordChanged)
        #expect(try #require(try scene.database.fetch([a])[a]).get()["n"] == 5)
    }
}

/// Passes calls on to a server, and counts what bodies read within commits.
private final class CountingServer: PassingServer {
    let base: any RecordServer
    private let count = Count()

    fileprivate final class Count: Sendable { let reads = Mutex(0) }

    init(_ base: any RecordServer) { self.base = base }

    var reads: Int { count.reads.withLock { $0 } }

    func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        try base.write(origin, need) { moment, reading throws(DatabaseError) in
            try body(moment, CountedReading(base: reading, count: count))
        }
    }
}

private struct CountedReading: ServerReading {
    let base: any ServerReading
    let count: CountingServer.Count

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        count.reads.withLock { $0 += 1 }
        return try base.read(need)
    }
}
