// Short runs of the comparisons with independent programs, and of calls to the system that fail.

import Foundation
import Testing
import _TestSupport

/// The Python that Debian's packages belong to, whatever else is on the path.
private enum Python {
    static let path = MachineTools.has("/usr/bin/python3") ? "/usr/bin/python3" : "python3"
    /// That with DuckDB, which is no package of Debian.
    static let withDuckDB = ProjectFiles.root + "/.build/differential/bin/python"

    static func has(_ module: String, _ python: String = path) -> Bool {
        (try? CommandRun(shell: "'\(python)' -c 'import \(module)'"))?.status == 0
    }
}

/// `.ci/differential` and `.ci/faults` run these for longer.
@Suite struct PeerTests {
    private func run(_ script: String, _ options: String, python: String = Python.path) throws {
        let file = ProjectFiles.root + "/" + script
        let run = try CommandRun(shell: "exec '\(python)' '\(file)' --predicate \"$predicate\" --seed 3 \(options)")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test(.requires("Python with sqlite3", Python.has("sqlite3"))) func predicatesAgreeWithSQLite() throws {
        try run("Benchmarks/Differential/sqlite.py", "--runs 500")
    }

    @Test(.requires("Python", Python.has("sys")), .requires(program: "GeodSolve"))
    func distancesAgreeWithGeographicLib() throws {
        try run("Benchmarks/Differential/distances.py", "--runs 2000")
    }

    @Test(.requires("Python with icu", Python.has("icu"))) func wordsAgreeWithPyICU() throws {
        try run("Benchmarks/Differential/words.py", "--runs 500 --chance-only")
    }

    @Test(.requires("Python with duckdb", Python.has("duckdb", Python.withDuckDB)))
    func figuresAgreeWithDuckDB() throws {
        try run("Benchmarks/Differential/aggregates.py", "--runs 1", python: Python.withDuckDB)
    }

    @Test(.requires("Python", Python.has("sys")), .requires(program: "cc")) func failingCallsLoseNothing() throws {
        try run("Tests/CommandTests/Fixtures/Faults/faults.py", "--calls 3")
    }
}
