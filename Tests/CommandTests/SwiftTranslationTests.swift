// Translations to the builder: what the command writes stands here as code, and so compiles; it means the same.

import FoundationEssentials
import RecordDatabase
import Testing
import _TestSupport

@testable import predicate

private struct Row: RecordConvertible {
    var recordID: Record.ID?
    var n: Int
    var f: Double?
    var t: String
    var flag: Bool
    var day: Date
    var tags: [String]
    var place: Location
    var part: Part
}

private struct Part: FieldNamed {
    var name: String
}

struct SwiftTranslationTests {
    /// A predicate, its argument, and the call of the builder.
    private struct Case {
        var text: String
        var argument: FieldValue?
        var built: RecordPredicate.Of<Row>

    }

    private static let cases = [
        Case(text: "n > 3 AND t != 'x'", built: Row.where { $0.n > 3 && $0.t != "x" }),
        Case(
            text: "(n == 1 OR n == 2) AND NOT (f < 2.5)", built: Row.where { ($0.n == 1 || $0.n == 2) && !($0.f < 2.5) }
        ),
        Case(
            text: "t BEGINSWITH 'a\"b' OR t ENDSWITH[cd] 'é'",
            built: Row.where { $0.t.hasPrefix("a\"b") || $0.t.hasSuffix("é", options: .relaxed) }),
        Case(text: "NOT (n + 1 == 2)", built: Row.where { !(($0.n + 1) == 2) }),
        Case(text: "t CONTAINS[c] 'x'", built: Row.where { $0.t.contains("x", options: .caseInsensitive) }),
        Case(text: "t ==[cd] 'x'", built: Row.where { $0.t.equals("x", options: .relaxed) }),
        Case(
            text: "t LIKE 'a*' AND t MATCHES '[a-z]+'", built: Row.where { $0.t.like("a*") && $0.t.matches("[a-z]+") }),
        Case(text: "n IN {1, 2} AND n BETWEEN {1, 5}", built: Row.where { $0.n.in([1, 2]) && $0.n.between(1, 5) }),
        Case(
            text: "ANY tags == 'x' AND ALL tags != 'y' AND tags.@count > 2",
            built: Row.where { $0.tags.any == "x" && $0.tags.all != "y" && $0.tags.count > 2 }),
        Case(text: "flag == TRUE AND f == nil", built: Row.where { $0.flag == true && $0.f == nil }),
        Case(
            text: "part.name == 'x' AND tags[FIRST] == 'a'",
            built: Row.where { $0.part.name == "x" && $0.tags.first == "a" }),
        Case(text: "(n + 2) * n > 7", built: Row.where { (($0.n + 2) * $0.n) > 7 }),
        Case(
            text: "allTokens TOKENMATCHES[cdl] 'a b' AND t TOKENMATCHES[cd] 'c'",
            built: Row.where { $0.matchesTokens("a b") && $0.t.matchesTokens("c", options: .relaxed) }),
        Case(
            text: "distanceToLocation:fromLocation:(place, %@) < 500.0",
            argument: .location(Location(latitude: 1, longitude: 2)),
            built: Row.where { $0.place.distance(to: Location(latitude: 1.0, longitude: 2.0)) < .meters(500.0) }),
        Case(
            text: "n > 1 AND SUBQUERY(tags, $x, $x == 'a').@count > 0",
            built: Row.where { $0.n > 1 && ("SUBQUERY(tags, $x, $x == \"a\").@count > 0" as RecordPredicate) }),
        Case(text: "TRUEPREDICATE", built: Row.where { _ in ("TRUEPREDICATE" as RecordPredicate) }),
    ]

    @Test func callsStandHereAsCode() throws {
        let code = try ProjectFiles.text("Tests/CommandTests/SwiftTranslationTests.swift").split {
            $0 == " " || $0 == "\n"
        }
        .joined(separator: " ")
        for test in Self.cases {
            let options = test.argument.map { ["-a", $0.json] } ?? []
            let run = try CommandRun(["translate", "--to", "swift", "--swift-type", "Row", test.text] + options)
            #expect(run.errors == "" && run.status == 0)
            let call = run.output.dropLast()
            #expect(!call.isEmpty && code.contains("built: \(call)"), "\(call)")
            let predicate = try RecordPredicate(format: test.text, arguments: test.argument.map { [$0] } ?? [])
            #expect(test.built.description == predicate.description)
        }
    }

    @Test func partsWithoutText() throws {
        let call = ["translate", "--to", "swift", "data == %@", "-a", #"{"$data":"AAE="}"#]
        #expect(try CommandRun(call).errors.contains("the builder has no counterpart"))
        let polygon = #"{"type":"Polygon","coordinates":[[[8,47],[9,47],[9.5,48],[8,47]]]}"#
        let area = try CommandRun(["translate", "--to", "swift", "inPolygon(p, %@) == TRUE", "-a", polygon])
        let literal = polygon.replacing("\"", with: "\\\"")
        #expect(
            area.output
                == "Record.where { _ in (\"inPolygon:geoJSON:(p, '\(literal)') == TRUE\" as RecordPredicate) }\n",
            "\(area.errors)")
        let plain = try CommandRun(["translate", "--to", "swift", "a.'b' == 1"])
        #expect(plain.status == 2)
        #expect(
            try CommandRun(["translate", "--to", "swift", "#'a b' == 1"]).output
                == "Record.where { _ in (\"#'a b' == 1\" as RecordPredicate) }\n")
    }
}
