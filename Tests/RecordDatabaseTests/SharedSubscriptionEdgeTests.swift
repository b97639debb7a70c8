// Subscriptions to shared databases: records out of sight, those that tell once, stores that are opened again.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SharedSubscriptionEdgeTests {
    /// Saves a new entry of the list that is called tea.
    private static func putTea(_ name: String, _ world: World) async throws {
        var tea = record(name, in: world.zone, ["name": "tea"])
        tea.setParent(world.own("list"))
        try await world.mine.put(tea)
    }

    /// A record beside the share that its owner saves again is nothing to a participant, and no deletion.
    @Test func recordsOutOfSightAreNotTold() async throws {
        let world = try await World()
        try await world.acceptList()
        let reading = try world.client(World.bob) { _ in }.readNotifications()
        try await world.bobs.save(Subscription(databaseWithRecordType: "T", id: "type"))
        try await world.bobs.save(SubscriptionRules.subscription("query", "name != nil"))
        for (name, subscriptions) in [("other", []), ("bread", ["query", "type"])] as [(String, [String])] {
            var changed = try await world.mine.record(for: world.own(name))
            changed["name"] = "new"
            try await world.mine.put(changed)
            let told = reading.takeWaiting()
            #expect(told.map(\.subscriptionID).sorted() == subscriptions)
            #expect(told.allSatisfy { $0.reason != .recordDeleted })
        }
    }

    @Test func whatIsToldOnceIsToldOnce() async throws {
        let world = try await World()
        try await world.acceptList()
        let reading = try world.client(World.bob) { _ in }.readNotifications()
        try await world.bobs.save(SubscriptionRules.subscription("once", "name == 'tea'", [.all, .firesOnce]))
        for name in ["first", "second"] { try await Self.putTea(name, world) }
        #expect(reading.takeWaiting().map(\.recordID) == [world.theirs("first")])
        #expect(try await world.bobs.allSubscriptions().isEmpty)
    }

    /// The predicate of a subscription is bound again when the store is read.
    @Test func queriesAreToldOfAStoreThatIsOpenedAgain() async throws {
        let folder = TemporaryFolder()
        let world = try await World(storedAt: folder.url)
        try await world.acceptList()
        try await world.bobs.save(SubscriptionRules.subscription("tea", "name == 'tea'"))
        try await world.alice.checkpoint()
        for container in [world.alice, world.alice2, world.bob, world.nobody] { container.close() }
        let again = try await World(storedAt: folder.url)
        let reading = try again.client(World.bob) { _ in }.readNotifications()
        try await Self.putTea("new", again)
        #expect(reading.takeWaiting().map(\.recordID) == [again.theirs("new")])
        #expect(try Container.verify(storedAt: folder.url) == [])
    }
}
