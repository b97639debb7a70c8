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
        let database = try Container(identifier: "values").privateDatabase
        let zone = RecordZone.ID("Z")
        try await database.save(RecordZone(id: zone))
        for item in [Item("a", 1), Item("b", 5), Item("a", in: zone, 2), Item("b", in: zone, 6)] {
            try await database.save(item)
        }
        let counts = try await database.write { transaction in
            let changed = try transaction.updateAll(Item.where { $0.number > 3 }, in: .zone(zone)) { $0.number += 10 }
            return (changed, try transaction.deleteAll(Item.where { $0.number < 3 }, in: .zone(zone)))
        }
        #expect(counts == (1, 1))
        #expect(try await Self.numbers(database) == [1, 5, 16])
    }
}
