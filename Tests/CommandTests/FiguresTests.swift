// Figures of the records that match: counts by value, statistics, distinct values, histograms.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

struct FiguresTests {
    private static let records = """
        {"id":"a","country":"IS","n":1,"at":"2026-01-01T00:00:00Z","tags":["x","y"]}
        {"id":"b","country":"CH","n":2.5,"at":"2026-02-01T10:00:00Z","tags":["x"]}
        {"id":"c","country":"CH","n":7,"at":"2026-02-28T23:59:59Z"}
        {"id":"d","n":-3,"at":"2026-04-30T00:00:00Z"}

        """

    /// The words behind `query`, and what is printed.
    static let calls: [(words: [String], output: String)] = [
        (
            ["--count-by", "country"],
            #"{"country":"CH","count":2}"# + "\n" + #"{"country":null,"count":1}"# + "\n"
                + #"{"country":"IS","count":1}"# + "\n"
        ),
        (["n > 0", "--count-by", "country", "--sort", "country:desc", "-o", "csv"], "country,count\nIS,1\nCH,2\n"),
        (["--count-by", "tags", "--limit", "2", "-o", "tsv"], "tags\tcount\n\t2\nx\t2\n"),
        (["--count-by", "country,tags", "--offset", "3", "-o", "csv"], "country,tags,count\nIS,x,1\nIS,y,1\n"),
        (["--count-by", "country", "-o", "count"], "3\n"),
        (
            ["--count-by", "country", "--stats", "n", "-o", "csv"],
            "country,count,min,max,sum,average\nCH,2,2.5,7,9.5,4.75\n,1,-3,-3,-3,-3.0\nIS,1,1,1,1,1.0\n"
        ),
        (
            ["--count-by", "country", "--stats", "id,at", "--sort", "country:desc", "--limit", "1", "-o", "csv"],
            "country,count,id min,id max,at min,at max\nIS,1,a,a,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z\n"
        ),
        (["--distinct", "country", "-o", "csv"], "country\nCH\nIS\n"),
        (
            ["--stats", "n,country", "-o", "csv"],
            "field,count,missing,distinct,min,max,sum,average\nn,4,0,4,-3,7,7.5,1.875\ncountry,3,1,2,CH,IS,,\n"
        ),
        (
            ["n > 100", "--stats", "n", "-o", "csv"],
            "field,count,missing,distinct,min,max,sum,average\nn,0,0,0,,,0,\n"
        ),
        (["--histogram", "n:5", "-o", "csv"], "from,below,count\n-4,-2,1\n-2,0,0\n0,2,1\n2,4,1\n4,6,0\n6,8,1\n"),
        (
            ["--histogram", "at:month", "-o", "csv"],
            "from,below,count\n2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,1\n"
                + "2026-02-01T00:00:00Z,2026-03-01T00:00:00Z,2\n2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,0\n"
                + "2026-04-01T00:00:00Z,2026-05-01T00:00:00Z,1\n"
        ),
        (
            ["month(at) == 2", "--histogram", "at:week", "-o", "csv"],
            "from,below,count\n2026-01-26T00:00:00Z,2026-02-02T00:00:00Z,1\n"
                + "2026-02-02T00:00:00Z,2026-02-09T00:00:00Z,0\n2026-02-09T00:00:00Z,2026-02-16T00:00:00Z,0\n"
                + "2026-02-16T00:00:00Z,2026-02-23T00:00:00Z,0\n2026-02-23T00:00:00Z,2026-03-02T00:00:00Z,1\n"
        ),
        (
            ["--histogram", "at:year", "-o", "json"],
            "[\n{\"from\":\"2026-01-01T00:00:00Z\",\"below\":\"2027-01-01T00:00:00Z\",\"count\":4}\n]\n"
        ),
        (
            ["--count-by", "country", "-o", "table"],
            "country  count\n───────  ─────  ────────────────────────────────────────\n"
                + "CH           2  ████████████████████████████████████████\n"
                + "             1  ████████████████████\nIS           1  ████████████████████\n"
        ),
        (
            ["--count-by", "country", "-o", "markdown", "--limit", "1"],
            "| country | count |\n| ------- | ----: |\n| CH      |     2 |\n"
        ),
        (["--distinct", "country", "-o", "line"], "country  CH\n\ncountry  IS\n"),
    ]

