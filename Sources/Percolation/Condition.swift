// What a stored predicate requires of a record, in terms of the index.

import Geospatial
import PredicateSemantics

/// A predicate, or a part of one, as the index decides it.
///
/// It says what the predicate says for every record that keeps to the assumed kinds of values.
indirect enum Condition: Sendable {
    case constant(Bool)
    /// The record has a term.
    case term(UInt32)
    /// The record has one of several terms of which no record has two.
    case oneOf([UInt32])
    /// A field's number lies in a range; the term says that the field has a value.
    case range(NumberRange, presence: UInt32)
    /// The place in a field is within a range of distances.
    case distance(field: Int, DistanceTest)
    /// All, in the evaluator's order.
    case all([Condition])
    /// One, in the evaluator's order.
    case any([Condition])
    case not(Condition)
    /// What the evaluator says; total if it cannot fail.
    case evaluated(BoundNode, cannotThrow: Bool)
}

extension Condition {
    /// Whether it is decided without an error for every record that keeps to the assumed kinds.
    var cannotThrow: Bool {
        switch self {
        case .constant, .term, .oneOf, .range, .distance: true
        case .all(let conditions), .any(let conditions): conditions.allSatisfy(\.cannotThrow)
        case .not(let condition): condition.cannotThrow
        case .evaluated(_, let cannotThrow): cannotThrow
        }
    }

    /// The opposite; AND and OR keep the order in which they are decided.
    var negated: Condition {
        switch self {
        case .constant(let value): .constant(!value)
        case .all(let conditions): .any(conditions.map(\.negated))
        case .any(let conditions): .all(conditions.map(\.negated))
        case .not(let condition): condition
        default: .not(self)
        }
    }

    /// The conditions that must all hold, in order.
    var conjuncts: [Condition] {
        switch self {
        case .all(let conditions): conditions
        case .constant(true): []
        default: [self]
        }
    }

    /// All of the conditions: nested ones opened, ranges of one field joined, constants dropped.
    static func conjunction(_ conditions: [Condition]) -> Condition {
        var kept: [Condition] = []
        var mayFail = false
        for condition in conditions.flatMap(\.conjuncts) {
            if case .constant(false) = condition {
                // What precedes it may still fail.
                if !mayFail { return .constant(false) }
                kept.append(condition)
                break
            }
            mayFail = mayFail || !condition.cannotThrow
            if !mayFail, case .range(let range, let presence) = condition,
                let index = kept.firstIndex(where: { $0.isRange(of: range.field, isDate: range.isDate) }),
                case .range(let earlier, _) = kept[index]
            {
                let joined = NumberRange(
                    field: range.field, isDate: range.isDate, low: max(range.low, earlier.low),
                    high: min(range.high, earlier.high))
                if joined.low > joined.high { return .constant(false) }
                kept[index] = .range(joined, presence: presence)
                continue
            }
            kept.append(condition)
        }
        if kept.isEmpty { return .constant(true) }
        return kept.count == 1 ? kept[0] : .all(kept)
    }

    /// One of the conditions: nested ones opened, constants dropped.
    static func disjunction(_ conditions: [Condition]) -> Condition {
        var kept: [Condition] = []
        var mayFail = false
        for condition in conditions.flatMap(\.disjuncts) {
            if case .constant(true) = condition {
                if !mayFail { return .constant(true) }
                kept.append(condition)
                break
            }
            mayFail = mayFail || !condition.cannotThrow
            kept.append(condition)
        }
        if kept.isEmpty { return .constant(false) }
        return kept.count == 1 ? kept[0] : .any(kept)
    }

    private var disjuncts: [Condition] {
        switch self {
        case .any(let conditions): conditions
        case .constant(false): []
        default: [self]
        }
    }

    private func isRange(of field: Int, isDate: Bool) -> Bool {
        if case .range(let range, _) = self { range.field == field && range.isDate == isDate } else { false }
    }
}
