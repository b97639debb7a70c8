// `run`: a workload on our engine and on its peers, answers compared.

import FoundationEssentials

/// Times every query of a workload.
enum RunSuite: Suite {
    static let name = "run"
    static let summary = """
        [--records N] [--data FILE] [--workload FILE] [--peers FILE] [--only PREFIX] [--budget MS] [--no-sqlite]
              [--substring FIELDS] [--json OUT] [--chart OUT.svg] [--report FILE] [--readme FILE]: the workload on our \
        engine and on SQLite, with new values in every run and with constants, counts and numbers compared
        """
    static let workloads = "Benchmarks/Workloads"

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(
            arguments,
            names: [
                "records", "data", "workload", "peers", "only", "budget", "substring", "json", "chart", "report",
                "readme",
            ],
            flags: ["no-sqlite"])
        let isPlace = options["workload"] == nil
        let prefix = options["only"] ?? ""
        let queries = try WorkloadQuery.read(options["workload"] ?? workloads + "/place.json").filter {
            $0.id.hasPrefix(prefix)
        }
        guard !queries.isEmpty else { throw UsageError(description: "no query begins with \(prefix)") }
        let count = try options.count("records", default: 100_000)
        let budget = Double(try options.count("budget", default: 300)) / 1000
        let path = try options["data"] ?? PlaceFile.path(count: count)

        let machine = Machine.current()
        print(machine.line)
        let fields = options["substring"]?.split(separator: ",").map(String.init) ?? []
        let engine = try RecordSetEngine(contentsOf: path, substringFields: fields)
        print(engine.ingest.line)
        var report = RunReport(machine: machine, data: path, ingest: engine.ingest)
        for query in queries { report.ours.append(try engine.result(of: query, budget: budget)) }
        report.residentBytes = engine.residentBytes
        if isPlace {
            let sqlite = options.has("no-sqlite") ? nil : try sqlite(options["data"], count: count)
            if let sqlite { report.peers.append(try results(of: sqlite, queries, budget: budget)) }
            try addBound(queries, engine, sqlite, budget: budget, to: &report)
        }
        if let file = options["peers"] {
            let results = try readJSON([PeerResults].self, file, snakeCase: true)
            report.peers += results.filter { $0.records == engine.ingest.records }
        }
        let forms = isPlace ? try PeerQuery.read(workloads + "/place-peers.json") : [:]
        print(report.table.text)
        print(report.headline)
        let each = Double(report.residentBytes) / Double(max(1, engine.ingest.records))
        print("resident with all indexes that the queries wanted: \(each.figure) bytes a record")
        if let out = options["json"] { try writeJSON(report.summary, out) }
        if let out = options["chart"] { try OutputFile(out).write(Array(RunChart(report).svg.utf8)) }
        if let file = options["report"] { try FigureSection("run").renew(in: file, with: report.figures) }
        if let file = options["readme"] { try FigureSection("run").renew(in: file, with: report.summaryText) }
        let wrong = report.differences { forms[$0]?.spherical == true }
        guard wrong.isEmpty else { throw WrongResult(description: wrong.joined(separator: "\n")) }
        if report.peers.isEmpty { return }
        print("answers: all counts, sums of record numbers, and orders agree")
    }

    /// SQLite, loaded with generated places or those of a file.
    private static func sqlite(_ file: String?, count: Int) throws -> SQLitePeer {
        let forms = try PeerQuery.read(workloads + "/place-peers.json")
        if let file {
            let places = try PlaceFile.read(file)
            return try SQLitePeer(count: places.count, places: { places[$0] }, queries: forms)
        }
        let generator = PlaceGenerator(count: count)
        return try SQLitePeer(count: count, places: { generator[$0] }, queries: forms)
    }

    private static func results(
        of peer: SQLitePeer, _ queries: [WorkloadQuery], budget: Double
    ) throws -> PeerResults {
        PeerResults(
            peer: "SQLite", version: SQLiteDatabase.version, records: peer.ingest.records,
            recordsPerSecond: peer.ingest.recordsPerSecond, bytesPerRecord: peer.ingest.bytesPerRecord,
            queries: try queries.compactMap { query in
                try peer.result(of: query, budget: budget).map(PeerResults.Query.init)
            })
    }

    /// How many values a query gets, one after another.
    private static let runs = 64

    /// Times the queries with new values in every run, on both sides.
    private static func addBound(
        _ queries: [WorkloadQuery], _ engine: RecordSetEngine, _ sqlite: SQLitePeer?, budget: Double,
        to report: inout RunReport
    ) throws {
        let forms = try BoundQuery.read(workloads + "/place-bound.json")
        var source = BoundValueSource(PlaceGenerator(count: report.ingest.records))
        for query in queries {
            guard let form = forms[query.family] else { continue }
            let values = try source.values(form.draw, count: runs)
            let theirs = try sqlite?.result(of: query, bound: form, values, budget: budget)
            // What takes long is compared, and timed, with the first few values only.
            let used = Array(values.prefix(theirs?.outcomes.count ?? runs))
            report.bound[query.id] = (try engine.result(of: query, bound: form, used, budget: budget), theirs)
        }
    }
}
