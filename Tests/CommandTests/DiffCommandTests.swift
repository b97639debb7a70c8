// predicate diff: equivalent, or a record that tells two predicates apart.

import Foundation
import Testing

@testable import predicate

struct DiffCommandTests {
    static let equivalent: [(String, String)] = [
        ("NOT (a != 1 OR b == 2)", "b != 2 AND 1 == a"), ("a == 1 OR a == 2", "a IN {2, 1}"), ("a=<3", "a <= 3"),
        ("a > 1 AND b > 2 AND a > 1", "2 < b && 1 < a"), ("NOT (ANY a == 1)", "NONE a == 1"),
        ("a > 1 AND (b > 1 AND c > 1)", "(a > 1 AND b > 1) AND c > 1"), ("NOT NOT (a < 3)", "a < 3"),
        ("a == 1 OR TRUEPREDICATE", "TRUEPREDICATE"), ("SOME a IN {1, 2, 1}", "ANY a IN {2, 1}"),
    ]

    @Test(arguments: equivalent.indices)
    func same(_ index: Int) throws {
        let (first, second) = Self.equivalent[index]
        let run = try CommandRun(["diff", first, second])
        #expect(run.output == "equivalent\n")
        #expect(run.status == 0)
    }

    /// Two predicates, the arguments of both, and the record that tells them apart; `nil` for any.
    static let different: [(first: String, second: String, options: [String], record: String?)] = [
        ("age >= 18", "age > 18", [], #"{"age":18}"#),
        ("age > 1 AND age < 3", "age BETWEEN {1, 3}", [], nil),
        ("name BEGINSWITH[c] 'b'", "name BEGINSWITH 'b'", [], #"{"name":"B"}"#),
        ("x CONTAINS[cd] 'e'", "x CONTAINS[c] 'e'", [], nil), ("NOT (a < 3)", "a >= 3", [], "{}"),
        ("ALL tags == 'x'", "ANY tags == 'x'", [], "{}"), ("a != 3", "a != 3 AND a != nil", [], "{}"),
        ("a.b == 1", "a.b == 1 AND a.c != 2", [], #"{"a":{"b":1,"c":2}}"#),
        ("t TOKENMATCHES[cd] 'new york'", "t TOKENMATCHES[cdp] 'new york'", [], nil),
        ("t LIKE 'a*b?'", "t BEGINSWITH 'a'", [], nil), ("tags.@count > 1", "tags.@count > 2", [], nil),
        (
            "d < %@", "d <= %@", ["-a", #"{"$date":"2026-01-01T00:00:00Z"}"#],
            #"{"d":{"$date":"2026-01-01T00:00:00Z"}}"#
        ),
        (
            "distanceToLocation:fromLocation:(p, %@) < 1000", "distanceToLocation:fromLocation:(p, %@) < 1100",
            ["-a", #"{"latitude":50,"longitude":8}"#], nil
        ),
        ("n == $x", "n == 3", ["-v", "x=4"], nil), ("a == 1 AND b == 1 AND c == 1", "a == 1 AND b == 1", [], nil),
        ("SUBQUERY(items, $i, $i == 3).@count > 0", "SUBQUERY(items, $i, $i == 4).@count > 0", [], nil),
        ("SUBQUERY(items, $i, $i.p > 3).@count > 0", "SUBQUERY(items, $i, $i.p > 4).@count > 0", [], nil),
    ]

    @Test(arguments: different.indices)
    func tellingRecords(_ index: Int) throws {
        let test = Self.different[index]
        let run = try CommandRun(["diff", test.first, test.second] + test.options)
        #expect(run.status == 1, "\(test.first) \(run.errors)")
        let line = Data(run.output.utf8)
        let result = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any], "\(run.output)")
        let record = try #require(result["record"])
        let json = try JSONSerialization.data(withJSONObject: record, options: [.sortedKeys, .withoutEscapingSlashes])
        let text = String(decoding: json, as: UTF8.self)
        if let expected = test.record { #expect(text == expected) }
        // The record does what is said of it.
        for (predicate, name) in [(test.first, "A"), (test.second, "B")] {
            let holds = try #require(result[name] as? Bool)
            let options = predicate.contains("%@") || predicate.contains("$x") ? test.options : []
            let query = try CommandRun(["query", predicate, "--count"] + options, input: text + "\n")
            #expect(query.output == (holds ? "1\n" : "0\n"), "\(predicate) \(text) \(query.errors)")
        }
        #expect(result["A"] as? Bool != result["B"] as? Bool)
    }

    /// Fields that functions take for dates and places are tried as such: opposite predicates are told apart.
    @Test(arguments: [
        ("year(d) == 2024", "year(d) == 2025"), ("year(d) > 2024", "year(d) >= 2024"),
        ("month(d) == 2", "month(d) == 3"), ("day(d) == 31", "day(d) == 30"), ("d > now()", "d < now()"),
        ("d > now() - 7d", "d > now() - 8d"), ("d + 1h > now()", "d + 2h > now()"),
        ("year(d) == 2024 AND month(d) == 2", "year(d) == 2024 AND month(d) == 3"),
        ("date(d) > date('2026-01-01')", "date(d) >= date('2026-01-01')"), ("year(d) IN {2020}", "year(d) == 2021"),
        ("inBox(p, 0, 0, 1, 1) == TRUE", "inBox(p, 0, 0, 1, 2) == TRUE"),
        ("inBox(p, 0, 0, 1, 1) == TRUE", "inBox(p, 5, 5, 6, 6) == TRUE"),
        ("distanceToLocation:fromLocation:(p, q) < 1000", "distanceToLocation:fromLocation:(p, q) < 1100"),
    ]) func datesAndPlacesAreTried(_ first: String, _ second: String) {
        let call = CommandCall(["diff", first, second])
        #expect(call.status == .noMatch && call.output.contains("\"record\":{\""), "\(call)")
    }

    @Test func cornersOfPolygonsAreTried() {
        let areas = [9, 11].map { #"{"type":"Polygon","coordinates":[[[8,47],[\#($0),47],[9,48],[8,47]]]}"# }
        let variables = ["-v", "a=\(areas[0])", "-v", "b=\(areas[1])"]
        let call = CommandCall(["diff", "inPolygon(p, $a) == TRUE", "inPolygon(p, $b) == TRUE"] + variables)
        #expect(call.status == .noMatch && call.output.contains("\"latitude\""), "\(call)")
    }

    /// Constants that have no text are not taken for one another.
    @Test func objectsAreApart() {
        let variables = ["-v", #"a={"x":1}"#, "-v", #"b={"x":2}"#]
        for (second, status) in [("o == $b", ExitStatus.noMatch), ("o == $a", .success)] {
            let call = CommandCall(["diff", "o == $a", second] + variables)
            #expect(call.status == status && !call.output.contains("equivalent"), "\(call)")
        }
    }

    /// Where no made record suits both predicates nothing is known: that is no success.
    @Test(arguments: [
        ("sqrt(t & 'x') > 1", "sqrt(t & 'x') > 2"),
        ("SUBQUERY(a, $i, year($i) == 2024).@count > 0", "SUBQUERY(a, $i, year($i) == 2025).@count > 0"),
    ]) func nothingSuitsBoth(_ first: String, _ second: String) {
        let call = CommandCall(["diff", first, second])
        #expect(call.error?.status == .usage && call.output == "", "\(call)")
        #expect(call.error?.message.contains("no made record suits both") == true, "\(call)")
    }

    @Test func recordsOfFilesComeFirst() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", "{\"n\":7}\n{\"n\":12}\n")
        let found = try CommandRun(["diff", "n > 10", "n > 100", file])
        #expect(found.output == #"{"A":true,"B":false,"record":{"n":12}}"# + "\n")
        let fraction = try CommandRun(["diff", "n > 5", "n >= 6", file])
        #expect(fraction.output.contains("5.5") && fraction.errors.contains("no record with whole numbers"))
        let whole = try CommandRun(["diff", "n > 5", "n >= 7", file])
        #expect(whole.output == #"{"A":true,"B":false,"record":{"n":6}}"# + "\n" && whole.errors == "")
        let none = try CommandRun(["diff", "n * 2 > 10", "n + n > 10", file])
        #expect(none.status == 0)
        #expect(none.output.hasPrefix("no difference found in "))
        #expect(try CommandRun(["diff", "n > 1"]).status == 2)
        #expect(try CommandRun(["diff", "n > 1", "n >"]).status == 2)
        #expect(try CommandRun(["diff", "n > $x", "n > 1"]).errors.contains("--variable x=VALUE"))
    }
}
