// Batches where items fail, refer to each other, or are as large as they may be.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct BatchEdgeTests {
    private static func reference(_ name: String, in zone: RecordZone.ID) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name, zoneID: zone), action: .deleteSelf))
    }

    /// A record below another one of its zone.
    private static func child(
        _ name: String, of parent: String, in zone: RecordZone.ID, _ fields: [String: FieldValue] = [:]
    ) -> Record {
        var child = record(name, in: zone, fields)
        child.setParent(Record.ID(parent, zoneID: zone))
        return child
    }

    // MARK: References

    /// The zone of a parent may have its owner's name.
    @Test func parentsInZonesThatAreNamedByTheirOwner() async throws {
        let world = try await World()
        let parent = Record.ID("p", zoneID: world.zone)
        try await world.mine.put(record("p", in: world.zone))
        var child = record("c", in: world.zone)
        child.setParent(Record.ID("p", zoneID: RecordZone.ID(world.zone.zoneName, ownerName: World.alice)))
        #expect(try await world.mine.put(child)[0].parent?.recordID == parent)
        #expect(try await world.mine2.record(for: child.id).parent?.recordID == parent)
        await fails(.referenceViolation) { try await world.mine.deleteRecord(withID: parent) }
        _ = try await world.mine.modifyRecords(saving: [], deleting: [child.id])
        try await world.mine.deleteRecord(withID: parent)
    }

    /// A record that is saved and goes with its owner in one batch is nobody's child afterwards.
    @Test func recordsThatGoWithTheirOwnersAreNoChildren() async throws {
        let world = try await World()
        let zone = world.zone
        func id(_ name: String) -> Record.ID { Record.ID(name, zoneID: zone) }
        try await world.mine.put(
            record("p", in: zone), record("q", in: zone), record("t", in: zone), record("u", in: zone),
            record("v", in: zone))
        // New: it never is.
        let new = Self.child("new", of: "p", in: zone, ["to": Self.reference("t", in: zone)])
        _ = try await world.mine.modifyRecords(saving: [new], deleting: [id("t")])
        #expect(!(await world.mine.has("new", in: zone)))
        // Stored with other references than those it goes with.
        var stored = try await world.mine.put(
            Self.child("stored", of: "p", in: zone, ["to": Self.reference("u", in: zone)]))[0]
        stored["to"] = Self.reference("v", in: zone)
        stored.setParent(id("q"))
        _ = try await world.mine.modifyRecords(saving: [stored], deleting: [id("v")])
        #expect(!(await world.mine.has("stored", in: zone)))
        for name in ["p", "q", "u"] { try await world.mine.deleteRecord(withID: id(name)) }
    }

    /// What a record that is not saved after all refers to is not held by it.
    @Test func recordsThatFailHoldNobody() async throws {
        let world = try await World()
        var type = ContainerSchema.RecordType()
        type.define("u", ContainerSchema.Field(.int64, traits: .unique))
        try world.alice.setSchema(ContainerSchema(recordTypes: ["T": type]))
        try await world.mine.put(record("p", in: world.zone), record("one", in: world.zone, ["u": 1]))
        let twin = Self.child("twin", of: "p", in: world.zone, ["u": 1])
        let outcomes = try world.mine.outcomes(saving: [twin, record("other", in: world.zone, ["u": 2])])
        #expect(outcomes == ["twin": .constraintViolation, "other": nil])
        try await world.mine.deleteRecord(withID: Record.ID("p", zoneID: world.zone))
    }

    /// Holders of one batch count, each of them.
    @Test func ownersOfOneBatch() async throws {
        let world = try await World()
        let few = try world.client(World.alice) { $0.limits.ownersPerRecord = 3 }.privateDatabase
        let held = ["a", "b", "c", "d"].map { record($0, ["to": Self.reference("t", in: .default)]) }
        let outcomes = try few.outcomes(saving: [record("t")] + held)
        #expect(outcomes == ["t": nil, "a": nil, "b": nil, "c": nil, "d": .limitExceeded])
    }

    /// A deletion fails that would take a parent along and leave its child; others of the batch do not.
    @Test func childrenOfWhatGoesAlong() async throws {
        let world = try await World()
        let zone = world.zone
        let ids = ["q", "o", "c"].map { Record.ID($0, zoneID: zone) }
        try await world.mine.put(
            record("q", in: zone), record("p", in: zone, ["to": Self.reference("q", in: zone)]),
            Self.child("c", of: "p", in: zone), record("o", in: zone))
        #expect(try world.mine.outcomes(deleting: [ids[0], ids[1]]) == ["q": .referenceViolation, "o": nil])
        #expect(await world.mine.has("p", in: zone))
        #expect(!(await world.mine.has("o", in: zone)))
        #expect(try world.mine.outcomes(deleting: [ids[0], ids[2]]) == ["q": nil, "c": nil])
        #expect(!(await world.mine.has("p", in: zone)))
    }

    /// A parent may go in the batch that takes its child away from it.
    @Test(arguments: [nil, "q"] as [String?]) func childrenThatLeaveTheirParent(_ parent: String?) async throws {
        let world = try await World()
        let zone = world.zone
        try await world.mine.put(record("p", in: zone), record("q", in: zone), Self.child("c", of: "p", in: zone))
        var child = try await world.mine.record(for: world.own("c"))
        child.setParent(parent.map(world.own))
        #expect(try world.mine.outcomes(saving: [child], deleting: [world.own("p")]) == ["c": nil, "p": nil])
        #expect(try await world.mine.record(for: child.id).parent?.recordID == parent.map(world.own))
        #expect(!(await world.mine.has("p", in: zone)))
    }

    // MARK: All or nothing

    /// A deletion that fails keeps its zone from being saved.
    @Test func deletionsFailTheirZone() async throws {
        let world = try await World()
        let parent = Record.ID("p", zoneID: world.zone)
        try await world.mine.put(record("p", in: world.zone), Self.child("c", of: "p", in: world.zone))
        let outcomes = try world.mine.outcomes(
            saving: [record("new", in: world.zone), record("elsewhere")], deleting: [parent], atomically: true)
        #expect(outcomes == ["new": .batchRequestFailed, "elsewhere": nil, "p": .referenceViolation])
        #expect(!(await world.mine.has("new", in: world.zone)))
    }

    /// Where all zones count together, a save fails the deletions of other zones, and a deletion their saves.
    @Test func wholeBatches() async throws {
        let world = try await World()
        try await world.mine.put(record("old"))
        try await world.mine.put(record("p", in: world.zone), Self.child("c", of: "p", in: world.zone))
        await fails(.invalidArguments) {
            try await world.mine.modifyTogether(
                saving: [record("bad", in: world.zone, ["a": .double(.nan)])], deleting: [Record.ID("old")],
                savePolicy: .allKeys)
        }
        await fails(.referenceViolation) {
            try await world.mine.modifyTogether(
                saving: [record("new")], deleting: [Record.ID("p", zoneID: world.zone)], savePolicy: .allKeys)
        }
        #expect(await world.mine.has("old"))
        #expect(!(await world.mine.has("new")))
    }

    /// Encrypted values are encrypted once, however often the batch is looked at.
    @Test func encryptedValuesBesideItemsThatFail() async throws {
        let world = try await World()
        var note = record("n", type: "Note")
        note.encryptedValues["text"] = "secret"
        let bad = record("bad", ["to": Self.reference("none", in: .default)])
        #expect(try world.mine.outcomes(saving: [note, bad]) == ["n": nil, "bad": .referenceViolation])
        #expect(try await world.mine2.record(for: note.id).encryptedValues.fields == ["text": "secret"])
    }

    @Test func aDeletionThatIsNamedTwiceIsOne() async throws {
        let world = try await World()
        let (a, b) = (Record.ID("a"), Record.ID("b"))
        let deletes = try world.mine.modify(ModifyRequest(deletes: [a, b, a])).deletes
        #expect(deletes.map(\.id) == [a, b])
    }

    // MARK: Sizes

    private static func bytes(_ count: Int) -> FieldValue { .data(Data(count: count)) }

    /// What is stored and stays counts with what is sent, to the last byte.
    @Test func sizesOfRecordsThatAreStored() async throws {
        let world = try await World()
        let small = try world.client(World.alice) { $0.limits.bytesPerRecord = 20 }.privateDatabase
        for policy in SavePolicy.allCases {
            var saved = try await small.put(record("r\(policy.rawValue)", ["a": Self.bytes(10)]), policy: policy)[0]
            for (count, isSaved) in [(11, false), (10, true)] {
                saved["b"] = Self.bytes(count)
                let name = saved.id.recordName
                let expected: [String: DatabaseError.Code?] = [name: isSaved ? nil : .limitExceeded]
                #expect(try small.outcomes(saving: [saved], policy: policy) == expected)
            }
            // What is replaced makes room.
            saved = try await small.record(for: saved.id)
            (saved["a"], saved["b"]) = (Self.bytes(1), Self.bytes(19))
            #expect(try await small.put(saved, policy: policy)[0].fields == saved.fields)
        }
    }

    /// Encrypted values count with what encrypting adds: a form, the name of the key, a nonce and a tag.
    @Test func sizesOfEncryptedValues() async throws {
        let world = try await World()
        let added = 1 + 16 + 12 + 16
        let small = try world.client(World.alice) { $0.limits.bytesPerRecord = 20 + added }.privateDatabase
        for (count, code) in [(20, nil), (21, .limitExceeded)] as [(Int, DatabaseError.Code?)] {
            var note = record("n\(count)", type: "Note")
            note.encryptedValues["data"] = Self.bytes(count)
            #expect(try small.outcomes(saving: [note]) == ["n\(count)": code])
        }
    }
}
