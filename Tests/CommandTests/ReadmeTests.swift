// The shell lines of README do what they say.

import Foundation
import Testing
import _TestSupport

struct ReadmeTests {
    /// The lines of the first shell block under a heading, continued lines joined, without comments.
    private static func lines(under heading: String) throws -> [String] {
        let section = try ProjectFiles.text("README.md").components(separatedBy: "\n## \(heading)\n").last ?? ""
        let block = section.components(separatedBy: "```sh\n").dropFirst().first?.components(separatedBy: "\n```").first
        return (block ?? "").replacing("\\\n", with: " ").split(separator: "\n").map { line in
            String(line.split(separator: "  # ", maxSplits: 1)[0])
        }
    }

    @Test func everyLineOfTheCommandRuns() throws {
        let lines = try Self.lines(under: "On the command line")
        #expect(lines.count > 15)
        let name = try #require(lines.first { $0.hasPrefix("airports=") })
        // What follows the file for ever, what builds, and what needs another shell are left out.
        let left = ["swift build", "airports=", "predicate watch", "predicate explore", "source "]
        for line in lines where !left.contains(where: line.hasPrefix) {
            let run = try CommandRun(
                shell: "cd '\(ProjectFiles.root)' && \(name) && predicate() { \"$predicate\" \"$@\"; } && \(line)")
            let isFinding = line.hasPrefix("predicate lint") || line.hasPrefix("predicate diff")
            #expect(run.status == (isFinding ? 1 : 0), "\(line): \(run.errors)")
            #expect(!run.output.isEmpty || line.hasPrefix("predicate repl"), "\(line)")
        }
    }
}
