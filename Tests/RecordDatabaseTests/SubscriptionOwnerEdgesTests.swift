// Subscriptions to zones that are named with the user's own name.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SubscriptionOwnerEdgesTests {
    /// A user's zone is the same by the user's name.
    @Test func zonesByTheNameOfTheirOwner() async throws {
        let world = try await World()
        let named = RecordZone.ID("Z", ownerName: World.alice)
        try await world.mine.save(Subscription(zoneID: named, id: "zone"))
        let told = try await SubscriptionRules.told(world.alice2) {
            try await world.mine.put(record("r", in: world.zone, ["a": 1]))
        }
        #expect(told.map(\.subscriptionID) == ["zone"])
        // Of another owner it is another zone.
        await fails(.zoneNotFound) {
            try await world.mine.save(Subscription(zoneID: RecordZone.ID("Z", ownerName: World.bob), id: "other"))
        }
    }
}
