// Our engine under the harness: a record set asked through its public questions.

import FoundationEssentials
import PredicateSemantics
import RecordDatabase
import RecordModel

/// A file's records, ready for queries.
struct RecordSetEngine {
    private let records: RecordSet
    /// What loading cost.
    let ingest: EngineIngest

    /// Loads an NDJSON or CSV file.
    init(contentsOf path: String) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let before = Machine.residentBytes
        let clock = ContinuousClock()
        let start = clock.now
        records = try RecordSet(contentsOf: path)
        ingest = EngineIngest(
            records: records.count, bytes: (attributes[.size] as? Int) ?? 0, seconds: (clock.now - start).seconds,
            residentBytes: max(0, Machine.residentBytes - before))
    }

    /// Asks a query many times.
    func result(of query: WorkloadQuery, budget: Double) throws -> QueryResult {
        let predicate = try RecordPredicate(format: query.predicate, arguments: query.arguments ?? [])
        let variables = query.variables ?? [:]
        let keys = try (query.sort ?? []).map(SortKey.init(workload:))
        var answer = Answer(count: 0)
        let time: Measurement
        switch query.mode ?? .ids {
        case .count where query.limit == nil:
            time = try Measurement.of(budget: budget) {
                answer.count = try records.count(matching: predicate, variables: variables)
            }
        case .count, .ids:
            var ordinals: [Int] = []
            time = try Measurement.of(budget: budget) {
                ordinals = try records.ordinals(
                    matching: predicate, variables: variables, sortedBy: keys, limit: query.limit)
            }
            answer = Answer(
                count: ordinals.count, sum: ordinals.reduce(0) { $0 &+ UInt64($1) },
                order: keys.isEmpty ? nil : ordinals)
        case .records:
            time = try Measurement.of(budget: budget) {
                answer.count = try records.records(
                    matching: predicate, variables: variables, sortedBy: keys, limit: query.limit
                ).count
            }
        }
        return QueryResult(id: query.id, answer: answer, time: time)
    }
}
