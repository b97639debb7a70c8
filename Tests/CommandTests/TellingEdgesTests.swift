// What is told of lines left out, of columns without room, of distances and shapes, and which words are refused.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct TellingEdgesTests {
    private static func repl(_ lines: [String], _ environment: [String: String] = [:]) throws -> CommandRun {
        let folder = try TemporaryFolder()
        let fields = (0..<12).map { "\"field\($0)\":\"value number \($0)\"" }.joined(separator: ",")
        let file = try folder.file("n.ndjson", "{\"id\":\"a\",\(fields),\"n\":1}\n")
        return try CommandRun(
            ["repl", file], input: lines.map { $0 + "\n" }.joined(), environment: environment)
    }

    /// Five lines that are left out are told, and that there are more.
    @Test(arguments: [1, 2, 5, 6]) func linesLeftOut(_ count: Int) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("f.ndjson", "{\"n\":1}\n" + String(repeating: "bad\n", count: count))
        let call = CommandCall(["query", "n == 1", file, "--skip-bad-lines"])
        let told = call.messages.split(separator: "\n").map(String.init)
        #expect(told.first == "\(count) \(count == 1 ? "line" : "lines") left out", "\(told)")
        let shown = min(count, 5)
        #expect(told.count == 1 + shown + (count > shown ? 1 : 0), "\(told)")
        for (number, line) in told.dropFirst().prefix(shown).enumerated() {
            #expect(line.hasPrefix("  \(file):\(number + 2):1: "), "\(line)")
        }
        #expect((told.last == "  …") == (count > 5), "\(told)")
        #expect(call.output == "{\"n\":1}\n" && call.status == .success)
    }

    /// Of many columns without room four are named, and the others counted.
    @Test func columnsWithoutRoom() throws {
        let run = try Self.repl([".mode table", ".timer on", "TRUEPREDICATE"], ["COLUMNS": "30"])
        let told = run.errors.replacing("\n", with: " ")
        // There is room for the name and two fields.
        #expect(told.contains("no room for field2, field3, field4, field5 and 7 more (.fields chooses)"), "\(run)")
        let wide = try Self.repl([".mode table", ".timer on", "TRUEPREDICATE"], ["COLUMNS": "400"])
        #expect(!wide.errors.contains("no room"), "\(wide)")
    }

    /// Below a kilometre distances are in metres, above in kilometres with a tenth, rounded.
    @Test func distancesInTables() throws {
        let folder = try TemporaryFolder()
        let lines = ["0", "0.005", "0.01", "1"].map { "{\"p\":{\"latitude\":\($0),\"longitude\":0}}\n" }
        let file = try folder.file("p.ndjson", lines.joined())
        let call = CommandCall(["query", "TRUEPREDICATE", file, "--fields", "distance(p,0,0)", "-o", "table"])
        // Along the meridian of WGS 84 it is 552.87 m, 1,105.7 m and 110,574.4 m.
        let shown = call.lines.dropFirst(2).map { $0.drop { $0 == " " } }
        #expect(shown == ["0 m", "553 m", "1.1 km", "110.6 km"], "\(call)")
    }

    /// Shapes of GeoJSON are objects with coordinates; a point of them would be a place, or is none.
    @Test func shapesOfFeatures() throws {
        let folder = try TemporaryFolder()
        let line = #"{"type":"LineString","coordinates":[[0,1],[2,3]]}"#
        for (value, geometry) in [
            (#"{"type":"Point","coordinates":"here"}"#, "null"), (#"{"type":"Line"}"#, "null"), (line, line),
            (#"{"type":"Point","coordinates":[2,1]}"#, #"{"type":"Point","coordinates":[2.0,1.0]}"#),
        ] {
            let file = try folder.file("g.ndjson", "{\"id\":\"a\",\"g\":\(value)}\n")
            let call = CommandCall(["query", "TRUEPREDICATE", file, "-o", "geojson"])
            #expect(call.output.contains(#""id":"a","geometry":\#(geometry),"properties":{"#), "\(value): \(call)")
        }
    }

    /// A date beyond the years of the calendar is told in seconds since 1970.
    @Test func datesBeyondTheCalendar() {
        let date = FieldValue.date(Date(timeIntervalSince1970: 1e15))
        #expect(ValueText.display(date) == "1000000000000000.0")
        #expect(ValueText.display([date]) == "[1000000000000000.0]")
    }

    // MARK: Words

    @Test func wordsOfSettings() throws {
        for (line, message) in [
            (".limit -1", "'-1' is not a whole number"), (".limit x", "'x' is not a whole number"),
            (".let 1a = 2", "'1a' is not a name"), (".let a-b = 2", "'a-b' is not a name"),
        ] {
            let run = try Self.repl([line, ".mode ids", "n == 1"])
            #expect(run.output == "a\n" && run.errors.contains(message) && run.status == 2, "\(line): \(run)")
        }
        for name in ["_a", "$b", "c1", "$_d"] {
            let run = try Self.repl([".let \(name) = 2", ".let"])
            let shown = name.hasPrefix("$") ? name : "$" + name
            #expect(run.output == "\(shown) = 2\n" && run.status == 0, "\(name): \(run)")
        }
    }

    /// Lines that begin with a number sign and a blank are comments, others begin with the key of a predicate.
    @Test func commentsAmongCommands() throws {
        let run = try Self.repl(["# n ==", "  # x", "", ".mode ids", "n == 1", "#n == 1"])
        #expect(run.output == "a\na\n" && run.errors == "" && run.status == 0, "\(run)")
    }

    @Test func typesOfANewStore() throws {
        let folder = try TemporaryFolder()
        for (count, words) in [(1, "1 record type"), (2, "2 record types"), (3, "3 record types")] {
            let types = (0..<count).map { "RECORD TYPE T\($0) (n INT64);" }.joined(separator: " ")
            let schema = try folder.file("a.ckdb", "DEFINE SCHEMA \(types)")
            let store = "\(folder.url.path)/s\(count)"
            let call = CommandCall(["create", store, "--schema", schema])
            #expect(call.messages == "made an empty store with \(words) in \(store)\n", "\(call)")
        }
    }

    @Test func lettersForWords() {
        for letter in ["n", "x", "p"] {
            let call = CommandCall(["tokens", "--options", "c" + letter, "a"])
            #expect(call.error?.message == "'\(letter)' is not an option letter for tokens: c, d, l", "\(call)")
        }
        for letters in ["", "c", "cdl"] {
            #expect(CommandCall(["tokens", "--options", letters, "-o", "tsv", "a"]).output == "0\t1\ta\ta\n")
        }
    }
}
