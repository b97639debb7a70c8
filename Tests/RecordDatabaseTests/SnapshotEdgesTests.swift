// Snapshots and transactions at their edges: who may read what, and reads after nothing but deletions.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SnapshotEdgesTests {
    /// A snapshot gives nobody a record that the database does not give them.
    @Test func aSnapshotKeepsRights() async throws {
        let world = try await World()
        try await world.everyones.put(record("p", ["n": 1]))
        #expect(try world.bob.publicDatabase.snapshot().record(for: Record.ID("p"))["n"] == 1)
        // What the database keeps about users is no record of theirs.
        #expect(try world.everyones.snapshot().allRecords().count == 1)
        var schema = world.alice.schema
        schema.recordTypes["T"]?.grants = [ContainerSchema.creatorRole: [.read, .write]]
        try world.alice.setSchema(schema)
        #expect(try world.everyones.snapshot().record(for: Record.ID("p"))["n"] == 1)
        await fails(.permissionFailure) { try world.bob.publicDatabase.snapshot().record(for: Record.ID("p")) }
        for database in [world.everyones, world.bob.publicDatabase] {
            await fails(.permissionFailure) { try database.snapshot().allRecords() }
        }
        // Rights of types are those of the public database.
        try await world.mine.put(record("own", ["n": 1]))
        #expect(try world.mine.snapshot().allRecords().count == 1)
    }

    /// A transaction that has only deleted so far sees that.
    @Test func deletionsAloneAreSeen() async throws {
        let world = try await World()
        try await world.mine.put(record("r", ["n": 1]), record("s", ["n": 2]))
        let counts = try await world.mine.write { transaction in
            transaction.deleteRecord(withID: Record.ID("r"))
            let first = try transaction.records(ofType: "T").count
            #expect(try transaction.deleteAll("T", where: "n == 1") == 0)
            #expect(try transaction.deleteAll("T", where: "n == 2") == 1)
            return [first, try transaction.records(ofType: "T").count]
        }
        #expect(counts == [1, 0])
        #expect(try world.mine.snapshot().records(ofType: "T").count == 0)
    }
}
