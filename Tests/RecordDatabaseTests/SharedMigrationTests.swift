// Subscriptions to the shared database follow types and fields of others to their new names, or stop a migration.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct SharedMigrationTests {
    private static func predicate(of id: String, _ world: World) async throws -> RecordPredicate? {
        guard case .query(_, let predicate, _, _) = try await world.bobs.subscription(for: id).subject else {
            return nil
        }
        return predicate
    }

    @Test(arguments: [false, true]) func namesAreFollowed(_ isStored: Bool) async throws {
        let folder = TemporaryFolder()
        var world = try await World(storedAt: isStored ? folder.url : nil)
        try await world.acceptList()
        try await world.bobs.save(SubscriptionRules.subscription("named", "name == 'tea'"))
        try await world.bobs.save(Subscription(databaseWithRecordType: "T", id: "all"))
        try await world.alice.migrate([
            SchemaMigration("1") { change in
                change.renameField("name", of: "T", to: "title")
                change.renameType("T", to: "U")
            }
        ])
        for number in 0..<(isStored ? 2 : 1) {
            if number == 1 {
                for container in [world.alice, world.alice2, world.bob, world.nobody] { container.close() }
                world = try await World(storedAt: folder.url)
            }
            #expect(try await Self.predicate(of: "named", world) == "title == 'tea'")
            let reading = try world.client(World.bob) { _ in }.readNotifications()
            for title in ["tea", "milk"] {
                var entry = record("\(title) \(number)", in: world.zone, ["title": .string(title)], type: "U")
                entry.setParent(world.own("list"))
                try await world.mine.put(entry)
            }
            let told = reading.takeWaiting()
            let named = told.filter { $0.subscriptionID == "named" }
            #expect(named.map(\.recordID) == [world.theirs("tea \(number)")])
            #expect(told.filter { $0.subscriptionID == "all" }.count == 2)
        }
    }

    /// What a participant asks for stays, or the migration says whose subscription needs it.
    @Test func fieldsThatAreAskedForStay() async throws {
        let world = try await World()
        try await world.acceptList()
        try await world.bobs.save(SubscriptionRules.subscription("named", "name == 'tea'"))
        let migration = SchemaMigration("1") { $0.dropField("name", of: "T") }
        let error = await #expect(throws: DatabaseError.self) { try await world.alice.migrate([migration]) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.reason.contains("subscription named of \(World.bob)") == true, "\(error?.reason ?? "")")
        #expect(try await world.mine.record(for: world.own("bread")).fields["name"] != nil)
        try await world.bobs.deleteSubscription(withID: "named")
        try await world.alice.migrate([migration])
        #expect(try await world.mine.record(for: world.own("bread")).fields["name"] == nil)
    }

    /// Fields behind references are those of the types that the owner's records lead to.
    @Test func pathsLeadThroughRecordsOfTheOwner() async throws {
        let world = try await World()
        try await world.acceptList()
        for (type, name) in [("Person", "ann"), ("Firm", "acme")] {
            try await world.mine.put(record(name, in: world.zone, ["called": .string(name)], type: type))
        }
        let keeper = FieldValue.reference(RecordReference(recordID: world.own("ann")))
        var car = record("car", in: world.zone, ["keeper": keeper], type: "Car")
        car.setParent(world.own("list"))
        try await world.mine.put(car)
        try await world.bobs.save(Subscription(recordType: "Car", predicate: "keeper.called == 'ann'", id: "ann"))
        try await world.alice.migrate([SchemaMigration("1") { $0.renameField("called", of: "Person", to: "nick") }])
        #expect(try await Self.predicate(of: "ann", world) == "keeper.nick == 'ann'")
    }
}
