// Every kind of value in the field that a predicate reads: the index says what trying the predicate says.

import FoundationEssentials
import Geospatial
import PredicateSemantics
import RecordModel
import Testing

@testable import Percolation

@Suite struct StrangeValueEdgesTests {
    private static func place(_ latitude: Double) -> FieldValue {
        .location(Location(latitude: latitude, longitude: 2))
    }

    private static func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

    private static let long = String(repeating: "ab", count: 17)

    static let values: [FieldValue] = [
        .null, 0, 1, 2, -3, 1.5, 2.0, .double(.nan), .double(.infinity), .double(-.infinity), .double(-0.0),
        .int64(1 << 53), .int64(1 << 53 + 1), .int64(.max), .int64(.min), true, false, "", "a", "ab", "AB", "abc",
        "xab", "ab cd", "cd ab", "\u{E1}b", "ab\u{301}", "\u{301}ab", "b", "axb", .string(long), .string(long + "c"),
        .string("c" + long), date(4), date(5), date(6), date(.nan), place(1), place(91), .data(Data([1])),
        .reference(RecordReference("ab")), .asset(Asset(path: "ab")), .object([:]), .object(["x": 1]),
        .object(["x": "q"]), [], [1], [1, 2], [0, 1, 2], [.null], [1, .null], ["ab"], ["xab", "abc"], ["AB"],
        ["a", "b"], ["ab cd", "x"], [.string(long + "c")], [1, "ab"], [1.5], [.double(.nan)], [.int64(1 << 53 + 1)],
        [true],
        .list([date(5)]), .list([place(1)]), [[1]], [["ab"]], [[], 1], .set([1, 2]), .set(["ab"]),
        .list([.object([:])]),
    ]

    static let predicates = [
        "a == 1", "a != 1", "a == 1.5", "a == 9007199254740993", "a == 'ab'", "a ==[c] 'AB'", "a ==[cd] 'AB'",
        "a ==[n] 'ab'", "a IN {1, 2.0, 'ab'}", "a IN[c] {'AB', 'x'}", "a == nil", "a != nil", "a == TRUE",
        "a > 1", "a >= 1", "a < 1", "a <= 1", "1 < a", "a BETWEEN {0, 1.5}", "a BETWEEN {2, 0}",
        "a BETWEEN {'a', 'ac'}",
        "a > 'a'", "a <= 'ab'", "a > CAST(5, 'NSDate')", "a <= CAST(5, 'NSDate')", "a == CAST(5, 'NSDate')",
        "a < now()",
        "a > 9007199254740993", "a > 0 AND a < 2", "a >= 1 AND a <= 1", "a < 0 OR a > 1",
        "a BEGINSWITH 'ab'", "a BEGINSWITH[cd] 'AB'", "a BEGINSWITH[c] 'A'", "a BEGINSWITH ''", "a ENDSWITH 'ab'",
        "a ENDSWITH[cd] 'AB'", "a ENDSWITH ''", "a CONTAINS 'ab'", "a CONTAINS 'abc'", "a CONTAINS[cd] 'AB'",
        "a CONTAINS ''", "a LIKE 'ab*'", "a LIKE '*b'", "a LIKE[c] 'A?'", "a LIKE ''", "a MATCHES 'a.*'",
        "a BEGINSWITH '\(long)'", "a ENDSWITH '\(long)'", "a BEGINSWITH '\(long)c'",
        "ANY a == 'ab'", "ANY a ==[c] 'AB'", "ANY a == 1", "ANY a == 1.5", "ANY a IN {1, 2}", "ANY a IN {'ab', 'b', 1}",
        "ANY a BEGINSWITH 'ab'", "ANY a BEGINSWITH[c] 'A'", "ANY a BEGINSWITH '\(long)'", "ANY a ENDSWITH 'ab'",
        "ANY a ENDSWITH[c] 'B'", "ANY a CONTAINS 'ab'", "ANY a CONTAINS 'abc'", "ANY a CONTAINS[c] 'A'",
        "ANY a LIKE 'a*b'", "ANY a LIKE '*b'", "ANY a MATCHES 'a.*'", "ANY a > 1", "ANY a >= 1.5", "ANY a < 'ac'",
        "ANY a BETWEEN {1, 3}", "ANY a > CAST(4, 'NSDate')", "NONE a == 1", "ALL a == 1", "ALL a > 0", "ANY a != 1",
        "a CONTAINS 1", "'ab' IN a", "1 IN a", "a IN 'xab'",
        "a TOKENMATCHES 'ab'", "a TOKENMATCHES 'cd ab'", "a TOKENMATCHES[c] 'AB'", "a TOKENMATCHES[p] 'ab cd'",
        "a TOKENMATCHES ''", "allTokens TOKENMATCHES 'ab'", "allTokens TOKENMATCHES[p] 'ab cd'",
        "ANY allTokens BEGINSWITH 'ab'", "NONE allTokens BEGINSWITH 'ab'", "ANY allTokens BEGINSWITH '\(long)'",
        "ANY tokenize(a, 'c') BEGINSWITH 'a'", "a.@count > 1", "a.@count == 1", "a.x == 1", "a.x BEGINSWITH 'q'",
        "floor(a) > 0", "a + 1 > 2", "a * 2 == 4", "a / 2 < 3", "a / 0 < 3", "-a > 0", "abs(a) < b", "b < abs(a)",
        "a > b",
        "a == b", "a != b", "b == a + 0", "a[0] == 1", "inBox(a, 1, 2, 3, 4) == TRUE",
        "distanceToLocation:fromLocation:(a, a) < 5",
    ]

