// What an import tells on a terminal while it is under way.

import Foundation
import Testing
import _TestSupport

@Suite(.waits, .requires(program: "tmux"))
struct ImportProgressTests {
    /// Pieces of two records, so that there are many: each is on the disk before the next begins.
    private func start(
        _ folder: borrowing TemporaryFolder, count: Int = 1600, options: String
    ) throws -> TerminalSession {
        let lines = (0..<count).map { #"{"id":"r\#($0)","type":"T","n":\#($0 % 97),"text":"words of record \#($0)"}"# }
        _ = try folder.file("in.ndjson", lines.joined(separator: "\n"))
        return try TerminalSession(
            "cd '\(folder.url.path)' && '\(CommandRun.executable)' import s in.ndjson --batch 2 \(options); "
                + "echo status $?; sleep 600", columns: 80, rows: 6)
    }

    /// The screen writes `N ms` for every time.
    @Test func recordsRateAndRemainingTime() throws {
        let folder = try TemporaryFolder()
        let session = try start(folder, options: "")
        let line = /[0-9,]*[02468] of 1,600 records, [0-9,]+ a second, N ms left/
        var counts: [String] = []
        let last = try session.wait { rows in
            guard let first = rows.first else { return false }
            if first.wholeMatch(of: line) != nil {
                let count = String(first.prefix { $0 != " " })
                if counts.last != count { counts.append(count) }
            }
            return rows.contains { $0.hasPrefix("status") }
        }
        let numbers = counts.compactMap { Int($0.replacing(",", with: "")) }
        #expect(!numbers.isEmpty && numbers == numbers.sorted() && numbers.allSatisfy { $0 < 1600 }, "\(last)")
        // The line of progress is gone in the end.
        #expect(last.first?.wholeMatch(of: /1,600 records saved, [0-9,]+ a second/) != nil, "\(last)")
        #expect(last.dropFirst() == ["status 0"])
    }

    @Test func nothingWhenItIsToBeQuiet() throws {
        let folder = try TemporaryFolder()
        let session = try start(folder, count: 400, options: "--quiet")
        let last = try session.wait { !$0.isEmpty }
        #expect(last == ["status 0"])
    }
}
