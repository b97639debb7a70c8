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

    /// A mutant runs with the suites of its own module first, the quickest first among the others, until the seconds
    /// are over, and later with those that were left.
    @Test(.requires(program: "python3")) func suitesOfAMutant() throws {
        let run = try CommandRun(
            shell: "exec python3 '\(ProjectFiles.root)/Tests/CommandTests/Fixtures/Mutants/outcomes.py'")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.lines == [
                "25: survived, without the suites from BTests.Noticing on (ATests.Slow, BTests.Quick)",
                "5: survived, without the suites from BTests.Noticing on ()",
                "40: killed by BTests.Noticing (BTests.Noticing)", "unreached",
            ])
    }
}
