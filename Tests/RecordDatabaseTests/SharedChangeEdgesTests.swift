// What readers of shared zones are told at the edges: deletions before they came, moves, fields, tokens, notices.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SharedChangeEdgesTests {
    private static func accept(_ share: Share, _ world: World) async throws {
        try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
    }

    /// Makes another zone of the first user, shares it as a whole, and has the second user accept.
    ///
    /// - Returns: The zone as the second user names it.
    private static func acceptZone(_ name: String, _ world: World) async throws -> RecordZone.ID {
        try await world.mine.save(RecordZone(id: .init(name)))
        var share = Share(zoneID: .init(name))
        share.publicPermission = .readOnly
        let saved = try #require(Share(try await world.mine.save(share.record)))
        try await accept(saved, world)
        return RecordZone.ID(name, ownerName: World.alice)
    }

    /// Who comes later is told of no record that was gone before.
    @Test(arguments: [0, 1]) func deletionsBeforeAReaderCameAreNotTold(limit: Int) async throws {
        let world = try await World()
        try await world.putList()
        let share = try await world.shareList()
        try await world.mine.deleteRecord(withID: world.own("note"))
        try await Self.accept(share, world)
        let told = try world.bobs.changes(in: world.theirs, limit: limit)
        #expect(told.entries.sorted() == ["+\(share.id.recordName)", "+bread", "+list", "+milk"].sorted())
        try await world.mine.deleteRecord(withID: world.own("bread"))
        #expect(try world.bobs.changes(in: world.theirs, since: told.token, limit: limit).entries == ["-bread"])
    }

    /// A record that is moved within a share is told, and not what is below it.
    @Test func movesWithinAShare() async throws {
        let world = try await World()
        try await world.acceptList()
        let token = try world.bobs.changes(in: world.theirs).token
        var milk = try await world.mine.record(for: world.own("milk"))
        milk.setParent(world.own("bread"))
        try await world.mine.put(milk)
        #expect(try world.bobs.changes(in: world.theirs, since: token).entries == ["+milk"])
    }

    /// Of two shares of a zone one ends: the reader sees less of it, and is told of the zone once.
    @Test func aZoneOfWhichLessIsSeenHasChanged() async throws {
        let world = try await World()
        try await world.acceptList()
        let second = try await world.shareList(root: "other")
        try await Self.accept(second, world)
        let token = try await world.bobs.databaseChanges().changeToken
        try await world.mine.deleteRecord(withID: second.id)
        let changes = try await world.bobs.databaseChanges(since: token)
        #expect(changes.modifications == [world.theirs] && changes.deletions.isEmpty && !changes.moreComing)
        let later = try await world.bobs.databaseChanges(since: changes.changeToken)
        #expect(later.modifications.isEmpty && later.deletions.isEmpty)
    }

    /// The deletions of a zone that is shared as a whole are those that the zone remembers.
    @Test func tokensOfWholeZonesExpireWithTheirDeletions() async throws {
        let world = try await World()
        let zone = try await Self.acceptZone("Y", world)
        for name in ["a", "b", "c"] { try await world.mine.put(record(name, in: RecordZone.ID("Y"))) }
        let token = try world.bobs.changes(in: zone).token
        // Of two deletions, none is kept.
        let few = try world.client(World.alice) { $0.limits.deletionsPerZone = 0 }.privateDatabase
        for name in ["a", "b"] { try await few.deleteRecord(withID: Record.ID(name, zoneID: RecordZone.ID("Y"))) }
        await fails(.changeTokenExpired) {
            try await world.bobs.recordZoneChanges(inZoneWith: zone, since: token)
        }
        #expect(try Set(world.bobs.changes(in: zone).entries) == ["+cloudkit.zoneshare", "+c"])
    }

    /// A token is of one zone, also among those that are shared.
    @Test func tokensOfOtherSharedZones() async throws {
        let world = try await World()
        try await world.acceptList()
        let zone = try await Self.acceptZone("Y", world)
        let token = try world.bobs.changes(in: world.theirs).token
        await fails(.invalidArguments) {
            try await world.bobs.recordZoneChanges(inZoneWith: zone, since: token)
        }
    }

    /// A token of the zones that are shared is one of a history, as any other.
    @Test func tokensOfAnotherHistoryOfZonesExpire() async throws {
        let world = try await World()
        try await world.acceptList()
        let token = try await world.bobs.databaseChanges().changeToken
        var fields = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(token)) as? [String: Any])
        fields["incarnation"] = "another"
        let other = try JSONDecoder().decode(
            ChangeToken.self, from: JSONSerialization.data(withJSONObject: fields))
        await fails(.changeTokenExpired) { try await world.bobs.databaseChanges(since: other) }
        #expect(try await world.bobs.databaseChanges(since: token).modifications.isEmpty)
    }

    /// Changes have the fields that are wanted.
    @Test func changesHaveTheDesiredFields() async throws {
        let world = try await World()
        try await world.putList()
        var milk = try await world.mine.record(for: world.own("milk"))
        milk["n"] = 1
        try await world.mine.put(milk)
        try await Self.accept(world.shareList(), world)
        let changes = try world.bobs.zoneChanges(world.theirs, since: nil, desiredKeys: ["n"])
        let told = try #require(changes.modificationResultsByID[world.theirs("milk")]).get()
        #expect(told.fields == ["n": 1] && told.parent?.recordID == world.theirs("list"))
    }

    /// A deletion is told to those who saw the record.
    @Test func deletionsOutOfSightAreNotTold() async throws {
        let world = try await World()
        try await world.acceptList()
        let reading = try world.client(World.bob) { _ in }.readNotifications()
        try await world.bobs.save(Subscription(databaseWithRecordType: "T", id: "type"))
        try await world.bobs.save(SubscriptionRules.subscription("query", "name != nil"))
        try await world.mine.deleteRecord(withID: world.own("other"))
        #expect(reading.takeWaiting().map(\.subscriptionID) == [])
        try await world.mine.deleteRecord(withID: world.own("note"))
        let told = reading.takeWaiting()
        #expect(told.map(\.subscriptionID).sorted() == ["query", "type"])
        let found = try #require(told.first { $0.subscriptionID == "query" })
        #expect(found.recordID == world.theirs("note") && found.reason == .recordDeleted)
    }
}
