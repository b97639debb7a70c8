// What errors of batches say: which record, which type and which limit is meant, and not another one.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct BatchMessageTests {
    private static func reference(_ name: String, in zone: RecordZone.ID = .default) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name, zoneID: zone), action: .deleteSelf))
    }

    /// The reason of the error that a call fails with.
    private static func reason(_ call: () async throws -> Any) async -> String? {
        do { _ = try await call() } catch { return (error as? DatabaseError)?.reason }
        return nil
    }

    @Test func usersAndRecordsOfOthersAreNotDeleted() async throws {
        let world = try await World()
        let user = try await world.alice.userRecordID()
        try await world.everyones.put(record("r"))
        for database in [world.mine, world.everyones] {
            let reason = await Self.reason { try await database.deleteRecord(withID: user) }
            #expect(reason == "user records cannot be deleted")
        }
        let reason = await Self.reason { try await world.bob.publicDatabase.deleteRecord(withID: Record.ID("r")) }
        #expect(reason == "the user may not delete record r")
    }

    /// The type that a record has is told apart from the one that was sent.
    @Test func typesThatDiffer() async throws {
        let world = try await World()
        try await world.mine.put(record("r"))
        let reason = await Self.reason { try await world.mine.save(record("r", type: "U")) }
        #expect(reason == "record r is of type T, not U")
    }

    /// The record that has too many holders is named, not the one that is refused.
    @Test func crowdedTargets() async throws {
        let world = try await World()
        let few = try world.client(World.alice) { $0.limits.ownersPerRecord = 1 }.privateDatabase
        try await few.put(record("t"), record("a", ["to": Self.reference("t")]))
        let reason = await Self.reason { try await few.save(record("b", ["to": Self.reference("t")])) }
        #expect(reason == "more than 1 records would be deleted with t")
    }

    /// The record that is not there is named, not the one that refers to it.
    @Test func missingTargets() async throws {
        let world = try await World()
        let reason = await Self.reason { try await world.mine.save(record("h", ["to": Self.reference("none")])) }
        #expect(reason == "a reference leads to record none, which does not exist")
    }

    /// The parent of those left is named, also where it would go with another record that was to be deleted.
    @Test func childrenThatWouldBeLeft() async throws {
        let world = try await World()
        let zone = world.zone
        var child = record("c", in: zone)
        child.setParent(world.own("p"))
        try await world.mine.put(
            record("q", in: zone), record("p", in: zone, ["to": Self.reference("q", in: zone)]), child)
        for name in ["p", "q"] {
            let reason = await Self.reason { try await world.mine.deleteRecord(withID: world.own(name)) }
            #expect(reason == "record p has children that would be left behind", "\(name)")
        }
    }

    /// A record and a batch have limits of their own.
    @Test func sizes() async throws {
        func bytes(_ count: Int) -> [String: FieldValue] { ["d": .data(Data(count: count))] }
        let world = try await World()
        let small = try world.client(World.alice) {
            ($0.limits.bytesPerRecord, $0.limits.bytesPerRequest) = (20, 30)
        }.privateDatabase
        let single = await Self.reason { try await small.save(record("a", bytes(21))) }
        #expect(single == "the fields of the record have more than 20 bytes")
        let stored = await Self.reason {
            try await small.put(record("b", bytes(15)))
            var more = try await small.record(for: Record.ID("b"))
            more["e"] = .data(Data(count: 6))
            return try await small.save(more)
        }
        #expect(stored == "the fields of the record have more than 20 bytes")
        let batch = await Self.reason {
            try await small.modifyRecords(
                saving: ["c", "d"].map { record($0, bytes(16)) }, deleting: [])
        }
        #expect(batch == "the fields of the batch have more than 30 bytes")
    }

    /// Of two equal values of one batch, the error of the second names the first.
    @Test func valuesThatAnotherItemHas() async throws {
        let world = try await World()
        var type = ContainerSchema.RecordType()
        type.define("u", ContainerSchema.Field(.int64, traits: .unique))
        try world.alice.setSchema(ContainerSchema(recordTypes: ["T": type]))
        let items = [record("d", ["u": 1]), record("e", ["u": 2]), record("f", ["u": 1])]
        let saves = try world.mine.modify(ModifyRequest(saves: items, isAtomic: false)).saves
        let reasons = saves.map { $0.result.failure?.reason }
        #expect(reasons == [nil, nil, "field u of T is UNIQUE, and record d has the same value"])
    }
}
