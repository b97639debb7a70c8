// Options of the suites that compare this library with SQLite row by row.

import FoundationEssentials

/// How many records, how long, and where the tables go.
struct ComparisonOptions {
    /// Numbers of records, a table or more for each.
    var counts = [100_000, 1_000_000]
    /// Values of each query.
    var runs: Int
    var clock = ComparisonTable.Clock()
    /// The folder of stored databases.
    var folder: String
    private var report, readme: String?

    init(_ arguments: ArraySlice<String>) throws(UsageError) {
        let options = try CommandLineOptions(
            arguments, names: ["records", "runs", "budget", "folder", "only", "report", "readme"])
        if options["records"] != nil { counts = [try options.count("records", default: 1)] }
        runs = try options.count("runs", default: 500)
        clock.budget = Double(try options.count("budget", default: 100)) / 1000
        clock.only = options["only"]
        folder = options["folder"] ?? ".build/benchmarks"
        (report, readme) = (options["report"], options["readme"])
    }

    /// Puts the tables in place of those that the file of `--report` has under a name; in that of `--readme` those of
    /// most records.
    func renew(_ name: String, _ tables: [ComparisonTable]) throws {
        let most = tables.map(\.records).max()
        for (file, tables) in [(report, tables), (readme, tables.filter { $0.records == most })] {
            guard let file else { continue }
            try FigureSection(name).renew(in: file, with: tables.map(\.markdown).joined(separator: "\n\n"))
        }
    }
}

/// Figures in a Markdown file, between two comments with the section's name.
struct FigureSection {
    private let start, end: String
    private let command: String

    init(_ name: String) {
        start = "<!-- figures: \(name) -->"
        end = "<!-- end of figures: \(name) -->"
        command = "Benchmarks " + CommandLine.arguments.dropFirst().joined(separator: " ")
    }

    /// The text with other figures, and the machine, the date and the command that they came from.
    ///
    /// - Throws: `UsageError` where the text has no such section.
    func renewed(_ text: String, with figures: String, on machine: Machine) throws(UsageError) -> String {
        guard let first = text.firstRange(of: start), let last = text.firstRange(of: end),
            first.upperBound <= last.lowerBound
        else { throw UsageError(description: "the file needs the lines \(start) and \(end)") }
        return text[..<first.upperBound] + "\n\(figures)\n\n`\(command)`: \(machine.line).\n" + text[last.lowerBound...]
    }

    func renew(in path: String, with figures: String) throws {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw UsageError(description: "cannot read \(path)")
        }
        let text = try renewed(String(decoding: bytes, as: UTF8.self), with: figures, on: .current())
        try OutputFile(path).write(Array(text.utf8))
    }
}
