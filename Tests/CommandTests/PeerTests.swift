// Short runs of the comparisons with independent programs, and of calls to the system that fail.

import Foundation
import Testing
import _TestSupport

@Suite struct PeerTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let script: String
        var options: [String] = []
        var testDescription: String { script }
    }

    /// `.ci/differential` and `.ci/faults` run these for longer.
    static let cases = [
        Case(script: "Benchmarks/Differential/sqlite.py", options: ["--runs", "500"]),
        Case(script: "Benchmarks/Differential/distances.py", options: ["--runs", "2000"]),
        Case(script: "Benchmarks/Differential/words.py", options: ["--runs", "500", "--chance-only"]),
        Case(script: "Tests/CommandTests/Fixtures/Faults/faults.py", options: ["--calls", "3"]),
    ]

    @Test(arguments: cases) func agreesWithItsPeer(_ peer: Case) throws {
        let script = ProjectFiles.root + "/" + peer.script
        // Debian's packages belong to Debian's Python, whatever else is on the path.
        let line =
            "python=/usr/bin/python3; [ -x $python ] || python=$(command -v python3) || { echo 'no Python'; exit 77; }; "
            + "exec $python '\(script)' --predicate \"$predicate\" --seed 3 \(peer.options.joined(separator: " "))"
        let run = try CommandRun(shell: line)
        // 77 is what is skipped; its output tells why.
        if run.status == 77 { return print("\(peer.script): \(run.output)") }
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }
}
