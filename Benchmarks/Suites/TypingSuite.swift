// `typing`: how long the REPL takes from a key to the screen, through a terminal, over a large set.

import FoundationEssentials

/// Types into `predicate repl` on a pseudo-terminal and times what comes back.
enum TypingSuite: Suite {
    static let name = "typing"
    static let summary = """
        [--command PATH] [--records N] [--runs N]: from a key stroke on a predicate of 200 characters, and from Tab, to
          the terminal
        """

    private static let predicate =
        "(population > 100000 OR active == TRUE) AND category IN {'cafe', 'park', 'pub'} AND name BEGINSWITH[cd] 'san' "
        + "AND NOT (tags CONTAINS 'harbour') AND distanceToLocation:fromLocation:(location, location) < 5e4 AND rating > 3"

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["command", "records", "runs"])
        let command = options["command"] ?? StartupSuite.siblingCommand
        guard FileManager.default.isExecutableFile(atPath: command) else {
            throw UsageError(description: "\(command) is not there: swift build -c release --product predicate")
        }
        let count = try options.count("records", default: 1_000_000)
        let runs = try options.count("runs", default: 20)
        print(Machine.current().line)
        let terminal = try PseudoTerminal([command, "repl", try PlaceFile.path(count: count)])
        guard terminal.wait(for: "> ", milliseconds: 120_000) else { throw WrongResult(description: "no prompt") }
        _ = terminal.readAll()

        var table = TextTable(["\(count.separated) records", "median ms", "min ms", "max ms", "times"])
        func add(_ name: String, _ times: [Double]) {
            let time = Measurement(times)
            table.add([name] + [time.median, time.minimum, time.maximum].map { ($0 * 1000).figure } + ["\(time.runs)"])
        }
        add("a key, while 200 characters are typed", try keys(Array(predicate).map(String.init), terminal))
        let length = predicate.count
        add(
            "a key at the end of \(length)",
            try keys(Array(repeating: ["x", "\u{7F}"], count: runs).flatMap { $0 }, terminal))
        terminal.type("\u{1}")
        _ = terminal.readAll()
        add(
            "a key at the beginning", try keys(Array(repeating: ["x", "\u{7F}"], count: runs).flatMap { $0 }, terminal))
        for (place, typed) in [
            ("fields", "po"), ("operators", "population "), ("values of few kinds", "category == "),
            ("values, all different", "name == 'Sa"), ("numbers", "population == "),
            ("elements of lists", "tags CONTAINS "),
        ] {
            let times = try completions(of: typed, runs, terminal)
            add("Tab: \(place), the first time", [times.first])
            add("Tab: \(place)", times.others)
        }
        print(table.text)
    }

    /// Seconds from each key to the first thing that comes back, which is all of it: the REPL draws in one write.
    private static func keys(_ keys: [String], _ terminal: PseudoTerminal) throws -> [Double] {
        try keys.map { key in
            let time = try outcome(to: key, terminal)
            _ = terminal.readAll(quietFor: 5)
            return time
        }
    }

    private static func outcome(to keys: String, _ terminal: PseudoTerminal) throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        terminal.type(keys)
        guard !terminal.read(milliseconds: 10_000).isEmpty else { throw WrongResult(description: "no echo of \(keys)") }
        return (clock.now - start).seconds
    }

    private static func completions(
        of typed: String, _ runs: Int, _ terminal: PseudoTerminal
    ) throws -> (first: Double, others: [Double]) {
        var times: [Double] = []
        for _ in 0...runs {
            // An empty line: to its end, and killed.
            terminal.type("\u{5}\u{15}" + typed)
            _ = terminal.readAll(quietFor: 30)
            times.append(try outcome(to: "\t", terminal))
            _ = terminal.readAll(quietFor: 30)
        }
        return (times[0], Array(times.dropFirst()))
    }
}
