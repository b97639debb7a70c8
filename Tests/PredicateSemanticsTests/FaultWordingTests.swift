// What an operand of the wrong kind is told: its place, the message and what to write instead.

import Foundation
import PredicateSemantics
import RecordModel
import Testing

@Suite struct FaultWordingTests {
    private static let object = FieldValue.object([
        "n": 5, "x": 2.5, "s": "abc", "t": "B", "tags": ["a", "b"], "matrix": [[1, 2], [2, 3]],
        "d": .date(Date(timeIntervalSinceReferenceDate: 60)), "keys": .set(["aa", "bbb"]),
        "p": .location(.init(latitude: 10, longitude: 20)), "o": .object(["k": "v", "m": 1]),
    ])

    private static let number = "CAST(text, 'NSNumber') makes text a number"
    private static let lists = "sum: and average: take lists"
    private static let degrees = "latitude is −90 … 90 degrees, longitude −180 … 180"
    private static let ends = "[FIRST] and [LAST] of an empty list are nil"
    private static let moved =
        "a date is moved by a length of time, as in now() - 7d (s m h d w); "
        + "CAST(date, 'NSNumber') is its seconds since 2001"
    private static let any = "write ANY before the list"
    private static let whole = "trunc: cuts a fraction off"
    private static let dates =
        "a date is date('2026-01-31'), now() - 7d, an argument, or CAST(seconds "
        + "since 2001, 'NSDate')"

    private typealias Case = (text: String, part: String, message: String, hint: String?)

    private static let operators: [Case] = [
        ("s ** 2 == 4", "s", "** needs numbers, not text", number),
        ("2 ** s == 4", "s", "** needs numbers, not text", number),
        ("n + d == 1", "d", "+ needs numbers, not a date", moved),
        ("d - n == 1", "d", "- needs numbers, not a date", moved),
        ("n * tags == 1", "tags", "* needs numbers, not a list", lists),
        ("n / keys == 1", "keys", "/ needs numbers, not a set", lists),
        ("n - s == 1", "s", "- needs numbers, not text", number),
        ("o + 1 == 2", "o", "+ needs numbers, not an object", nil),
        ("(n | s) == 1", "s", "| needs whole numbers, not text", nil),
        ("(n << tags) == 1", "tags", "<< needs whole numbers, not a list", nil),
        ("(n & x) == 1", "x", "& needs whole numbers of 64 bits", whole),
        ("~s == 1", "s", "~ needs a number, not text", nil),
        ("-s == 1", "s", "- needs a number, not text", nil),
        ("-d == 1", "d", "- needs a number, not a date", nil),
        ("n / 0 == 1", "0", "an integer is divided by zero", "x / 0.0 is infinite"),
        ("modulus:by:(n, s) == 1", "s", "modulus:by: needs numbers, not text", nil),
        ("modulus:by:(s, n) == 1", "s", "modulus:by: needs numbers, not text", nil),
        ("modulus:by:(n, 0) == 1", "0", "modulus:by: divides by zero", nil),
        (
            "n + 1d == d", "n", "1d is a length of time: it moves a date, not a number",
            "for a number of seconds write 86400"
        ),
        (
            "n - 90m == d", "n", "90m is a length of time: it moves a date, not a number",
            "for a number of seconds write 5400"
        ),
        ("s + 2h == d", "s", "2h is a length of time: it moves a date, not text", "for a number of seconds write 7200"),
        ("({1} UNION n) == n", "n", "UNION needs a list or a set, not a number", nil),
        ("(n MINUS {1}) == n", "n", "MINUS needs a list or a set, not a number", nil),
        (
            "CAST(s, 'NSDate') == d", "s", "CAST makes no NSDate from text",
            "dates come from seconds since 2001, or pass a date as argument"
        ),
        ("CAST(p, 'NSNumber') == 1", "p", "CAST makes no NSNumber from a location", nil),
        ("CAST(tags, 'NSString') == 1", "tags", "CAST makes no NSString from a list", nil),
        (
            "CAST(n, s) == 1", "s", "CAST knows no such type",
            "CAST converts to 'NSString', 'NSNumber', 'NSDate', 'NSDecimalNumber'"
        ),
        ("count(n) == 1", "n", "count: needs a list, not a number", nil),
    ]

