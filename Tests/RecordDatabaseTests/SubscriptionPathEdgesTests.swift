// Subscriptions whose predicates lead over references to records that are saved at the same time.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SubscriptionPathEdgesTests {
    /// A path leads to a record of the same batch as it is from then on, be it new or changed.
    @Test func pathsLeadToRecordsOfTheBatch() async throws {
        let world = try await World()
        let to = FieldValue.reference(RecordReference("owner"))
        try await world.mine.put(record("taught", ["a": 0, "to": to]))
        try await world.mine.save(SubscriptionRules.subscription("s", "to.a > 1"))
        let told = try await SubscriptionRules.told(world.alice2) {
            try await world.mine.put(record("owner", ["a": 2]), record("new", ["to": to]))
            try await world.mine.put(record("owner", ["a": 0]), record("late", ["to": to]), policy: .changedKeys)
        }
        #expect(told.map(\.recordID?.recordName) == ["new"])
    }
}
