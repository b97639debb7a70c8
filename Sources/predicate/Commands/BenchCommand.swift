// predicate bench: how long a query takes.

import RecordDatabase

/// `predicate bench PREDICATE FILE…`
enum BenchCommand: Command {
    static let specification = CommandSpecification(
        name: "bench",
        operands: "PREDICATE [FILE…]",
        summary: "Measure how long a query takes, with and without indexes.",
        discussion: """
            Runs the query repeatedly: first without indexes, then with those that it uses. Both must find the same
            records. 'first' is the first run with indexes, which builds them. Loading is not counted.
            """,
        options: [
            OptionSpecification(
                "--runs", value: "N", "How many runs (default: as often as goes into a second, 5 to 1000 times)."),
            OptionSpecification("--single-thread", "Use one processor core."),
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["table", "box", "markdown", "ndjson"],
                "table, box, markdown or ndjson."),
        ] + SharedOptions.values + SharedOptions.records + [SharedOptions.dialect] + SharedOptions.messages,
        examples: [
            Example("one query", "predicate bench \"country == 'CH'\" cities.ndjson"),
            Example("for a report", "predicate bench 'name CONTAINS[cd] \"san\"' cities.ndjson --runs 50 -o markdown"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard let text = arguments.operands.first else {
            throw CommandError(
                .usage, "'predicate bench' needs a predicate",
                hint: "for example: predicate bench \"country == 'CH'\" cities.ndjson")
        }
        let query = try QuerySettings(arguments).query(text)
        let runs = try arguments.count("--runs")
        if runs == 0 { throw CommandError(.usage, "'--runs' is at least 1") }
        var set = try InputFiles(arguments, files: Array(arguments.operands.dropFirst())).load(session)
        set.usesAllCores = !arguments.has("--single-thread")
        var bench = Bench(query: query, runs: runs)
        set.buildsIndexes = false
        try bench.measure("scan", set)
        set.buildsIndexes = true
        try bench.measure("index", set)
        let format = arguments["--format"].flatMap(OutputFormat.init)
        bench.write(format ?? (StandardStream.output.isTerminal ? .table : .ndjson), set, session)
        return .success
    }
}

/// Measurements of one query.
struct Bench {
    /// What one way of running it took.
    struct Measurement {
        var name: String
        var matches: Int
        var first: Duration
        /// All times but the first, ascending; the first where there is no other.
        var times: [Duration]

        var median: Duration { times[times.count / 2] }
    }

    let query: Query
    let runs: Int?
    private(set) var measurements: [Measurement] = []

    init(query: Query, runs: Int?) {
        self.query = query
        self.runs = runs
    }

    /// Runs the query on a set as often as it takes.
    /// - Throws: `CommandError` when the query fails, or finds something else than before.
    mutating func measure(_ name: String, _ set: RecordSet) throws(CommandError) {
        let clock = ContinuousClock()
        let start = clock.now
        var times: [Duration] = []
        var matches = 0
        repeat {
            let begin = clock.now
            do throws(RecordPredicateError) {
                matches = try set.ordinals(matching: query.predicate, variables: query.settings.variables).count
            } catch {
                throw CommandError(error)
            }
            times.append(clock.now - begin)
        } while runs.map { times.count <= $0 }
            ?? (times.count < 6 || times.count < 1001 && clock.now - start < .seconds(1))
        if let other = measurements.first, other.matches != matches {
            throw CommandError(.badData, "\(name) finds \(matches) records, \(other.name) \(other.matches)")
        }
        let first = times.removeFirst()
        measurements.append(Measurement(name: name, matches: matches, first: first, times: times.sorted()))
    }

    /// Writes a row for each way of running it.
    func write(_ format: OutputFormat, _ set: RecordSet, _ session: Session) {
        if format == .ndjson {
            for measurement in measurements { session.output.write(json(measurement, set).text + "\n") }
            return
        }
        let titles = ["", "records", "matches", "runs", "first", "median", "least", "records/s"]
        var table = TableWriter(
            format, columns: titles.enumerated().map { .init(title: $1, isNumeric: $0 > 0) }, available: nil,
            style: session.outputStyle, writer: session.output)
        for measurement in measurements {
            table.append([
                measurement.name, set.count.grouped, measurement.matches.grouped, measurement.times.count.grouped,
                Self.text(measurement.first), Self.text(measurement.median), Self.text(measurement.times[0]),
                Self.rate(set.count, measurement.median).grouped,
            ])
        }
        table.finish()
    }

    private func json(_ measurement: Measurement, _ set: RecordSet) -> JSONValue {
        .members([
            "way": .string(measurement.name), "records": .int64(Int64(set.count)),
            "matches": .int64(Int64(measurement.matches)), "runs": .int64(Int64(measurement.times.count)),
            "firstNanoseconds": .int64(Self.nanoseconds(measurement.first)),
            "medianNanoseconds": .int64(Self.nanoseconds(measurement.median)),
            "leastNanoseconds": .int64(Self.nanoseconds(measurement.times[0])),
            "recordsPerSecond": .int64(Int64(Self.rate(set.count, measurement.median))),
        ])
    }

    private static func nanoseconds(_ time: Duration) -> Int64 {
        time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
    }

    private static func rate(_ records: Int, _ time: Duration) -> Int {
        Int(Double(records) * 1e9 / Double(max(1, nanoseconds(time))))
    }

    /// A time with three digits or so: `850 ns`, `12.3 µs`, `1.84 ms`.
    static func text(_ time: Duration) -> String {
        var value = Double(nanoseconds(time))
        var unit = "ns"
        for larger in ["µs", "ms", "s"] where value >= 1000 {
            value /= 1000
            unit = larger
        }
        if unit == "ns" || value >= 100 { return "\(Int(value.rounded())) \(unit)" }
        let hundredths = Int((value * 100).rounded())
        let fraction =
            value >= 10 ? "\(hundredths % 100 / 10)" : (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
        return "\(hundredths / 100).\(fraction) \(unit)"
    }
}
