// Records by identifiers: of several types at once, and of zones that are named by their owner.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct FetchEdgeTests {
    /// Encrypted values are those of the type of each record, whichever type comes before it.
    @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    func typesHaveTheirOwnEncryptedValues(_ order: [Int]) async throws {
        let world = try await World()
        var (note, card) = (record("note", ["n": 1], type: "Note"), record("card", ["n": 1], type: "Card"))
        note.encryptedValues["text"] = "x"
        card.encryptedValues["code"] = 7
        try await world.mine.put(record("plain", ["n": 1]), note, card)
        let ids = ["plain", "note", "card"].map { Record.ID($0) }
        let found = try await world.mine.records(for: order.map { ids[$0] })
        let values = try ids.map { try #require(found[$0]).get().encryptedValues.fields }
        #expect(values == [[:], ["text": "x"], ["code": 7]])
    }

    /// A zone that is not there is missing under the name of its owner, too.
    @Test func missingZonesThatAreNamedByTheirOwner() async throws {
        let world = try await World()
        let named = Record.ID("r", zoneID: RecordZone.ID("None", ownerName: World.alice))
        await fails(.zoneNotFound) { try await world.mine.record(for: named) }
        let found = try await world.mine.records(for: [named, world.theirs("r")])
        #expect(found[named]?.failure?.code == .zoneNotFound)
        #expect(found[world.theirs("r")]?.failure?.code == .unknownItem)
    }
}
