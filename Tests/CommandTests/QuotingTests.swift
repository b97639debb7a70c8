// Texts that try to leave their quotation marks: each language reads back what was put in.

import CSQLite
import RecordDatabase
import Testing
import _TestSupport

@testable import predicate

struct QuotingTests {
    /// Texts with a quote that is a part of a character: behind a format character that prepends, or before a mark.
    static let texts = [
        "x\u{600}' OR 1=1 --", "'\u{301}' OR 1=1 --", "\"\u{301}\" OR 1=1 --", "\u{70F}\" OR 1=1 --",
        "\u{600}'\u{20DD}",
        "\u{600}\\\u{301}'", "a\r\n' OR 1=1 --", "\u{600}|\u{301}", "$(id)`id`\u{600}'; id; '",
    ]

    /// SQLite takes a literal for the text, and a name for the name.
    @Test(arguments: texts) func sqlLiteralsEnd(_ text: String) throws {
        let database = try #require(unsafe csqlite_open())
        defer { unsafe csqlite_close(database) }
        for kind in SQLDatabase.allCases {
            let literal = kind.quoted(text: text)
            let name = kind.quoted(name: text)
            let sql = "SELECT \(literal) AS \(name), 'end' AS last"
            let statement = try #require(unsafe csqlite_prepare_single(database, sql), "\(sql)")
            defer { unsafe csqlite_finalize(statement) }
            #expect(unsafe csqlite_step(statement) == 1)
            #expect(unsafe csqlite_column_count(statement) == 2)
            var length = 0
            let read = try #require(unsafe csqlite_column_text(statement, 0, &length))
            let title = try #require(unsafe csqlite_column_name(statement, 0))
            #expect(unsafe String(cString: read).unicodeScalars.elementsEqual(text.unicodeScalars))
            #expect(unsafe String(cString: title).unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }

    /// What cannot be written is refused, at its place.
    @Test func namesAndTextsWithoutSQL() throws {
        let long = String(repeating: "n", count: 64)
        let cases: [(database: String, predicate: String, message: String)] = [
            ("sqlite", "a == 'x\\x00y'", "a text with a NUL"), ("postgresql", "a == 'x\\x00y'", "a text with a NUL"),
            ("sqlite", "#'x\\x00y' == 1", "a name with a NUL"),
            ("postgresql", "\(long) == 1", "a name of more than 63 bytes"),
        ]
        for test in cases {
            let run = try CommandRun(["translate", "--to", "sql", "--database", test.database, test.predicate])
            #expect(run.status == 2 && run.output == "" && run.errors.contains(test.message), "\(run)")
        }
        #expect(try CommandRun(["translate", "--to", "sql", "\(long) == 1"]).status == 0)
        let table = try CommandRun(["translate", "--to", "sql", "--database", "postgresql", "--table", long, "a == 1"])
        #expect(table.status == 2 && table.errors.contains("more than 63 bytes"))
        let type = try CommandRun(["translate", "--to", "swift", "--swift-type", "A { }; let x", "a == 1"])
        #expect(type.status == 2 && type.errors.contains("is not the name of a type"))
    }

    /// A shell and the dot commands read the same words.
    @Test(arguments: texts + ["it's \"both\"", "", "plain", "a b", "~", "-n"]) func shellWordsEnd(_ text: String) throws
    {
        let word = ShellWord.quoted(text)
        let run = try CommandRun(shell: "printf '%s' \(word) end")
        #expect(run.output.unicodeScalars.elementsEqual((text + "end").unicodeScalars), "\(word): \(run)")
        let words = DotCommand.words("\(word) end")
        #expect(words.count == 2 && words[1] == "end" && words[0].unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    /// The names in hints that are commands do nothing but name.
    @Test func hintsOfCommands() throws {
        let run = try CommandRun(["query", "a == 1"], input: #"{"a'; echo injected; '":[{"x":1},{"x":2}]}"#)
        let hint = try #require(run.errors.split(separator: "\n").first { $0.contains("jq -c") })
        let words = hint.split(separator: "jq -c ")[1].split(separator: " - |")[0]
        let read = try CommandRun(shell: "printf '%s' \(words)")
        #expect(read.output == #"."a'; echo injected; '"[]"# && read.errors == "", "\(hint)")
    }

    /// A bar in a cell of Markdown begins no other cell.
    @Test func markdownCells() throws {
        let run = try CommandRun(
            ["query", "TRUEPREDICATE", "-o", "markdown"], input: "{\"a\":\"x\u{600}|\u{301}y\",\"b\":1}\n")
        let bars = try #require(run.lines.last).unicodeScalars.split(separator: "\\|".unicodeScalars).map { part in
            part.count { $0 == "|" }
        }
        #expect(bars == [1, 2], "\(run.output)")
    }

    /// The campaign of translations, for a short while; `.ci/run` runs it for longer.
    @Test func translationsAreReadBack() throws {
        let run = try CommandRun(shell: #""$(dirname "$predicate")/predicate-fuzz" translate --runs 120 --seed 5"#)
        #expect(run.status == 0 && run.output.contains(", 0 findings"), "\(run.output)\(run.errors)")
    }
}
