// Subscriptions when they are made and saved: zones that are not there, illegal names, what notifications carry; and
// migrations, which nobody is told of.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SubscriptionSaveEdgesTests {
    /// A query in a zone that there is not would never tell anything.
    @Test func queriesAreOfZonesThatThereAre() async throws {
        let world = try await World()
        try await SubscriptionRules.teach(world)
        await fails(.zoneNotFound) {
            try await world.mine.save(SubscriptionRules.subscription("s", in: RecordZone.ID("None")))
        }
        await fails(.zoneNotFound) {
            try await world.everyones.save(SubscriptionRules.subscription("s", in: world.zone))
        }
        try await world.mine.purgeRecordZone(withID: world.zone)
        await fails(.userDeletedZone) {
            try await world.mine.save(SubscriptionRules.subscription("s", in: world.zone))
        }
        #expect(try await world.mine.allSubscriptions().isEmpty)
    }

    @Test(arguments: ["_bad", ""]) func zonesHaveLegalNames(_ name: String) async {
        await fails(.invalidArguments) { try Subscription(zoneID: RecordZone.ID(name)) }
    }

    /// Notifications carry fractions, places and references beside numbers, dates and texts.
    @Test func notificationsCarryFractionsPlacesAndReferences() async throws {
        let world = try await World()
        let (place, of) = (
            FieldValue.location(Location(latitude: 50.45, longitude: 30.52)),
            FieldValue.reference(RecordReference("target"))
        )
        let fields: [String: FieldValue] = ["a": 2, "d": 1.5, "place": place, "of": of]
        try await world.mine.put(record("target", ["a": 0]), record("taught", fields))
        try await world.mine.save(SubscriptionRules.subscription("s", keys: ["d", "place", "of"]))
        let told = try await SubscriptionRules.told(world.alice2) {
            try await world.mine.put(record("r", fields))
        }
        #expect(told.map(\.fields) == [["d": 1.5, "place": place, "of": of]])
    }

    /// A migration writes records again, which is no change by anybody.
    @Test func migrationsAreNotTold() async throws {
        let world = try await World()
        try await world.mine.put(record("r", ["a": 2]))
        try await world.mine.save(SubscriptionRules.subscription("s"))
        try await world.mine.save(Subscription(databaseWithRecordType: nil, id: "database"))
        let reading = world.alice2.readNotifications()
        try await world.alice.migrate([
            SchemaMigration("1") { $0.updateRecords(ofType: "T") { $0["a"] = 3 } }
        ])
        #expect(reading.takeWaiting().isEmpty)
        var changed = try await world.mine.record(for: Record.ID("r"))
        #expect(changed["a"] == 3)
        changed["a"] = 4
        try await world.mine.put(changed)
        #expect(reading.takeWaiting().map(\.subscriptionID) == ["s", "database"])
    }
}
