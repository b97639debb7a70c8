// The REPL on a terminal: every feature, by its screens. Skipped where tmux is missing.

import Foundation
import Testing
import _TestSupport

@Suite(.requires(program: "tmux"), .serialized)
struct TerminalTests {
    /// Thirty-six places with names of several scripts.
    private static let towns: String = {
        let names = [
            "Abbey", "Brook", "Cliff", "Dale", "Ēden", "Fjord", "Glen", "Hügel", "Isle", "東京", "Jura", "Kløft",
        ]
        let kinds = ["hill", "lake", "river", "hill", "lake", "hill"]
        return (0..<36).map { town($0, names[$0 % 12], kinds[$0 % 6]) }.joined()
    }()

    private static func town(_ number: Int, _ name: String, _ kind: String) -> String {
        #"{"id":"t\#(number)","name":"\#(name) \#(number)","kind":"\#(kind)","height":\#(number * 25),"#
            + #""tags":["wet","t\#(number % 3)"],"location":{"latitude":\#(40 + number % 40),"longitude":\#(number)}}"#
            + "\n"
    }

    private static func steps(_ name: String) throws -> [TerminalStep] {
        TerminalStep.all(try ProjectFiles.text("Tests/CommandTests/Fixtures/\(name).session"))
    }

    /// Runs the steps of a file, each on a cleared screen.
    private func run(_ name: String, in session: TerminalSession) throws {
        for step in try Self.steps(name) {
            try session.type("<C-l>" + step.keys)
            do {
                try session.wait(for: step.rows)
                if let cursor = step.cursor { try session.wait(forCursor: cursor) }
            } catch {
                Issue.record("\(name), \(step.name): \(error)")
                return
            }
        }
    }

