// `groups`: counts and sums by the values of a field, and the most frequent values, beside other engines.

import Foundation
import RecordDatabase

/// Times groups of places in memory beside SQLite, DuckDB and Polars, and compares every group.
enum GroupsSuite: Suite {
    static let name = "groups"
    static let summary = """
        [--records N] [--budget MS] [--peers PYTHON]: counts and sums of N places (1,000,000) by fields of 2 to 1,000 \
        values and more, and the ten most frequent values, beside SQLite, DuckDB and Polars in memory, one thread each, \
        all groups compared; PYTHON as Benchmarks/Peers/setup installs it (default), 'none' for SQLite alone
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["records", "budget", "peers"])
        let count = try options.count("records", default: 1_000_000)
        let milliseconds = try options.count("budget", default: 1000)
        let python = options["peers"] ?? ".build/benchmarks/venv/bin/python"
        print(Machine.current().line)
        let path = try PlaceFile.path(count: count)
        var set = try RecordSet(contentsOf: path)
        set.usesAllCores = false
        let ours = try GroupQuery.all.map { try $0.measure(on: set, budget: milliseconds) }
        var peers = [try SQLiteGroups(PlaceGenerator(count: count)).results(budget: milliseconds)]
        if python != "none" { peers += try PythonGroups.results(python, path, budget: milliseconds) }
        try report(ours, peers, count)
    }

    private static func report(_ ours: [GroupResult], _ peers: [[GroupResult]], _ count: Int) throws {
        let names = peers.compactMap(\.first?.peer)
        var table = TextTable(
            ["query", "groups", "ours, ns/record"] + names.flatMap { ["\($0), ns/record", "times"] })
        var times = [[Double]](repeating: [], count: peers.count)
        let each = 1e3 / Double(count)
        for (index, result) in ours.enumerated() {
            var cells = [result.id, result.groups.count.separated, (result.medianMicroseconds * each).figure]
            for (peer, results) in peers.enumerated() {
                let theirs = results[index]
                try result.check(theirs)
                times[peer].append(theirs.medianMicroseconds / result.medianMicroseconds)
                cells += [
                    (theirs.medianMicroseconds * each).figure,
                    (theirs.medianMicroseconds / result.medianMicroseconds).figure,
                ]
            }
            table.add(cells)
        }
        print(table.text)
        for (name, times) in zip(names, times) {
            let mean = exp(times.reduce(0) { $0 + log($1) } / Double(times.count))
            let slower = zip(ours, times).filter { $0.1 < 1 }.map { "\($0.0.id) (\($0.1.figure))" }
            print(
                "\(name): \(mean.figure) times its speed in the geometric mean; "
                    + (slower.isEmpty ? "nothing is slower" : "slower: " + slower.joined(separator: ", ")))
        }
        print("results: all groups are equal; one thread each, everything in memory")
    }
}
