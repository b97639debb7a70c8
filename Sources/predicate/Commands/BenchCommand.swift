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
            Of a PostgreSQL server it measures what the server counts ('server'), and fetching the records that may
            match and deciding on them here ('fetch'); several record types are loaded as those of files are.
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
        let input = try InputFiles(arguments, files: Array(arguments.operands.dropFirst()))
        var bench = Bench(query: query, runs: runs)
        let count: Int
        if let server = try ServerBench(input, query) {
            defer { server.close() }
            count = server.recordCount
            try bench.measure("server") { () throws(CommandError) in try server.count(query) ?? 0 }
            try bench.measure("fetch") { () throws(CommandError) in try server.fetched(query) }
        } else {
            var set = try input.load(session)
            set.usesAllCores = !arguments.has("--single-thread")
            set.buildsIndexes = false
            try bench.measure("scan", set)
            set.buildsIndexes = true
            try bench.measure("index", set)
            count = set.count
        }
        let format = arguments["--format"].flatMap(OutputFormat.init)
        bench.write(format ?? (StandardStream.output.isTerminal ? .table : .ndjson), records: count, session)
        return .success
    }
}

/// Measurements of one query.
struct Bench {
    let query: Query
    let runs: Int?
    private(set) var measurements: [(way: String, times: Measurement)] = []

    init(query: Query, runs: Int?) {
        self.query = query
        self.runs = runs
    }

    /// Runs the query on a set as often as it takes.
    /// - Throws: `CommandError` when the query fails, or finds something else than before.
    mutating func measure(_ way: String, _ set: RecordSet) throws(CommandError) {
        let query = query
        try measure(way) { () throws(CommandError) in
            do throws(RecordPredicateError) {
                return try set.ordinals(matching: query.predicate, variables: query.settings.variables).count
            } catch {
                throw CommandError(error)
            }
        }
    }

    /// Runs the query in a way that tells how many records match.
    /// - Throws: `CommandError` when the query fails, or finds something else than before.
    mutating func measure(_ way: String, _ run: () throws(CommandError) -> Int) throws(CommandError) {
        let measurement = try Measurement(runs: runs, run)
        if let other = measurements.first, other.times.matches != measurement.matches {
            throw CommandError(
                .badData, "\(way) finds \(measurement.matches) records, \(other.way) \(other.times.matches)")
        }
        measurements.append((way, measurement))
    }

    /// Writes a row for each way of running it.
    func write(_ format: OutputFormat, records count: Int, _ session: Session) {
        if format == .ndjson {
            for (way, times) in measurements { session.output.write(Self.json(way, times, count).text + "\n") }
            return
        }
        let titles = ["", "records", "matches", "runs", "first", "median", "least", "records/s"]
        var table = TableWriter(
            format, columns: titles.enumerated().map { .init(title: $1, isNumeric: $0 > 0) }, available: nil,
            style: session.outputStyle, writer: session.output)
        for (way, times) in measurements {
            table.append([
                way, count.grouped, times.matches.grouped, times.times.count.grouped, times.first.text,
                times.median.text, times.fastest.text, Self.rate(count, times.median).grouped,
            ])
        }
        table.finish()
    }

    private static func json(_ way: String, _ times: Measurement, _ count: Int) -> JSONValue {
        .members([
            "way": .string(way), "records": .int64(Int64(count)),
            "matches": .int64(Int64(times.matches)), "runs": .int64(Int64(times.times.count)),
            "firstNanoseconds": .int64(times.first.nanoseconds), "medianNanoseconds": .int64(times.median.nanoseconds),
            "leastNanoseconds": .int64(times.fastest.nanoseconds),
            "recordsPerSecond": .int64(Int64(rate(count, times.median))),
        ])
    }

    private static func rate(_ records: Int, _ time: Duration) -> Int {
        Int(Double(records) * 1e9 / Double(max(1, time.nanoseconds)))
    }
}
