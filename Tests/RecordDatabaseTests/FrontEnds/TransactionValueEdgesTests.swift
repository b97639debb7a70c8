// Arrays of values that are saved together, and changes of all values of one zone: what others have stays as it is.

import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

/// Keeps the change tag of its record.
private struct Item: RecordConvertible, Equatable {
    var metadata = RecordMetadata()
    var number: Int

    init(_ name: String, in zone: RecordZone.ID = .default, _ number: Int) {
        metadata = RecordMetadata(id: Record.ID(name, zoneID: zone))
        self.number = number
    }
}

@Suite(.mayDeadlock) struct TransactionValueEdgesTests {
    private static func numbers(_ database: Database) async throws -> [Int] {
        try await database.values(of: Item.self, sortedBy: [.ascending("number")]).map(\.number)
    }

    /// Two values in the default zone and two of the same names in another.
    private static func twoZones() async throws -> (Database, RecordZone.ID) {
        let database = try Container(identifier: "values").privateDatabase
        let zone = RecordZone.ID("Z")
        try await database.save(RecordZone(id: zone))
        for item in [Item("a", 1), Item("b", 5), Item("a", in: zone, 2), Item("b", in: zone, 6)] {
            try await database.save(item)
        }
        return (database, zone)
    }

    /// By a predicate that knows the type, and by one that does not.
    private static func found(_ reading: some RecordReading, in zones: QueryZones) throws -> [[Int]] {
        let untyped: RecordPredicate = "number > 1"
        let byType: [Item] = try reading.values(matching: Item.where { $0.number > 1 }, in: zones)
        let byName: [Item] = try reading.values(of: Item.self, matching: untyped, in: zones)
        return [byType, byName].map { $0.map(\.number).sorted() }
    }

    /// A new value of an array must be new, and the others are not saved without it.
    @Test func arraysOfNewValues() async throws {
        let database = try Container(identifier: "values").privateDatabase
        try await database.save([Item("a", 1), Item("b", 2)])
        await fails(.serverRecordChanged) {
            try await database.write { try $0.insert([Item("c", 3), Item("a", 9)]) }
        }
        #expect(try await Self.numbers(database) == [1, 2])
    }

    /// An array of a value that somebody changed since it was read is a conflict, within a transaction and outside.
    @Test func arraysOfOldValues() async throws {
        let database = try Container(identifier: "values").privateDatabase
        let old = try await database.save([Item("a", 1), Item("b", 2)])
        var newer = old[0]
        newer.number = 7
        try await database.save(newer)
        await fails(.serverRecordChanged) { try await database.write { try $0.save([old[0]]) } }
        await fails(.serverRecordChanged) { try await database.save([old[0]]) }
        #expect(try await Self.numbers(database) == [2, 7])
    }

    /// Values of other zones than the one that is named are neither changed nor deleted.
    @Test func valuesOfOneZone() async throws {
        let (database, zone) = try await Self.twoZones()
        let counts = try await database.write { transaction in
            let changed = try transaction.updateAll(Item.where { $0.number > 3 }, in: .zone(zone)) { $0.number += 10 }
            return (changed, try transaction.deleteAll(Item.where { $0.number < 3 }, in: .zone(zone)))
        }
        #expect(counts == (1, 1))
        #expect(try await Self.numbers(database) == [1, 5, 16])
    }

    /// Those of other zones are not among what is found, in snapshots and transactions.
    @Test func foundOfOneZone() async throws {
        let (database, zone) = try await Self.twoZones()
        let courses: [(zones: QueryZones, numbers: [Int])] = [
            (.all, [2, 5, 6]), (.default, [5]), (.zone(zone), [2, 6]),
        ]
        for (zones, numbers) in courses {
            let expected = [numbers, numbers]
            let atOnce = try await database.read { try Self.found($0, in: zones) }
            let within = try await database.write { try Self.found($0, in: zones) }
            #expect(atOnce == expected && within == expected)
        }
    }
}
