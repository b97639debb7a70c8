// What is read at one moment: users in snapshots of shared databases, and fields that a transaction brought itself.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct MomentEdgesTests {
    /// Those who changed records last are the same users for all who read them.
    @Test func whoChangedARecordLast() async throws {
        let world = try await World()
        try await world.acceptList()
        var milk = try await world.bobs.record(for: world.theirs("milk"))
        milk["name"] = "oat milk"
        try await world.bobs.put(milk)
        let snapshot = try world.bobs.snapshot()
        let all = try snapshot.records(ofType: "T")
        for (user, count) in [(World.alice, 3), (World.bob, 1)] {
            #expect(try all.count(matching: "lastModifiedUserRecordID == \(Record.ID(user))") == count)
        }
        let read = try snapshot.record(for: milk.id)
        #expect(read.lastModifiedUserRecordID == Record.ID(World.bob))
        #expect(read.creatorUserRecordID == Record.ID(World.alice))
    }

    /// A field that no record had before the transaction is one that its queries may name.
    @Test func newFieldsAreQueriedAtOnce() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["n": 1]))
        let counts = try await world.mine.write { transaction in
            try transaction.save(record("b", ["n": 2, "extra": 5]))
            let all = try transaction.records(ofType: "T")
            return [try all.count(matching: "extra == 5"), try all.count(matching: "n > 0")]
        }
        #expect(counts == [1, 2])
    }
}
