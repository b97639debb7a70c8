// Live queries and subscriptions where records, zones and types are level or reached through others.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct LiveEdgeTests {
    private static func follow(_ reading: LiveReading, _ mirror: inout LiveQueryTests.Mirror) throws -> [Record.ID] {
        for step in try reading.takeSteps() { mirror.apply(step) }
        return mirror.records.map(\.id)
    }

    /// Records of one name in several zones are level in every order: zones decide, whichever of them comes or goes.
    @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]])
    func recordsOfOneNameInSeveralZones(_ order: [Int]) async throws {
        let world = try await World()
        let zones = ["W", "X", "Z"].map { RecordZone.ID($0) }
        for zone in zones { try await world.mine.save(RecordZone(id: zone)) }
        try await world.mine.put(record("taught", ["a": 0]))
        let reading = world.mine.watch(Query("T", "a > 0", sortedBy: [.ascending("a")]), in: .all)
        var mirror = LiveQueryTests.Mirror()
        #expect(try Self.follow(reading, &mirror) == [])
        var there: Set<Int> = []
        func expected() -> [Record.ID] { there.sorted().map { Record.ID("r", zoneID: zones[$0]) } }
        for place in order {
            try await world.mine.put(record("r", in: zones[place], ["a": 1]))
            there.insert(place)
            #expect(try Self.follow(reading, &mirror) == expected())
        }
        for place in order {
            var changed = try await world.mine.record(for: Record.ID("r", zoneID: zones[place]))
            changed["b"] = 5
            try await world.mine2.put(changed)
            #expect(try Self.follow(reading, &mirror) == expected())
            #expect(mirror.records[place]["b"] == 5)
        }
        for place in order {
            try await world.mine.deleteRecord(withID: Record.ID("r", zoneID: zones[place]))
            there.remove(place)
            #expect(try Self.follow(reading, &mirror) == expected())
        }
    }

    /// A query that looks through references follows a migration of the records behind them.
    @Test func recordsBehindReferencesAreMigrated() async throws {
        let world = try await World()
        try await world.mine.put(record("one", ["a": 1]), record("two", ["a": 2]))
        for name in ["one", "two"] {
            let of = FieldValue.reference(RecordReference(recordID: Record.ID(name)))
            try await world.mine.put(record("of \(name)", ["of": of], type: "Car"))
        }
        let reading = world.mine.watch(Query("Car", "of.a == 1"), in: .all)
        let sorted = world.mine.watch(Query("Car", sortedBy: [.descending("of.a")]), in: .all)
        var (mirror, order) = (LiveQueryTests.Mirror(), LiveQueryTests.Mirror())
        #expect(try Self.follow(reading, &mirror) == [Record.ID("of one")])
        #expect(try Self.follow(sorted, &order) == [Record.ID("of two"), Record.ID("of one")])
        try await world.alice.migrate([
            SchemaMigration("1") { $0.updateRecords(ofType: "T") { $0["a"] = $0["a"] == 1 ? 2 : 1 } }
        ])
        #expect(try Self.follow(reading, &mirror) == [Record.ID("of two")])
        #expect(try Self.follow(sorted, &order) == [Record.ID("of one"), Record.ID("of two")])
    }

    /// As many steps wait as may; with one more the reader gets the whole result.
    @Test(arguments: [3, 4]) func asManyStepsWaitAsMay(_ saves: Int) async throws {
        let world = try await World { $0.limits.stepsWaiting = 3 }
        try await world.mine.put(record("taught", ["a": 0]))
        let reading = world.mine.watch(Query("T", "a > 0"), in: .default)
        #expect(try reading.takeSteps() == [.initial([])])
        for number in 0..<saves { try await world.mine.put(record("r\(number)", ["a": 1])) }
        let steps = try reading.takeSteps()
        let isWhole = steps.map { if case .initial = $0 { true } else { false } }
        #expect(isWhole == (saves == 3 ? [false, false, false] : [true]))
    }

    // MARK: Arguments

    /// The current user and the owner of a zone have names of their own in lists, too.
    @Test func placeholdersInLists() async throws {
        let world = try await World()
        let named = RecordZone.ID(world.zone.zoneName, ownerName: World.alice)
        let near = FieldValue.reference(RecordReference(recordID: Record.ID("a", zoneID: world.zone)))
        try await world.mine.put(record("a", in: world.zone), record("b", in: world.zone, ["near": near]))
        let zone = QueryZones.zone(world.zone)
        let me = [Record.ID("x"), Record.ID(RecordZone.ID.currentUserName)]
        #expect(try await world.mine.names("creatorUserRecordID IN \(me)", in: zone) == ["a", "b"])
        #expect(try await world.mine.names("creatorUserRecordID IN \([Record.ID(World.bob)])", in: zone) == [])
        #expect(try await world.mine.names("near IN \([Record.ID("a", zoneID: named)])", in: zone) == ["b"])
        #expect(try await world.mine.names("near == \(Record.ID("a", zoneID: named))", in: zone) == ["b"])
    }

    /// What was bound for a client that may use more is not taken for one that may not.
    @Test func predicatesAreBoundForEachDialect() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["s": "xy"]))
        let strict = try world.client(World.alice) { $0.dialect = .cloudKit }.privateDatabase
        for _ in 0..<2 {
            #expect(try await world.mine.names("s MATCHES 'x.*'") == ["a"])
            await fails(.invalidArguments) { try await strict.names("s MATCHES 'x.*'") }
        }
    }

    // MARK: Subscriptions

    /// A subscription to the records of one type in a database is not told of zones.
    @Test func databasesOfOneType() async throws {
        let world = try await World()
        try await world.mine.save(Subscription(databaseWithRecordType: "U", id: "U"))
        let told = try await SubscriptionRules.told(world.alice2) {
            try await world.mine.save(RecordZone(id: .init("New")))
            try await world.mine.put(record("t", in: .init("New")))
            try await world.mine.put(record("u", in: .init("New"), type: "U"))
            try await world.mine.deleteRecord(withID: Record.ID("t", zoneID: .init("New")))
            try await world.mine.deleteRecordZone(withID: .init("New"))
        }
        #expect(told.map(\.subscriptionID) == ["U"])
    }

    /// Fields are told as long as they fit, the last one to the last byte.
    @Test(arguments: [(12, false), (13, true)]) func fieldsThatJustFit(length: Int, isPruned: Bool) async throws {
        let world = try await World { $0.limits.bytesPerNotification = 20 }
        try await SubscriptionRules.teach(world)
        try await world.mine.save(SubscriptionRules.subscription("s", keys: ["a", "b"]))
        let text = FieldValue.string(String(repeating: "x", count: length))
        let told = try await SubscriptionRules.told(world.alice2) {
            try await world.mine.put(record("r", ["a": 2, "b": text]))
        }
        #expect(told.map(\.fields) == [isPruned ? ["a": 2] : ["a": 2, "b": text]])
        #expect(told.map(\.isPruned) == [isPruned])
    }
}
