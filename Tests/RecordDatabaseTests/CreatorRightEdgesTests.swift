// Rights to change records of the public database: those of who made a record, and of who changed it last.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct CreatorRightEdgesTests {
    /// Who changed a record by a role is not its creator when the role is gone; its creator still is.
    @Test func whoChangedARecordIsNotItsCreator() async throws {
        let world = try await World()
        let (alice, bob) = (world.everyones, world.bob.publicDatabase)
        let made = try await alice.put(record("r", ["a": 1]))[0]
        var schema = world.alice.schema
        schema.recordTypes["T"]?.grants = [
            ContainerSchema.userRole: [.read], ContainerSchema.creatorRole: [.read, .write],
            "editors": [.read, .write],
        ]
        try world.alice.setSchema(schema)
        try world.alice.setRoles(["editors"], ofUser: World.bob)
        var changed = try await bob.record(for: made.id)
        changed["a"] = 2
        let saved = try await bob.put(changed)[0]
        #expect(saved.creatorUserRecordID?.recordName == World.alice)
        #expect(saved.lastModifiedUserRecordID?.recordName == World.bob)
        try world.alice.setRoles([], ofUser: World.bob)
        var again = saved
        again["a"] = 3
        let sent = again
        await fails(.permissionFailure) { try await bob.save(sent) }
        await fails(.permissionFailure) { try await bob.deleteRecord(withID: made.id) }
        var own = try await alice.record(for: made.id)
        own["a"] = 4
        #expect(try await alice.put(own)[0]["a"] == 4)
    }
}
