// What is written at its edges: rewritten files, names of some records, marks under texts, quoted names, notes.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct OutputEdgesTests {
    // MARK: Files

    /// A file keeps its mode, and stays behind the link that leads to it; a new one may be read by all.
    @Test func filesThatAreReplaced() throws {
        let folder = try TemporaryFolder()
        func mode(_ path: String) throws -> Int? {
            (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
        }
        for permissions in [0o600, 0o640, 0o755] {
            let file = try folder.file("a.txt", "old and longer")
            let link = folder.url.path + "/link-\(permissions)"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file)
            try FileWriter.replace(link, with: "new")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
            #expect(try mode(file) == permissions)
        }
        let made = folder.url.path + "/made.txt"
        try FileWriter.replace(made, with: "x")
        #expect(try mode(made) == 0o644)
        let missing = #expect(throws: CommandError.self) {
            try FileWriter.replace(folder.url.path + "/none/made.txt", with: "x")
        }
        #expect(missing?.status == .inputOutput)
        #expect(missing?.message.hasPrefix("cannot write '\(folder.url.path)/none/made.txt': ") == true)
    }

    // MARK: Columns

    /// Names have a column where any record has one of its own, also where the last ones of a long file have none.
    @Test(arguments: [true, false]) func namesOfSomeRecords(areFirst: Bool) throws {
        let folder = try TemporaryFolder()
        let lines = (0..<5_000).map { number in
            number == (areFirst ? 0 : 4_999) ? "{\"id\":\"a\",\"n\":\(number)}\n" : "{\"n\":\(number)}\n"
        }
        let file = try folder.file("r.ndjson", lines.joined())
        let call = CommandCall(["query", "TRUEPREDICATE", file, "-o", "csv", "--limit", "2"])
        #expect(call.output == (areFirst ? "id,n\na,0\n2,1\n" : "id,n\n1,0\n2,1\n"), "\(call)")
    }

    /// The index that is advised is named with its folding.
    @Test func foldingsOfAdvisedIndexes() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<2_000).map { "{\"n\":\($0),\"body\":\"word\($0 % 100) and more\"}\n" }
        let file = try folder.file("r.ndjson", lines.joined())
        let words = CommandCall(["advise", "body TOKENMATCHES[cd] 'word7'", file, "-o", "table"])
        #expect(words.output.contains("  token[cd]  "), "\(words)")
        let numbers = CommandCall(["advise", "n == 7", file, "-o", "table"])
        #expect(numbers.output.contains("  ordered  "), "\(numbers)")
    }

    // MARK: Notes

    /// Numbers that have no place between two edges are told of.
    @Test func numbersOutsideOfAHistogram() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", "{\"v\":1}\n{\"v\":2}\n{\"v\":Infinity}\n{\"v\":NaN}\n")
        let call = CommandCall(["query", file, "--histogram", "v:1", "-o", "csv"])
        #expect(call.messages == "note: 2 with a value that is no finite number\n", "\(call)")
        #expect(call.lines.first == "from,below,count" && call.status == .success, "\(call)")
    }

    /// The start of a day is shown as the day, and no later moment of its first second.
    @Test func theFirstSecondOfADay() throws {
        let run = try CommandRun(
            ["query", "--histogram", "at:2", "--time-zone", "+02:00", "-o", "table"],
            input: "{\"at\":\"2026-01-01T22:00:00Z\"}\n{\"at\":\"2026-01-01T22:00:01Z\"}\n")
        try #require(run.lines.count == 5, "\(run)")
        let half = "2026-01-02T00:00:00.5+02:00"
        #expect(run.lines[2].hasPrefix("2026-01-02 ") && run.lines[2].contains(" \(half) "), "\(run)")
        #expect(run.lines[3].hasPrefix("\(half)  2026-01-02T00:00:01+02:00 "), "\(run)")
    }

    // MARK: Other languages

    /// All of a part that has no filter is marked, from its first comparison to its last.
    @Test func marksOfPartsWithoutFilters() {
        let translation = Translation(
            language: "cloudkit-json", type: "Record", database: .sqlite, usesParameters: false, table: nil,
            records: nil, dialect: .full, arguments: [], variables: [:])
        for (text, offset, length) in [
            ("n > 3 AND (t == 'a' OR t LIKE 'b*')", 11, 23), ("n == 1 OR n == 2 OR m == 3", 0, 26),
            ("n > 3 AND t LIKE 'b*'", 10, 11),
        ] {
            let error = #expect(throws: CommandError.self) {
                _ = try translation.result(of: PredicateLine(text: text))
            }
            let place = "\"offset\":\(offset),\"length\":\(length)"
            var writer = JSONWriter()
            if let error { writer.write(error.json) }
            let json = String(decoding: writer.bytes, as: UTF8.self)
            #expect(json.contains(place), "\(text): \(json)")
        }
    }

    /// Names are as long as PostgreSQL counts them: in bytes.
    @Test func bytesOfNames() {
        let (short, long) = (String(repeating: "é", count: 31), String(repeating: "é", count: 32))
        #expect(SQLDatabase.postgresql.invalidity(ofName: short + "n") == nil)
        #expect(SQLDatabase.postgresql.invalidity(ofName: long) == "a name of more than 63 bytes")
        #expect(SQLDatabase.sqlite.invalidity(ofName: long) == nil)
    }

    /// Names that Swift takes for its own behind a dot are quoted.
    @Test func namesOfSwift() {
        let call = CommandCall(["translate", "--to", "swift", "Type == 1 AND o.Protocol == 2 AND Types == 3"])
        #expect(
            call.output == "Record.where { $0.`Type` == 1 && $0.o.`Protocol` == 2 && $0.Types == 3 }\n", "\(call)")
    }

    /// No line of text is taken for a request of roff.
    @Test func linesOfTheManual() {
        for (line, text) in [
            (".x", "\\&.x"), (".", "\\&."), ("a.b", "a.b"), ("…x", "\\&...x"), ("'x'", "\\(aqx\\(aq"),
            ("--a-b", "\\-\\-a\\-b"), ("\\", "\\e"), ("`^~", "\\(ga\\(ha\\(ti"), ("é", "\\[u00E9]"),
            ("😀", "\\[u1F600]"), ("", ""),
        ] {
            #expect(ManualPage.escaped(line) == text, "\(line)")
        }
    }
}
