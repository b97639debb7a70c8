// Facets and groups of a few records, their order, and what goes wrong.

import Deadlines
import Foundation
import RecordDatabase
import Testing

@Suite struct GroupTests {
    private static func set() throws -> RecordSet {
        let cities: [[String: FieldValue]] = [
            ["country": "CH", "population": 134_794, "tags": ["capital", "river", "river"], "height": 540.5],
            ["country": "CH", "population": 402_762, "tags": ["lake"], "height": 408],
            ["country": "UA", "population": 2_952_301, "tags": ["capital", "river"]],
            ["population": 7, "tags": []],
            [
                "country": "FR", "population": 2_161_000, "height": 35.25,
                "place": .location(Location(latitude: 1, longitude: 2)),
            ],
        ]
        return try RecordSet(
            records: cities.enumerated().map { Record(type: "City", id: Record.ID("c\($0)"), fields: $1) })
    }

    /// A name with a dot is a field where the record has one of that name, and a path elsewhere, as in orders.
    @Test func namesWithDots() throws {
        let rows: [[String: FieldValue]] = [
            ["x": .object(["y": 5])], ["x.y": 1], ["x": .object(["y": 7]), "x.y": 2], ["x": .object(["z": 3])],
            ["z.y": 9],
        ]
        let set = try RecordSet(
            records: rows.enumerated().map { Record(type: "T", id: Record.ID("r\($0)"), fields: $1) })
        let ordered = try set.ordinals(matching: "TRUEPREDICATE", sortedBy: [SortKey(.field("x.y"))])
        let facets = try set.facets("x.y")
        #expect(facets.missingCount == 2)
        #expect(facets.values.map(\.value).sorted { "\($0)" < "\($1)" } == [1, 2, 5])
        #expect(ordered.suffix(3) == [1, 2, 0] || ordered.prefix(3) == [1, 2, 0])
        #expect(try set.facets("z.y").missingCount == 4)
    }

