// `store-commits`: places saved durably in small batches, beside SQLite; and all at once, beside loading into memory.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// Times durable saves through the public interface, in turns with SQLite on the same file system.
///
/// Both hold every index of the workload: SQLite keeps its own up to date in each transaction, this library's are kept
/// by merging in the background, and asked for again and again while batches are saved. Each side also tells its time
/// until everything is written and closed.
enum StoreCommitsSuite: Suite {
    static let name = "store-commits"
    static let summary = """
        [--records N] [--batch N] [--rounds N] [--import N] [--waits N] [--folder PATH]: durable batches of 400 places \
        (100,000 places, 3 rounds) beside SQLite (WAL, synchronous = FULL); import of N places (200,000) beside loading into \
        memory; how long single saves wait beside maintenance of N places (1,000,000); 0 leaves a part out
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(
            arguments, names: ["records", "batch", "rounds", "import", "waits", "folder"])
        let count = try options.count("records", default: 100_000, least: 0)
        let batch = try options.count("batch", default: 400)
        let rounds = try options.count("rounds", default: 3)
        let imported = try options.count("import", default: 200_000, least: 0)
        let waiting = try options.count("waits", default: 1_000_000, least: 0)
        let folder = (options["folder"] ?? ".build/benchmarks") + "/store-commits"
        PlaceStore.remove(folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { PlaceStore.remove(folder) }
        print(Machine.current().line + ", SQLite \(SQLiteDatabase.version)")
        let workload = try WorkloadQuery.read(RunSuite.workloads + "/place.json")
        if count > 0 {
            try compare(CommitBench(count: count, batch: batch, workload: workload, folder: folder), rounds: rounds)
        }
        if imported > 0 {
            print(try ImportBench(count: imported, workload: workload, folder: folder).run(rounds: rounds))
        }
        if waiting > 0 {
            print(try SaveWaits(count: waiting, workload: workload, path: folder + "/waits").run())
        }
    }

    private static func compare(_ bench: CommitBench, rounds: Int) throws {
        var ours: [CommitTimes] = []
        var theirs: [CommitTimes] = []
        for _ in 0..<rounds {
            ours.append(try bench.runOurs())
            theirs.append(try bench.runSQLite())
            guard let mine = ours.last?.outcomes, mine == theirs.last?.outcomes else {
                throw WrongResult(
                    description: "\(ours.last?.outcomes ?? []) records here, \(theirs.last?.outcomes ?? []) in SQLite")
            }
        }
        print(CommitTimes.table([("this library", ours), ("SQLite", theirs)], count: bench.count))
        print(
            "answers: both have \(bench.count.separated) places after being opened again, and agree on three counts\n")
    }
}

/// What saving all batches took.
private struct CommitTimes {
    /// Seconds of each batch.
    var batches: [Double] = []
    /// Seconds of everything, from the first batch until the store was closed.
    var total = 0.0
    /// Processor seconds of everything.
    var processor = 0.0
    var bytes = 0
    /// Numbers of records, to be compared.
    var outcomes: [Int] = []

    static func table(_ sides: [(name: String, rounds: [CommitTimes])], count: Int) -> String {
        var table = TextTable([
            "durable batches", "records/s", "until closed", "batch ms, median", "99th of 100", "CPU µs a record",
            "bytes a record",
        ])
        func median(_ values: [Double]) -> Double { Measurement(values).median }
        for (name, rounds) in sides {
            table.add([
                name,
                Int(median(rounds.map { Double(count) / $0.batches.reduce(0, +) })).separated,
                Int(median(rounds.map { Double(count) / $0.total })).separated,
                (median(rounds.map { median($0.batches) }) * 1e3).figure,
                (median(rounds.map { $0.batches.sorted()[$0.batches.count * 99 / 100] }) * 1e3).figure,
                (median(rounds.map { $0.processor / Double(count) }) * 1e6).figure,
                (median(rounds.map { Double($0.bytes) / Double(count) })).figure,
            ])
        }
        return table.text
    }
}

/// The same batches for both sides.
private struct CommitBench {
    let count: Int
    let batch: Int
    let workload: [WorkloadQuery]
    let folder: String
    /// Batches after which questions are asked.
    private static let queryInterval = 64

    private func batches(_ body: (Int, [Place]) throws -> Void) rethrows {
        let generator = PlaceGenerator(count: count)
        for (number, start) in stride(from: 0, to: count, by: batch).enumerated() {
            try body(number, (start..<min(count, start + batch)).map { generator[$0] })
        }
    }

    func runOurs() throws -> CommitTimes {
        let path = folder + "/ours"
        PlaceStore.remove(path)
        let clock = ContinuousClock()
        var times = CommitTimes()
        func time<R>(_ body: () throws -> R) rethrows -> (R, Double) {
            let (start, before) = (clock.now, processorSeconds())
            let result = try body()
            let seconds = (clock.now - start).seconds
            times.total += seconds
            times.processor += processorSeconds() - before
            return (result, seconds)
        }
        let (store, _) = try time { try PlaceStore(path) }
        try batches { number, places in
            let records = places.map(\.record)
            times.batches.append(try time { try store.save(records) }.1)
            if number % Self.queryInterval == Self.queryInterval / 8 { _ = try time { try store.runQueries(workload) } }
        }
        _ = time { store.container.close() }
        let set = try PlaceStore.set(path)
        let statistics = try StoreSize.bytes(of: path)
        times.bytes = statistics
        times.outcomes =
            [set.count] + (try Self.queries.map { try set.count(matching: RecordPredicate(format: $0.ours)) })
        return times
    }

    /// Questions with the same answers on both sides.
    private static let queries: [(ours: String, sqlite: String)] = [
        ("category == 'restaurant'", "category = 'restaurant'"),
        ("population BETWEEN {8176, 12083}", "population BETWEEN 8176 AND 12083"),
        ("rating >= 4.5 AND active == TRUE", "rating >= 4.5 AND active = 1"),
    ]

    func runSQLite() throws -> CommitTimes {
        let path = folder + "/sqlite.db"
        for suffix in ["", "-wal", "-shm"] { PlaceStore.remove(path + suffix) }
        let clock = ContinuousClock()
        var times = CommitTimes()
        let before = processorSeconds()
        var generating = 0.0
        do {
            let database = try SQLiteDatabase(path: path)
            // As much cache as the whole takes, and a log as long as this library's.
            try database.execute(
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
                PRAGMA cache_size = -1048576; PRAGMA wal_autocheckpoint = 4096;
                """)
            try database.execute(SQLitePlaces.tables)
            try database.execute(SQLitePlaces.indexes)
            let inserter = try SQLitePlaces(database)
            var last = processorSeconds()
            try batches { _, places in
                generating += processorSeconds() - last
                let start = clock.now
                try database.execute("BEGIN IMMEDIATE")
                for place in places { try inserter.insert(place) }
                try database.execute("COMMIT")
                times.batches.append((clock.now - start).seconds)
                last = processorSeconds()
            }
            times.total = times.batches.reduce(0, +)
            times.total += try clock.measure { try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }.seconds
            times.processor = processorSeconds() - before - generating
        }
        let database = try SQLiteDatabase(path: path)
        times.outcomes = [try database.prepare("SELECT count(*) FROM place").count()]
        times.outcomes += try Self.queries.map {
            try database.prepare("SELECT count(*) FROM place WHERE \($0.sqlite)").count()
        }
        times.bytes = try StoreSize.bytes(of: path)
        return times
    }
}