    @Test(arguments: calls.indices) func figures(_ index: Int) throws {
        let call = Self.calls[index]
        let run = try CommandRun(["query"] + call.words, input: Self.records)
        #expect(run.output == call.output, "\(call.words) \(run.errors)")
    }

    /// Wrong calls: status 2, and what is said.
    static let wrong: [(words: [String], text: String)] = [
        (["--count-by", "cuntry"], "did you mean 'country'?"),
        (["--count-by", "country", "--sort", "n"], "there is no column 'n' to sort by"),
        (["--count-by", "country", "--distinct", "n"], "exclude each other"),
        (["--count-by", "country", "--stats", "nn"], "no record has a field 'nn'"),
        (["--count-by", "country", "--fields", "n"], "'--fields' is for records"),
        (["--distinct", "n,country"], "takes one field"),
        (["--histogram", "n:day"], "parts of the calendar are for dates"),
        (["--histogram", "n:0"], "no known parts"),
        (["--histogram", "at:second"], "no known parts"),
        (["--histogram", "country"], "holds neither"),
        (["--count-by", "country", "-o", "geojson"], "figures are no records"),
        (["n >> ", "--count-by", "country"], "expected"),
    ]

    @Test(arguments: wrong.indices) func wrongCalls(_ index: Int) throws {
        let call = Self.wrong[index]
        let run = try CommandRun(["query"] + call.words, input: Self.records)
        #expect(run.status == 2 && run.output == "" && run.errors.contains(call.text), "\(call.words) \(run.errors)")
    }

    @Test func noMatchIsTold() throws {
        let run = try CommandRun(["query", "n > 100", "--count-by", "country"], input: Self.records)
        #expect(run.status == 1 && run.output == "")
    }

