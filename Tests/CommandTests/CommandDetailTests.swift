// What sub-commands do with ties, halves, bits of a mode, options and words that stand alone.

import CSQLite
import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct CommandDetailTests {
    // MARK: Order and figures

    /// Indexes of the same help are told in the order of the queries that need them.
    @Test func adviceOfTheSameHelp() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<2_000).map { "{\"a\":\($0 % 100),\"b\":\($0 % 100),\"c\":\($0 % 100)}\n" }
        let file = try folder.file("r.ndjson", lines.joined())
        for names in [["a", "b", "c"], ["c", "a", "b"]] {
            let queries = try folder.file("q.txt", names.map { "\($0) == 7\n" }.joined())
            let call = CommandCall(["advise", "-p", queries, file, "-o", "ndjson"])
            let told = call.lines.compactMap { line in names.first { line.contains("\"field\":\"\($0)\"") } }
            #expect(told == names && call.status == .success, "\(call)")
        }
    }

    /// What looks like a language, but belongs to no key, is the name of a field.
    @Test func languagesBelongToKeys() throws {
        let (sort, locales) = try FieldSelector.collatedKeys("locale=sv")
        #expect(sort == [.ascending("locale=sv")] && locales.isEmpty)
        let (others, swedish) = try FieldSelector.collatedKeys("locale=sv desc a:locale=sv")
        #expect(others == [.descending("locale=sv"), .ascending("a")] && swedish == [.ascending("a"): "sv"])
    }

    /// Records that are level by a language stay as their file has them, in either direction.
    @Test func levelRecordsOfLanguages() throws {
        let folder = try TemporaryFolder()
        let lines = zip("abcde", "xyxxy").map { "{\"id\":\"\($0)\",\"n\":\"\($1)\"}\n" }
        let file = try folder.file("r.ndjson", lines.joined())
        for (key, ids) in [
            ("n:locale=de", ["a", "c", "d", "b", "e"]), ("n:locale=de:desc", ["b", "e", "a", "c", "d"]),
        ] {
            let call = CommandCall(["query", "TRUEPREDICATE", file, "--sort", key, "-o", "ids"])
            #expect(call.lines == ids && call.status == .success, "\(key): \(call)")
        }
    }

    /// The distance that records are ordered by is a line of each, above their fields.
    @Test func distancesInLines() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", "{\"id\":\"a\",\"p\":{\"latitude\":1,\"longitude\":2}}\n")
        let words = ["query", "TRUEPREDICATE", file, "-o", "line"]
        let call = CommandCall(words + ["--sort", "distance(p,1,2)"])
        #expect(call.output.hasPrefix("distance  0 m\n      id  a\n       p  "), "\(call)")
        #expect(CommandCall(words + ["--sort", "id"]).output.hasPrefix("id  a\n p  "))
    }

    @Test func metresAreRounded() {
        for (metres, text) in [
            (0.0, "0.000"), (0.0004, "0.000"), (0.0006, "0.001"), (1.9996, "2.000"), (1.0104, "1.010"),
            (12_345.6789, "12345.679"),
        ] { #expect(DistanceCommand.metres(metres) == text, "\(metres)") }
    }

    // MARK: Tables and limits

    /// Columns of numbers are right-aligned, all others left.
    @Test func alignedColumns() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", (0..<2_000).map { "{\"n\":\($0)}\n" }.joined())
        for (words, count) in [
            (["advise", "n == 7", file], 3), (["bench", "n == 7", file, "--runs", "1"], 7),
        ] as [([String], Int)] {
            let call = CommandCall(words + ["-o", "markdown"])
            try #require(call.lines.count >= 3, "\(call)")
            #expect(call.lines[1].components(separatedBy: "-: |").count == count + 1, "\(call)")
            #expect(call.lines[1].hasSuffix("-: |"), "\(call)")
        }
    }

    /// A distance that is shown as a field is not shown again for the order.
    @Test func distancesThatAreFields() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", "{\"id\":\"a\",\"p\":{\"latitude\":1,\"longitude\":2}}\n")
        let distance = "distance(p,1,2)"
        let call = CommandCall(["query", "TRUEPREDICATE", file, "-o", "line", "-s", distance, "-f", distance])
        #expect(call.output == "distance  0 m\n", "\(call)")
    }

    /// Of a file that is read in several pieces limits count all, and not each piece.
    @Test func limitsOfCounts() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<6_000).map { "{\"n\":\($0),\"text\":\"row \($0 % 7), and more of it to be read\"}\n" }
        let file = try folder.file("r.ndjson", lines.joined())
        for (words, output) in [
            (["--limit", "3"], "3\n"), (["--offset", "5990"], "10\n"), (["--offset", "5", "--limit", "4"], "4\n"),
            ([], "6000\n"),
        ] as [([String], String)] {
            let call = CommandCall(["query", "n >= 0", file, "--count"] + words)
            #expect(call.output == output && call.status == .success, "\(words): \(call)")
        }
    }

    /// Without rows there are titles still, and no word about a predicate that nobody wants matches of.
    @Test func noRowsAtAll() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", "{\"n\":1,\"text\":\"x\"}\n")
        let words = ["query", "text LIKE '%x%'", file]
        for format in ["csv", "tsv"] {
            let call = CommandCall(words + ["-o", format, "--limit", "0"])
            #expect(call.output == (format == "csv" ? "n,text\n" : "n\ttext\n") && call.status == .noMatch, "\(call)")
        }
        #expect(CommandCall(words + ["-o", "json"]).messages.contains("the wildcards are * and ?"))
        #expect(CommandCall(words + ["-o", "json", "--limit", "0"]).messages == "")
    }

    /// Words of a call are one text, with blanks between them.
    @Test func wordsOfSeveralOperands() {
        #expect(CommandCall(["tokens", "-o", "tsv", "a", "b"]).output == "0\t1\ta\ta\n2\t3\tb\tb\n")
    }

    // MARK: Words

    @Test func joinsNeedAllTheirParts() throws {
        for join in ["who=people.", "who=.id", "who=people", "who"] {
            let run = try CommandRun(["query", "a == 1", "--reference", join], input: "{\"a\":1}\n")
            #expect(run.status == 2 && run.output == "", "\(run)")
            #expect(run.errors.contains("'--reference' takes FIELD=TYPE.KEY, not '\(join)'"), "\(run)")
        }
    }

    /// The end of a line divides words as a blank does.
    @Test func linesOfOnePredicate() throws {
        let run = try CommandRun(["parse", "--form", "canonical", "-"], input: "a\nBETWEEN\n{1, 2}\n")
        #expect(run.output == "a BETWEEN {1, 2}\n" && run.status == 0, "\(run)")
    }

    /// No table is that narrow: such a number says nothing.
    @Test(arguments: ["0", "-1", "wide", ""]) func widthsThatAreNone(_ columns: String) throws {
        let text = String(repeating: "x", count: 90)
        let input = "{\"a\":\"\(text)\",\"b\":\"\(text)\"}\n"
        let run = try CommandRun(["query", "a != nil", "-o", "table"], input: input, environment: ["COLUMNS": columns])
        #expect(run.lines.last == "\(text)  \(text)", "\(run)")
    }

    @Test func topicsInAnyCase() {
        for (word, name) in [("LIKE", "operators"), ("like", "operators"), ("Dates", "dates"), ("NULL", "nil")] {
            #expect(HelpTopic.of(word)?.name == name, "\(word)")
        }
        #expect(HelpTopic.of("wholly other") == nil)
    }

    /// Two moments that are now may be told apart by the clock: what the two say is tried.
    @Test func theClockIsNoConstant() {
        let call = CommandCall(["diff", "d < now()", "d < now()"])
        #expect(call.output.hasPrefix("no difference found in ") && call.status == .success, "\(call)")
        #expect(CommandCall(["diff", "d < e", "d < e"]).output == "equivalent\n")
    }

    // MARK: Files

    /// Bits that new files are not given are kept, too.
    @Test func modesOfReplacedFiles() throws {
        let folder = try TemporaryFolder()
        for permissions in [0o664, 0o666, 0o777, 0o622] {
            let file = try folder.file("a.txt", "old")
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file)
            try FileWriter.replace(file, with: "new")
            let found = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
            #expect(found?.intValue == permissions)
        }
    }

    /// Names of tables may hold what encloses them.
    @Test func tablesWithQuotationMarks() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/d.sqlite"
        let database = try #require(csqlite_open_file(path))
        for statement in [#"CREATE TABLE "a""b"(x)"#, #"INSERT INTO "a""b" VALUES(1)"#] {
            #expect(csqlite_execute(database, statement) == 0, "\(statement)")
        }
        csqlite_close(database)
        for word in [path, path + ":a\"b"] {
            let bytes = try #require(try SQLiteTable(path: word)?.lines().bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == "{\"x\":1}\n", "\(word)")
        }
    }

    /// Blanks of any kind in a text are blanks in the words that are shown of it.
    @Test func blanksOfSnippets() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", #"{"id":"a","t":"one\ttwo\rthree\nfour"}"# + "\n")
        let call = CommandCall([
            "query", "t TOKENMATCHES[cd] 'two'", file, "--snippets", "--fields", "id", "-o", "markdown",
        ])
        #expect(call.lines.last == "| a  | t     | one **two** three four |", "\(call)")
    }

    // MARK: Stores

    /// A store with one record of type `T`.
    private static func store(in folder: borrowing TemporaryFolder, _ record: String) throws -> String {
        let file = try folder.file("first.ndjson", record + "\n")
        let store = folder.url.path + "/s"
        let call = CommandCall(["import", store, file, "--type", "T", "--quiet"])
        try #require(call.status == .success, "\(call)")
        return store
    }

    /// The keys of names and types in an export are those that were asked for.
    @Test func keysOfExports() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder, "{\"id\":\"a\",\"n\":1}")
        for (words, line) in [
            ([], #"{"id":"a","type":"T","n":1}"#), (["--type-field", "kind"], #"{"id":"a","kind":"T","n":1}"#),
            (["--id-field", "key"], #"{"key":"a","type":"T","n":1}"#),
            (["--id-field", "key", "--type-field", "kind"], #"{"key":"a","kind":"T","n":1}"#),
        ] as [([String], String)] {
            let call = CommandCall(["export", store] + words)
            #expect(call.output == line + "\n" && call.status == .success, "\(words): \(call)")
        }
    }

    /// Indexes are built when somebody asks: records that nobody queried have one segment and no index.
    @Test func segmentsAndIndexesAreCounted() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder, "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}")
        let run = try CommandRun(["stat", store])
        let rows = run.lines.map { $0.split(separator: " ").map(String.init) }
        #expect(rows.contains { $0.suffix(2) == ["segments", "indexes"] }, "\(run)")
        #expect(rows.contains { $0.suffix(5) == ["T", "2", "0", "1", "0"] }, "\(run)")
    }

    /// Values of variables belong to the predicate that says what is changed.
    @Test func variablesOfChanges() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder, "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}")
        let update = CommandCall(["update", store, "n == $x", "-v", "x=2", "--set", "n=5", "--yes"])
        #expect(update.status == .success && update.messages == "1 record changed\n", "\(update)")
        #expect(CommandCall(["query", "n == 5", store, "-o", "ids"]).output == "b\n")
        let delete = CommandCall(["delete", store, "n == $x", "-v", "x=1", "--yes"])
        #expect(delete.status == .success && delete.messages == "1 record deleted\n", "\(delete)")
        #expect(CommandCall(["query", "TRUEPREDICATE", store, "-o", "ids"]).output == "b\n")
    }

    /// Ten reasons are told, and how many records have others.
    @Test func reasonsOfRejections() throws {
        let folder = try TemporaryFolder()
        let fields = (0..<12).map { "\"x\($0)\":\($0)" }.joined(separator: ",")
        let store = try Self.store(in: folder, "{\"id\":\"a\",\(fields)}")
        let file = try folder.file("b.ndjson", (0..<12).map { "{\"id\":\"r\($0)\",\"x\($0)\":\"text\"}\n" }.joined())
        let call = CommandCall(["import", store, file, "--type", "T"])
        #expect(call.status == .badData)
        let lines = call.messages.split(separator: "\n")
        let reasons = lines.filter { $0.hasPrefix("1 record rejected: ") }
        #expect(reasons.count == 10, "\(call)")
        #expect(lines.contains("2 rejected for other reasons"), "\(call)")
    }

    /// An import that merges is not continued by one that replaces.
    @Test func replacingBeginsAgain() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("in.ndjson", (0..<30).map { "{\"id\":\"r\($0)\",\"n\":\($0)}\n" }.joined())
        let store = folder.url.path + "/s"
        let words = [store, file, "--type", "T", "--batch", "10"]
        let call = try ParsedArguments(words + ["--quiet"], for: ImportCommand.specification)
        _ = try ImportCommand.run(call, Session(["import"])) {
            (try? CommandRun(["query", "TRUEPREDICATE", store, "--count"]).output) != "10\n"
        }
        #expect(CommandCall(["query", "TRUEPREDICATE", store, "--count"]).output == "10\n")
        let other = CommandCall(["import"] + words + ["--replace"])
        #expect(other.messages.contains("\n30 records saved") && other.status == .success, "\(other)")
    }
}
