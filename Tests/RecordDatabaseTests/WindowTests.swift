// Limits and offsets cut the whole result, whoever finds it.

import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct WindowTests {
    private struct Item: RecordConvertible, Equatable {
        var recordName: String
        var number: Int
        var group: String
    }

    private static let items = (0..<120).map { Item(recordName: "i\($0)", number: $0 * 37 % 50, group: "g\($0 % 3)") }
    private static let windows: [(limit: Int?, offset: Int)] = [
        (nil, 0), (nil, 7), (0, 0), (0, 3), (1, 0), (1, 39), (1, 40), (5, 38), (10, 1), (40, 0), (nil, 40), (3, 500),
        (.max, 2), (.max, .max), (4, -1), (-1, 0), (-3, 2), (.min, .max),
    ]

    private static func part<Element>(_ all: [Element], _ limit: Int?, _ offset: Int) -> [Element] {
        Array(all.dropFirst(max(0, offset)).prefix(max(0, limit ?? .max)))
    }

    @Test(arguments: windows.indices, [[], [SortKey.descending("number")]] as [[SortKey]])
    func setsGiveTheWindow(_ index: Int, keys: [SortKey]) throws {
        let (limit, offset) = Self.windows[index]
        let set = try RecordSet(values: Self.items)
        let predicate: RecordPredicate = "group == 'g1'"
        let all = try set.records(matching: predicate, sortedBy: keys)
        #expect(all.count == 40)
        let expected = Self.part(all, limit, offset)
        let found = try set.records(matching: predicate, sortedBy: keys, limit: limit, offset: offset)
        #expect(found == expected)
        let prepared = try set.prepare(predicate, sortedBy: keys, limit: limit, offset: offset)
        #expect(try prepared.records() == expected && prepared.count() == 40)
        let open = try set.prepare("group == $g", sortedBy: keys, limit: limit, offset: offset)
        #expect(try open.records(["g": "g1"]) == expected)
        let values = try set.values(
            of: Item.self, matching: predicate, sortedBy: keys, limit: limit, offset: offset)
        #expect(values.map(\.recordName) == expected.map(\.id.recordName))
    }

    @Test(arguments: windows.indices, [[], [SortKey.descending("number")]] as [[SortKey]])
    func ordinalsGiveTheWindow(_ index: Int, keys: [SortKey]) throws {
        let (limit, offset) = Self.windows[index]
        let set = try RecordSet(values: Self.items)
        let all = try set.ordinals(matching: "group == 'g1'", sortedBy: keys)
        #expect(all.count == 40)
        let found = try set.ordinals(matching: "group == 'g1'", sortedBy: keys, limit: limit, offset: offset)
        #expect(found == Self.part(all, limit, offset))
    }

    /// The scores belong to the records that are left.
    @Test func scoresAreOfTheWindow() throws {
        let set = try RecordSet(
            records: (1...9).map { number in
                Record(
                    type: "T", id: Record.ID("r\(number)"),
                    fields: ["text": .string(String(repeating: "word ", count: number) + "other")])
            })
        let all = try set.select("allTokens TOKENMATCHES 'word'", sortedBy: [.relevance])
        let some = try set.select("allTokens TOKENMATCHES 'word'", sortedBy: [.relevance], limit: 3, offset: 2)
        #expect(some.ordinals == Array(all.ordinals[2..<5]))
        #expect(some.scores == all.scores.map { Array($0[2..<5]) })
    }

    /// As many as the limit need not be all: how many match is told where it is known, and is not the limit.
    @Test(arguments: [1, 10, 599, 600, 601]) func howManyMatchIsNotTheLimit(_ limit: Int) throws {
        let set = try RecordSet(
            records: (0..<600).map { number in
                Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number * 7 % 600))])
            })
        for keys in [[SortKey.ascending("n")], [.descending("n"), SortKey(.recordName)], [SortKey(.recordName)]] {
            let found = try set.select("n >= 0", sortedBy: keys, limit: limit)
            #expect(found.ordinals.count == min(limit, 600))
            #expect(found.matched == nil || found.matched == 600, "\(keys)")
            if limit > 600 { #expect(found.matched == 600, "\(keys)") }
        }
    }

    @Test(arguments: windows.indices)
    func databasesGiveTheWindow(_ index: Int) async throws {
        let (limit, offset) = Self.windows[index]
        var configuration = Configuration()
        // A page is smaller than the result.
        configuration.limits.pageSize = 16
        let database = try Container(identifier: "windows", configuration: configuration).privateDatabase
        try await database.save(Self.items)
        let query = Query("Item", "group == 'g1'", sortedBy: [.ascending("number")])
        let all = try await database.records(matching: query)
        #expect(all.count == 40)
        let found = try await database.records(matching: query, limit: limit, offset: offset)
        #expect(found == Self.part(all, limit, offset))
        let keys: [SortKey.Of<Item>] = try [.ascending(\.number)]
        let predicate = Item.where { $0.group == "g1" }
        let values = try await database.values(matching: predicate, sortedBy: keys, limit: limit, offset: offset)
        #expect(values.map(\.recordName) == found.map(\.id.recordName))
        let atOnce = try await database.read {
            try $0.values(matching: predicate, sortedBy: keys, limit: limit, offset: offset)
        }
        let within = try await database.write {
            try $0.values(matching: predicate, sortedBy: keys, limit: limit, offset: offset)
        }
        // Level records come by their names, or in order of insertion.
        #expect(atOnce.map(\.number) == values.map(\.number) && within == atOnce)
    }
}
