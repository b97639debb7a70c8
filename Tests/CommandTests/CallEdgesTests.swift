// Calls at their edges: comments, options that imply others, arguments of one of two predicates, names with dots.

import CSQLite
import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct CallEdgesTests {
    // MARK: Lines

    /// Blanks before a comment, and nothing but blanks, are no case.
    @Test func commentsAmongCases() throws {
        let folder = try TemporaryFolder()
        let one = #"{"id":1,"predicate":"SELF > 3","value":4,"expect":true}"#
        let file = try folder.file("c.cases", "# a\n  # b\n\t#c\n   \n\t\n\n\(one)\n  \(one)\n")
        let call = CommandCall(["check", "--expect", file])
        #expect(call.output == "2 of 2 cases agree\n" && call.status == .success, "\(call)")
    }

    @Test func commentsAmongPredicates() {
        for text in ["", "  ", "#", " # ", "# x", "  # x"] { #expect(PredicateLine(text: text).isComment, "\(text)") }
        for text in ["#a == 1", "##", "a == 1 # x", "#'a b' == 1"] {
            #expect(!PredicateLine(text: text).isComment, "\(text)")
        }
    }

    /// That a line is wrong is told by the status, whatever lines come before and behind it.
    @Test func statusOfLinesThatAreChecked() throws {
        let folder = try TemporaryFolder()
        for (text, status, line) in [
            ("b ==\na=1\n", .usage, 2), ("a=1\nb ==\n", .usage, 1), ("a=1\nb == 2\n", .noMatch, 1),
        ] as [(String, predicate.ExitStatus, Int)] {
            let file = try folder.file("p.txt", text)
            let call = CommandCall(["format", "--check", "-p", file])
            #expect(call.status == status && call.output == "\(file):\(line): a == 1\n", "\(text): \(call)")
        }
    }

    // MARK: Options

    /// How many words a snippet has says that snippets are wanted.
    @Test func wordsOfSnippets() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("k.ndjson", "{\"id\":\"kyiv\",\"tags\":[\"capital\",\"river\"]}\n")
        let call = CommandCall([
            "query", "tags TOKENMATCHES[cd] 'river'", file, "--snippet-words", "2", "--fields", "id", "-o", "markdown",
        ])
        #expect(
            call.output
                == "| id   | field   | snippet   |\n| ---- | ------- | --------- |\n| kyiv | tags[1] | **river** |\n",
            "\(call)")
    }

    /// The key of a join is behind the last dot: a type may have others in its name.
    @Test func typesWithDots() throws {
        let folder = try TemporaryFolder()
        let lines = [
            #"{"type":"order","id":"o","who":"x"}"#, #"{"type":"order","id":"p","who":"y"}"#,
            #"{"type":"my.person","id":"q","code":"x","name":"Ann"}"#,
        ]
        let file = try folder.file("f.ndjson", lines.map { $0 + "\n" }.joined())
        let call = CommandCall([
            "query", "who.name == 'Ann'", file, "--reference", "who=my.person.code", "-o", "ids",
        ])
        #expect(call.output == "o\n" && call.status == .success, "\(call)")
    }

    /// Arguments are for the predicates that have places for them.
    @Test func argumentsOfOneOfTwoPredicates() {
        for (first, second) in [("a == %@", "a == 5"), ("a == 5", "a == %@"), ("a == %@", "a == %@")] {
            let call = CommandCall(["diff", first, second, "-a", "5"])
            #expect(call.status == .success && call.error?.message == nil, "\(call)")
        }
        let other = CommandCall(["diff", "a == %@", "a == 6", "-a", "5"])
        #expect(other.status == .noMatch, "\(other)")
    }

    /// What the text of another language says itself is not said twice in the call that is suggested.
    @Test func optionsOfSuggestedCalls() {
        let text = "year > 1990 order by rating desc limit 5"
        let hint = "predicate query 'year > 1990' movies.ndjson --sort rating:desc --limit 5"
        for (options, more) in [
            ([], ""), (["--limit", "7"], ""), (["-o", "ids", "-n", "7"], " --format ids"),
            (["--offset", "2", "-s", "title"], " --offset 2"),
        ] as [([String], String)] {
            let call = CommandCall(["query", text, "movies.ndjson"] + options)
            #expect(call.error?.hint == hint + more, "\(options): \(call)")
        }
    }

    /// What is taken away has to be there, also where new fields are allowed.
    @Test func onlyFieldsThatAreThereAreTakenAway() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", "{\"id\":\"a\",\"n\":1}\n")
        let store = folder.url.path + "/s"
        #expect(CommandCall(["import", store, file, "--type", "T", "--quiet"]).status == .success)
        let call = CommandCall(["update", store, "TRUEPREDICATE", "--unset", "nope", "--new-fields", "--yes"])
        #expect(call.error?.message == "'T' has no field 'nope'" && call.error?.status == .usage, "\(call)")
    }

    /// The options that lead to the same database again.
    @Test func wordsOfDatabases() throws {
        let cases: [(path: String, options: [String], words: [String])] = [
            ("s", [], ["--scope", "private"]), ("s", ["--scope", "public"], ["--scope", "public"]),
            ("s", ["--user", "ann"], ["--scope", "private", "--user", "ann"]),
            ("s", ["--container", "c"], ["--scope", "private"]),
            (
                "postgresql://h/d", ["--container", "c", "--user", "ann"],
                ["--scope", "private", "--user", "ann", "--container", "c"]
            ),
            ("postgres://h/d", [], ["--scope", "private", "--container", "local"]),
        ]
        for (path, options, words) in cases {
            let arguments = try ParsedArguments([path] + options, for: ExportCommand.specification)
            #expect(StoreOperand(path, arguments).words == words, "\(path) \(options)")
        }
    }

    // MARK: Input

    /// Columns of moments, by whichever name SQLite knows them.
    @Test func columnsOfMoments() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/d.sqlite"
        let database = try #require(csqlite_open_file(path))
        for statement in [
            "CREATE TABLE t(a TIMESTAMP, b timestamptz, c DATE, d Datetime, e TEXT)",
            "INSERT INTO t VALUES('2026-03-01 10:00:00', '2026-03-01', '2026-03-01', '2026-03-01', '2026-03-01')",
        ] { #expect(csqlite_execute(database, statement) == 0, "\(statement)") }
        csqlite_close(database)
        let bytes = try #require(try SQLiteTable(path: path)?.lines().bytes)
        let day = #""2026-03-01T00:00:00Z""#
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"a":"2026-03-01T10:00:00Z","b":\#(day),"c":\#(day),"d":\#(day),"e":"2026-03-01"}"# + "\n")
    }

    /// Words are looked for in fields that later records have, too, where records are counted as they come.
    @Test func wordsOfLaterFieldsAreCounted() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<5_000).map { "{\"n\":\($0),\"text\":\"row\"}\n" }.joined()
        let late = "{\"late\":\"a zebra\"}\n{\"late\":\"zebras\"}\n{\"later\":\"Zebra\"}\n"
        let file = try folder.file("r.ndjson", lines + late)
        let call = CommandCall(["query", "allTokens TOKENMATCHES[cd] 'zebra'", file, "--count"])
        #expect(call.output == "2\n" && call.status == .success, "\(call)")
        for (text, isOfAll) in [
            ("allTokens TOKENMATCHES 'x'", true), ("n == 1 AND ANY allTokens == 'x'", true), ("SELF != nil", true),
            ("text TOKENMATCHES 'x'", false), ("n == 1", false),
        ] {
            #expect(try RecordPredicate(format: text, arguments: []).looksAtAllFields == isOfAll, "\(text)")
        }
    }

    /// A failure that each of several lines has is told once; other lines are looked at all the same.
    @Test func failuresOfLinesAreToldOnce() throws {
        let folder = try TemporaryFolder()
        let lines = ["{\"n\":\"x\"}", "{\"n\":\"y\"}", "{\"n\":\"z\"}", "{\"n\":5}"]
        let file = try folder.file("log.ndjson", lines.map { $0 + "\n" }.joined())
        let call = CommandCall(["watch", "n > 2", file, "--all", "--limit", "1"])
        #expect(call.output == "{\"n\":5}\n" && call.status == .success, "\(call)")
        #expect(call.messages.components(separatedBy: "error: ").count == 2, "\(call.messages)")
    }

    /// The limit of a watch is about all that it prints, also where one commit brings more matches than are left.
    @Test func limitsOfWatchedStores() throws {
        let folder = try TemporaryFolder()
        let store = folder.url.path + "/s"
        func put(_ numbers: Range<Int>) throws -> CommandRun {
            let lines = numbers.map { "{\"id\":\"r\($0)\",\"type\":\"T\",\"n\":\($0)}\n" }
            return try CommandRun(["import", store, "-", "--quiet"], input: lines.joined())
        }
        let first = try put(1..<3)
        try #require(first.status == 0, "\(first)")
        let written = WrittenBytes()
        var session = Session(["--color", "never"])
        session.messages = WrittenBytes().writer
        // The first matches that are printed have others come.
        session.output = ByteWriter { bytes in
            let isFirst = written.bytes.isEmpty
            written.bytes += bytes
            if isFirst, (try? put(3..<6).status) != 0 { return .failed("nothing came") }
            return .taken
        }
        let words = ["n > 0", store, "--all", "--limit", "3", "--fields", "n", "--interval", "1"]
        let status = try WatchCommand.run(ParsedArguments(words, for: WatchCommand.specification), session)
        #expect(status == .success && session.output.failure == nil)
        #expect(written.text.split(separator: "\n").count == 3, "\(written.text)")
    }

    // MARK: Names

    /// Names that differ in spelling alone are one field, of the same record or of another one.
    @Test func namesThatLookAlike() throws {
        let folder = try TemporaryFolder()
        for (one, two) in [("caf\u{E9}", "cafe\u{301}"), ("cafe\u{301}", "caf\u{E9}"), ("K", "\u{212A}")] {
            let rows = [
                "{\"id\":\"a\",\"\(one)\":1,\"x\":10}", "{\"id\":\"b\",\"\(two)\":2,\"x\":20}",
                "{\"id\":\"c\",\"x\":30}",
            ]
            let file = try folder.file("r.ndjson", rows.joined(separator: "\n") + "\n")
            for (predicate, ids) in [
                ("x == 20", ["b"]), ("x == 30", ["c"]), ("\(one) >= 1", ["a", "b"]), ("\(two) == 2", ["b"]),
            ] {
                #expect(CommandCall(["query", predicate, file, "-o", "ids"]).lines == ids, "\(predicate)")
            }
            for row in ["{\"\(one)\":1,\"\(two)\":2,\"x\":3}", "{\"o\":{\"\(one)\":1,\"\(two)\":2}}"] {
                let twice = CommandCall(["query", "x == 3", try folder.file("t.ndjson", row + "\n")])
                #expect(twice.error != nil && "\(twice)".contains("twice"), "\(twice)")
            }
        }
    }

    /// Fields that only records of another zone have stay known where references are made of keys.
    @Test func referencesOverZones() throws {
        let folder = try TemporaryFolder()
        let rows = [
            #"{"id":"1","type":"City","country":"c1","pop":5}"#,
            #"{"id":"2","type":"City","$zone":"Z","country":"c1"}"#, #"{"id":"c1","type":"Country","name":"X"}"#,
        ]
        let file = try folder.file("r.ndjson", rows.joined(separator: "\n") + "\n")
        let words = [file, "--type", "City", "--reference", "country=Country.id"]
        let sorted = CommandCall(["query", "country.name == 'X'"] + words + ["--sort", "pop:desc", "-o", "ids"])
        #expect(sorted.lines.first == "1" && sorted.lines.count == 2 && sorted.status == .success, "\(sorted)")
    }

    /// Keys are missing in some zone, or in all: the others lead to their records.
    @Test(
        arguments: [
            ("id,country\n1,\n2,\n", []), ("id,$zone,country\n1,A,\n2,B,CH\n", ["2"]),
            ("id,$zone,country\n2,B,CH\n1,A,\n", ["2"]),
        ] as [(String, [String])])
    func missingKeysOfReferences(_ rows: String, _ ids: [String]) throws {
        let folder = try TemporaryFolder()
        let files = [try folder.file("city.csv", rows), try folder.file("Country.csv", "code,title\nCH,Swiss\n")]
        let words = files + ["--reference", "country=Country.code", "-o", "ids"]
        let call = CommandCall(["query", "country.title == 'Swiss'"] + words)
        #expect(call.lines == ids && call.status == (ids.isEmpty ? .noMatch : .success), "\(call)")
    }
}
