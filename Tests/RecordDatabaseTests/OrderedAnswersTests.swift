// The first few answers in an order are the head of all answers in that order, whichever way they are found.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite struct OrderedAnswersTests {
    /// Records with many equal values, and some without, of types that take turns.
    private static func set(types: [String]) throws -> RecordSet {
        var random = SplitMix64(seed: 5)
        return try RecordSet(
            records: (0..<700).map { number in
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
                for limit in [1, 3, 20, 690, 1000] {
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
}