    /// Starts the REPL over the towns in a folder of its own, and waits for its prompt.
    private func start(
        in folder: borrowing TemporaryFolder, columns: Int, rows: Int, _ environment: [String: String] = [:]
    ) throws -> TerminalSession {
        _ = try folder.file("towns.ndjson", Self.towns)
        _ = try folder.file("more.ndjson", #"{"id":"m1","name":"More","height":1}"# + "\n")
        // Ten thousand million steps a record.
        let slow = (0..<10).reduce("$x0 == 0") {
            "SUBQUERY({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, $x\($1), \($0)).@count > 99"
        }
        _ = try folder.file("slow.txt", slow + "\n")
        var variables = ["XDG_STATE_HOME": folder.url.path, "TMPDIR": folder.url.path]
        variables.merge(environment) { $1 }
        let session = try TerminalSession(
            "cd '\(folder.url.path)' && '\(CommandRun.executable)' towns.ndjson; echo status $?; sleep 600",
            columns: columns, rows: rows, environment: variables)
        try session.wait { $0.last?.hasPrefix("towns>") == true }
        return session
    }

    @Test func wholeSession() throws {
        let folder = try TemporaryFolder()
        let editor = try folder.file("editor", "#!/bin/sh\nprintf 'height == 25' > \"$1\"\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: editor)
        let session = try start(in: folder, columns: 80, rows: 24, ["EDITOR": editor])
        try run("whole", in: session)
        try stopAndWatch(session, folder.url.appendingPathComponent("towns.ndjson"))
        try session.type("<C-c><C-l>.quit<Enter>")
        try session.wait { $0.last == "status 0" }
        let history = try String(contentsOf: folder.url.appendingPathComponent("predicate/history"), encoding: .utf8)
        #expect(history.hasPrefix("height > 800 AND kind == 'hill'"))
        #expect(history.contains(#"(height == 0\nOR height == 25)"#))
        #expect(!history.contains("secret"))
    }

    /// What runs is stopped by Control-C, which leaves the prompt; and new lines of the file are seen as they come.
    private func stopAndWatch(_ session: TerminalSession, _ file: URL) throws {
        try session.type("<C-c><C-l>.read slow.txt<Enter>")
        try session.wait { $0.last == "towns> .read slow.txt" }
        try session.waitForSignals()
        try session.type("<C-c>")
        try session.wait(for: ["towns> .read slow.txt", "error: stopped", "towns>"])

        try session.type("<C-l>.watch height > 870<Enter>")
        try session.wait { $0.last == "1 new match, 1 of 36 records match" }
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((Self.town(36, "Moor", "hill") + Self.town(80, "Peak", "hill")).utf8))
        try handle.close()
        let rows = try session.wait { $0.last == "2 new matches, 3 of 38 records match" }
        #expect(rows.contains { $0.hasPrefix("t36") } && rows.contains { $0.hasPrefix("t80") })
        #expect(rows.count { $0.hasPrefix("t35") } == 1)
        try session.type("<C-c>")
        try session.wait { $0.last == "towns>" }
    }

    /// A dot alone offers the commands; `.keys vi` has Escape begin those of vi.
    @Test func dotsAndKeysOfVi() throws {
        let folder = try TemporaryFolder()
        let session = try start(in: folder, columns: 80, rows: 24)
        try session.type(".<Tab>")
        try session.wait { rows in rows.contains { $0.contains(".open") } }
        try session.type("<C-c><C-l>.keys vi<Enter>")
        try session.wait { $0 == ["towns> .keys vi", "towns>"] }
        try session.type("height == 255<Escape>")
        try session.wait { $0.last == "towns> height == 255" }
        try session.type("x<Enter>")
        try session.wait { rows in rows.contains { $0.hasPrefix("t1  Brook 1") } }
    }

    /// A store, asked by its name alone: the same commands, and a question that follows what another process saves.
    @Test func storeSession() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("towns.ndjson", Self.towns)
        _ = try folder.file("more.ndjson", #"{"id":"m1","type":"Town","name":"More","height":1}"# + "\n")
        let store = folder.url.appendingPathComponent("towns.store").path
        let imported = try CommandRun(["import", store, file, "--type", "Town"])
        #expect(imported.status == 0, "\(imported.errors)")
        let session = try TerminalSession(
            "cd '\(folder.url.path)' && '\(CommandRun.executable)' towns.store; echo status $?; sleep 600",
            columns: 80, rows: 24, environment: ["XDG_STATE_HOME": folder.url.path])
        let greeting = try session.wait { $0.last == "towns>" }
        #expect(greeting.first?.hasPrefix("towns.store: 36 records, ") == true, "\(greeting)")
        try run("store", in: session)

        try session.type("<C-l>.watch height > 820<Enter>")
        try session.wait { $0.last == "3 new matches, 3 of 37 records match" }
        // One is new, one changed, one does not match any more: one commit of another process.
        let news = [(36, "Moor", "hill"), (34, "Jurassic", "peak")].map { Self.town($0, $1, $2) }.joined()
        let gone = #"{"id":"t35","height":3}"# + "\n"
        let saved = try CommandRun(["import", store, "-", "--type", "Town"], input: news + gone)
        #expect(saved.status == 0, "\(saved.errors)")
        let seen = "1 new match, 1 changed, 1 gone, 3 of 38 records match"
        let rows = try session.wait { $0.last == seen }
        #expect(rows.contains { $0.contains("Moor 36") } && rows.contains { $0.hasPrefix("Jurassic 34") }, "\(rows)")
        try session.type("<C-c>")
        try session.wait { $0.last == "towns>" }
    }

    /// Forty columns without colours, a history that cannot be written, an answer through a pager.
    @Test func narrowSession() throws {
        let folder = try TemporaryFolder()
        let session = try start(
            in: folder, columns: 40, rows: 16,
            ["NO_COLOR": "1", "XDG_STATE_HOME": "/proc/nowhere", "PAGER": "sed -n '1,3s/^/: /p'"])
        try run("narrow", in: session)
        let screen = try session.waitForColors { $0.contains("\u{1B}[1m") }
        #expect(screen.firstMatch(of: /\u{1B}\[([0-9]+;)*(3[0-7]|4[0-7]|9[0-7])[;m]/) == nil, "\(screen)")
    }

    /// Two hundred columns, then fewer while a line is being typed.
    @Test func wideSession() throws {
        let folder = try TemporaryFolder()
        let session = try start(in: folder, columns: 200, rows: 12)
        try run("wide", in: session)
        let text = "name CONTAINS '東京' AND kind IN {'hill', 'lake', 'river'} AND height BETWEEN {100, 800}"
        try session.type("<C-l>" + text)
        try session.wait(for: ["towns> " + text])
        try session.resize(columns: 50, rows: 12)
        try session.wait(for: [
            "towns> name CONTAINS '東京' AND kind IN {'hill', '", "lake', 'river'} AND height BETWEEN {100, 800}",
        ])
        try session.wait(forCursor: "45,1")
        let parts = ["\u{1B}[36mCONTAINS", "\u{1B}[32m'東京'", "\u{1B}[35mAND", "\u{1B}[33m100"]
        try session.waitForColors { screen in
            // That the background stays as it is may be said too.
            let plain = screen.replacing("\u{1B}[49m", with: "")
            return parts.allSatisfy { plain.contains($0) }
        }
        // Control-D ends on an empty line.
        try session.type("<C-c><C-d>")
        try session.wait { $0.last == "status 0" }
    }

    /// Values that would command the terminal are shown as pictures; a file gets them as they are.
    @Test(arguments: ["csv", "tsv", "ids"]) func valuesCommandNoTerminal(_ format: String) throws {
        let folder = try TemporaryFolder()
        let records = try folder.file("escapes.csv", "id,text\n\u{1B}[31mred,\u{9B}2J\u{1B}]0;title\u{7}\n")
        let call = "'\(CommandRun.executable)' query TRUEPREDICATE '\(records)' -o \(format)"
        let session = try TerminalSession("\(call); echo status $?; sleep 600", columns: 80, rows: 12)
        let rows = try session.wait { $0.last == "status 0" }
        #expect(rows.dropLast().last?.hasPrefix("␛[31mred") == true, "\(rows)")
        if format != "ids" { #expect(rows.dropLast().last?.hasSuffix("\u{FFFD}2J␛]0;title␇") == true, "\(rows)") }
        let piped = try CommandRun(shell: call)
        #expect(piped.output.contains("\u{1B}[31mred"))
    }

    /// Where no file can be written, the user's editor is not shown a part of the text.
    @Test func fullDisk() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("towns.ndjson", Self.towns)
        let session = try TerminalSession(
            "trap '' XFSZ; ulimit -f 0; '\(CommandRun.executable)' '\(file)'", columns: 120, rows: 24,
            environment: ["XDG_STATE_HOME": folder.url.path, "TMPDIR": folder.url.path, "EDITOR": "false"])
        try session.wait { $0.last == "towns>" }
        try session.type("<C-l>.edit height > 3<Enter>")
        let rows = try session.wait { $0.last == "towns>" && $0.count > 2 }
        #expect(rows.dropFirst().first?.hasPrefix("error: cannot write the text to '") == true, "\(rows)")
        #expect(rows.contains("hint: TMPDIR names the folder for files like this"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!left.contains { $0.hasSuffix(".txt") })
    }

    /// A terminal that cannot be written all over gets plain lines, which the terminal itself edits.
    @Test func dumbTerminal() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("towns.ndjson", Self.towns)
        let session = try TerminalSession(
            "TERM=dumb timeout --foreground 500 '\(CommandRun.executable)' repl '\(file)'; echo status $?; sleep 600",
            columns: 80, rows: 24)
        try session.wait { $0.last == "towns>" }
        try session.type("height == 25<Enter>")
        let rows = try session.wait { $0.last == "towns>" && $0.count > 3 }
        #expect(rows.dropFirst().first == "towns> height == 25")
        #expect(rows.contains { $0.hasPrefix("t1") && $0.contains("Brook 1") })
        // A signal drops what the terminal has not shown yet.
        try session.type("half a line")
        try session.wait { $0.last == "towns> half a line" }
        try session.type("<C-c>")
        try session.wait { $0.last == "towns>" && $0.contains { $0.hasSuffix("half a line^C") } }
        try session.type(".quit<Enter>")
        try session.wait { $0.last == "status 0" }
    }
}
