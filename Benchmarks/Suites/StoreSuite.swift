// `store`: a store of places in files: its size, the rate of writing, the time to the first answer, and queries on mapped
// files beside the same queries in memory.

import FoundationEssentials
import Indexing
import QueryExecution
import RecordColumns
import RecordFiles
import RecordModel
import RecordStorage

/// Writes a store of generated places with the indexes of the workload, opens it, and asks both.
enum StoreSuite: Suite {
    static let name = "store"
    static let summary = """
        [--records N] [--workload FILE] [--folder PATH] [--only PREFIX] [--budget MS] [--no-sqlite]: N places (100,000) in \
        files with all indexes: size, writing, opening, queries
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(
            arguments, names: ["records", "workload", "folder", "only", "budget"], flags: ["no-sqlite"])
        let count = try options.count("records", default: 100_000)
        let budget = Double(try options.count("budget", default: 100)) / 1000
        let prefix = options["only"] ?? ""
        let workload = try WorkloadQuery.read(options["workload"] ?? RunSuite.workloads + "/place.json")
        let folder = (options["folder"] ?? ".build/benchmarks") + "/store-\(count)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        print(Machine.current().line)

        let reader = RecordFileReader()
        try reader.load(path: PlaceFile.path(count: count))
        let store = RecordStore(reader.finish().table)
        // Builds the indexes that the workload wants; each is written with its segment.
        for query in workload { _ = try store.snapshot.query(query).count() }
        let files = try write(store.snapshot, into: folder)
        if !options.has("no-sqlite") { try compareSize(files, count: count) }
        let opened = try timeOpening(files, of: store, workload)
        try timeQueries(
            workload.filter { $0.id.hasPrefix(prefix) && $0.sort == nil }, store.snapshot, opened, budget: budget)
        print("answers: counts and identifiers from files are those from memory")
    }

    /// The file of a segment, and what writing it gave.
    private struct File {
        var path: String
        var written: SegmentFile.Written
    }

    private static func write(_ snapshot: Snapshot, into folder: String) throws -> [File] {
        var files: [File] = []
        for sync in [false, true] {
            files = []
            let clock = ContinuousClock()
            let start = clock.now
            for (number, stored) in snapshot.segments.enumerated() {
                let path = "\(folder)/\(number).segment"
                files.append(File(path: path, written: try SegmentFile.write(stored, to: path, sync: sync)))
            }
            let seconds = (clock.now - start).seconds
            let bytes = size(of: files)
            print(
                """
                written\(sync ? " and synced" : ""): \(bytes.separated) bytes in \(files.count) files, \
                \((Double(bytes) / Double(max(1, snapshot.count))).figure) a record, in \((seconds * 1e3).figure) ms: \
                \((Double(bytes) / seconds / 1e6).figure) MB/s, \(Int(Double(snapshot.count) / seconds).separated) \
                records/s
                """)
        }
        return files
    }

    private static func size(of files: [File]) -> Int { files.reduce(0) { $0 + $1.written.byteCount } }

    /// The size of SQLite's database of the same records and indexes.
    private static func compareSize(_ files: [File], count: Int) throws {
        let generator = PlaceGenerator(count: count)
        let peer = try SQLitePeer(count: count, places: { generator[$0] }, queries: [:])
        let ratio = Double(size(of: files)) / Double(max(1, peer.ingest.fileBytes))
        print("SQLite's file: \(peer.ingest.fileBytes.separated) bytes; ours is \(ratio.figure) times as large")
    }

    private static func open(_ files: [File], of store: RecordStore) throws -> Snapshot {
        let segments = try files.map { try SegmentFile.open($0.path, checksum: $0.written.checksum).stored }
        let image = store.image
        return RecordStore(
            segments: segments, schemas: image.snapshot.schemas, nextSequence: image.nextSequence
        ).snapshot
    }

    /// Opens the files again and again, and asks each time one question first.
    private static func timeOpening(
        _ files: [File], of store: RecordStore, _ workload: [WorkloadQuery]
    ) throws -> Snapshot {
        var table = TextTable(["first question", "open ms", "and answer ms"])
        for query in workload where firstQuestions.contains(query.id) {
            let expected = try store.snapshot.query(query).count()
            let open = try Measurement.of(runs: 7, budget: 0) { consume(try Self.open(files, of: store)) }
            var found = 0
            let answer = try Measurement.of(runs: 7, budget: 0) {
                found = try Self.open(files, of: store).query(query).count()
            }
            guard found == expected else { throw WrongAnswer(description: "\(query.id): \(found), not \(expected)") }
            table.add([query.id, (open.median * 1e3).figure, (answer.median * 1e3).figure])
        }
        print(table.text)
        let opened = try open(files, of: store)
        guard opened.segments.allSatisfy({ $0.indexes.unreadable.isEmpty }) else {
            throw WrongAnswer(description: "an index cannot be read")
        }
        return opened
    }

    /// An equality of few texts and of many, a range, words, places and lists.
    private static let firstQuestions: Set = [
        "Q1a.count", "Q1c.count", "Q3.count", "Q6a.count", "Q8a.count", "Q13m.count", "Q16a.count",
    ]

    /// Asks every query in memory and in files, in turns.
    private static func timeQueries(
        _ workload: [WorkloadQuery], _ memory: Snapshot, _ files: Snapshot, budget: Double
    ) throws {
        var table = TextTable(["query", "memory µs", "files µs", "ratio"])
        var ratios: [Double] = []
        for query in workload {
            let plans = [try memory.query(query), try files.query(query)]
            func ask(_ plan: SnapshotQuery) throws -> [Int] {
                query.mode == .count ? [try plan.count()] : try plan.rows().map(\.sequence)
            }
            guard try ask(plans[0]) == ask(plans[1]) else {
                throw WrongAnswer(description: "\(query.id): files give another answer than memory")
            }
            var medians: [[Double]] = [[], []]
            for _ in 0..<5 {
                for (side, plan) in plans.enumerated() {
                    medians[side].append(
                        try Measurement.of(runs: 7, budget: budget / 10) { consume(try ask(plan)) }.median)
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
            "files to memory: median \(sorted[sorted.count / 2].figure), worst \(worst.figure) of \(sorted.count) queries"
        )
    }
}
