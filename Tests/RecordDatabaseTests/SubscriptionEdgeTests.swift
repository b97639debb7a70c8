// Subscriptions at their edges: full queues, zones that go, deletions, sizes, and commits under a clock that goes back.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SubscriptionEdgeTests {
    // MARK: Queues

    private static func note(
        _ id: String, _ kind: ChangeNotification.Kind, _ subscription: String, zone: String? = nil,
        scope: DatabaseScope = .private
    ) -> ChangeNotification {
        ChangeNotification(
            id: id, kind: kind, subscriptionID: subscription, containerIdentifier: "test", databaseScope: scope,
            recordZoneID: zone.map { RecordZone.ID($0) }, recordID: nil, reason: nil, fields: [:], isPruned: false)
    }

    private static let zones = (1...3).map { note("z\($0)", .recordZone, "z", zone: "Z") }
    private static let queries = (1...3).map { note("q\($0)", .query, "q") }
    private static let databases = (1...2).map { note("d\($0)", .database, "d") }

    /// What waits after some notifications, with a star where one says that others were left out.
    private static let queues: [(capacity: Int, notes: [ChangeNotification], waiting: [String])] = [
        (3, zones, ["z1", "z2", "z3"]), (2, zones, ["z2", "z3*"]), (2, [zones[0]] + databases, ["z1", "d2*"]),
        (3, Array(zones[..<2] + queries[..<2]), ["z2*", "q1", "q2"]), (2, queries, ["q2*", "q3"]),
        (2, [zones[0], note("y", .recordZone, "y", zone: "Z"), queries[0]], ["y*", "q1"]),
        (2, [zones[0], note("y", .recordZone, "z", zone: "Y"), queries[0]], ["y*", "q1"]),
        (2, [databases[0], note("s", .database, "d", scope: .shared), queries[0]], ["s*", "q1"]),
        (2, [zones[0], note("d", .database, "z"), queries[0]], ["d*", "q1"]),
        // Of two zones neither says what the other does: the oldest goes.
        (3, [queries[0], note("y", .recordZone, "z", zone: "Y"), zones[0], queries[1]], ["y*", "z1", "q2"]),
        (3, [queries[0], note("z", .recordZone, "z", zone: "Z"), zones[0], queries[1]], ["q1", "z1*", "q2"]),
        (1, Array(queries[..<2]), ["q2*"]), (0, Array(queries[..<2]), ["q2*"]),
    ]

    @Test(arguments: queues.indices) func whatDoesNotFitIsLeftOut(_ number: Int) {
        let (capacity, notes, waiting) = Self.queues[number]
        let queue = ReaderQueue<ChangeNotification>()
        for note in notes { queue.append(note, capacity: capacity) }
        #expect(queue.takeWaiting().map { $0.id + ($0.isPruned ? "*" : "") } == waiting)
        #expect(queue.takeWaiting().isEmpty)
    }

    // MARK: What is kept

    @Test func aSubscriptionIsLikeItself() async throws {
        let world = try await World()
        try await SubscriptionRules.teach(world)
        let same = try SubscriptionRules.subscription("s")
        for database in [world.mine, world.mine, world.mine2, world.everyones, world.bob.publicDatabase] {
            #expect(try await database.save(same) == same)
        }
        // Of zones there may be several.
        for id in ["y", "z"] { try await world.mine.save(Subscription(zoneID: world.zone, id: id)) }
        #expect(try await world.mine.allSubscriptions().map(\.id) == ["s", "y", "z"])
    }

    @Test func subscriptionsGoWithTheirZone() async throws {
        let world = try await World()
        try await SubscriptionRules.teach(world)
        try await world.mine.save(RecordZone(id: .init("Y")))
        try await world.mine.save(SubscriptionRules.subscription("here", in: world.zone))
        try await world.mine.save(SubscriptionRules.subscription("named", "a > 2", in: world.theirs))
        try await world.mine.save(SubscriptionRules.subscription("all"))
        try await world.mine.save(SubscriptionRules.subscription("there", in: .init("Y")))
        try await world.mine.deleteRecordZone(withID: world.zone)
        #expect(try await world.mine.allSubscriptions().map(\.id) == ["all", "there"])
        let told = try await SubscriptionRules.told(world.alice2) {
            try await world.mine.save(RecordZone(id: world.zone))
            try await world.mine.put(record("r", in: world.zone, ["a": 5]))
            try await world.mine.put(record("r", in: .init("Y"), ["a": 5]))
        }
        #expect(told.map(\.subscriptionID) == ["all", "all", "there"])
    }

    // MARK: What is told

    @Test func deletionsAreToldOfTheirType() async throws {
        let world = try await World()
        try await world.mine.put(record("r", in: world.zone), record("u", type: "U"))
        for type in ["T", "U"] {
            try await world.mine.save(Subscription(zoneID: world.zone, recordType: type, id: "zone of \(type)"))
            try await world.mine.save(Subscription(databaseWithRecordType: type, id: type))
        }
        let told = try await SubscriptionRules.told(world.alice2) {
            try await world.mine.deleteRecord(withID: world.own("r"))
            try await world.mine.deleteRecord(withID: Record.ID("u"))
            // Zones are no records of a type.
            try await world.mine.save(RecordZone(id: .init("Y")))
        }
        #expect(told.map(\.subscriptionID) == ["zone of T", "T", "U"])
    }

    /// What a deleted record referred to is looked at as it was, though it went with it.
    @Test func deletedRecordsMatchAsTheyWere() async throws {
        let world = try await World()
        try await world.mine.put(
            record("owner", ["a": 2]), record("car", ["to": .reference(RecordReference("owner"))]))
        try await world.mine.save(SubscriptionRules.subscription("s", "to.a > 1", .firesOnRecordDeletion))
        let told = try await SubscriptionRules.told(world.alice2) {
            _ = try await world.mine.modifyRecords(saving: [], deleting: [Record.ID("owner"), Record.ID("car")])
        }
        #expect(told.map(\.recordID?.recordName) == ["car"])
    }

    @Test func fieldsOfNotificationsAreSoLarge() async throws {
        let world = try await World()
        try await SubscriptionRules.teach(world)
        try await world.mine.save(SubscriptionRules.subscription("s", keys: ["a", "b", "c"]))
        func told(_ limit: Int, _ first: Int, _ second: Int) async throws -> [ChangeNotification] {
            let client = try world.client(World.alice) { $0.limits.bytesPerNotification = limit }
            return try await SubscriptionRules.told(client) {
                for (name, length) in [("p", first), ("q", second)] {
                    let text = FieldValue.string(String(repeating: "x", count: length))
                    try await world.mine.put(record("\(name)\(limit)", ["a": 2, "b": text, "c": "y"]))
                }
            }
        }
        let (x11, x100) = (String(repeating: "x", count: 11), String(repeating: "x", count: 100))
        // What comes behind a field that has no room has none either.
        let small = try await told(20, 11, 13)
        #expect(small.map(\.isPruned) == [false, true])
        #expect(small.map(\.fields) == [["a": 2, "b": .string(x11), "c": "y"], ["a": 2]])
        let large = try await told(200, 100, 101)
        #expect(large.map(\.isPruned) == [false, false])
        #expect(large.allSatisfy { $0.fields == ["a": 2, "b": .string(x100), "c": "y"] })
    }

    // MARK: Dates

    private static let commits: [(name: String, make: @Sendable (World) async throws -> Void)] = [
        ("a zone", { try await $0.mine.save(RecordZone(id: .init("Y"))) }),
        ("a zone that goes", { try await $0.mine.deleteRecordZone(withID: $0.zone) }),
        ("a subscription", { try await $0.mine.save(Subscription(databaseWithRecordType: nil, id: "s")) }),
        (
            "a migration",
            { world in
                try await world.alice.migrate([SchemaMigration("1") { $0.updateRecords(ofType: "T") { $0["a"] = 1 } }])
            }
        ),
        ("a user", { _ = try $0.client("_ca401") { _ in } }),
    ]

    /// Commits of every kind keep the date that the database has reached, however the clock is set back.
    @Test(arguments: commits.indices) func noCommitSetsDatesBack(_ number: Int) async throws {
        let (name, make) = Self.commits[number]
        let world = try await World()
        let databases = [world.mine, world.everyones]
        var dates: [Date] = []
        for database in databases {
            dates.append(try #require(try await database.put(record("r", ["a": 0]))[0].modificationDate))
        }
        world.clock.advance(-1000)
        try await make(world)
        for (database, before) in zip(databases, dates) {
            let date = try #require(try await database.put(record("s", ["a": 0]))[0].modificationDate)
            #expect(date >= before, "\(name)")
        }
    }
}
