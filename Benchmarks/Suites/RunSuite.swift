// `run`: a workload on our engine and on its peers, answers compared.

import FoundationEssentials

/// Times every query of a workload.
enum RunSuite: Suite {
    static let name = "run"
    static let summary = """
        [--records N] [--data FILE] [--workload FILE] [--peers FILE] [--only PREFIX] [--budget MS] [--no-sqlite]
              [--substring FIELDS] [--json OUT] [--chart OUT.svg]: the workload on our engine and on SQLite, counts and numbers compared
        """
    static let workloads = "Benchmarks/Workloads"

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(
            arguments, names: ["records", "data", "workload", "peers", "only", "budget", "substring", "json", "chart"],
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
        if isPlace, !options.has("no-sqlite") {
            report.peers.append(try sqlite(queries, options["data"], count: count, budget: budget))
        }
        if let file = options["peers"] {
            let results = try readJSON([PeerResults].self, file, snakeCase: true)
            report.peers += results.filter { $0.records == engine.ingest.records }
        }
        let forms = isPlace ? try PeerQuery.read(workloads + "/place-peers.json") : [:]
        print(report.table())
        let each = Double(report.residentBytes) / Double(max(1, engine.ingest.records))
        print("resident with all indexes that the queries wanted: \(each.figure) bytes a record")
        if let out = options["json"] { try writeJSON(report.summary, out) }
        if let out = options["chart"] { try OutputFile(out).write(Array(RunChart(report).svg.utf8)) }
        let wrong = report.differences { forms[$0]?.spherical == true }
        guard wrong.isEmpty else { throw WrongAnswer(description: wrong.joined(separator: "\n")) }
        if report.peers.isEmpty { return }
        print("answers: all counts, sums of record numbers, and orders agree")
    }

    /// The workload on SQLite, loaded with generated places or those of a file.
    private static func sqlite(
        _ queries: [WorkloadQuery], _ file: String?, count: Int, budget: Double
    ) throws -> PeerResults {
        let forms = try PeerQuery.read(workloads + "/place-peers.json")
        let peer: SQLitePeer
        if let file {
            let places = try PlaceFile.read(file)
            peer = try SQLitePeer(count: places.count, places: { places[$0] }, queries: forms)
        } else {
            let generator = PlaceGenerator(count: count)
            peer = try SQLitePeer(count: count, places: { generator[$0] }, queries: forms)
        }
        return PeerResults(
            peer: "SQLite", version: SQLiteDatabase.version, records: peer.ingest.records,
            recordsPerSecond: peer.ingest.recordsPerSecond, bytesPerRecord: peer.ingest.bytesPerRecord,
            queries: try queries.compactMap { query in
                try peer.result(of: query, budget: budget).map(PeerResults.Query.init)
            })
    }
}