    /// A file first: figures of all its records.
    @Test func fileWithoutPredicate() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", Self.records)
        #expect(try CommandRun(["query", file, "--distinct", "country", "-o", "csv"]).output == "country\nCH\nIS\n")
    }

    @Test func promptShowsBars() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", Self.records)
        let input = """
            n > 0
            .mode table
            .count
            .count country
            .stats n
            .histogram n:2
            .distinct country
            .histogram country
            """
        let run = try CommandRun(["repl", file], input: input)
        let lines = run.lines.filter { !$0.hasPrefix("{") }
        #expect(lines.first == "3", "\(run)")
        #expect(lines.contains("CH           2  ████████████████████████████████████████"), "\(run.output)")
        #expect(lines.contains("n          3        0         3    1    7  10.5      3.5"), "\(run.output)")
        #expect(lines.contains("   0      5      2  ████████████████████████████████████████"), "\(run.output)")
        #expect(run.errors.contains("holds neither"))
    }

    /// `.help TOPIC`, '?' and 'help WORD' tell of the language; other words find commands.
    @Test(arguments: [
        (".help dates", "ts > now() - 7d"), ("? like", "* any run, ? one character"), ("help nil", "records without a"),
        (".help functions", "length(text)"), ("?", ".histogram"), (".help bench", ".bench"),
    ]) func helpOfTopics(_ line: String, _ words: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", Self.records)
        let run = try CommandRun(["repl", file], input: line + "\n")
        #expect(run.output.contains(words), "\(run)")
    }

    /// Texts in the order of a language, in a call and at the prompt.
    @Test func ordersOfLanguages() throws {
        let folder = try TemporaryFolder()
        let names = ["Zürich", "Ärlig", "apfel", "Öst", "Ånge", "Bern"]
        let file = try folder.file("n.ndjson", names.map { "{\"n\":\"\($0)\"}\n" }.joined())
        func order(_ key: String) throws -> [String] {
            Array(
                try CommandRun(["query", "TRUEPREDICATE", file, "--sort", key, "-o", "csv", "--fields", "n"])
                    .lines.dropFirst())
        }
        #expect(try order("n") == ["Bern", "Zürich", "apfel", "Ärlig", "Ånge", "Öst"])
        #expect(try order("n:locale=de") == ["Ånge", "apfel", "Ärlig", "Bern", "Öst", "Zürich"])
        #expect(try order("n:locale=sv") == ["apfel", "Bern", "Zürich", "Ånge", "Ärlig", "Öst"])
        #expect(try order("n:desc:locale=sv") == ["Öst", "Ärlig", "Ånge", "Zürich", "Bern", "apfel"])
        let limited = try CommandRun([
            "query", "TRUEPREDICATE", file, "--sort", "n:locale=sv", "--limit", "2", "--offset", "1", "--fields", "n",
        ])
        #expect(limited.lines == ["{\"n\":\"Bern\"}", "{\"n\":\"Zürich\"}"], "\(limited)")
        let prompt = try CommandRun(
            ["repl", file], input: ".mode csv\n.fields n\n.sort n:locale=sv desc\n.limit 1\nTRUEPREDICATE\n")
        #expect(prompt.lines.last == "Öst", "\(prompt)")
        let wrong = try CommandRun(["query", "TRUEPREDICATE", file, "--sort", "n:locale="])
        #expect(wrong.status == 2 && wrong.errors.contains("names no locale"))
    }

    /// The same figures as SQLite's, for random records.
    @Test(.requires(program: "sqlite3")) func figuresEqualSQLites() throws {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 20)
        var lines = ""
        var rows: [String] = []
        for index in 0..<500 {
            let kind = Int.random(in: 0..<8, using: &generator)
            let number = Int.random(in: -50...50, using: &generator)
            let name = "k\(Int.random(in: 0...5, using: &generator))"
            let isMissing = kind == 0
            lines += "{\"id\":\"r\(index)\",\"k\":\(isMissing ? "null" : "\"\(name)\""),\"n\":\(number)}\n"
            rows.append("(\(isMissing ? "NULL" : "'\(name)'"),\(number))")
        }
        let file = try folder.file("r.ndjson", lines)
        let table = "CREATE TABLE r(k TEXT, n INTEGER); INSERT INTO r VALUES \(rows.joined(separator: ","));"
        let questions: [(call: [String], sql: String)] = [
            (["--count-by", "k"], "SELECT k, count(*) AS c FROM r GROUP BY k ORDER BY c DESC, k"),
            (
                ["n > 10", "--count-by", "k,n"],
                "SELECT k, n, count(*) AS c FROM r WHERE n > 10 GROUP BY k, n ORDER BY c DESC, k, n"
            ),
            (["--distinct", "n"], "SELECT DISTINCT n FROM r ORDER BY n"),
            (
                ["k == 'k2'", "--stats", "n"],
                "SELECT 'n', count(n), count(*) - count(n), count(DISTINCT n), min(n), max(n), sum(n), avg(n) FROM r "
                    + "WHERE k = 'k2'"
            ),
            (
                ["--histogram", "n:10"],
                "SELECT 10 * b, 10 * b + 10, count(*) FROM (SELECT (n + 1000) / 10 - 100 AS b FROM r) "
                    + "GROUP BY b ORDER BY b"
            ),
        ]
        for question in questions {
            let mine = try CommandRun(["query"] + question.call + [file, "-o", "csv"]).lines.dropFirst()
            let theirs = try CommandRun(shell: "sqlite3 -csv :memory:", input: table + question.sql + ";\n").lines
                .map { $0.replacing("\r", with: "") }
            #expect(Self.numbers(Array(mine)) == Self.numbers(theirs), "\(question.call)")
        }
    }

    /// Rows with their numbers as such: averages have more digits here than there.
    private static func numbers(_ lines: [String]) -> [[String]] {
        lines.map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map { cell in
                Double(cell).map { String(($0 * 1e9).rounded() / 1e9) } ?? String(cell)
            }
        }
    }
}
