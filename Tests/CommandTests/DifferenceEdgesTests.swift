// Predicates that mean the same, and the values that are tried to tell others apart.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct DifferenceEdgesTests {
    private static func bound(_ text: String, _ arguments: [FieldValue] = []) throws -> BoundPredicate {
        try Binder().bind(try RecordPredicate(format: text, arguments: arguments), variables: [:])
    }

    // MARK: One text for what means the same

    @Test func spellingsOfOnePredicate() throws {
        for (first, second) in [
            ("NOT (n > 1 AND t == 'x')", "NOT (n > 1) OR t != 'x'"),
            ("NOT (n > 1 OR t != 'x')", "t == 'x' AND NOT (n > 1)"),
            ("NOT (NONE tags == 'x')", "ANY tags == 'x'"), ("NOT (ANY tags == 'x')", "NONE tags == 'x'"),
            ("1 < n", "n > 1"), ("1 >= n", "n <= 1"), ("nil != n", "n != nil"), ("n IN {3, 1, 2, 1}", "n IN {1, 2, 3}"),
            ("(n == 1 AND m == 1) AND b == TRUE", "b == TRUE AND (m == 1 AND n == 1)"),
            ("(n > 1 OR m > 1) OR t == 'x'", "t == 'x' OR (m > 1 OR n > 1)"), ("NOT NOT (n > 1)", "n > 1"),
            ("n > 1 AND n > 1", "n > 1"),
        ] {
            #expect(
                NormalForm.text(of: try Self.bound(first)) == NormalForm.text(of: try Self.bound(second)), "\(first)")
        }
    }

    @Test func predicatesThatDiffer() throws {
        for (first, second) in [
            ("n > 1 OR m > 1", "n > 1 AND m > 1"), ("NOT (n > 1 AND m > 1)", "NOT (n > 1 OR m > 1)"),
            ("NOT (ALL tags == 'x')", "NONE tags == 'x'"), ("NOT (ALL tags == 'x')", "ANY tags == 'x'"),
            ("1 < n", "n < 1"), ("n - m > 1", "m - n > 1"), ("n > m", "m < 1"), ("NOT (n > 1)", "n <= 1"),
            ("t BEGINSWITH 'x'", "'x' BEGINSWITH t"), ("n IN {1, 2}", "n IN {1, 3}"),
            ("(n > 1 OR m > 1) AND b == TRUE", "n > 1 OR (m > 1 AND b == TRUE)"),
            ("ANY tags == 'x'", "ALL tags == 'x'"), ("ANY {1, 2} == n", "ANY n == {1, 2}"),
            ("t ==[c] 'x'", "t == 'x'"),
        ] {
            #expect(
                NormalForm.text(of: try Self.bound(first)) != NormalForm.text(of: try Self.bound(second)), "\(first)")
        }
    }

    // MARK: Values that are tried

    private static func day(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSince1970: seconds)) }

    /// A predicate, its argument, its field, and what is tried for it.
    static let tried: [(predicate: String, argument: FieldValue?, field: [String], values: [FieldValue])] = [
        ("n > 5", nil, ["n"], [5, 4, 6, 5.5, 4.5]),
        ("n > 2.5", nil, ["n"], [2.5, .double(2.5.nextUp), .double(2.5.nextDown), 3.5, 1.5]),
        ("n IN {5, 6}", nil, ["n"], [5, 4, 6, 5.5, 4.5, 7, 6.5]), ("b == TRUE", nil, ["b"], [true, false]),
        ("a == x", nil, ["a"], [0, 1, "", "a"]), ("a == x", nil, ["x"], [0, 1, "", "a"]),
        ("d > %@", day(864_000), ["d"], [day(864_000), day(777_600), day(863_999), day(864_001), day(950_400)]),
        (
            "t == 'aB'", nil, ["t"],
            ["aB", "", "AB", "ab", "aBx", "xaB", "xaBx", "a", "B", "aB\u{301}", "a\u{301}B"]
        ),
        ("a.b == TRUE", nil, ["a", "b"], [true, false]),
        ("ANY tags == TRUE", nil, ["tags"], [[], [true], [true, false], [false], [false, true]]),
        ("tags.@count > 1 AND n == 1", nil, ["n"], [1, 0, 2, 1.5, 0.5]),
    ]

    @Test func valuesBesideConstantsAreTried() throws {
        for test in Self.tried {
            let predicate = try Self.bound(test.predicate, test.argument.map { [$0] } ?? [])
            let values = CandidateValues([predicate], now: .distantPast).candidates[test.field]?.values ?? []
            #expect(Set(values) == Set(test.values), "\(test.predicate)")
        }
    }

    /// Fields of whole numbers get no fractions; a field that is a list and one value gets both.
    @Test func kindsOfFields() throws {
        let whole = CandidateValues([try Self.bound("n > 5 AND m > 5")], wholeFields: ["n"], now: .distantPast)
        #expect(whole.candidates[["n"]]?.values == [5, 4, 6])
        #expect(whole.candidates[["m"]]?.values == [5, 4, 6, 5.5, 4.5])
        #expect(whole.paths == [["n"], ["m"]])
        let both = CandidateValues([try Self.bound("ANY a == TRUE"), try Self.bound("a == nil")], now: .distantPast)
            .candidates[["a"]]
        #expect(both?.isList == true && both?.isSingle == true)
        #expect(both?.values.contains(true) == true && both?.values.contains(.list([true])) == true)
        let member = CandidateValues([try Self.bound("a CONTAINS 'x'")], now: .distantPast).candidates[["a"]]
        #expect(member?.values.contains("x") == true && member?.values.contains(.list(["x"])) == true)
        let one = CandidateValues([try Self.bound("a IN {'x'}")], now: .distantPast).candidates[["a"]]
        #expect(one?.isList == false && one?.values.contains(.list(["x"])) == false)
        // A field that another steps into is made by its parts.
        let parts = CandidateValues(
            [try Self.bound("a.b == 1 AND a != nil AND a.c.d == 2 AND n == 1")], now: .distantPast)
        #expect(parts.paths == [["a", "b"], ["a", "c", "d"], ["n"]])
    }

    /// Texts for patterns and words, places nearer and farther than a radius.
    @Test func valuesOfPatternsWordsAndPlaces() throws {
        let pattern =
            CandidateValues([try Self.bound("t LIKE 'a*b?'")], now: .distantPast).candidates[["t"]]?.values ?? []
        for text: FieldValue in ["abx", "axby", "axyzb", "ab"] { #expect(pattern.contains(text), "\(text)") }
        let words =
            CandidateValues([try Self.bound("t TOKENMATCHES 'new york'")], now: .distantPast).candidates[["t"]]?.values
            ?? []
        for text: FieldValue in ["york new", "new x york", "new"] { #expect(words.contains(text), "\(text)") }
        let place = FieldValue.location(Location(latitude: 50, longitude: 8))
        let near = try Self.bound("distanceToLocation:fromLocation:(p, %@) < 111320", [place])
        let places = CandidateValues([near], now: .distantPast).candidates[["p"]]?.values ?? []
        let found = places.compactMap { if case .location(let place) = $0 { place } else { nil } }
        #expect(found.contains(Location(latitude: 50, longitude: 8)))
        #expect(found.contains(Location(latitude: -50, longitude: -172)))
        for latitude in [49.5, 49.02, 48.98, 48.5] {
            #expect(found.contains { abs($0.latitude - latitude) < 1e-9 && $0.longitude == 8 }, "\(latitude)")
        }
        #expect(found.allSatisfy { abs($0.latitude) <= 90 && abs($0.longitude) <= 180 })
    }
}