/// Loading a file into memory with its indexes, and into a store.
private struct ImportBench {
    let count: Int
    let workload: [WorkloadQuery]
    let folder: String

    func run(rounds: Int) throws -> String {
        let file = try PlaceFile.path(count: count)
        var times: [[Double]] = [[], [], [], []]
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            var start = clock.now
            func lap() -> Double {
                defer { start = clock.now }
                return (clock.now - start).seconds
            }
            do {
                var memory = try RecordSet(contentsOf: file, type: "Place")
                times[0].append(lap())
                memory.usesAllCores = false
                try runQueries(memory)
                times[1].append(lap() + (times[0].last ?? 0))
            }
            let path = folder + "/import"
            PlaceStore.remove(path)
            _ = lap()
            let set = try RecordSet(contentsOf: file, type: "Place")
            let store = try PlaceStore(path)
            try load(set, into: store)
            times[2].append(lap())
            try store.runQueries(workload)
            store.container.close()
            times[3].append(lap() + (times[2].last ?? 0))
            let stored = try PlaceStore.set(path)
            guard stored.count == count else { throw WrongResult(description: "\(stored.count) places were imported") }
        }
        let rates = times.map { Double(count) / Measurement($0).median }
        var table = TextTable(["\(count.separated) places from NDJSON", "in memory, records/s", "in a store", "ratio"])
        table.add(["without indexes", rates[0].figure, rates[2].figure, (rates[2] / rates[0]).figure])
        table.add([
            "with all indexes, written and closed", rates[1].figure, rates[3].figure, (rates[3] / rates[1]).figure,
        ])
        return table.text
    }

    private func runQueries(_ set: RecordSet) throws {
        for query in workload {
            let keys = try (query.sort ?? []).map(SortKey.init(workload:))
            let prepared = try set.prepare(try query.recordPredicate, sortedBy: keys, limit: 1)
            _ = try prepared.ordinals()
        }
    }

    /// As `predicate import` does it.
    private func load(_ set: RecordSet, into store: PlaceStore) throws {
        var schema = store.container.schema
        if schema.define(set.schemas, except: []) { try store.container.setSchema(schema) }
        for start in stride(from: 0, to: set.count, by: 250_000) {
            let rejected = try store.database.load(start..<min(set.count, start + 250_000), of: set)
            guard rejected.isEmpty else { throw WrongResult(description: "\(rejected.count) places were refused") }
        }
    }
}

/// How large files are.
enum StoreSize {
    /// Bytes of a file, or of all files in a folder.
    static func bytes(of path: String) throws -> Int {
        let manager = FileManager.default
        let attributes = try manager.attributesOfItem(atPath: path)
        guard attributes[.type] as? FileAttributeType == .typeDirectory else { return attributes[.size] as? Int ?? 0 }
        return try manager.contentsOfDirectory(atPath: path).reduce(0) { try $0 + bytes(of: path + "/" + $1) }
    }
}
