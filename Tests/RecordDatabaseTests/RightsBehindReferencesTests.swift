// Records that a user may not read, asked through references and through sets of other types.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct RightsBehindReferencesTests {
    /// Alice has a record that the others may not read, and Bob one that refers to it.
    private static func world() async throws -> World {
        let world = try await World()
        try await world.everyones.put(
            record("s1", ["code": "1234", "owned": 1], type: "Secret"), record("town", ["name": "Bern"], type: "Town"))
        try await world.bob.publicDatabase.put(
            record(
                "n",
                [
                    "ref": .reference(RecordReference(recordID: Record.ID("s1"))),
                    "refs": .list([.reference(RecordReference(recordID: Record.ID("s1")))]),
                    "town": .reference(RecordReference(recordID: Record.ID("town"))), "text": "x",
                ], type: "Note"))
        var schema = world.alice.schema
        schema.recordTypes["Secret"]?.grants = [ContainerSchema.creatorRole: [.read, .write]]
        try world.alice.setSchema(schema)
        return world
    }

    @Test func setsGiveNoOthers() async throws {
        let world = try await Self.world()
        let set = try world.bob.publicDatabase.snapshot().records(ofType: "Note")
        #expect(try set.ofType("Secret").records(matching: "TRUEPREDICATE").isEmpty)
        #expect(try set.ofType(nil).records(matching: "code == '1234'").isEmpty)
        #expect(set.record(named: "s1") == nil)
        #expect(set.record(named: "town")?["name"] == "Bern")
        #expect(try set.count(matching: "ref.code BEGINSWITH '12'") == 0)
        #expect(try set.count(matching: "town.name == 'Bern'") == 1)
        // Rights are those of the public database.
        try await world.mine.put(record("s1", ["code": "1234"], type: "Secret"))
        #expect(try world.mine.snapshot().records(ofType: "Note").ofType("Secret").count == 1)
    }

    @Test(arguments: [
        "ref.code BEGINSWITH '12'", "ANY refs.code == '1234'", "text == 'x' AND ref.creationDate != nil",
        "SUBQUERY(refs, $r, $r.code == '1234').@count == 1",
    ])
    func pathsTellNothing(_ text: String) async throws {
        let world = try await Self.world()
        let predicate = RecordPredicate(stringLiteral: text)
        let bob = world.bob.publicDatabase
        await fails(.permissionFailure) { try await bob.records(matching: Query("Note", predicate)) }
        await fails(.permissionFailure) { try await bob.count(matching: Query("Note", predicate), in: .all) }
        await fails(.permissionFailure) {
            try await bob.save(Subscription(recordType: "Note", predicate: predicate, id: "s"))
        }
        let reading = bob.watch(Query("Note", predicate), in: .all)
        await fails(.permissionFailure) { try reading.takeSteps() }
    }

    @Test func ordersTellNothing() async throws {
        let world = try await Self.world()
        let bob = world.bob.publicDatabase
        let error = await fails(.permissionFailure) {
            try await bob.records(matching: Query("Note", sortedBy: [.ascending("ref.code")]))
        }
        #expect(error?.reason.contains("Secret") == true)
    }

    /// What all may read is found through references as before, however often the other was asked.
    @Test func otherPathsStay() async throws {
        let world = try await Self.world()
        let bob = world.bob.publicDatabase
        for _ in 0..<2 {
            #expect(try await bob.records(matching: Query("Note", "town.name == 'Bern'")).count == 1)
            await fails(.permissionFailure) {
                try await bob.records(matching: Query("Note", "ref.code == '1234'"))
            }
        }
        var schema = world.alice.schema
        schema.recordTypes["Secret"]?.grants = ContainerSchema.RecordType.defaultGrants
        try world.alice.setSchema(schema)
        for _ in 0..<2 {
            #expect(try await bob.records(matching: Query("Note", "ref.code == '1234'")).count == 1)
        }
        schema.recordTypes["Secret"]?.grants = [ContainerSchema.creatorRole: [.read, .write]]
        try world.alice.setSchema(schema)
        await fails(.permissionFailure) { try await bob.records(matching: Query("Note", "ref.code == '1234'")) }
    }
}
