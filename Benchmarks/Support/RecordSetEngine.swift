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
        var delivered = Delivery(count: 0)
        let time = try Measurement.of(budget: budget) { delivered = try deliver(query, prepared) }
        return QueryResult(
            id: query.id, outcome: delivered.outcome(isOrdered: !keys.isEmpty), time: time, preparation: preparation)
    }

    /// Asks a query with new values in every run, prepared once; where its order has a value, prepared in every run.
    func result(
        of query: WorkloadQuery, bound: BoundQuery, _ values: [BoundValues], budget: Double
    ) throws -> BoundResult {
        let predicate = try RecordPredicate(format: bound.predicate)
        let keys = try (query.sort ?? []).map(SortKey.init(workload:))
        let prepared = try records.prepare(predicate, sortedBy: keys, limit: query.limit)
        func run(_ number: Int) throws -> Delivery {
            let values = values[number].ours
            if case .distance(let field, _) = keys.first?.criterion, case .location(let place) = values.first {
                let nearest = try records.prepare(predicate, sortedBy: [.distance(field, place)], limit: query.limit)
                return try deliver(query, nearest)
            }
            return try deliver(query, prepared, values.variables)
        }
        let outcomes = try (0..<values.count).map { try run($0).outcome(isOrdered: !keys.isEmpty) }
        var time = TimedRuns(values: values.count)
        try time.run(for: budget, run)
        return BoundResult(outcomes: outcomes, time: time)
    }

    /// What a query gives.
    private struct Delivery {
        var count: Int
        var ordinals: [UInt32]?

        func outcome(isOrdered: Bool) -> Outcome {
            Outcome(
                count: count, sum: ordinals?.reduce(0) { $0 &+ UInt64($1) },
                order: isOrdered ? ordinals?.map { Int($0) } : nil)
        }
    }

    private func deliver(
        _ query: WorkloadQuery, _ prepared: PreparedQuery, _ variables: [String: FieldValue] = [:]
    ) throws -> Delivery {
        switch query.mode ?? .ids {
        case .count where query.limit == nil: return Delivery(count: try prepared.count(variables))
        case .count, .ids:
            let ordinals = try prepared.ordinals(variables)
            return Delivery(count: ordinals.count, ordinals: ordinals)
        case .records: return Delivery(count: try prepared.records(variables).count)
        }
    }
}
