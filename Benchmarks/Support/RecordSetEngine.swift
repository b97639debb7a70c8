// Our engine under the harness: a record set asked through its public questions.

import FoundationEssentials
import PredicateSemantics
import RecordDatabase
import RecordModel

/// A file's records, ready for queries.
struct RecordSetEngine {
    private let records: RecordSet
    private let residentBefore: Int
    /// What loading cost.
    let ingest: EngineIngest

    /// Loads an NDJSON or CSV file.
    init(contentsOf path: String) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        residentBefore = Machine.residentBytes
        let clock = ContinuousClock()
        let start = clock.now
        records = try RecordSet(contentsOf: path)
        ingest = EngineIngest(
            records: records.count, bytes: (attributes[.size] as? Int) ?? 0, seconds: (clock.now - start).seconds,
            residentBytes: max(0, Machine.residentBytes - residentBefore))
    }

    /// Resident memory that loading and all that queries built since take, in bytes.
    var residentBytes: Int { max(0, Machine.residentBytes - residentBefore) }

    /// Asks a query many times: prepared where it neither sorts nor ends early, for only such queries can be.
    func result(of query: WorkloadQuery, budget: Double) throws -> QueryResult {
        let predicate = try RecordPredicate(format: query.predicate, arguments: query.arguments ?? [])
            .substituting(query.variables ?? [:])
        let keys = try (query.sort ?? []).map(SortKey.init(workload:))
        let mode = query.mode ?? .ids
        guard keys.isEmpty, query.limit == nil else {
            return try ordered(query.id, predicate, keys, query.limit, mode, budget: budget)
        }
        // The first preparation may build indexes; what is timed is one that finds them.
        let prepared = try records.prepare(predicate)
        let preparation = try Measurement.of(budget: budget / 10) { consume(try records.prepare(predicate)) }
        var answer = Answer(count: 0)
        let time: Measurement
        switch mode {
        case .count:
            time = try Measurement.of(budget: budget) { answer.count = try prepared.count() }
        case .ids:
            var ordinals: [UInt32] = []
            time = try Measurement.of(budget: budget) { ordinals = try prepared.ordinals() }
            answer = Answer(count: ordinals.count, sum: ordinals.reduce(0) { $0 &+ UInt64($1) })
        case .records:
            time = try Measurement.of(budget: budget) { answer.count = try prepared.records().count }
        }
        return QueryResult(id: query.id, answer: answer, time: time, preparation: preparation)
    }

    private func ordered(
        _ id: String, _ predicate: RecordPredicate, _ keys: [SortKey], _ limit: Int?, _ mode: WorkloadQuery.Mode,
        budget: Double
    ) throws -> QueryResult {
        var answer = Answer(count: 0)
        let time: Measurement
        if mode == .records {
            time = try Measurement.of(budget: budget) {
                answer.count = try records.records(matching: predicate, sortedBy: keys, limit: limit).count
            }
        } else {
            var ordinals: [Int] = []
            time = try Measurement.of(budget: budget) {
                ordinals = try records.ordinals(matching: predicate, sortedBy: keys, limit: limit)
            }
            answer = Answer(count: ordinals.count)
            if mode == .ids {
                answer.sum = ordinals.reduce(0) { $0 &+ UInt64($1) }
                answer.order = keys.isEmpty ? nil : ordinals
            }
        }
        return QueryResult(id: id, answer: answer, time: time)
    }
}
