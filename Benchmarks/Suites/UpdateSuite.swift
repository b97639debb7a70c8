// `update`: inserts and updates a second with the indexes of the workload live, and what readers notice of a writer.

import Foundation
import Glibc
import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordFiles
import RecordModel
import RecordStore
import Synchronization

/// Times commits into a store of generated places.
///
/// The workload is asked once before each kind of write: that builds all indexes, which merging keeps built from then
/// on.
enum UpdateSuite: Suite {
    static let name = "update"
    static let summary = """
        [--records N] [--writes N] [--workload FILE]: commits into N places (100,000), with and without waiting for merging
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["records", "writes", "workload"])
        let count = try options.count("records", default: 100_000)
        let writes = try options.count("writes", default: 20_000)
        let reader = RecordFileReader()
        try reader.load(path: PlaceFile.path(count: count))
        let records = reader.finish().records
        let workload = try WorkloadQuery.read(options["workload"] ?? "Benchmarks/Workloads/place.json")
        print(Machine.current().line)
        var figures = TextTable(["write", "a commit", "writes/s", "writes/s, merged", "CPU µs a write", "segments"])
        for size in [1, 100, 1000] {
            for kind in Write.allCases {
                let bench = UpdateBench(records, workload, kind, batchSize: size)
                figures.add(try bench.run(writes: size == 1 ? writes / 4 : writes))
            }
        }
        print(figures.text)
        print(try ReaderBench(records, workload).run())
    }

    /// Kinds of writes.
    enum Write: String, CaseIterable {
        case insert, replace
        case change = "change one field"
    }
}

/// One kind of write into a fresh store.
private struct UpdateBench {
    let store: RecordStore
    let records: LoadedSegments
    let workload: [WorkloadQuery]
    let kind: UpdateSuite.Write
    let batchSize: Int

    init(_ records: LoadedSegments, _ workload: [WorkloadQuery], _ kind: UpdateSuite.Write, batchSize: Int) {
        (self.records, self.workload, self.kind, self.batchSize) = (records, workload, kind, batchSize)
        store = RecordStore(records)
    }

    func run(writes: Int) throws -> [String] {
        _ = try store.snapshot.outcomes(to: workload)
        let batches = stride(from: 0, to: writes, by: batchSize).map { start in
            UpdateSuite.batch(kind, of: records, start..<min(writes, start + batchSize))
        }
        let clock = ContinuousClock()
        let before = processorSeconds()
        let start = clock.now
        for batch in batches { try store.commit(batch) }
        let committed = (clock.now - start).seconds
        let segments = store.snapshot.segments.count
        store.flush()
        let merged = (clock.now - start).seconds
        let processor = processorSeconds() - before
        let expected = records.count + (kind == .insert ? writes : 0)
        guard store.snapshot.count == expected else {
            throw WrongResult(description: "\(store.snapshot.count) records after \(kind), not \(expected)")
        }
        return [
            kind.rawValue, batchSize.separated, (Double(writes) / committed).figure, (Double(writes) / merged).figure,
            (processor / Double(writes) * 1e6).figure, String(segments),
        ]
    }
}

extension UpdateSuite {
    /// Writes of a kind, to records spread over all.
    static func batch(_ kind: Write, of records: LoadedSegments, _ numbers: Range<Int>) -> RecordBatch {
        var batch = RecordBatch()
        for number in numbers {
            let old = records[number * 7919 % records.count].record
            switch kind {
            case .insert: batch.save(Record(type: old.type, id: Record.ID("new \(number)"), fields: old.fields))
            case .replace: batch.save(Record(type: old.type, id: old.id, fields: old.fields))
            case .change: batch.change(old.id, ["population": .int64(Int64(number))])
            }
        }
        return batch
    }
}

extension Snapshot {
    /// A predicate of the workload over all records.
    func query(_ query: WorkloadQuery) throws -> SnapshotQuery {
        let predicate = try RecordPredicate(format: query.predicate, arguments: query.arguments ?? [])
        let bound = try Binder(schema: schemas.first).bind(predicate, variables: query.variables ?? [:])
        return SnapshotQuery(bound, over: self, type: nil)
    }

    /// Asks every query of a workload; returns how many records match in all.
    fileprivate func outcomes(to workload: [WorkloadQuery]) throws -> Int {
        try workload.reduce(0) { try $0 + query($1).count() }
    }
}

/// What a reader notices of a writer: latencies alone and beside commits.
private struct ReaderBench {
    let store: RecordStore
    let records: LoadedSegments
    let workload: [WorkloadQuery]

    init(_ records: LoadedSegments, _ workload: [WorkloadQuery]) {
        (self.records, self.workload) = (records, workload)
        store = RecordStore(records)
    }

    func run() throws -> String {
        _ = try store.snapshot.outcomes(to: workload)
        // Segments of all sizes, as after long writing.
        for start in 0..<60 { try store.commit(batch(start)) }
        store.flush()
        var text = TextTable(["reader", "alone µs", "beside a writer µs", "ratio"])
        for query in workload where Self.queries.contains(query.id) {
            // In turns, so that what else the machine does falls on both.
            var (alone, beside): ([Double], [Double]) = ([], [])
            var commits = 0
            for turn in 0..<Self.turns {
                alone.append(try latency(query).median)
                let writer = Writer(store, (0..<400).map { batch(60 + turn * 400 + $0) })
                beside.append(try latency(query).median)
                commits += writer.stop()
                store.flush()
            }
            let medians = (Self.median(alone), Self.median(beside))
            text.add([
                "\(query.id), \(commits) commits", (medians.0 * 1e6).figure, (medians.1 * 1e6).figure,
                (medians.1 / medians.0).figure,
            ])
        }
        return text.text
    }

    private static let queries: Set = ["Q1a.count", "Q1c.count", "Q6a.count", "Q13m.count", "Q16a.count"]
    private static let turns = 7

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func batch(_ number: Int) -> RecordBatch {
        UpdateSuite.batch(.change, of: records, number * 20..<number * 20 + 20)
    }

    private func latency(_ query: WorkloadQuery) throws -> Measurement {
        try Measurement.of(runs: 100, budget: 0.15) { _ = try store.snapshot.query(query).count() }
    }
}

/// A thread that commits until it is stopped, a thousand times a second at most.
private final class Writer: Sendable {
    private struct State {
        var commits = 0
        var isStopping = false
        var isDone = false
    }

    private let state = Mutex(State())

    init(_ store: RecordStore, _ batches: [RecordBatch]) {
        Thread.detachNewThread { [self] in
            for batch in batches where !state.withLock({ $0.isStopping }) {
                if (try? store.commit(batch)) != nil { state.withLock { $0.commits += 1 } }
                usleep(1000)
            }
            state.withLock { $0.isDone = true }
        }
    }

    /// Ends writing; returns how many commits there were.
    func stop() -> Int {
        state.withLock { $0.isStopping = true }
        while !state.withLock({ $0.isDone }) { usleep(100) }
        return state.withLock { $0.commits }
    }
}