    private static let schemas: [RecordSchema] = ([.int64, .string, .date, .list(.string)] as [FieldType]).map {
        RecordSchema(
            recordType: "Thing",
            fields: [FieldDefinition(name: "a", type: $0), FieldDefinition(name: "b", type: .int64)])
    }

    /// T where it holds, F where it does not, ! where it fails.
    private static func outcome(_ predicate: BoundPredicate, on record: Record) -> Character {
        do { return try predicate.evaluate(on: record) ? "T" : "F" } catch { return "!" }
    }

    private static func check(_ text: String, _ schema: RecordSchema?) {
        guard let predicate = try? Binder(schema: schema).bind(RecordPredicate(format: text, arguments: [])) else {
            return
        }
        var index = PredicateIndex()
        index.insert(predicate, id: 7, type: "Thing")
        for value in values {
            let record = Fixtures.record(["a": value, "b": 1])
            let expected = outcome(predicate, on: record)
            let matches = index.matches(record)
            let isRight =
                matches.ids == (expected == "T" ? [7] : [])
                && matches.failures.map(\.id) == (expected == "!" ? [7] : [])
            #expect(isRight, "\(text) \(value) \(expected)")
        }
    }

    @Test(arguments: predicates) func theIndexSaysWhatTheEvaluatorSays(text: String) throws {
        _ = try RecordPredicate(format: text, arguments: [])
        for schema in Self.schemas { Self.check(text, schema) }
        for text in [
            text, "NOT (\(text))", "b == 1 AND (\(text))", "NOT (\(text)) AND b == 1", "b == 2 OR (\(text))",
            "(\(text)) OR b == 2",
        ] {
            Self.check(text, nil)
        }
    }

    /// All at once: predicates that share terms and lists, and what a change from one value to the next does.
    @Test func changesMoveWhatTheEvaluatorSays() throws {
        var index = PredicateIndex()
        var stored: [Int: BoundPredicate] = [:]
        for (id, text) in Self.predicates.flatMap({ [$0, "NOT (\($0))"] }).enumerated() where !text.contains("now()") {
            guard let predicate = try? Binder().bind(RecordPredicate(format: text, arguments: [])) else { continue }
            index.insert(predicate, id: id, type: id % 3 == 0 ? nil : "Thing")
            stored[id] = predicate
        }
        #expect(index.count == stored.count && stored.count > 100)
        func all(_ outcome: Character, _ record: Record) -> Set<Int> {
            Set(stored.filter { Self.outcome($0.value, on: record) == outcome }.keys)
        }
        let records = Self.values.map { Fixtures.record(["a": $0, "b": 1]) }
        for (number, record) in records.enumerated() {
            let earlier = records[(number * 7 + 3) % records.count]
            let (before, after) = (all("T", earlier), all("T", record))
            let change = index.transition(from: earlier, to: record)
            #expect(change.entered.count == Set(change.entered).count && change.left.count == Set(change.left).count)
            #expect(Set(change.entered) == after.subtracting(before), "\(number)")
            #expect(Set(change.left) == before.subtracting(after), "\(number)")
            #expect(change.stayed.sorted() == before.intersection(after).sorted(), "\(number)")
            #expect(change.failuresAfter.map(\.id).sorted() == all("!", record).sorted(), "\(number)")
            #expect(change.failuresBefore.map(\.id).sorted() == all("!", earlier).sorted(), "\(number)")
        }
    }
}
