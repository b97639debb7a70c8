// Our engine under the harness: a record set asked through its public questions.

import FoundationEssentials
import PredicateSemantics
import RecordDatabase
import RecordModel

/// A file's records, ready for queries.
struct RecordSetEngine {
    private var records: RecordSet
    private let residentBefore: Int
    /// What loading cost.
    let ingest: EngineIngest

    /// Loads an NDJSON or CSV file.
    ///
    /// - Parameter substringFields: Fields that have an index of parts of texts, besides those that all have.
    init(contentsOf path: String, substringFields: [String] = []) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        residentBefore = Machine.residentBytes
        let clock = ContinuousClock()
        let start = clock.now
        records = try RecordSet(contentsOf: path)
        // Peers are measured on one thread too.
        records.usesAllCores = false
        for field in substringFields { records.declaredIndexes[field].insert(.substring) }
        ingest = EngineIngest(
            records: records.count, bytes: (attributes[.size] as? Int) ?? 0, seconds: (clock.now - start).seconds,
            residentBytes: max(0, Machine.residentBytes - residentBefore))
    }

    /// Resident memory that loading and all that queries built since take, in bytes.
    var residentBytes: Int { max(0, Machine.residentBytes - residentBefore) }

    /// Asks a query many times, prepared once.
    func result(of query: WorkloadQuery, budget: Double) throws -> QueryResult {
        let predicate = try RecordPredicate(format: query.predicate, arguments: query.arguments ?? [])
            .substituting(query.variables ?? [:])
        let keys = try (query.sort ?? []).map(SortKey.init(workload:))
        let prepare = { try records.prepare(predicate, sortedBy: keys, limit: query.limit) }
        // The first preparation may build indexes; what is timed is one that finds them.
        let prepared = try prepare()
        let preparation = try Measurement.of(budget: budget / 10) { consume(try prepare()) }
        var answer = Answer(count: 0)
        let time: Measurement
        switch query.mode ?? .ids {
        case .count where query.limit == nil:
            time = try Measurement.of(budget: budget) { answer.count = try prepared.count() }
        case .count, .ids:
            var ordinals: [UInt32] = []
            time = try Measurement.of(budget: budget) { ordinals = try prepared.ordinals() }
            answer = Answer(
                count: ordinals.count, sum: ordinals.reduce(0) { $0 &+ UInt64($1) },
                order: keys.isEmpty ? nil : ordinals.map { Int($0) })
        case .records:
            time = try Measurement.of(budget: budget) { answer.count = try prepared.records().count }
        }
        return QueryResult(id: query.id, answer: answer, time: time, preparation: preparation)
    }
}
