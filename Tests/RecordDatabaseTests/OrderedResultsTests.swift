// The first few answers in an order are the head of all answers in that order, whichever way they are found.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite struct OrderedResultsTests {
    /// Records with many equal values, and some without, of types that take turns.
    private static func records(types: [String]) -> [Record] {
        var random = SplitMix64(seed: 5)
        return (0..<3000).map { number in
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
        }
    }

    /// The predicates, and what they say as Swift does: what is missing is neither more nor less nor equal.
    private static let predicates: [(text: RecordPredicate, holds: @Sendable (_ whole: Int64?, Record) -> Bool)] = [
        ("TRUEPREDICATE", { _, _ in true }), ("whole > 20", { whole, _ in whole.map { $0 > 20 } ?? false }),
        ("whole == 3", { whole, _ in whole == 3 }),
        ("NOT (whole > 20)", { whole, _ in whole.map { $0 <= 20 } ?? true }),
        (
            "fraction + whole > 10",
            { whole, record in
                guard let whole, case .double(let fraction) = record["fraction"] else { return false }
                return fraction + Double(whole) > 10
            }
        ),
        ("text == 'a' OR whole < 2", { whole, record in record["text"] == "a" || whole.map { $0 < 2 } ?? false }),
        ("FALSEPREDICATE", { _, _ in false }),
    ]

    /// The numbers of records in the order of a field, equals as they came; texts by their scalars.
    private static func sorted(_ numbers: [Int], _ records: [Record], by field: String, _ isAscending: Bool) -> [Int] {
        let texts = ["", "Z", "a", "b", "é"]
        let places = Dictionary(
            uniqueKeysWithValues: numbers.map { number in
                let place: Double =
                    switch records[number][field] {
                    case .int64(let value): Double(value)
                    case .double(let value): value
                    case .date(let value): value.timeIntervalSinceReferenceDate
                    case .string(let value): Double(texts.firstIndex(of: value) ?? texts.count)
                    default: -.infinity
                    }
                return (number, isAscending ? place : -place)
            })
        return numbers.sorted { (places[$0] ?? 0, $0) < (places[$1] ?? 0, $1) }
    }

    /// Metres on a sphere, which are within 1 % of those along the geodesic.
    private static func metres(_ one: Location, _ other: Location) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let half = (
            sin(radians(one.latitude - other.latitude) / 2), sin(radians(one.longitude - other.longitude) / 2)
        )
        let sum = half.0 * half.0 + cos(radians(one.latitude)) * cos(radians(other.latitude)) * half.1 * half.1
        return 2 * 6_371_009 * asin(min(1, sum.squareRoot()))
    }

    private static func isInOrder(_ numbers: [Int], _ records: [Record], from place: Location) -> Bool {
        let distances = numbers.map { number in
            if case .location(let other) = records[number]["place"] { metres(other, place) } else { Double.infinity }
        }
        return zip(distances, distances.dropFirst()).allSatisfy { $0 <= $1 * 1.02 }
    }

    @Test(arguments: [["T"], ["T", "U", "V"]])
    func limitedOrdersAreHeadsOfFullOrders(types: [String]) throws {
        let records = Self.records(types: types)
        var set = try RecordSet(records: records)
        let keys: [SortKey] =
            ["whole", "fraction", "text", "date"].flatMap { [.ascending($0), .descending($0)] }
            + [
                .distance("place", Location(latitude: 50, longitude: 30)),
                .distance("place", Location(latitude: -89, longitude: 0)),
            ]
        for key in keys {
            for (predicate, holds) in Self.predicates {
                let matching = records.indices.filter { number in
                    if case .int64(let whole) = records[number]["whole"] { return holds(whole, records[number]) }
                    return holds(nil, records[number])
                }
                let all = try set.ordinals(matching: predicate, sortedBy: [key])
                switch key.criterion {
                case .field(let field):
                    #expect(all == Self.sorted(matching, records, by: field, key.isAscending), "\(key) \(predicate)")
                case .distance(_, let place):
                    #expect(
                        all.sorted() == matching && Self.isInOrder(all, records, from: place), "\(key) \(predicate)")
                default: Issue.record("\(key)")
                }
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
