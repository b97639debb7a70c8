// Values of one zone, in snapshots and transactions: those of other zones are not among them.

import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

private struct Item: RecordConvertible, Equatable {
    var metadata = RecordMetadata()
    var number: Int

    init(_ name: String, in zone: RecordZone.ID = .default, _ number: Int) {
        metadata = RecordMetadata(id: Record.ID(name, zoneID: zone))
        self.number = number
    }
}

@Suite(.mayDeadlock) struct ZoneValueEdgesTests {
    /// By a predicate that knows the type, and by one that does not.
    private static func found(_ reading: some RecordReading, in zones: QueryZones) throws -> [[Int]] {
        let untyped: RecordPredicate = "number > 1"
        let byType: [Item] = try reading.values(matching: Item.where { $0.number > 1 }, in: zones)
        let byName: [Item] = try reading.values(of: Item.self, matching: untyped, in: zones)
        return [byType, byName].map { $0.map(\.number).sorted() }
    }

    @Test func valuesAreOfTheZone() async throws {
        let database = try Container(identifier: "values").privateDatabase
        let zone = RecordZone.ID("Z")
        try await database.save(RecordZone(id: zone))
        for item in [Item("a", 1), Item("b", 5), Item("a", in: zone, 2), Item("b", in: zone, 6)] {
            try await database.save(item)
        }
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
