// An index of stored predicates must find what trying them one by one finds.

import Percolation
import PredicateSemantics
import RecordColumns
import RecordModel

/// Compares what an index of stored predicates finds for random records with the evaluator.
struct PercolationCampaign {
    private let seed: UInt64
    private var generator: SeededGenerator
    private var source: RandomRecords
    private var index = PredicateIndex()
    /// The stored predicates by identifier, with their texts.
    private var stored: [Int: (predicate: BoundPredicate, type: String?, text: String)] = [:]

    /// What the index and the evaluator disagree about.
    private(set) var differences: [String] = []
    /// Answers compared: pairs of a record and a predicate.
    private(set) var comparisons = 0
    private(set) var matches = 0
    private(set) var failures = 0

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        source = RandomRecords(seed: seed)
    }

    /// Stores random predicates, matches random records, removes some predicates in between.
    mutating func run(predicates: Int, records: Int) {
        store(predicates)
        let all = (0..<records).map { record($0, of: records) }
        for (number, record) in all.enumerated() {
            // Every time about as many go as come, so that slots, terms and lists are used again.
            if number % 50 == 49 { churn() }
            compare(record)
            if number > 0, generator.oneIn(4) { compareChange(from: all[number - 1], to: record) }
        }
        for id in stored.keys.shuffled(using: &generator) { index.remove(id) }
        stored = [:]
        compare(all.last ?? record(0, of: 1))
        if index.count != 0 { report("\(index.count) predicates are left of none") }
    }

    // MARK: - Predicates

    private mutating func store(_ count: Int) {
        let types = Self.schema(of: (0..<20).map { source.record($0, of: 20) })
        var queries = RandomPredicates(seed: generator.next())
        let first = stored.count
        for number in 0..<count {
            if number % 40 == 39 { queries = RandomPredicates(seed: generator.next()) }
            var query = queries.query()
            // What applications store: a few plain conditions, all of them asked for.
            while generator.oneIn(2) {
                let other = queries.query()
                query.text = "(\(query.text)) AND (\(other.text))"
                query.arguments += other.arguments
            }
            guard let predicate = try? RecordPredicate(format: query.text, arguments: query.arguments),
                let bound = try? Binder(schema: generator.oneIn(2) ? types : nil).bind(predicate)
            else { continue }
            let id = generator.oneIn(20) ? number / 2 : first + number
            let type: String? = generator.oneIn(6) ? nil : generator.oneIn(8) ? "Other" : RandomRecords.type
            index.insert(bound, id: id, type: type)
            stored[id] = (bound, type, "\(query.text) \(query.arguments)")
        }
    }

    private mutating func churn() {
        for id in stored.keys.sorted() where generator.oneIn(3) {
            if !index.remove(id) { report("predicate \(id) is not there to be removed") }
            stored[id] = nil
        }
        store(40)
    }

    private static func schema(of records: [Record]) -> RecordSchema? {
        let builder = RecordLoader()
        for (line, record) in records.enumerated() {
            guard (try? builder.append(record, origin: line + 1)) != nil else { return nil }
        }
        return builder.finish().schemas.first
    }

    // MARK: - Records

    /// A random record; one in four has values of kinds that its fields usually do not have.
    private mutating func record(_ number: Int, of count: Int) -> Record {
        var record = source.record(number, of: count)
        guard generator.oneIn(4) else { return record }
        let names = record.fields.keys.sorted()
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !names.isEmpty {
            let value = record[generator.pick(names)]
            let strange: FieldValue =
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: .list([value, .string("a"), .int64(2)])
                case 1: .list([.list([value]), value])
                case 2: .object(["few": value])
                case 3: .double(.nan)
                default: value
                }
            record[generator.pick(names)] = strange
        }
        return record
    }

    // MARK: - Comparison

    private mutating func compare(_ record: Record) {
        let context = EvaluationContext.current()
        let found = index.matches(record, context: context, resolver: nil)
        let (ids, errors) = expected(record, context)
        comparisons += stored.count
        matches += ids.count
        failures += errors.count
        check(Set(found.ids), ids, "match", record)
        if found.ids.count != Set(found.ids).count { report("a predicate is found twice") }
        check(Set(found.failures.map(\.id)), Set(errors.keys), "failure", record)
        for failure in found.failures where errors[failure.id].map({ $0 != failure.error }) ?? false {
            report("another error of \(stored[failure.id]?.text ?? ""): \(failure.error)")
        }
        if found.failures.count != Set(found.failures.map(\.id)).count { report("a failure is found twice") }
    }

    private mutating func compareChange(from old: Record, to new: Record) {
        let context = EvaluationContext.current()
        var changed = old
        for name in new.fields.keys.sorted() where generator.oneIn(4) { changed[name] = new[name] }
        let found = index.transition(from: old, to: changed, context: context)
        let (before, after) = (expected(old, context), expected(changed, context))
        check(Set(found.entered), after.ids.subtracting(before.ids), "entry", changed)
        check(Set(found.stayed), after.ids.intersection(before.ids), "stay", changed)
        check(Set(found.left), before.ids.subtracting(after.ids), "leaving", changed)
        check(Set(found.failuresBefore.map(\.id)), Set(before.errors.keys), "failure before", old)
        check(Set(found.failuresAfter.map(\.id)), Set(after.errors.keys), "failure after", changed)
        comparisons += stored.count
    }

    private func expected(
        _ record: Record, _ context: EvaluationContext
    ) -> (ids: Set<Int>, errors: [Int: EvaluationError]) {
        var ids: Set<Int> = []
        var errors: [Int: EvaluationError] = [:]
        for (id, entry) in stored where entry.type == nil || entry.type == record.type {
            do throws(EvaluationError) {
                if try entry.predicate.evaluate(on: record, context: context) { ids.insert(id) }
            } catch {
                errors[id] = error
            }
        }
        return (ids, errors)
    }

    private mutating func check(_ found: Set<Int>, _ expected: Set<Int>, _ what: String, _ record: Record) {
        for id in found.symmetricDifference(expected).sorted() {
            let verdict = found.contains(id) ? "is found and should not be" : "is not found"
            report("a \(what) \(verdict): \(stored[id]?.text ?? "no longer stored")\n  \(record.fields)")
        }
    }

    private mutating func report(_ difference: String) { differences.append("seed \(seed): \(difference)") }
}