    private static let functions: [Case] = [
        ("distinct(s) == {}", "s", "distinct: needs a list, not text", nil),
        ("min(p) == 1", "p", "min: cannot order a location", nil),
        ("max({p}) == 1", "{p}", "max: cannot order a location", nil),
        ("sum({1, 'a'}) == 1", "{1, 'a'}", "sum: needs numbers, not text", nil),
        ("average({d}) == 1", "{d}", "average: needs numbers, not a date", nil),
        ("stddev({s}) == 1", "{s}", "stddev: needs numbers, not text", nil),
        ("median({s}) == 1", "{s}", "median: needs numbers, not text", nil),
        ("sqrt(d) == 1", "d", "sqrt: needs a number, not a date", nil),
        ("randomn(0) == 1", "0", "randomn: needs a number above zero", nil),
        ("randomn(x) == 1", "x", "randomn: needs whole numbers of 64 bits", whole),
        ("length(n) == 1", "n", "length: needs text, not a number", nil),
        ("lowercase(tags) == 'a'", "tags", "lowercase: needs text, not a list", nil),
        ("tokenize(n, 'c') == {}", "n", "tokenize:using: needs text, not a number", nil),
        ("tokenize(s, n) == {}", "n", "tokenize:using: needs option letters, not a number", "write 'cdl'"),
        ("tokenize(s, t) == {}", "t", "tokenize:using: knows the option letters c, d, l and n", nil),
        (
            "distanceToLocation:fromLocation:(p, n) < 5", "n",
            "distanceToLocation:fromLocation: needs locations, not a number", nil
        ),
        (
            "distanceToLocation:fromLocation:(s, p) < 5", "s",
            "distanceToLocation:fromLocation: needs locations, not text", nil
        ),
        ("location(s, 1) == p", "s", "location needs numbers, not text", nil),
        ("location(1, tags) == p", "tags", "location needs numbers, not a list", nil),
        (
            "date(n) == d", "n", "date: needs text, not a number",
            "CAST(seconds since 2001, 'NSDate') makes a date of a number"
        ),
        ("date(o) == d", "o", "date: needs text, not an object", nil),
        ("year(s) == 1", "s", "year: needs a date, not text", "date(text) reads a text as a date"),
        ("month(n) == 1", "n", "month: needs a date, not a number", nil),
        ("day(tags) == 1", "tags", "day: needs a date, not a list", nil),
        ("inBox(s, 1, 2, 3, 4) == TRUE", "s", "an area needs locations, not text", nil),
        ("inBox(p, n, s, 3, 4) == TRUE", "s", "inBox:south:west:north:east: needs degrees, not text", nil),
        ("inBox(p, n, 2, 3, tags) == TRUE", "tags", "inBox:south:west:north:east: needs degrees, not a list", nil),
        ("inBox(p, 95, 2, n, 4) == TRUE", "95", "south: 95.0 is out of range", degrees),
        ("inBox(p, n, 200, 3, 4) == TRUE", "200", "west: 200.0 is out of range", degrees),
        ("inBox(p, n, 2, 93 * 1, 4) == TRUE", "93 * 1", "north: 93.0 is out of range", degrees),
        ("inBox(p, n, 2, n + 1, 400) == TRUE", "400", "east: 400.0 is out of range", degrees),
    ]

