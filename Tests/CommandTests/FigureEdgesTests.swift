// Figures at their limits: order, parts of histograms, bars, titles, and what is said besides.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct FigureEdgesTests {
    @Test func rowsAreOrderedByTheirColumns() throws {
        func sorted(_ keys: [SortKey]) throws -> [FieldValue] {
            let rows: [[FieldValue]] = [["b", 1], ["a", 2], ["c", 1], [.null, 2]]
            var figures = Figures(columns: ["k", "n"], rows: rows)
            try figures.sort(by: keys)
            return figures.rows.map { $0[0] }
        }
        #expect(try sorted([]) == ["b", "a", "c", .null])
        #expect(try sorted([.ascending("n")]) == ["b", "c", "a", .null])
        #expect(try sorted([.descending("n")]) == ["a", .null, "b", "c"])
        #expect(try sorted([.ascending("n"), .descending("k")]) == ["c", "b", "a", .null])
        #expect(try sorted([.ascending("k")]) == [.null, "a", "b", "c"])
        let error = #expect(throws: CommandError.self) { _ = try sorted([.ascending("m")]) }
        #expect(error?.message == "there is no column 'm' to sort by" && error?.hint == "one of k, n")
    }

    /// In a narrow terminal the first column is cut, and not what it is about.
    @Test func theFirstColumnIsCut() throws {
        let long = String(repeating: "k", count: 60)
        let name = "twenty-letters-of-it"
        let run = try CommandRun(
            ["query", "TRUEPREDICATE", "--count-by", "k,name", "-o", "table"],
            input: #"{"k":"\#(long)","name":"\#(name)"}"# + "\n", environment: ["COLUMNS": "44"])
        #expect(run.status == 0 && run.output.contains(name) && !run.output.contains(long), "\(run)")
        #expect(run.lines.allSatisfy { $0.count <= 44 }, "\(run)")
    }

    @Test func partsOfHistograms() {
        let bins: [(text: String, bins: HistogramBins?)] = [
            ("1", .round(1)), ("1000", .round(1_000)), ("1001", nil), ("0", nil), ("-1", nil), ("", nil),
            ("hour", .hour), ("day", .day), ("week", .week), ("month", .month), ("year", .year), ("minute", nil),
        ]
        for (text, expected) in bins { #expect(HistogramBins(text) == expected, "\(text)") }
    }

    /// Where in `text` the parts are told, and what is asked.
    @Test func requestsAreRead() throws {
        guard case .histogram("a:b", .day) = try FiguresRequest(name: "histogram", "a:b:day") else {
            Issue.record("the last colon tells the parts")
            return
        }
        guard case .histogram("n", .automatic) = try FiguresRequest(name: "histogram", "n") else {
            Issue.record("parts need not be told")
            return
        }
        #expect(try FiguresRequest(name: "count-by", "k, n,k").fields == ["k", "n"])
        #expect(try FiguresRequest(name: "stats", "n").fields == ["n"])
        #expect(try FiguresRequest(name: "distinct", "k").fields == ["k"])
        let wrong: [(name: String, text: String, message: String)] = [
            ("count-by", "k,relevance", "'count-by' takes fields, not relevance"),
            ("stats", "distance(p,1,2)", "'stats' takes fields, not distance"),
            ("distinct", "k,n", "'distinct' takes one field"), ("histogram", "k,n:5", "'histogram' takes one field"),
            ("histogram", "k,n", "'histogram' takes one field"),
            ("histogram", "n:x", "'n:x' has no known parts behind its colon"),
            ("histogram", ":5", "a field name is empty"),
        ]
        for (name, text, message) in wrong {
            let error = #expect(throws: CommandError.self) { _ = try FiguresRequest(name: name, text) }
            #expect(error?.message == message && error?.status == .usage)
        }
    }

    // MARK: What is written

    private static let records = """
        {"n":1,"k":"a","count":5,"at":"2026-01-01T00:00:00Z"}
        {"n":2,"k":"b","count":5,"at":"2026-02-11T14:30:00Z"}
        {"k":"a\\u009b"}

        """

    /// What follows the file, what is printed, and what is told besides.
    static let calls: [(words: [String], isShown: Bool, output: String, messages: String)] = [
        // A field that has the name of the column of counts.
        (["--count-by", "count", "-o", "csv"], false, "count,records\n5,2\n,1\n", ""),
        (["--count-by", "count", "--stats", "n", "-o", "csv"], false, "count,records,min,max,sum,average\n", ""),
        (["--count-by", "count", "-o", "line"], false, "  count  5\nrecords  2\n\n  count  \nrecords  1\n", ""),
        (["--count-by", "k", "-o", "tsv"], false, "k\tcount\na\t1\na\u{9B}\t1\nb\t1\n", ""),
        (["--count-by", "k", "-o", "tsv"], true, "k\tcount\na\t1\na\u{FFFD}\t1\nb\t1\n", ""),
        (["--distinct", "n", "-o", "json"], false, "[\n{\"n\":1},\n{\"n\":2}\n]\n", ""),
        (["--distinct", "n", "-o", "count"], false, "2\n", ""),
        (
            ["--histogram", "n:2", "-o", "tsv"], false, "from\tbelow\tcount\n1\t1.5\t1\n1.5\t2\t0\n2\t2.5\t1\n",
            "note: 1 without a value of 'n'\n"
        ),
        (
            ["--histogram", "n:2", "-o", "table"], false,
            "from  below  count\n────  ─────  ─────  ────────────────────────────────────────\n"
                + "   1    1.5      1  \(String(repeating: "█", count: 40))\n"
                + " 1.5      2      0\n   2    2.5      1  \(String(repeating: "█", count: 40))\n",
            "note: 1 without a value of 'n'\n"
        ),
        // From the first hour to the last there are 41 days, 14 hours and half an hour.
        (["--histogram", "at:hour", "-o", "count"], false, "999\n", "note: 1 without a value of 'at'\n"),
        (["--histogram", "at:month", "-o", "count"], false, "2\n", "note: 1 without a value of 'at'\n"),
    ]

    /// Whole numbers whose sum is beyond 64 bits have none, and have an average.
    @Test func averagesWithoutASum() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", "{\"n\":9223372036854775807}\n{\"n\":1}\n")
        let run = CommandCall(["query", file, "--stats", "n", "-o", "csv"])
        let cells = run.lines.last?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        #expect(cells.dropLast() == ["n", "2", "0", "2", "1", "9223372036854775807", ""], "\(run)")
        #expect(cells.last.flatMap { Double($0) } == 0x1p62, "\(run)")
    }

    @Test func figuresAreWritten() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", Self.records)
        for call in Self.calls {
            let run = CommandCall(["query", file] + call.words, isShown: call.isShown)
            let isCut = call.output.hasSuffix("average\n")
            #expect(
                run.output == call.output || isCut && run.output.hasPrefix(call.output), "\(call.words): \(run)")
            #expect(run.messages == call.messages && run.status == .success, "\(call.words): \(run)")
        }
        let none = CommandCall(["query", "n > 5", file, "--count-by", "k", "-o", "json"])
        #expect(none.output == "[]\n" && none.status == .noMatch, "\(none)")
    }

    /// A thousand parts are written, one more is refused.
    @Test func theMostPartsOfAHistogram() throws {
        let folder = try TemporaryFolder()
        func run(_ last: String) throws -> CommandCall {
            let file = try folder.file("r.ndjson", "{\"at\":\"2026-01-01T00:00:00Z\"}\n{\"at\":\"\(last)\"}\n")
            return CommandCall(["query", file, "--histogram", "at:hour", "-o", "count"])
        }
        // 999 hours are 41 days and 15 hours.
        #expect(try run("2026-02-11T15:59:59Z").output == "1000\n")
        let more = try run("2026-02-11T16:00:00Z")
        #expect(more.error?.message == "the range has 1,001 parts, more than 1,000" && more.output == "", "\(more)")
    }

    /// Bars are drawn in eighths of a column; what there is shows, however little.
    @Test func barsHaveEighths() throws {
        let folder = try TemporaryFolder()
        // With 640 for the longest bar an eighth of a column is two records.
        let counts = [("f", 640), ("e", 18), ("d", 16), ("c", 15), ("b", 14), ("a", 1)]
        let lines = counts.map { String(repeating: "{\"k\":\"\($0.0)\"}\n", count: $0.1) }.joined()
        let run = CommandCall(
            ["query", try folder.file("r.ndjson", lines), "--count-by", "k", "-o", "table", "--width", "120"])
        let bars = run.lines.dropFirst(2).map { String($0.split(separator: " ").last ?? "") }
        #expect(bars == [String(repeating: "█", count: 40), "█▏", "█", "▉", "▉", "▏"], "\(run)")
        let boxes = CommandCall(
            ["query", try folder.file("r.ndjson", lines), "--count-by", "k", "-o", "markdown"])
        #expect(boxes.lines.last == "| a |     1 |", "\(boxes)")
    }

    @Test func requestsExcludeEachOther() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("r.ndjson", Self.records)
        let wrong: [(words: [String], message: String)] = [
            (["--stats", "n", "--distinct", "k"], "'--stats' and '--distinct' exclude each other"),
            (
                ["--count-by", "n", "--stats", "n", "--distinct", "k"],
                "'--count-by' and '--stats' exclude each other"
            ),
            (["--distinct", "n", "--snippets"], "'--snippets' is for records, and figures were requested"),
            (["--distinct", "n", "--explain"], "'--explain' is for records, and figures were requested"),
            (["--distinct", "n", "--count"], "'--count' is for records, and figures were requested"),
            (["--distinct", "n", "-o", "ids"], "figures are no records, and 'ids' writes records"),
        ]
        for (words, message) in wrong {
            let run = CommandCall(["query", file] + words)
            #expect(run.error?.message == message && run.error?.status == .usage && run.output == "", "\(run)")
        }
    }
}
