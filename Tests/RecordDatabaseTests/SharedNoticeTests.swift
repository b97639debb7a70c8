// Who is told of a commit when both the owner of a share and a participant have subscriptions.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SharedNoticeTests {
    /// Each of them by their own subscription, and once.
    @Test func ownersAndParticipantsAreTold() async throws {
        let world = try await World()
        try await world.acceptList()
        let owner = world.alice2.readNotifications()
        let participant = try world.client(World.bob) { _ in }.readNotifications()
        try await world.mine.save(Subscription(zoneID: world.zone, id: "zone"))
        try await world.bobs.save(SubscriptionRules.subscription("query", "name != nil"))
        var changed = try await world.mine.record(for: world.own("bread"))
        changed["name"] = "new"
        try await world.mine.put(changed)
        #expect(owner.takeWaiting().map(\.subscriptionID) == ["zone"])
        #expect(participant.takeWaiting().map(\.subscriptionID) == ["query"])
    }
}
