// What participants are told of zones and in notifications, and what their transactions may add to a store.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SharedDetailEdgesTests {
    /// A shared zone can do what it can do for its owner.
    @Test func sharedZonesCanDoTheSame() async throws {
        let world = try await World()
        try await world.acceptList()
        #expect(try await world.bobs.recordZone(for: world.theirs).capabilities == world.zoneCapabilities)
    }

    /// References that a notification carries name records as the participant names them.
    @Test func notificationsNameRecordsAsTheParticipantDoes() async throws {
        let world = try await World()
        try await world.acceptList()
        let near = FieldValue.reference(RecordReference(recordID: world.own("bread")))
        var milk = try await world.mine.record(for: world.own("milk"))
        milk["near"] = near
        try await world.mine.put(milk)
        let reading = try world.client(World.bob) { _ in }.readNotifications()
        try await world.bobs.save(SubscriptionRules.subscription("tea", "name == 'tea'", keys: ["near"]))
        var tea = record("tea", in: world.zone, ["name": "tea", "near": near])
        tea.setParent(world.own("list"))
        try await world.mine.put(tea)
        let told = reading.takeWaiting()
        #expect(told.map(\.recordID) == [world.theirs("tea")])
        #expect(told.first?.fields == ["near": .reference(RecordReference(recordID: world.theirs("bread")))])
    }

    /// Files that a participant saves in a transaction have to fit the store, too.
    @Test func filesOfTransactionsHaveToFitTheStore() async throws {
        let world = try await World()
        try await world.acceptList()
        let scratch = try AssetRules.Scratch()
        let file = FieldValue.asset(try Asset(fileURL: scratch.file("a", Data(count: 100_000))))
        let small = try world.client(World.bob) { $0.limits.bytesPerStore = 50_000 }.sharedDatabase
        await fails(.quotaExceeded) {
            try await small.write { transaction -> Void in
                // The file is all that the record has.
                var photo = record("photo", in: world.theirs, ["file": file])
                photo.setParent(world.theirs("list"))
                try transaction.save(photo)
            }
        }
        #expect(!(await world.mine.has("photo", in: world.zone)))
    }
}
