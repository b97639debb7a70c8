// Every way to an answer must give the same answer: plans with and without indexes against the per-record evaluator.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore

/// Compares ways to answer random predicates over random records.
struct ResultCampaign {
    /// A predicate that two ways disagree about.
    struct Difference: CustomStringConvertible {
        var seed: UInt64
        var text: String
        var way: String
        var expected: String
        var found: String

        var description: String { "seed \(seed): \(text)\n  \(way) gives \(found), the evaluator \(expected)" }
    }

    /// Answers compared so far.
    private(set) var comparisons = 0
    /// Of these, answers by a template that was made for other values.
    private(set) var templateComparisons = 0
    /// Templates by the shapes of the predicates, for the records at hand.
    private var templates: [ObjectIdentifier: (shape: PredicateShape, template: ConstraintTemplate?)] = [:]
    /// Predicates that no way could answer, and all agreed.
    private(set) var failures = 0

    /// Runs predicates over one set of random records.
    /// - Returns: the differences found.
    mutating func run(seed: UInt64, predicates: Int, records: Int) -> [Difference] {
        var source = RandomRecords(seed: seed)
        var queries = RandomPredicates(seed: seed)
        let requested = (0..<predicates).map { $0 % 4 == 3 ? queries.plainQuery() : queries.query() }
        return run(requested, over: source.records(records), seed: seed)
    }

    /// Asks predicates of some records.
    /// - Returns: the differences found.
    mutating func run(_ queries: [RandomPredicates.Query], over records: [Record], seed: UInt64) -> [Difference] {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() {
            do throws(ColumnError) { try loader.append(record, origin: line + 1) } catch {
                return [Difference(seed: seed, text: "", way: "loading", expected: "records", found: "\(error)")]
            }
        }
        let snapshot = Snapshot(loader.finish())
        templates = [:]
        return queries.flatMap { compare($0, over: snapshot, seed: seed) }
    }

    private mutating func compare(
        _ query: RandomPredicates.Query, over snapshot: Snapshot, seed: UInt64
    ) -> [Difference] {
        guard var schema = snapshot.schemas.first else { return [] }
        // As where types of records disagree: kinds are not known before evaluation, which may fail.
        if seed.isMultiple(of: 3) {
            for field in ["small", "few", "tags", "numbers"] { schema.define(FieldDefinition(name: field, type: .any)) }
        }
        guard let predicate = try? RecordPredicate(format: query.text, arguments: query.arguments),
            let bound = try? Binder(schema: schema).bind(predicate)
        else { return [] }
        let context = EvaluationContext.current()
        let expected = Self.evaluated(bound, over: snapshot, context)
        if case .failure = expected { failures += 1 }
        var differences: [Difference] = []
        let simplified = Self.evaluated(bound.simplified(), over: snapshot, context)
        comparisons += 1
        if simplified != expected {
            differences.append(
                Difference(
                    seed: seed, text: "\(query.text) \(query.arguments)", way: "simplified to \(bound.simplified())",
                    expected: "\(expected)", found: "\(simplified)"))
        }
        for (way, usage, simplifies) in Self.ways {
            let plan = SnapshotQuery(
                bound, over: snapshot, type: nil,
                settings: .init(usage: usage, context: context, simplifies: simplifies))
            let found = Self.result { () throws(EvaluationError) in try plan.numbers() }
            comparisons += 1
            if !found.agrees(with: expected) {
                differences.append(
                    Difference(
                        seed: seed, text: "\(query.text) \(query.arguments)", way: way, expected: "\(expected)",
                        found: "\(found)"))
            }
            guard case .rows(let rows) = expected else { continue }
            let count = try? plan.count()
            comparisons += 1
            if count != rows.count {
                differences.append(
                    Difference(
                        seed: seed, text: "\(query.text) \(query.arguments)", way: way + " count",
                        expected: "\(rows.count)", found: "\(String(describing: count))"))
            }
        }
        return differences + compareTemplate(predicate, Binder(schema: schema), query, expected, over: snapshot, seed)
    }

    /// Asks by the template of the predicate's shape, which other values may have made.
    private mutating func compareTemplate(
        _ predicate: RecordPredicate, _ binder: Binder, _ query: RandomPredicates.Query, _ expected: Outcome,
        over snapshot: Snapshot, _ seed: UInt64
    ) -> [Difference] {
        guard let (shape, values) = predicate.shape() else { return [] }
        let known = templates[ObjectIdentifier(shape)] ?? (shape, ConstraintTemplate(shape, binder: binder))
        templates[ObjectIdentifier(shape)] = known
        guard let filled = known.template.flatMap({ FilledTemplate($0, values) }) else { return [] }
        var differences: [Difference] = []
        for (way, usage, _) in Self.ways {
            let plan = SnapshotQuery(
                .template(filled), over: snapshot, type: nil, settings: .init(usage: usage, context: .unused))
            let found = Self.result { () throws(EvaluationError) in try plan.numbers() }
            let count = try? plan.count()
            templateComparisons += 2
            comparisons += 2
            guard case .rows(let rows) = found, found == expected, rows.count == count else {
                differences.append(
                    Difference(
                        seed: seed, text: "\(query.text) \(query.arguments)", way: way + " by template",
                        expected: "\(expected)", found: "\(found), counted \(String(describing: count))"))
                continue
            }
        }
        return differences
    }

    /// Plans that must agree.
    private static let ways: [(name: String, usage: SegmentPlanner.IndexUsage, simplifies: Bool)] = [
        // Before any index is built.
        ("scan", .none, true), ("columns", .declared(IndexDeclaration()), true),
        ("queryable", .declared(IndexDeclaration(others: .queryable)), true),
        ("searchable", .declared(IndexDeclaration(others: .searchable)), true),
        ("substring", .declared(IndexDeclaration(others: .substring)), true),
        ("indexes", .all, true), ("as written", .all, false), ("what is built", .built, true),
    ]

    private enum Outcome: Equatable {
        case rows([UInt32])
        case failure(EvaluationError)

        /// Whether both are the same rows, or both a failure: plans may meet another record first.
        func agrees(with other: Outcome) -> Bool {
            if case .failure = self, case .failure = other { true } else { self == other }
        }
    }

    private static func result(_ body: () throws(EvaluationError) -> [UInt32]) -> Outcome {
        do throws(EvaluationError) { return .rows(try body()) } catch { return .failure(error) }
    }

    private static func evaluated(_ bound: BoundPredicate, over snapshot: Snapshot, _ context: EvaluationContext)
        -> Outcome
    {
        result { () throws(EvaluationError) in
            var rows: [UInt32] = []
            for (index, stored) in snapshot.segments.enumerated() {
                let segment = stored.segment
                let source = SegmentRows(segment, of: snapshot, names: bound.fieldNames)
                for row in 0..<segment.count
                where try bound.evaluate(on: RowSource(rows: source, row: row), context: context) {
                    rows.append(UInt32(truncatingIfNeeded: snapshot.recordNumbers.number(segment: index, row: row)))
                }
            }
            return rows.sorted()
        }
    }
}
