// Which columns a result has beyond its first rows, and what a terminal is shown of names.

import Testing

@testable import predicate

struct ResultEdgesTests {
    /// Of up to a thousand rows only fields with a value have a column; of more any field, since not all are looked at.
    @Test func columnsOfManyRows() throws {
        let folder = try TemporaryFolder()
        let lines = (0...1_000).map { number in
            #"{"id":"r\#(number)","n":\#(number)"# + (number == 1_000 ? #","late":1}"# : "}") + "\n"
        }
        let file = try folder.file("many.ndjson", lines.joined())
        for (predicate, columns) in [
            ("TRUEPREDICATE", ["id", "n", "late"]), ("n < 1000", ["id", "n"]), ("n > 998", ["id", "n", "late"]),
        ] {
            let call = CommandCall(["query", predicate, file, "-o", "table"])
            #expect(call.lines.first?.split(separator: " ").map(String.init) == columns, "\(predicate)")
        }
    }

    /// A name is written as it is, but to a terminal, which it could command.
    @Test func namesOnATerminal() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("names.ndjson", #"{"id":"a\u001b[2Jb","n":1}"# + "\n")
        let words = ["query", "TRUEPREDICATE", file, "-o", "ids"]
        #expect(CommandCall(words).output == "a\u{1B}[2Jb\n")
        let shown = CommandCall(words, isShown: true).output
        #expect(shown.hasPrefix("a") && shown.hasSuffix("[2Jb\n") && !shown.contains("\u{1B}"), "\(shown)")
    }

    /// A point of GeoJSON has the altitude of its location, and a location of which more is known stays a property.
    @Test func pointsWithAltitudes() throws {
        let folder = try TemporaryFolder()
        let cases = [
            (#"{"type":"Point","coordinates":[8,47,408],"bbox":[8,47,8,47]}"#, #"[8.0,47.0,408.0]},"properties":{}}"#),
            (
                #"{"latitude":47,"longitude":8,"details":{"altitude":408,"speed":2}}"#,
                #"[8.0,47.0,408.0]},"properties":{"place":{"latitude":47.0,"longitude":8.0,"details":{"#
            ),
            (#"{"latitude":47,"longitude":8}"#, #"[8.0,47.0]},"properties":{}}"#),
        ]
        let lines = cases.enumerated().map { #"{"id":"r\#($0.offset)","place":\#($0.element.0)}"# + "\n" }
        let file = try folder.file("r.ndjson", lines.joined())
        let call = CommandCall(["query", "TRUEPREDICATE", file, "-o", "geojson"])
        try #require(call.lines.count == 5, "\(call)")
        for (line, expected) in zip(call.lines.dropFirst(), cases) { #expect(line.contains(expected.1), "\(line)") }
    }
}
