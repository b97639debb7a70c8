// Who is told when a participant accepts a share.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct AcceptanceNoticeTests {
    /// The owner's clients are told when the call returns, and nothing where the share was accepted before.
    @Test func theOwnerIsToldAtOnce() async throws {
        let world = try await World()
        try await world.putList()
        let share = try await world.shareList()
        try await world.mine.save(Subscription(zoneID: world.zone, id: "zone"))
        let metadata = try await world.bob.shareMetadata(for: #require(share.url))
        let reading = world.alice2.readNotifications()
        for told in [["zone"], []] {
            try await world.bob.accept(metadata)
            #expect(reading.takeWaiting().map(\.subscriptionID) == told)
        }
    }
}