    private static let pathsAndComparisons: [Case] = [
        (
            "inPolygon(p, n) == TRUE", "n", "inPolygon:geoJSON: needs GeoJSON, not a number",
            "an area is text, or an object with type and coordinates"
        ),
        ("inPolygon(p, o) == TRUE", "o", "type: text is expected", nil),
        ("tags[2] == 'a'", "2", "the index is outside the list of 2", ends),
        ("tags[-1] == 'a'", "-1", "the index is outside the list of 2", ends),
        ("tags[s] == 'a'", "s", "a list is indexed by a whole number, not text", nil),
        ("o[1] == 'a'", "1", "an object is indexed by a key, not a number", nil),
        ("keys[0] == 'a'", "[0]", "a set cannot be indexed", nil),
        ("n[0] == 1", "[0]", "a number cannot be indexed", nil),
        ("n[FIRST] == 1", "[FIRST]", "[FIRST] needs a list, not a number", nil),
        ("s[LAST] == 1", "[LAST]", "[LAST] needs a list, not text", nil),
        ("s[SIZE] == 1", "[SIZE]", "[SIZE] needs a list, not text", "write .length"),
        ("n[SIZE] == 1", "[SIZE]", "[SIZE] needs a list, not a number", nil),
        ("s.@count == 1", "@count", "@count needs a list, not text", "write .length"),
        ("n.@count == 1", "@count", "@count needs a list, not a number", nil),
        ("n.@sum.self == 1", "@sum", "@sum needs a list, not a number", nil),
        ("tags.@sum.self == 1", "@sum", "@sum needs numbers, not text", nil),
        ("tags.@avg.self == 1", "@avg", "@avg needs numbers, not text", nil),
        ("tags.@unionOfArrays.self == {}", "@unionOfArrays", "@unionOfArrays needs a list of lists", nil),
        ("{o}.@unionOfArrays.self == {}", "@unionOfArrays", "@unionOfArrays needs a list of lists", nil),
        ("n < s", "s", "< cannot order a number and text", number),
        ("s < n", "n", "< cannot order text and a number", number),
        (
            "s < d", "d", "< cannot order text and a date",
            "the left side is text: load it as dates, or give its column the type TIMESTAMP"
        ),
        ("d < s", "s", "< cannot order a date and text", "a date is written '2026-01-31' or '2026-01-31T12:00:00Z'"),
        ("d < n", "n", "< cannot order a date and a number", dates),
        ("n > d", "d", "> cannot order a number and a date", dates),
        ("tags < n", "tags", "< cannot order a list", any),
        ("n < tags", "tags", "< cannot order a list", nil),
        ("p <= p", "p", "<= cannot order a location", nil),
        ("n BETWEEN s", "s", "BETWEEN needs a list of two bounds, not text", "write BETWEEN {low, high}"),
        ("n BETWEEN tags", "tags", "BETWEEN cannot order a number and text", number),
        ("s BETWEEN {1, 2}", "{1, 2}", "BETWEEN cannot order text and a number", number),
        ("p BETWEEN {1, 2}", "p", "BETWEEN cannot order a location", nil),
        ("n CONTAINS 1", "n", "CONTAINS needs a list or text, not a number", nil),
        ("s CONTAINS n", "n", "text can only contain text, not a number", nil),
        ("s IN n", "n", "IN needs a list or text, not a number", "write IN {a, b}"),
        ("n IN s", "n", "text can only contain text, not a number", nil),
        ("ANY n == 1", "n", "ANY needs a list on its left side, not a number", "leave out ANY"),
        ("ALL s == 'a'", "s", "ALL needs a list on its left side, not text", "leave out ALL"),
        ("tags BEGINSWITH 'a'", "tags", "BEGINSWITH needs text, not a list", any),
        ("s BEGINSWITH tags", "tags", "BEGINSWITH needs text, not a list", nil),
        ("s BEGINSWITH n", "n", "BEGINSWITH needs text, not a number", nil),
        ("n LIKE 'a'", "n", "LIKE needs text, not a number", nil),
        ("keys ENDSWITH 'a'", "keys", "ENDSWITH needs text, not a set", any),
        ("SUBQUERY(n, $x, $x == 1) == {}", "n", "SUBQUERY needs a list, not a number", nil),
        ("$q == 1", "$q", "the variable $q has no value", "give it one when binding or evaluating"),
    ]

    @Test func placesMessagesAndHints() throws {
        for (text, part, message, hint) in Self.operators + Self.functions + Self.pathsAndComparisons {
            let predicate = try RecordPredicate(format: text)
            do {
                let result = try predicate.evaluate(onValue: Self.object)
                Issue.record("\(text) gave \(result)")
            } catch {
                #expect(error.stage == .evaluation, "\(text)")
                #expect(String(decoding: Array(text.utf8)[error.span.range], as: UTF8.self) == part, "\(text)")
                #expect(error.message == message && error.hint == hint, "\(text): \(error)")
            }
        }
    }
}
