// The rules of the mutation campaign.

import Foundation
import Testing
import _TestSupport

@Suite struct MutantTests {
    /// Which changes `.ci/mutants` makes of a file that has what it must leave alone: patterns, texts, comments, and
    /// operators that are declared.
    @Test(.requires(program: "python3")) func changesOfAFile() throws {
        let folder = ProjectFiles.root + "/Tests/CommandTests/Fixtures/Mutants"
        let run = try CommandRun(shell: "exec python3 '\(ProjectFiles.root)/.ci/mutants' --list '\(folder)/Sample.txt'")
        #expect(run.status == 0, "\(run.errors)")
        let found = run.lines.map { $0.replacing("\(folder)/Sample.txt:", with: "") }
        let expected = try String(contentsOfFile: folder + "/Expected.txt", encoding: .utf8)
        #expect(found == expected.split(separator: "\n").map(String.init))
    }
}
