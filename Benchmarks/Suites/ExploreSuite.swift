// `explore`: the page of `predicate explore` in a browser, over a large set.

import FoundationEssentials

/// Types, scrolls and gives up in Debian's Chromium, which Benchmarks/Peers/explore.py drives.
enum ExploreSuite: Suite {
    static let name = "explore"
    static let summary = """
        [--command PATH] [--records N] [--runs N] [--python PYTHON]: the page over N places (1,000,000) in Chromium: from \
        a key to the first rows, rows after a jump, the server's parts of a query, what runs on when a reader has gone; \
        PYTHON as .ci/setup-browser installs it (default)
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["command", "records", "runs", "python"])
        let command = options["command"] ?? StartupSuite.siblingCommand
        let python = options["python"] ?? ".build/browser/bin/python"
        for (program, way) in [
            (command, "swift build -c release --product predicate"), (python, ".ci/setup-browser"),
        ] {
            guard FileManager.default.isExecutableFile(atPath: program) else {
                throw UsageError(description: "\(program) is not there: \(way)")
            }
        }
        let path = try PlaceFile.path(count: try options.count("records", default: 1_000_000))
        print(Machine.current().line)
        let runs = try options.count("runs", default: 9)
        let outcome = try ChildProcess.run([python, "-B", "Benchmarks/Peers/explore.py", command, path, String(runs)])
        print(String(decoding: outcome.output, as: UTF8.self))
        guard outcome.status == 0 else { throw WrongResult(description: "the page failed: status \(outcome.status)") }
    }
}
