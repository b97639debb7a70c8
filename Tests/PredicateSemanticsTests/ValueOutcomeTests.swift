// What functions, paths and operators give for values at their edges.

import Foundation
import PredicateSemantics
import RecordModel
import Testing

@Suite struct ValueOutcomeTests {
    private static let object = FieldValue.object([
        "n": 5, "x": 2.5, "tags": ["a", "b"], "matrix": [[1, 2], [2, 3]], "keys": .set(["aa", "bbb"]),
        "d": RFC3339.date("2024-03-05T07:08:09Z").map { .date($0) } ?? .null, "b": .data(Data([1, 2, 3])),
        "p": .location(.init(latitude: 10, longitude: 20)), "o": .object(["k": "v", "m": 1]),
    ])

    static let truths = [
        "sum({1, 1} INTERSECT {1}) == 1",
        "sum({1, 1} UNION {1}) == 1",
        "sum({1, 1, 2} MINUS {2}) == 1",
        "max({1, 1.0}) / 2 == 0",
        "max({1.0, 1}) / 2 == 0.5",
        "min({1, 1.0}) / 2 == 0",
        "CAST(CAST(-70000000000, 'NSDate'), 'NSString') == '-0218-10-15 19:33:20 +0000'",
        "CAST('1E3', 'NSNumber') == 1000",
        "CAST('1e+3', 'NSNumber') == 1000",
        "CAST('1e-3', 'NSNumber') == 0.001",
        "CAST('-1.5', 'NSNumber') == -1.5",
        "CAST(TRUE, 'NSDate') == CAST(1, 'NSDate')",
        "CAST('7', 'NSDecimalNumber') == 7",
        "CAST(n, 'NSDecimalNumber') == 5",
        "CAST(d, 'NSString') == '2024-03-05 07:08:09 +0000'",
        "CAST(TRUE, 'NSDecimalNumber') == 1",
        "CAST(x, 'NSDecimalNumber') == 2.5",
        "tokenize({'A b', 3, 'C'}, 'c') == {'a', 'b', 'c'}",
        "tokenize(tags, 'l') == {'a', 'b'}",
        "distanceToLocation:fromLocation:(p, location(95, n)) == nil",
        "distanceToLocation:fromLocation:(location(n * 19, 0), p) == nil",
        "location(10, 20) == p",
        "location(n + 5, n * 4) == p",
        "keys.length == {2, 3}",
        "keys[FIRST] == 'aa'",
        "keys[LAST] == 'bbb'",
        "nothing[FIRST] == nil",
        "nothing[SIZE] == nil",
        "nothing[0] == nil",
        "nothing.@count == nil",
        "nothing.@sum.self == nil",
        "o[SIZE] == 2",
        "o.@count == 2",
        "{3, 4}.@avg.self == 3.5",
        "ANY matrix == 3",
        "ALL matrix >= 1",
        "NONE matrix == 4",
        "NONE nothing == 1",
        "b.length == 3",
        "b.nope == nil",
        "n.nope == nil",
        "p.altitude == nil",
        "o.@allKeys == {'k', 'm'}",
        "o.@allValues == {'v', 1}",
        "2 ** -1 == 0.5",
        "7 - 9 == -2",
        "7.5 - 9 == -1.5",
        "1.5 * 2 == 3",
        "(6 | 1) == 7",
        "(6 ^ 3) == 5",
        "(1 << 3) == 8",
        "exp(1) > 2.718 AND exp(1) < 2.719",
        "log(0.01) == -2",
        "ceiling(-1.5) == -1",
        "abs(-0.5) == 0.5",
        "trunc(2.9) == 2",
        "sqrt(2) > 1.414",
        "month(d) == 3 AND day(d) == 5 AND year(d) == 2024",
        "d + 1d == '2024-03-06T07:08:09Z'",
        "average({1, nil, 4}) == 2.5",
        "stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2",
        "count({1, {2, 3}}) == 2",
        "modulus:by:(-7, 3) == -1",
        "modulus:by:(7.9, 2) == 1",
        "n BETWEEN {5, 5}",
        "n BETWEEN {6, 5}",
        "'v' IN o",
        "o CONTAINS 1",
        "1 IN {1.0}",
        "keys CONTAINS 'aa'",
        "nothing <= nil",
        "nothing >= nil",
    ]

    static let falsehoods = [
        "n BETWEEN {1, nil}",
        "5 IN o",
        "n <= nil",
        "nothing < nil",
        "ALL matrix >= 2",
        "NONE matrix == 3",
        "ANY nothing == 1",
        "NONE {{1}, 2} == 1",
    ]

    @Test(arguments: truths) func holds(text: String) { #expect(outcome(text, of: Self.object) == "T") }

    @Test(arguments: falsehoods) func doesNotHold(text: String) { #expect(outcome(text, of: Self.object) == "F") }
}
