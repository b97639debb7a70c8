// Records that a transaction takes away with another one: they are gone as soon as that is deleted.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct TransactionCascadeTests {
    /// A record that goes with another one.
    private static func held(_ name: String, by target: String) -> Record {
        record(name, ["n": 1, "of": reference(target)])
    }

    private static func reference(_ target: String) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(target), action: .deleteSelf))
    }

    /// A record `t`, one that goes with it, and one that goes with that; and two others.
    private static func database() async throws -> Database {
        let database = try Container(identifier: "test").privateDatabase
        try await database.put(
            record("t"), held("h", by: "t"), held("g", by: "h"), record("p"), held("o", by: "p"))
        return database
    }

    /// The error of each record, if any, when a transaction is asked for it.
    private static func codes(_ names: [String], _ transaction: DatabaseTransaction) -> [DatabaseError.Code?] {
        names.map { name in
            Result { () throws(DatabaseError) in try transaction.record(for: Record.ID(name)) }.failure?.code
        }
    }

    /// With a record go those that refer to it, step by step, and no others.
    @Test func whatGoesAlongIsUnknown() async throws {
        let database = try await Self.database()
        let names = ["t", "h", "g", "p", "o"]
        let codes = try await database.write { transaction -> [[DatabaseError.Code?]] in
            let before = Self.codes(names, transaction)
            transaction.deleteRecord(withID: Record.ID("t"))
            return [before, Self.codes(names, transaction)]
        }
        #expect(codes == [[nil, nil, nil, nil, nil], [.unknownItem, .unknownItem, .unknownItem, nil, nil]])
        #expect(try database.snapshot().records(ofType: "T").count == 2)
    }

    /// A child that refers to its parent goes with it, too.
    @Test func childrenThatGoAlongAreUnknown() async throws {
        let database = try await Self.database()
        var child = Self.held("c", by: "t")
        child.setParent(Record.ID("t"))
        try await database.put(child)
        let codes = try await database.write { transaction -> [DatabaseError.Code?] in
            transaction.deleteRecord(withID: Record.ID("t"))
            return Self.codes(["c", "o"], transaction)
        }
        #expect(codes == [.unknownItem, nil])
        #expect(await !database.has("c"))
    }

    /// What the transaction saved before goes along as well, be it new or not.
    @Test func whatWasSavedBeforeIsUnknown() async throws {
        let database = try await Self.database()
        let codes = try await database.write { transaction -> [DatabaseError.Code?] in
            var holder = try transaction.record(for: Record.ID("h"))
            holder["n"] = 2
            for saved in [holder, Self.held("new", by: "h"), record("free")] { try transaction.save(saved) }
            transaction.deleteRecord(withID: Record.ID("t"))
            return Self.codes(["h", "new", "free"], transaction)
        }
        #expect(codes == [.unknownItem, .unknownItem, nil])
        for (name, isThere) in [("h", false), ("new", false), ("free", true)] {
            #expect(await database.has(name) == isThere, "\(name)")
        }
    }

    /// What refers to another record by then stays, and what goes with it.
    @Test func whatRefersToAnotherStays() async throws {
        let database = try await Self.database()
        let codes = try await database.write { transaction -> [DatabaseError.Code?] in
            var holder = try transaction.record(for: Record.ID("h"))
            holder["of"] = Self.reference("p")
            try transaction.save(holder)
            transaction.deleteRecord(withID: Record.ID("t"))
            return Self.codes(["t", "h", "g"], transaction)
        }
        #expect(codes == [.unknownItem, nil, nil])
        for name in ["h", "g"] { #expect(await database.has(name), "\(name)") }
    }

    private struct Abandoned: Error {}

    /// What goes along may do so over a record that the user may not read; what may not be read is told as that.
    @Test func chainsLeadOverOthersRecords() async throws {
        let world = try await World()
        let bobs = world.bob.publicDatabase
        try await bobs.put(record("t"))
        try await world.everyones.put(record("s", ["of": Self.reference("t")], type: "Secret"), Self.held("h", by: "s"))
        var schema = world.alice.schema
        schema.recordTypes["Secret"]?.grants = [ContainerSchema.creatorRole: [.read]]
        try world.alice.setSchema(schema)
        await #expect(throws: Abandoned.self) {
            try await bobs.write { transaction in
                #expect(Self.codes(["s", "h"], transaction) == [.permissionFailure, nil])
                transaction.deleteRecord(withID: Record.ID("t"))
                #expect(Self.codes(["s", "h", "t"], transaction) == [.permissionFailure, .unknownItem, .unknownItem])
                throw Abandoned()
            }
        }
    }
}
