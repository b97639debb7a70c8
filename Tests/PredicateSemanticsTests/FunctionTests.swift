// Functions and casts at their limits: nothing, nil, numbers that are too large, texts that are no numbers.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct FunctionTests {
    private static func moment(_ text: String) -> FieldValue { RFC3339.date(text).map { .date($0) } ?? .null }

    static let object = FieldValue.object([
        "n": 5, "x": 2.5, "s": "a😀", "least": .int64(.min), "o": .object(["a": 1]), "nothing": nil,
        "early": moment("0099-12-31T23:59:59Z"), "late": moment("2024-12-31T23:59:59Z"), "a": 91,
        "p": .location(.init(latitude: 0, longitude: 0)),
    ])

    /// Predicates that hold for `object`.
    static let truths = [
        // Sums are of whole numbers as long as they are whole, and do not overflow on their way.
        "sum({9223372036854775807, 1, -9223372036854775807}) == 1",
        "sum({9007199254740993, 1}) == 9007199254740994.0", "sum({9007199254740992, 1, 1}) == 9007199254740994.0",
        "sum({1, {2, 3}}) == 6", "sum(nil, 1) == 1", "sum(nil) == nil", "average({{1, 2}, 3}) == 2",
        "average({nil, 4, 2}) == 3", "average({nil}) == nil",
        "median({1e308, 1e308}) == 1e308", "median({}) == nil", "median({nil, 3}) == 3", "median({2, 1.0}) == 1.5",
        "median({3, 1, 2, 10}) == 2.5", "median({9, nil, 1, 5}) == 5",
        "mode({nil, 1, nil}) == {1}", "mode({}) == {}", "mode({nil}) == {}", "mode({2, 1, 1.0, TRUE, 2}) == {1}",
        "mode({'a', 'A'}) == {'a', 'A'}", "mode({3, 1, 3, 1, 2}) == {3, 1}",
        "stddev({}) == nil", "stddev({nil, 5}) == 0", "stddev({1, 3}) == 1",
        "min({nil}) == nil", "max({nil, 'b', 'a'}) == 'b'", "max({1, {5, 2}}) == 5", "min({{}}) == nil",
        "min({2, 1, nil, 3}) == 1", "max({late, early}) == late",
        "count(nil) == nil", "count({nil}) == 1", "count(nil, nil) == 2", "count({{1, 2}}) == 1", "count(o) == 1",
        "distinct({1, 1.0, 'a', nil, nil}).@count == 3", "distinct({2, 1, 2}) == {2, 1}",
        // Whole numbers.
        "modulus:by:(7.9, 2.9) == 1", "modulus:by:(7, -3) == 1", "modulus:by:(-7, -3) == -1",
        "modulus:by:(least, -1) == 0", "abs(least) == 9223372036854775808.0", "-least == 9223372036854775808.0",
        "least - 1 == -9223372036854775809.0", "least / -1 == 9223372036854775808.0", "-n == -5",
        "(1 << 63) == least", "(1 << 65) == 0", "(-1 >> 70) == -1", "(1 >> -1) == 2", "~0 == -1", "~1.0 == -2",
        "abs(TRUE) == 1", "floor(TRUE) == 1", "trunc(1e300) == 1e300", "abs(0 - x) == 2.5", "ln(0) < -1e308",
        "length(s) == 3", "s.length == 3", "uppercase(nil) == nil", "randomn(1) == 0",
        // Sets.
        "({1, 2} UNION {2.0, 3}).@count == 3", "({1, 1} UNION {}).@count == 1", "({1} UNION o).@count == 1",
        "({1, 2, 2} MINUS {1}).@count == 1", "({'a'} INTERSECT {'A'}).@count == 0", "({1} MINUS nil) == nil",
        // Casts.
        "CAST('+5', 'NSNumber') == 5", "CAST('1.', 'NSNumber') == 1", "CAST('.5', 'NSNumber') == 0.5",
        "CAST('1e3', 'NSNumber') == 1000", "CAST('9223372036854775808', 'NSNumber') == 9223372036854775808.0",
        "CAST('9223372036854775807', 'NSNumber') == 9223372036854775807", "CAST('-0', 'NSNumber') == 0",
        "CAST('\\t12\\n', 'NSNumber') == 12", "CAST('0x1F', 'NSNumber') == nil", "CAST('inf', 'NSNumber') == nil",
        "CAST('1_000', 'NSNumber') == nil", "CAST('1 2', 'NSNumber') == nil", "CAST('-', 'NSNumber') == nil",
        "CAST('e', 'NSNumber') == nil", "CAST(TRUE, 'NSNumber') + 1 == 2", "CAST(-0.0, 'NSString') == '0'",
        "CAST(1e16, 'NSString') == '10000000000000000'", "CAST(1e300, 'NSString') == '1e+300'",
        "CAST(FALSE, 'NSString') == '0'", "CAST(early, 'NSString') == '0099-12-31 23:59:59 +0000'",
        "CAST(early, 'NSDate') == early", "CAST(nothing, 'NSDate') == nil",
        // Dates and places.
        "year(late) == 2024 AND month(late) == 12 AND day(late) == 31", "year('2024-02-29') == 2024",
        "date('2024-02-29') == date('2024-02-29T00:00:00Z')", "date(s) == nil", "date(late) == late",
        "distance(p, 0, 0) == 0", "distance(p, a, 0) == nil", "location(a, 0) != nil", "year(nothing) == nil",
    ]

    @Test(arguments: truths) func holds(text: String) { #expect(outcome(text, of: Self.object) == "T") }

    /// Predicates, the kind of error they must give, and the part of the text that is at fault.
    static let failures: [(text: String, kind: EvaluationError.Kind, part: String)] = [
        ("CAST(x / 0.0, 'NSDate') == late", .invalidCast, "x / 0.0"), ("CAST(s, 'NSDate') == late", .invalidCast, "s"),
        ("CAST(p, 'NSString') == 'x'", .invalidCast, "p"), ("sum({'a', n}) == 1", .typeMismatch, "{'a', n}"),
        ("count(n) == 1", .typeMismatch, "n"), ("distinct(n) == 1", .typeMismatch, "n"),
        ("modulus:by:(n, 0.5) == 1", .divisionByZero, "0.5"), ("least / (n - 5) == 1", .divisionByZero, "n - 5"),
        ("modulus:by:(x * 1e19, 3) == 1", .numberOutOfRange, "x * 1e19"),
        ("modulus:by:(3, x * 1e19) == 1", .numberOutOfRange, "x * 1e19"), ("~x == 1", .numberOutOfRange, "x"),
        ("(n & x) == 1", .numberOutOfRange, "x"), ("(s | n) == 1", .typeMismatch, "s"),
        ("randomn(0 - n) == 0", .invalidArgument, "0 - n"), ("randomn(x) == 0", .numberOutOfRange, "x"),
        ("(o UNION {1}) == n", .typeMismatch, "o"), ("({1} MINUS n) == n", .typeMismatch, "n"),
        ("month(s) == 2", .typeMismatch, "s"), ("date(n) == late", .typeMismatch, "n"),
        ("location(s, n) == p", .typeMismatch, "s"), ("location(n, s) == p", .typeMismatch, "s"),
        ("distance(n, 1, 2) == n", .typeMismatch, "n"),
    ]

    @Test(arguments: failures) func fails(text: String, kind: EvaluationError.Kind, part: String) throws {
        let bound = try Binder().bind(SyntaxTree(parsing: text))
        let error = #expect(throws: EvaluationError.self) { try bound.evaluate(onValue: Self.object) }
        #expect(error?.kind == kind)
        #expect(error.map { String(decoding: Array(text.utf8)[$0.span.range], as: UTF8.self) } == part)
    }
}
