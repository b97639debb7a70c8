// Counts behind an offset on a server, nodes of which one has a problem, unreadable lines between readable ones, and a
// search that is repeated.

import Campaigns
import Foundation
import Testing
import _TestSupport

@Suite(.serialized)
struct CommandEffectTests {
    @Test(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
    func countsBehindAnOffset() throws {
        let place = [try PostgreSQLServer.shared().url, "--container", "counts \(UUID().uuidString)"]
        let input = (1...3).map { #"{"id":"r\#($0)","type":"T","n":\#($0)}"# }.joined(separator: "\n")
        #expect(try CommandRun(["import"] + place + ["-"], input: input).status == 0)
        let call = ["query", "TRUEPREDICATE", "--count"]
        for (offset, count) in [("1", "2"), ("2", "1")] {
            let there = try CommandRun(call + ["--offset", offset] + place)
            #expect(there.lines == [count], "\(offset): \(there.errors)")
            let here = try CommandRun(call + ["--offset", offset, "-"], input: input)
            #expect(here.lines == there.lines && here.status == there.status, "\(offset): \(here.errors)")
        }
    }

    @Test(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
    func oneNodeHasAProblem() throws {
        let servers = try PostgreSQLNodes.shared().servers
        let container = "check \(UUID().uuidString)"
        let (address, place) = (servers[0].url, ["--container", container])
        for server in servers.dropFirst() {
            #expect(try CommandRun(["nodes", address, "add", server.url] + place).status == 0)
        }
        let check = ["nodes", address, "check"] + place
        #expect(try CommandRun(check).status == 0)
        try servers[2].run("UPDATE \"\(container)\".container SET text_version = 'ICU 1'")
        let checked = try CommandRun(check)
        #expect(checked.status == 1 && checked.output.contains("ICU 1"), "\(checked.output)\(checked.errors)")
    }

    /// Input comes in pieces of 256 KiB, each of which is read as a whole first.
    @Test func unreadableLinesAreToldAgainBehindReadableOnes() throws {
        func lines(_ count: Int, of size: Int) -> String {
            let line = #"{"n":1,"t":""# + String(repeating: "x", count: size - 15) + "\"}\n"
            return String(repeating: line, count: count)
        }
        let noise = String(repeating: "nonsense\n", count: 6)
        let pieces = [lines(10, of: 26_209) + noise, lines(8, of: 1 << 15), noise]
        #expect(pieces.prefix(2).allSatisfy { $0.utf8.count == 1 << 18 })
        let run = try CommandRun(["watch", "n > 9"], input: pieces.joined())
        #expect(run.errors.split(separator: "\n").count == 12, "five lines and a summary, twice: \(run.errors)")
        #expect(run.output.isEmpty && run.status == 1)
    }

    @Test("/ and Enter look for the same text again", .requires(program: "tmux"))
    func searchesAreRepeated() throws {
        let folder = try TemporaryFolder()
        let towns = (0..<60).map { number in
            #"{"id":"t\#(number)","n":\#(number),"kind":"\#([15, 40].contains(number) ? "pearl" : "stone")"}"# + "\n"
        }
        _ = try folder.file("towns.ndjson", towns.joined())
        let session = try TerminalSession(
            "cd '\(folder.url.path)' && '\(CommandRun.executable)' towns.ndjson; echo status $?; sleep 600",
            columns: 80, rows: 12, environment: ["XDG_STATE_HOME": folder.url.path, "TMPDIR": folder.url.path])
        try session.wait { $0.last?.hasPrefix("towns>") == true }
        func waitForPage(with name: String) throws {
            try session.wait("\(name), and more") { rows in
                rows.contains { $0.hasPrefix(name) } && rows.last?.hasPrefix("-- more") == true
            }
        }
        try session.type("n >= 0<Enter>")
        try waitForPage(with: "t3")
        try session.type("/pearl<Enter>")
        try waitForPage(with: "t15")
        try session.type("/<Enter>")
        try waitForPage(with: "t40")
    }
}
