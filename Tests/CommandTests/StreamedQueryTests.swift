// Matches that are printed while the input is read, and input of other encodings and formats.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

struct StreamedQueryTests {
    /// So many records that they come in several pieces.
    private static func lines(_ count: Int) -> String {
        (0..<count).map { "{\"n\":\($0),\"text\":\"row \($0 % 7)\",\"at\":\"2026-01-0\($0 % 9 + 1)T00:00:00Z\"}\n" }
            .joined()
    }

    /// Read piece by piece or as a whole, the result is the same.
    static let calls: [[String]] = [
        ["n >= 0"], ["n > 2490"], ["n == 1 OR n == 2499", "-o", "ids"], ["text == 'row 3'"],
        ["n > 10", "--limit", "3"], ["n > 10", "--offset", "2000", "--limit", "2"], ["n > 10", "--limit", "0"],
        ["at >= '2026-01-08'", "--fields", "n,at"], ["n < 0"], ["text BEGINSWITH 'row'", "--offset", "2498"],
        ["nope == 1"], ["nope != 1", "-o", "ids"],
    ]

    @Test(arguments: calls) func piecesAreTheWhole(_ words: [String]) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("lines.ndjson", Self.lines(2_500))
        let streamed = try CommandRun(["query"] + words + [file])
        let whole = try CommandRun(["query"] + words + [file, "--whole"])
        #expect(streamed.output == whole.output && streamed.status == whole.status, "\(streamed.errors)\(whole.errors)")
        let piped = try CommandRun(
            shell: "cat '\(file)' | $predicate query \(words.map { "\"\($0)\"" }.joined(separator: " "))")
        #expect(piped.output == whole.output && piped.status == whole.status, "\(piped.errors)")
    }

    /// A name is told to be in no record where no piece has it, and not where one alone has it, the first or the last.
    @Test(arguments: [("early", false), ("late", false), ("nope", true)])
    func namesOfOnePiece(_ name: String, isTold: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("lines.ndjson", "{\"early\":1}\n" + Self.lines(2_500) + "{\"late\":1}\n")
        for words in [[], ["-c"], ["--whole"]] {
            let run = try CommandRun(["query", "\(name) == 2", file] + words)
            #expect(run.errors.contains("no record has a field '\(name)'") == isTold, "\(words): \(run.errors)")
        }
    }

    // MARK: Cells of lines of JSON

    /// Records with columns that come later, one of another type, mixed kinds, names that some have.
    private static func sparse(_ count: Int) -> String {
        var random = SeededGenerator(seed: 20)
        return (0..<count).map { number in
            var members = ["\"n\":\(number)"]
            if number >= 2_000 { members.append("\"late\":\"row, \(number % 3)\"") }
            if number == 2_250 { members.append("\"once\":[1,{\"a\":\"\\\"\"}]") }
            if number % 3 == 0 { members.append("\"half\":\(number % 2 == 0 ? "\(number)" : "\(number).5")") }
            if number % 5 == 0 { members.append("\"at\":\"2026-01-0\(number % 9 + 1)T00:00:00Z\"") }
            if number % 7 == 0 { members.append("\"text\":\"\"") }
            if number > 2_350, number % 2 == 0 { members.append("\"id\":\"r\(number)\"") }
            if number > 2_400 { members.append("\"type\":\"T\(number % 2)\"") }
            return "{" + members.shuffled(using: &random).joined(separator: ",") + "}\n"
        }.joined()
    }

    /// The columns are those of all records, whatever matches, as when all is read first.
    @Test(arguments: [
        ["n >= 0"], ["n > 2480"], ["n < 0"], ["n < 4", "--limit", "2"], ["once != nil"], ["n > 3", "--offset", "2490"],
        ["late == 'row, 1'", "-o", "tsv"], ["n > 10", "--id-field", "code"], ["nope == 1"],
    ]) func columnsAreThoseOfAllRecords(_ words: [String]) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("lines.ndjson", Self.sparse(2_500))
        let words = words + (words.contains("-o") ? [] : ["-o", "csv"])
        let whole = try CommandRun(["query"] + words + [file, "--whole"])
        let streamed = try CommandRun(["query"] + words + [file])
        #expect(streamed.output == whole.output && streamed.status == whole.status, "\(streamed.errors)\(whole.errors)")
        let piped = try CommandRun(
            shell: "cat '\(file)' | $predicate query \(words.map { "\"\($0)\"" }.joined(separator: " "))")
        #expect(piped.output == whole.output && piped.status == whole.status, "\(piped.errors)")
    }

    /// Several files have the columns of all of them; a fault anywhere leaves nothing printed by half.
    @Test func columnsOfSeveralFiles() throws {
        let folder = try TemporaryFolder()
        let first = try folder.file("a.ndjson", Self.lines(3_000))
        let second = try folder.file("b.ndjson", Self.sparse(2_300).replacing("}\n", with: ",\"b\":true}\n"))
        let call = ["query", "n > 2990", "-o", "csv", first, second]
        let streamed = try CommandRun(call)
        #expect(streamed.output == (try CommandRun(call + ["--whole"])).output, "\(streamed.errors)")
        #expect(streamed.lines.first?.hasPrefix("n,text,at,") == true, "\(streamed.lines.prefix(2))")
        let broken = try folder.file("c.ndjson", Self.lines(3_000) + "{broken\n")
        let run = try CommandRun(["query", "n >= 0", "-o", "csv", first, broken])
        #expect(run.status == 3 && run.output == "" && run.errors.contains("c.ndjson:3001:"), "\(run.errors)")
    }

    /// Rows that wait lie on the disk: megabytes of them take little memory, and none is lost.
    @Test func manyRowsWaitOnTheDisk() throws {
        let folder = try TemporaryFolder()
        let filler = String(repeating: "x", count: 400)
        let text = (0..<30_000).map { "{\"n\":\($0),\"filler\":\"\(filler)\"}\n" }.joined() + "{\"late\":1}\n"
        let file = try folder.file("lines.ndjson", text)
        let run = try CommandRun(["query", "TRUEPREDICATE", file, "-o", "csv"])
        #expect(run.lines.count == 30_002 && run.lines[0] == "n,filler,late" && run.lines[30_001] == ",,1")
        #expect(run.lines[29_999] == "29998,\(filler),")
        let full = try CommandRun(
            shell: "TMPDIR=/nowhere \"$predicate\" query TRUEPREDICATE '\(file)' -o csv; echo $?")
        #expect(full.output == "4\n" && full.errors.contains("--fields names the columns"), "\(full.errors)")
    }

    /// Cells wait as they are, however many bytes tell how long they are.
    @Test func cellsOfAllLengthsWait() throws {
        let folder = try TemporaryFolder()
        let lengths = (0..<1_500).map { $0 % 300 + 1 } + [16_383, 16_384, 16_511, 16_512]
        let texts = lengths.map { String(repeating: "x", count: $0) }
        let file = try folder.file("lines.ndjson", texts.map { "{\"n\":1,\"text\":\"\($0)\"}\n" }.joined())
        let run = try CommandRun(["query", "n == 1", file, "-o", "csv"])
        let isWhole = run.output == "n,text\n" + texts.map { "1,\($0)\n" }.joined()
        #expect(isWhole && run.status == 0, "\(run.lines.count) lines, \(run.errors)")
    }

    /// Where texts are dates in one part of a stream and not in another, that is told once; as a whole they are texts.
    @Test(arguments: [["-c"], ["-o", "ids"]]) func datesOfOnePart(_ format: [String]) throws {
        let folder = try TemporaryFolder()
        let dates = (0..<6_000).map { "{\"n\":\($0),\"when\":\"2026-01-01T00:00:00Z\",\"name\":\"x\"}\n" }
        let texts = (0..<6_000).map { "{\"n\":\($0),\"when\":\"soon\",\"name\":\"y\"}\n" }
        for (lines, isMixed) in [(dates + texts, true), (texts + dates, true), (dates + dates, false)] {
            let file = try folder.file("f.ndjson", lines.joined())
            for words in [[], ["--whole"]] {
                let run = try CommandRun(["query", "when == '2026-01-02'", file] + format + words)
                let notes = run.errors.split(separator: "\n").filter { $0.contains("holds dates in one part") }
                #expect(notes.count == (isMixed && words.isEmpty ? 1 : 0), "\(run)")
                #expect(notes.allSatisfy { $0.contains("field 'when'") && $0.contains("--whole") }, "\(run)")
            }
        }
    }

    /// A column that is empty at first holds what all its cells tell, also beside none but those of known types.
    @Test func lateCellsTellTheirColumn() throws {
        // The text at the end makes the column one of texts.
        let rows = (0..<40_000).map { number in
            let late = number < 10_000 ? "" : number < 39_999 ? "\(number)" : "x"
            return "\(number),\(late)\n"
        }
        let folder = try TemporaryFolder()
        let file = try folder.file("f.csv", "n:INT64,late\n" + rows.joined())
        for words in [[], ["--whole"]] {
            let run = try CommandRun(["query", "late == '15000'", "-c", file] + words)
            #expect(run.output == "1\n" && run.status == 0, "\(run)")
        }
    }

    /// A column that is empty at first may be one of numbers, which texts are not ordered with.
    @Test func lateNumbersAreOrdered() throws {
        let rows = (0..<60_000).map { "\($0),,\n" } + (0..<10).map { "\(60_000 + $0),\($0),\n" }
        let folder = try TemporaryFolder()
        let file = try folder.file("f.csv", "id,e,t\n" + rows.joined())
        #expect(try CommandRun(["count", "e > 6", file]).output == "3\n")
        #expect(try CommandRun(["query", "e > 6", file, "-o", "ids"]).lines == ["60007", "60008", "60009"])
        // What fails over all of the input does so still.
        #expect(try CommandRun(["count", "e > 'x'", file]).errors.contains("cannot order"))
    }

    /// What a column holds is told by earlier files where it is empty in a later one, and by its own cells elsewhere.
    @Test(arguments: [["-c"], ["-o", "ids"]]) func columnsThatAreEmptyInLaterFiles(_ format: [String]) throws {
        let folder = try TemporaryFolder()
        let first = try folder.file("a.csv", "id,e,t\n" + (0..<60_000).map { "a\($0),\($0 % 9),\n" }.joined())
        let empty = try folder.file("b.csv", "id,e,t\n" + (0..<9).map { "b\($0),,\n" }.joined())
        let late = try folder.file("c.csv", "id,e,t\n" + (0..<60_000).map { "c\($0),,\n" }.joined() + "x,8,\n")
        let texts = try folder.file("d.csv", "id,e,t\nd1,12,\nd2,x,\n")
        for (predicate, files) in [
            ("e > 7", [first, empty, late]), ("e > 7", [first, late, empty]), ("e == '12'", [first, texts]),
        ] {
            let call = ["query", predicate] + files + format
            let run = try CommandRun(call)
            let whole = try CommandRun(call + ["--whole"])
            #expect(run.status == 0 && run.output == whole.output, "\(files): \(run.errors)\(whole.errors)")
        }
    }

    /// An error has its line, and what came before it was printed.
    @Test func errorsHaveTheirLine() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("lines.ndjson", Self.lines(5_000) + "{broken\n")
        let run = try CommandRun(["query", "n >= 0", file])
        #expect(run.status == 3 && run.errors.contains("lines.ndjson:5001:"), "\(run.errors)")
        #expect(run.lines.count > 3_000)
        // What stops at a limit does not see it.
        #expect(try CommandRun(["query", "n >= 0", file, "--limit", "5"]).status == 0)
    }

    /// Matches come while the pipe is open, and reading ends at the limit.
    @Test(.timeLimit(.minutes(1))) func slowPipesAreNotWaitedFor() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(
            shell: """
                cd '\(folder.url.path)' && mkfifo pipe && exec 3<>pipe && echo '{"n":1}' >&3
                timeout 40 "$predicate" query 'n == 1' --limit 1 < pipe
                """)
        #expect(run.status == 0)
        #expect(run.lines == ["{\"n\":1}"], "\(run)")
    }

    /// Paths through references need all records.
    @Test func referencesAreFollowed() throws {
        var text = "{\"id\":\"a\",\"owner\":{\"reference\":\"z\"}}\n"
        text += (0..<3_000).map { "{\"id\":\"r\($0)\",\"filler\":\"some text that takes room\"}\n" }.joined()
        text += "{\"id\":\"z\",\"name\":\"Zoe\"}\n"
        let folder = try TemporaryFolder()
        let file = try folder.file("lines.ndjson", text)
        #expect(try CommandRun(["query", "owner.name == 'Zoe'", file, "-o", "ids"]).output == "a\n")
    }

    // MARK: Encodings and formats

    @Test(arguments: [
        ("UTF-16", String.Encoding.utf16), ("UTF-16", .utf16LittleEndian), ("UTF-16, big-endian", .utf16BigEndian),
        ("Windows-1252", .windowsCP1252),
    ]) func otherEncodingsAreRead(_ name: String, _ encoding: String.Encoding) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a.csv", "")
        let text = "Name,Ort\nMüller,Zürich\nSmith,“London”\n"
        try #require(text.data(using: encoding)).write(to: URL(filePath: file))
        let run = try CommandRun(["query", "Name == 'Müller'", file])
        #expect(run.output == "{\"Name\":\"Müller\",\"Ort\":\"Zürich\"}\n", "\(run)")
        #expect(run.errors.contains("read as \(name)"), "\(run.errors)")
    }

    /// The first bytes of files, and the words of the hint.
    static let formats: [(head: [UInt8], word: String)] = [
        (Array("SQLite format 3\0".utf8), "sqlite3 -json"), (Array("PAR1".utf8), "duckdb"),
        (Array("PK\u{3}\u{4}".utf8), "unzip -p"), (Array("BZh9".utf8), "bzcat"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xzcat"), (Array("ARROW1".utf8), "pyarrow"),
    ]

    @Test(arguments: formats.indices) func otherFormatsAreNamed(_ index: Int) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("data", "")
        try Data(Self.formats[index].head + [1, 2, 3, 4]).write(to: URL(filePath: file))
        let run = try CommandRun(["query", "a == 1", file])
        #expect(run.status == 3 && run.errors.contains(Self.formats[index].word), "\(run.errors)")
        #expect(run.errors.contains("no text of records"))
    }

    @Test func repeatedTitlesAndOddNumbers() throws {
        let folder = try TemporaryFolder()
        let table = try folder.file("a.csv", "Notiz,Notiz,Wert,Notiz\na,b,1,c\n")
        let run = try CommandRun(["query", "Notiz_1 == 'b' AND Notiz_2 == 'c'", table, "-o", "csv"])
        #expect(run.output == "Notiz,Notiz_1,Wert,Notiz_2\na,b,1,c\n", "\(run)")
        #expect(run.errors.contains("the header names 'Notiz' again: that column is 'Notiz_1'"))
        let numbers = try folder.file("b.ndjson", "{\"v\":NaN}\n{\"v\":-Infinity}\n{\"v\":Infinity}\n{\"v\":2}\n")
        #expect(try CommandRun(["query", "v < 5", numbers, "-c"]).output == "2\n")
        #expect(try CommandRun(["query", "v == 2", "-a", "NaN", numbers]).status == 2)
    }

    /// Empty files before others change nothing but the numbers of files: all may still be read as a whole.
    @Test func emptyFilesComeFirst() throws {
        var text = "{\"id\":\"a\",\"owner\":{\"reference\":\"z\"}}\n"
        text += (0..<3_000).map { "{\"id\":\"r\($0)\",\"filler\":\"some text that takes room\"}\n" }.joined()
        text += "{\"id\":\"z\",\"name\":\"Zoe\"}\n"
        let folder = try TemporaryFolder()
        let files = [
            try folder.file("a.ndjson", ""), try folder.file("b.ndjson", ""), try folder.file("c.ndjson", text),
        ]
        for words in [
            ["owner.name == 'Zoe'", "-o", "ids"], ["owner.name == 'Zoe'", "-c"],
            ["owner.name == nil", "--limit", "1", "-o", "ids"], ["id == 'a'", "--fields", "nope"],
        ] {
            let run = try CommandRun(["query"] + words + files)
            let alone = try CommandRun(["query"] + words + [files[2]])
            #expect(run.output == alone.output && run.status == alone.status, "\(words): \(run)")
        }
        let call = ["query", "n < 2", "-o", "ids", files[0], try folder.file("d.ndjson", Self.lines(5)), files[1]]
        let run = try CommandRun(call)
        #expect(try run.output == CommandRun(call + ["--whole"]).output && run.lines.count == 2, "\(run)")
    }
}
