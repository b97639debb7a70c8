// `store`: a stored container of places: its size, the time from opening it to the first answer, and queries on its
// mapped files beside the same queries in memory.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// Makes a store of generated places with the indexes of the workload, opens it as applications do, and asks both.
enum StoreSuite: Suite {
    static let name = "store"
    static let summary = """
        [--records N] [--workload FILE] [--folder PATH] [--only PREFIX] [--budget MS] [--keep] [--no-sqlite]: a stored \
        container of N places (100,000) with all indexes: size, opening to the first answer, queries
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(
            arguments, names: ["records", "workload", "folder", "only", "budget"], flags: ["no-sqlite", "keep"])
        let count = try options.count("records", default: 100_000)
        let budget = Double(try options.count("budget", default: 100)) / 1000
        let prefix = options["only"] ?? ""
        let workload = try WorkloadQuery.read(options["workload"] ?? RunSuite.workloads + "/place.json")
        let folder = (options["folder"] ?? ".build/benchmarks") + "/store-\(count)"
        defer { if !options.has("keep") { PlaceStore.remove(folder) } }
        print(Machine.current().line)

        var memory = try RecordSet(contentsOf: try PlaceFile.path(count: count), type: "Place")
        memory.usesAllCores = false
        try make(folder, of: memory, workload)
        if !options.has("no-sqlite") { try compareSize(folder, count: count) }
        try timeOpening(folder, memory, workload)
        try timeQueries(workload.filter { $0.id.hasPrefix(prefix) }, memory, try PlaceStore.set(folder), budget: budget)
        print("answers: counts, records and orders from the store are those from memory")
    }

    /// Makes the store with every index, unless an earlier run kept it.
    private static func make(_ folder: String, of memory: RecordSet, _ workload: [WorkloadQuery]) throws {
        if let kept = try? PlaceStore.set(folder), kept.count == memory.count { return }
        PlaceStore.remove(folder)
        let clock = ContinuousClock()
        let start = clock.now
        let store = try PlaceStore(folder)
        for start in stride(from: 0, to: memory.count, by: 10_000) {
            try store.save((start..<min(memory.count, start + 10_000)).compactMap { memory.record(at: $0) })
        }
        let saved = clock.now
        try store.runQueries(workload)
        try store.container.compactFiles()
        store.container.close()
        print(
            """
            \(memory.count.separated) places saved in \((saved - start).seconds.figure) s, indexed and compacted in \
            \((clock.now - saved).seconds.figure) s
            """)
    }

    /// The size of SQLite's database of the same records and indexes.
    private static func compareSize(_ folder: String, count: Int) throws {
        let generator = PlaceGenerator(count: count)
        let peer = try SQLitePeer(count: count, places: { generator[$0] }, queries: [:])
        let bytes = try StoreSize.bytes(of: folder)
        let ratio = Double(bytes) / Double(max(1, peer.ingest.fileBytes))
        print(
            """
            \(bytes.separated) bytes, \((Double(bytes) / Double(count)).figure) a record; SQLite's file: \
            \(peer.ingest.fileBytes.separated); ours is \(ratio.figure) times as large
            """)
    }

    /// Opens the store again and again, and asks each time one question first.
    private static func timeOpening(_ folder: String, _ memory: RecordSet, _ workload: [WorkloadQuery]) throws {
        var table = TextTable(["first question", "open ms", "and answer ms", "slowest"])
        let clock = ContinuousClock()
        for query in workload where firstQueries.contains(query.id) {
            // The order of a database without another one.
            let byName = SortKey(.recordName)
            let expected = try memory.prepare(try query.recordPredicate, sortedBy: [byName], limit: 1).ordinals().first
                .map { memory.recordName(at: Int($0)) }
            var (opening, querying): ([Double], [Double]) = ([], [])
            for _ in 0..<7 {
                let start = clock.now
                let store = try PlaceStore(folder)
                opening.append((clock.now - start).seconds)
                let found = try store.first(of: query)?.recordName
                querying.append((clock.now - start).seconds)
                store.container.close()
                guard found == expected else { throw WrongResult(description: "\(query.id): another first record") }
            }
            let (open, outcome) = (Measurement(opening), Measurement(querying))
            table.add([query.id] + [open.median, outcome.median, outcome.maximum].map { ($0 * 1e3).figure })
        }
        print(table.text)
    }

    /// An equality of few texts and of many, a range, words, places and lists.
    private static let firstQueries: Set = [
        "Q1a.count", "Q1c.count", "Q3.count", "Q6a.count", "Q8a.count", "Q13m.count", "Q16a.count",
    ]

    /// Asks every query in memory and in the store, in turns.
    private static func timeQueries(
        _ workload: [WorkloadQuery], _ memory: RecordSet, _ stored: RecordSet, budget: Double
    ) throws {
        var table = TextTable(["query", "memory µs", "store µs", "ratio"])
        var ratios: [Double] = []
        for query in workload {
            let keys = try (query.sort ?? []).map(SortKey.init(workload:))
            let sides = try [memory, stored].map {
                try $0.prepare(try query.recordPredicate, sortedBy: keys, limit: query.limit)
            }
            let isCount = query.mode == .count && query.limit == nil
            func runQueries(_ prepared: PreparedQuery) throws -> [UInt32] {
                isCount ? [UInt32(clamping: try prepared.count())] : try prepared.ordinals()
            }
            let outcomes = try sides.map(runQueries)
            let names = zip([memory, stored], outcomes).map { set, outcome in
                isCount ? [] : outcome.map { set.recordName(at: Int($0)) }
            }
            guard outcomes[0].count == outcomes[1].count, !isCount || outcomes[0] == outcomes[1], names[0] == names[1]
            else {
                throw WrongResult(description: "\(query.id): the store gives another answer than memory")
            }
            var medians: [[Double]] = [[], []]
            for _ in 0..<5 {
                for (side, prepared) in sides.enumerated() {
                    medians[side].append(
                        try Measurement.of(runs: 7, budget: budget / 10) { consume(try runQueries(prepared)) }.median)
                }
            }
            let times = medians.map { $0.sorted()[$0.count / 2] }
            ratios.append(times[1] / times[0])
            table.add([query.id, (times[0] * 1e6).figure, (times[1] * 1e6).figure, (times[1] / times[0]).figure])
        }
        print(table.text)
        let sorted = ratios.sorted()
        guard let worst = sorted.last else { return }
        print(
            "store to memory: median \(sorted[sorted.count / 2].figure), worst \(worst.figure) of \(sorted.count) queries"
        )
    }
}