    @Test func facets() throws {
        let set = try Self.set()
        let countries = try set.facets("country", limit: 2)
        #expect(countries.values == [ValueCount("CH", 2), ValueCount("FR", 1)])
        #expect(countries.distinctCount == 3)
        #expect(countries.missingCount == 1)
        let tags = try set.facets("tags", where: "population > 100")
        #expect(tags.values == [ValueCount("capital", 2), ValueCount("river", 2), ValueCount("lake", 1)])
        #expect(tags.missingCount == 1)
        #expect(try set.facets("tags").missingCount == 2)
        #expect(try set.facets("country", limit: 0).values == [])
        #expect(
            try set.facets("country", where: "population > $least", variables: ["least": 2_500_000]).values
                == [ValueCount("UA", 1)])
    }

    @Test func groups() throws {
        let set = try Self.set()
        let groups = try set.group(
            by: ["country"], [.count, .sum("population"), .average("height"), .maximum("height")])
        #expect(groups.map(\.keys) == [[.null], ["CH"], ["FR"], ["UA"]])
        #expect(groups.map(\.count) == [1, 2, 1, 1])
        #expect(groups[0].values == [1, 7, .null, .null])
        #expect(groups[1].values == [2, 537_556, .double(474.25), .double(540.5)])
        let all = try set.group(
            by: [], where: "population > 1000000000", [.count, .sum("population"), .minimum("country")])
        #expect(all.map(\.keys) == [[]])
        #expect(all.map(\.values) == [[0, 0, .null]])
        #expect(try set.group(by: ["country"], where: "FALSEPREDICATE") == [])
    }

    @Test func orders() throws {
        let set = try Self.set()
        func countries(_ order: GroupOrder, _ limit: Int? = nil) throws -> [FieldValue] {
            try set.group(by: ["country"], sortedBy: order, limit: limit).map(\.keys[0])
        }
        #expect(try countries(.descending(.count)) == ["CH", .null, "FR", "UA"])
        #expect(try countries(.ascending(.sum("population"))) == [.null, "CH", "FR", "UA"])
        #expect(try countries(.descending(.sum("population")), 2) == ["UA", "FR"])
        #expect(try countries(.keys, 1) == [.null])
        #expect(try set.group(by: ["country"], [], sortedBy: .descending(.sum("population")))[0].values == [])
    }

    @Test(arguments: [1500, 9000])
    func listsOfManyWords(words: Int) throws {
        // Each word stands twice in its list, with a null between.
        var expected: [String: Int] = [:]
        let records = (0..<4500).map { number in
            var list: [FieldValue] = []
            for word in [number % words, number * 7 % words, number % 3] {
                list += [.string("w\(word)"), .null, .string("w\(word)")]
            }
            for word in Set([number % words, number * 7 % words, number % 3]) { expected["w\(word)", default: 0] += 1 }
            return Record(
                type: "L", id: Record.ID("l\(number)"), fields: ["tags": number % 9 == 8 ? .list([.null]) : .list(list)]
            )
        }
        for number in stride(from: 8, to: 4500, by: 9) {
            for word in Set([number % words, number * 7 % words, number % 3]) { expected["w\(word)"]? -= 1 }
        }
        expected = expected.filter { $0.value > 0 }
        let facets = try RecordSet(records: records).facets("tags", limit: 10_000)
        #expect(facets.missingCount == 500)
        #expect(facets.distinctCount == expected.count && facets.values.count == expected.count)
        for value in facets.values {
            guard case .string(let word) = value.value else { return #expect(Bool(false), "\(value)") }
            #expect(expected[word] == value.count)
        }
    }

    @Test func sumsAreExactOrAnError() throws {
        func sum(_ numbers: [FieldValue]) throws -> FieldValue {
            let set = try RecordSet(
                records: numbers.enumerated().map {
                    Record(type: "N", id: Record.ID("n\($0)"), fields: ["n": $1])
                })
            return try set.group(by: [], [.sum("n")])[0].values[0]
        }
        // On the way the sum is too large, in the end it is not.
        #expect(try sum([.int64(.max), .int64(.max), .int64(.min), -1]) == .int64(.max - 2))
        #expect(try sum([.int64(.max), 0.5]) == .double(0x1p63))
        let error = #expect(throws: RecordPredicateError.self) { try sum([.int64(.max), 1]) }
        #expect(error?.evaluationKind == .numberOutOfRange)
        #expect(error?.text == "n")
        #expect(error?.message == "sum(n) does not fit a whole number of 64 bits")
        guard case .double(let number) = try sum([1, .double(.nan)]) else { return #expect(Bool(false)) }
        #expect(number.isNaN)
    }

    @Test func extremesOfNaN() throws {
        let set = try RecordSet(
            records: [.nan, 3, -0.0, 0, .infinity, .nan].enumerated().map {
                Record(type: "N", id: Record.ID("n\($0)"), fields: ["n": .double($1)])
            })
        #expect(try set.group(by: ["n"]).map(\.count) == [2, 1, 1, 2])
        let group = try set.group(by: [], [.minimum("n"), .distinct("n")])[0]
        #expect(group.values == [0.0, 4])
    }

    /// Both zeros are one date, as they are one number, in segments of several types too.
    @Test func zerosOfDates() throws {
        let set = try RecordSet(
            records: [-0.0, 0, 1, 0, -0.0, 1].enumerated().map { number, seconds in
                Record(
                    type: ["N", "M"][number % 2], id: Record.ID("n\(number)"),
                    fields: ["d": .date(Date(timeIntervalSinceReferenceDate: seconds)), "f": .double(seconds)])
            })
        #expect(try set.group(by: [], [.distinct("d"), .distinct("f")])[0].values == [2, 2])
        #expect(try set.group(by: ["d"]).map(\.count) == [4, 2])
        #expect(try set.facets("d").distinctCount == 2)
    }

    /// A number is one value, whatever else the fields of its segments hold.
    @Test func numbersOfSeveralFormsAreOneValue() throws {
        let values: [(type: String, values: [String])] = [
            ("A", ["1", "2"]), ("B", ["{'$double':1}", "2.5"]), ("C", ["{'$double':1}", "'a'"]),
            ("D", ["{'$double':2}", "'b'", "2.5"]), ("E", ["[{'$double':1},2.5,3]"]),
        ]
        for order in [values, values.reversed()] {
            let lines = order.flatMap { type, values in values.map { "{'type':'\(type)','n':\($0)}" } }
            // 1, 2, 2.5, 3, a and b.
            #expect(try RecordSet.mixed(lines).group(by: [], [.distinct("n")])[0].values == [6])
        }
    }

    /// Fields, aggregates, and the stage, text, and part of the message of the error.
    static let errors: [(fields: [String], aggregate: Aggregate, stage: String, text: String, part: String)] = [
        (["contry"], .count, "binding", "contry", "hint: did you mean 'country'?"),
        (["country"], .sum("populaton"), "binding", "populaton", "hint: did you mean 'population'?"),
        (["country"], .sum("country"), "binding", "country", "sum(country) needs numbers, not text"),
        (["country"], .average("tags"), "binding", "tags", "average(tags) needs numbers, not a list"),
        ([], .minimum("place"), "binding", "place", "minimum(place) needs numbers, dates or texts, not a location"),
        ([], .sum("recordName"), "evaluation", "recordName", "sum(recordName) needs numbers, not text"),
    ]

    @Test(arguments: errors)
    func errorsNameTheField(
        fields: [String], aggregate: Aggregate, stage: String, text: String, part: String
    ) throws {
        let set = try Self.set()
        let error = #expect(throws: RecordPredicateError.self) { try set.group(by: fields, [aggregate]) }
        #expect(error?.stage.rawValue == stage)
        #expect(error?.text == text)
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        let ordered = #expect(throws: RecordPredicateError.self) {
            try set.group(by: fields, sortedBy: .descending(aggregate))
        }
        #expect(ordered == error)
    }

    @Test func predicatesFailAsElsewhere() throws {
        var set = try Self.set()
        let error = #expect(throws: RecordPredicateError.self) { try set.facets("country", where: "country > 3") }
        #expect(error?.stage == .binding)
        set.refusesScans = true
        let scan = #expect(throws: RecordPredicateError.self) { try set.facets("country", where: "population * 2 > 3") }
        #expect(scan?.stage == .planning)
    }

    @Test func limits() throws {
        var set = try Self.set()
        set.limits.time = .zero
        let late = #expect(throws: RecordPredicateError.self) { try set.facets("country") }
        #expect(late?.evaluationKind == .timeLimit)
        set.limits = QueryLimits(resultBytes: 200)
        #expect(try set.facets("country", limit: 1).values.count == 1)
        let large = #expect(throws: RecordPredicateError.self) { try set.group(by: ["country"]) }
        #expect(large?.evaluationKind == .resultLimit)
    }

    private static let many = NaiveGroups.records(9000, seed: 2)

    /// The time is over at any look: an error, never other groups. There are looks between the rows of a segment.
    @Test(arguments: ["few", "whole", "nested.a", "tags", "text"])
    func timeEndsWithinSegments(field: String) throws {
        let set = try RecordSet(records: Self.many)
        let aggregates: [Aggregate] = [.sum("whole"), .distinct(field)]
        let expected = try set.group(by: [field], aggregates)
        var looks = 0
        while true {
            let groups = Result {
                try Deadline.run(looks: looks, failure: { $0 as any Error }) { () throws(any Error) in
                    try set.group(by: [field], aggregates)
                }
            }
            if case .success(let groups) = groups {
                #expect(groups == expected)
                break
            }
            looks += 1
        }
        #expect(looks >= 5)
    }

    @Test func cancelledTasksEnd() async throws {
        let set = try RecordSet(records: NaiveGroups.records(5000, seed: 2))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try set.facets("nested.a").distinctCount
        }
        task.cancel()
        let error = await #expect(throws: RecordPredicateError.self) { try await task.value }
        #expect(error?.evaluationKind == .cancelled)
    }
}
