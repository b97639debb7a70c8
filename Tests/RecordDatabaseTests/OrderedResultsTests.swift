// The first few answers in an order are the head of all answers in that order, whichever way they are found.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite struct OrderedResultsTests {
    /// Records with many equal values, and some without, of types that take turns.
    private static func set(types: [String]) throws -> RecordSet {
        var random = SplitMix64(seed: 5)
        return try RecordSet(
            records: (0..<3000).map { number in
                var record = Record(type: types[number % types.count], id: Record.ID("r\(number)"))
                if number % 7 != 0 { record["whole"] = .int64(Int64(random.next() % 40)) }
                if number % 5 != 0 { record["fraction"] = .double(Double(random.next() % 100) / 8 - 5) }
                if number % 3 != 0 { record["text"] = .string(["b", "a", "é", "Z", ""][Int(random.next() % 5)]) }
                record["date"] = .date(Date(timeIntervalSinceReferenceDate: Double(random.next() % 1000)))
                if number % 4 != 0 {
                    record["place"] = .location(
                        Location(
                            latitude: Double(random.next() % 1700) / 10 - 85,
                            longitude: Double(random.next() % 3600) / 10 - 180))
                }
                return record
            })
    }

    @Test(arguments: [["T"], ["T", "U", "V"]])
    func limitedOrdersAreHeadsOfFullOrders(types: [String]) throws {
        var set = try Self.set(types: types)
        let keys: [SortKey] =
            ["whole", "fraction", "text", "date"].flatMap { [.ascending($0), .descending($0)] }
            + [
                .distance("place", Location(latitude: 50, longitude: 30)),
                .distance("place", Location(latitude: -89, longitude: 0)),
            ]
        let predicates: [RecordPredicate] = [
            "TRUEPREDICATE", "whole > 20", "whole == 3", "NOT (whole > 20)", "fraction + whole > 10",
            "text == 'a' OR whole < 2",
            "FALSEPREDICATE",
        ]
        for key in keys {
            for predicate in predicates {
                let all = try set.ordinals(matching: predicate, sortedBy: [key])
                for limit in [1, 20, 690, 4000] {
                    for builds in [true, false] {
                        set.buildsIndexes = builds
                        let head = try set.ordinals(matching: predicate, sortedBy: [key], limit: limit)
                        #expect(head == Array(all.prefix(limit)), "\(key) \(predicate) \(limit) \(builds)")
                        let prepared = try set.prepare(predicate, sortedBy: [key], limit: limit)
                        #expect(try prepared.ordinals().map { Int($0) } == head)
                    }
                }
            }
        }
    }
    /// Records of several segments, some of which were deleted or changed: a walk passes their rows in blocks.
    @Test func firstRecordsAreThoseOfASort() async throws {
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = 4000
        let container = try Container(identifier: "orders", configuration: configuration)
        defer { container.close() }
        let database = container.privateDatabase
        var random = SplitMix64(seed: 9)
        var values: [String: (few: Int64, many: Int64)] = [:]
        func save(_ numbers: some Sequence<Int>) async throws {
            let records = numbers.map { number in
                let value = (few: Int64(random.next() % 6), many: Int64(random.next() % 100_000))
                values["r\(number)"] = value
                return Record(
                    type: "T", id: Record.ID("r\(number)"),
                    fields: ["few": .int64(value.few), "many": .int64(value.many)])
            }
            _ = try await database.modifyRecords(saving: records, deleting: [], savePolicy: .allKeys)
        }
        try await save(0..<2000)
        try await save(2000..<3500)
        try await save(stride(from: 0, to: 3500, by: 5))
        let gone = stride(from: 0, to: 3500, by: 3).map { "r\($0)" }
        _ = try await database.modifyRecords(saving: [], deleting: gone.map { Record.ID($0) })
        for name in gone { values[name] = nil }
        for (predicate, matches) in [
            ("few >= 2", { $0.few >= 2 }), ("few == 3 AND many < 60000", { $0.few == 3 && $0.many < 60_000 }),
            ("few + 0 >= 2", { $0.few >= 2 }),
        ] as [(String, ((few: Int64, many: Int64)) -> Bool)] {
            for (key, value) in [("few", { $0.few }), ("many", { $0.many })]
                as [(String, ((few: Int64, many: Int64)) -> Int64)]
            {
                for isAscending in [true, false] {
                    let query = Query(
                        "T", try RecordPredicate(format: predicate),
                        sortedBy: [SortKey(.field(key), isAscending: isAscending)])
                    let found = try await database.recordPage(matching: query, in: .zone(.default), resultsLimit: 40)
                    let sorted = values.filter { matches($0.value) }.sorted { a, b in
                        let (first, second) = (value(a.value), value(b.value))
                        return first == second ? a.key < b.key : (first < second) == isAscending
                    }
                    #expect(
                        found.matchResults.map(\.0.recordName) == sorted.prefix(40).map(\.key), "\(predicate) \(key)")
                }
            }
        }
    }
}
