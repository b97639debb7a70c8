// What comes before a condition that can be looked up: whether it may fail decides how the predicate is filed.

import FoundationEssentials
import PredicateSemantics
import RecordModel
import Testing

@testable import Percolation

@Suite struct FallibleConditionTests {
    /// Of a, b and c: each is of the wrong kind once, then all fit, then only b is there.
    private static let records: [[String: FieldValue]] = [
        ["a": "x", "b": 1, "c": 1], ["a": 1, "b": 1, "c": "x"], ["a": 1, "b": 1, "c": 2],
        ["a": [1], "b": 1, "c": "x"], ["b": 1],
    ]

    /// A condition, what its opposite says of each of the records (T, F, or ! for a failure), and whether it may fail
    /// for values of the kinds that it is made for, so that what follows it cannot be looked up.
    static let cases: [(condition: String, outcomes: String, mayFail: Bool)] = [
        ("inBox(a, 1, 2, 3, 4) == TRUE", "!!!!T", false),
        ("floor(a) > c", "!!T!T", false), ("sqrt(a) > c", "!!T!T", false), ("abs(a) > c", "!!T!T", false),
        ("trunc(a) == c", "!TT!F", false), ("-a > c", "!!T!T", false), ("a.@count > c", "!!!!T", false),
        ("distanceToLocation:fromLocation:(a, c) < 3", "!!!!T", false),
        ("a / 2 > c", "!!T!T", false), ("a / c > 1", "!!T!T", true), ("modulus:by:(a, 2) > c", "!!T!T", true),
        ("a > c", "!!T!T", true), ("a > c + 1", "!!T!T", false), ("a < now()", "!!!!T", false),
        ("a IN c", "!!!!T", false), ("a BEGINSWITH c", "!!!!T", false), ("a == c[0]", "!!!!F", true),
        ("a BETWEEN {1, c}", "!!F!T", true), ("a BETWEEN {'a', 'f'}", "T!!!T", false),
        ("a.x BEGINSWITH 'q'", "TTT!T", true), ("a.x == 'q'", "TTTTT", false),
        ("a > 3 OR a BEGINSWITH 'x'", "!!!!T", false),
    ]

    @Test(arguments: cases)
    func failuresDecideWhatCanBeLookedUp(condition: String, outcomes: String, mayFail: Bool) throws {
        for text in ["NOT (\(condition)) AND b == 1", "b == 1 AND NOT (\(condition))"] {
            var index = PredicateIndex()
            index.insert(try Binder().bind(RecordPredicate(format: text, arguments: [])), id: 4, type: "Thing")
            #expect(index.alwaysTriedCount == (mayFail && text.hasPrefix("NOT") ? 1 : 0), "\(text)")
            for (fields, outcome) in zip(Self.records, outcomes) {
                let matches = index.matches(Fixtures.record(fields))
                #expect(matches.ids == (outcome == "T" ? [4] : []), "\(text) \(fields)")
                #expect(matches.failures.map(\.id) == (outcome == "!" ? [4] : []), "\(text) \(fields)")
                // Without the b that is looked up, what comes first fails all the same; what comes later is not reached.
                let others = index.matches(Fixtures.record(fields.merging(["b": 2]) { $1 }))
                let fails = outcome == "!" && text.hasPrefix("NOT")
                #expect(others.ids.isEmpty && others.failures.map(\.id) == (fails ? [4] : []), "\(text) \(fields)")
            }
        }
    }

    /// Bounds without end that are left out, and those that belong to the range.
    @Test func boundsWithoutEnd() throws {
        let infinity = Double.infinity
        let numbers: [Double] = [-infinity, -.greatestFiniteMagnitude, 0, .greatestFiniteMagnitude, infinity]
        let cases: [(text: String, bound: Double, outcomes: String)] = [
            ("a > %@", infinity, "FFFFF"), ("a >= %@", infinity, "FFFFT"), ("a < %@", infinity, "TTTTF"),
            ("a <= %@", infinity, "TTTTT"), ("a > %@", -infinity, "FTTTT"), ("a >= %@", -infinity, "TTTTT"),
            ("a < %@", -infinity, "FFFFF"), ("a <= %@", -infinity, "TFFFF"),
            ("a > %@", .greatestFiniteMagnitude, "FFFFT"), ("a < %@", -.greatestFiniteMagnitude, "TFFFF"),
        ]
        for (text, bound, outcomes) in cases {
            var index = PredicateIndex()
            let predicate = try RecordPredicate(format: text, arguments: [.double(bound)])
            index.insert(try Binder().bind(predicate), id: 4, type: "Thing")
            for (number, outcome) in zip(numbers, outcomes) {
                let ids = index.matches(Fixtures.record(["a": .double(number)])).ids
                #expect(ids == (outcome == "T" ? [4] : []), "\(text) \(bound) \(number)")
            }
        }
    }
}
