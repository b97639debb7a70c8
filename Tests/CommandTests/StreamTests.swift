// Every sub-command on streams that are full, closed, cut short or no terminal; help, versions and exit statuses.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct StreamTests {
    /// A call of each sub-command that prints something, over `n.ndjson`.
    static let calls: [(name: String, words: String)] = [
        ("query", "TRUEPREDICATE n.ndjson"), ("count", "'n > 1' n.ndjson"), ("schema", "n.ndjson"),
        ("repl", "n.ndjson < questions"),
        ("parse", "'a == 1'"), ("format", "'a=1'"), ("lint", "'a == a'"), ("diff", "'a > 1' 'a > 2'"),
        ("translate", "--to sql 'a > 1'"), ("bench", "'n > 1' n.ndjson --runs 1"), ("watch", "'n > 0' < n.ndjson"),
        ("advise", "'n == 1990' n.ndjson"), ("check", "< checks"), ("tokens", "'a b'"), ("distance", "1,2 3,4"),
        ("completions", "bash"), ("man", ""), ("help", ""), ("--version", ""),
        ("open", "store < questions"), ("export", "store"), ("stat", "store"), ("verify", "store"),
        ("compact", "store"), ("reindex", "store"),
    ]
    /// Those that print nothing when all is well.
    static let silent: Set = ["create", "import", "backup", "update", "delete"]
    /// Those that run until they are interrupted, with tests of their own.
    static let lasting: Set = ["explore"]
    /// Those that need a server, with tests of their own.
    static let remote: Set = ["nodes"]

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        _ = try folder.file("n.ndjson", (0..<2000).map { "{\"n\":\($0)}\n" }.joined())
        _ = try folder.file("questions", "n == 1\n")
        _ = try folder.file("checks", "{\"id\":1,\"predicate\":\"a == 1\"}\n")
        return folder
    }

    /// Names from files can neither command the terminal nor turn the text around them; colours are the command's own.
    @Test(arguments: [
        ("query TRUEPREDICATE n.ndjson -o table", 0), ("query TRUEPREDICATE n.ndjson -o box", 0),
        ("query TRUEPREDICATE n.ndjson -o line", 0),
        ("query TRUEPREDICATE n.ndjson -o markdown", 0), ("schema n.ndjson -o table", 0),
        ("query TRUEPREDICATE n.ndjson n.ndjson", 3),
        ("query TRUEPREDICATE mixed.ndjson --strict --color always", 3), ("import store n.ndjson", 3),
    ])
    func namesDoNotCommand(words: String, status: Int32) throws {
        let folder = try TemporaryFolder()
        let name = #"\u001b]0;name\u0007\u009b2J\u202e\u001b[8m"#
        _ = try folder.file("n.ndjson", #"{"id":"\#(name)","type":"\#(name)","\#(name)":"\#(name)","b":2}"# + "\n")
        _ = try folder.file("mixed.ndjson", #"{"\#(name)":1}"# + "\n" + #"{"\#(name)":"s"}"# + "\n")
        let run = try CommandRun(shell: "cd '\(folder.url.path)' && $predicate \(words)")
        #expect(run.status == status, "\(run.errors)")
        let shown = run.output + run.errors
        #expect(!shown.isEmpty)
        for command in ["\u{1B}]", "\u{7}", "\u{9B}", "\u{202E}", "\u{1B}[8m"] {
            #expect(!shown.contains(command), "\(shown)")
        }
    }

    /// A mark of UTF-8 at the front is no part of the records, on standard input as in files.
    @Test(arguments: [
        "{\"id\":\"a\",\"n\":2}\n{\"id\":\"b\",\"n\":0}\n", "id,n\na,2\nb,0\n", "[{\"id\":\"a\",\"n\":2}]",
    ])
    func marksAreLeftOut(_ text: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("marked", "\u{FEFF}" + text)
        for run in [
            try CommandRun(["query", "n > 1"], input: "\u{FEFF}" + text), try CommandRun(["query", "n > 1", file]),
        ] {
            #expect(run.status == 0 && run.output == "{\"id\":\"a\",\"n\":2}\n" && run.errors.isEmpty, "\(run)")
        }
    }

    @Test func everyCommandIsTried() {
        let tried = Self.silent.union(Self.lasting).union(Self.remote).union(Self.calls.map(\.name))
        for specification in PredicateCommand.specifications { #expect(tried.contains(specification.name)) }
    }

    @Test(arguments: calls.indices)
    func streams(_ index: Int) throws {
        let call = Self.calls[index]
        let folder = try Self.folder()
        let command = "cd '\(folder.url.path)' && $predicate \(call.name) \(call.words)"
        if call.words.hasPrefix("store") {
            #expect(try CommandRun(shell: "cd '\(folder.url.path)' && $predicate import store n.ndjson").status == 0)
        }
        let plain = try CommandRun(shell: command)
        #expect([0, 1].contains(plain.status), "\(plain.errors)")
        #expect(!plain.output.isEmpty)
        #expect(!plain.output.contains("\u{1B}"), "no colours in a pipe")

        let full = try CommandRun(shell: command + " > /dev/full")
        #expect(full.status == 4)
        #expect(full.errors.contains("cannot write the output"))
        let closed = try CommandRun(shell: command + " >&-")
        #expect(closed.status == 4, "\(closed.errors)")

        // Nobody reads: the process ends without a word.
        let unread = try CommandRun(
            shell: "{ \(command) ; echo $? > status; } | true; cat '\(folder.url.path)/status' 2> /dev/null")
        #expect(unread.errors == "")
        #expect(["", "0\n", "1\n", "141\n"].contains(unread.output))
    }

    /// No file of a store gets the number of a stream that is closed: messages would be written into it.
    @Test(arguments: ["2>&-", ">&- 2>&-", "<&- >&- 2>&-", "<&-"])
    func closedStreamsHarmNoStore(_ closing: String) throws {
        let folder = try TemporaryFolder()
        for (name, numbers) in [("five", 0..<5), ("more", 5..<12)] {
            let lines = numbers.map { "{\"id\":\"r\($0)\",\"type\":\"T\",\"n\":\($0)}\n" }
            _ = try folder.file("\(name).ndjson", lines.joined())
        }
        let run = try CommandRun(
            shell: """
                cd '\(folder.url.path)' && $predicate import -q s five.ndjson
                $predicate import s more.ndjson \(closing)
                $predicate verify s && $predicate query TRUEPREDICATE s --count
                """)
        #expect(run.output == "ok\n12\n" && run.status == 0, "\(run)")
    }

    /// Files that are not there, called in every way that takes a file.
    @Test(arguments: [
        "query a==1 FILE", "schema FILE", "repl FILE", "lint a==1 FILE", "diff a==1 a==2 FILE", "bench a==1 FILE",
        "advise a==1 FILE", "translate --to sql a==1 FILE", "format -p FILE", "lint -p FILE",
        "translate --to sql -p FILE",
        "advise -p FILE /dev/null", "check FILE",
    ])
    func missingFiles(_ call: String) throws {
        let words = call.replacing("FILE", with: "/no/such/file").split(separator: " ").map(String.init)
        let run = try CommandRun(words)
        #expect(run.status == 4)
        #expect(run.errors.contains("/no/such/file"))
        #expect(run.output == "")
    }

    @Test func helpOfEveryCommand() throws {
        for specification in PredicateCommand.specifications {
            let run = try CommandRun([specification.name, "--help"])
            #expect(run.status == 0)
            #expect(run.output.hasPrefix("usage: predicate \(specification.name)"))
            for option in specification.allOptions { #expect(run.output.contains(option.name)) }
            #expect(run.output == (try CommandRun(["help", specification.name]).output))
            for line in run.lines { #expect(line.count <= 140, "\(line)") }
        }
    }

    @Test func versionIsSemantic() throws {
        let run = try CommandRun(["--version"])
        let version = try #require(run.output.split(separator: " ").dropFirst().first)
        let numbers = version.split(separator: "-", maxSplits: 1)[0].split(separator: ".")
        #expect(numbers.count == 3 && numbers.allSatisfy { Int($0) != nil })
        #expect(version == ProjectVersion.current)
    }

    /// Lines longer than a record may be end the reading, and the error names them.
    @Test func longLines() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("lines", "short\n" + String(repeating: "x", count: 100) + "\nshort\n")
        var reader = try LineReader.file(path, limit: 10)
        let first = try reader.next()
        #expect(first == Array("short".utf8))
        var failure: CommandError?
        do throws(CommandError) { _ = try reader.next() } catch { failure = error }
        #expect(failure?.status == .badData)
        #expect(failure?.message == "\(path):2: a line of more than 10 bytes")
        let tail = FileTail(path, fromStart: true, limit: 10)
        let error = #expect(throws: CommandError.self) { try tail.poll() }
        #expect(error?.message == "\(path):2: a line of more than 10 bytes")
    }

    /// Colour, where it is wanted, wherever a message or an answer has it.
    @Test func colors() throws {
        for call in [["lint", "a == a"], ["parse", "a == 1"], ["query", "a == 1", "-o", "table"]] {
            let input = "{\"a\":1}\n"
            #expect(try CommandRun(call + ["--color", "always"], input: input).output.contains("\u{1B}"))
            #expect(try !CommandRun(call, input: input, environment: ["NO_COLOR": "1"]).output.contains("\u{1B}"))
            let both = ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]
            #expect(try !CommandRun(call, input: input, environment: both).output.contains("\u{1B}"))
        }
        #expect(try CommandRun(["query", "a ="], environment: ["CLICOLOR_FORCE": "1"]).errors.contains("\u{1B}"))
    }
}
