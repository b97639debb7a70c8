// One record against the predicates of its type.

import Geospatial
import PredicateSemantics
import RecordModel

/// One pass of a record through an index.
struct Matching {
    let index: TypeIndex
    let record: RecordFields
    let terms: RecordTerms
    let context: EvaluationContext

    /// The slots of the predicates that hold, each once.
    private(set) var slots: [Int32] = []
    /// The slots of the predicates that fail.
    private(set) var failures: [(slot: Int, error: EvaluationError)] = []
    /// Slots that are decided, as bits, where a slot may come up again.
    private var decided: [UInt64] = []
    private var hasStrangers = false

    init(_ record: RecordFields, _ terms: RecordTerms, in index: TypeIndex, context: EvaluationContext) {
        self.index = index
        self.record = record
        self.terms = terms
        self.context = context
    }

    /// Finds what holds.
    ///
    /// - Complexity: O(n) in the predicates that hold and the candidates that turn out not to, and O(log n) in those
    ///   that the lists skip.
    mutating func run() {
        hasStrangers = index.fields.indices.contains { field in
            index.fields[field].assumptions.contains { !terms.kinds[field].isSubset(of: $0.kinds) }
        }
        if hasStrangers || index.repeaters > 0 {
            decided = [UInt64](repeating: 0, count: (index.stored.count + 63) / 64)
        }
        if hasStrangers { evaluateStrangers() }
        for term in terms.terms {
            let posting = index.postings[Int(term)]
            for entry in posting.plain { accept(entry) }
            for paired in posting.paired where terms.has(paired.term) { accept(paired.entry) }
            for intervals in posting.ranged {
                guard let number = terms.number(of: intervals.field, isDate: intervals.isDate) else { continue }
                for list in intervals.lists { list.forEach(holding: number) { accept($0) } }
            }
        }
    }

    /// Where a value is of a kind that extraction takes for granted it is not, the evaluator decides.
    private mutating func evaluateStrangers() {
        for (slot, predicate) in index.stored.enumerated() {
            guard let predicate,
                predicate.assumptions.contains(where: { !terms.kinds[$0.field].isSubset(of: $0.kinds) })
            else { continue }
            decide(slot)
            do throws(EvaluationError) {
                if try predicate.predicate.evaluate(
                    on: predicate.predicate.source(record), context: context)
                {
                    slots.append(Int32(truncatingIfNeeded: slot))
                }
            } catch {
                failures.append((slot, error))
            }
        }
    }

    @inline(__always)
    private mutating func accept(_ entry: PostingEntry) {
        if entry.isPlain, !hasStrangers {
            slots.append(Int32(truncatingIfNeeded: entry.rawValue))
        } else {
            examine(entry)
        }
    }

    private mutating func examine(_ entry: PostingEntry) {
        let slot = entry.slot
        if entry.mayRepeat || hasStrangers {
            if decided[slot >> 6] >> UInt64(slot & 63) & 1 != 0 { return }
            if entry.mayRepeat { decide(slot) }
        }
        if entry.hasResidual, let predicate = index.stored[slot], let residual = predicate.extraction.residual {
            do throws(EvaluationError) {
                guard try holds(residual, predicate) else { return }
            } catch {
                failures.append((slot, error))
                return
            }
        }
        slots.append(Int32(truncatingIfNeeded: slot))
    }

    private mutating func decide(_ slot: Int) { decided[slot >> 6] |= 1 &<< UInt64(slot & 63) }

    private func holds(_ condition: Condition, _ predicate: StoredPredicate) throws(EvaluationError) -> Bool {
        switch condition {
        case .constant(let value): return value
        case .term(let term): return terms.has(term)
        case .oneOf(let alternatives):
            for term in alternatives where terms.has(term) { return true }
            return false
        case .range(let range, _):
            guard let number = terms.number(of: range.field, isDate: range.isDate) else { return false }
            return range.contains(number)
        case .distance(let field, let test):
            guard case .location(let location) = terms.values[field] else { return false }
            return test.contains(location)
        case .all(let conditions):
            for condition in conditions where try !holds(condition, predicate) { return false }
            return true
        case .any(let conditions):
            for condition in conditions where try holds(condition, predicate) { return true }
            return false
        case .not(let condition): return try !holds(condition, predicate)
        case .evaluated(let node, _):
            return try node.evaluate(
                on: predicate.predicate.source(record), context: context)
        }
    }
}
