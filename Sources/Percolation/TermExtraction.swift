// The terms that a stored predicate is found by, and what is left to decide then.

/// The terms extracted from one predicate.
struct TermExtraction: Sendable {
    /// A term whose posting has the predicate.
    struct Term: Sendable {
        var number: UInt32
        var secondary: Posting.SecondaryCondition = .none
    }

    /// None where no record can match.
    private(set) var terms: [Term]
    /// What decides once a list has come up with the predicate; nil where that is all it takes.
    private(set) var residual: Condition?
    /// Whether a record may come upon the predicate in several lists.
    private(set) var mayRepeat = false

    /// The entry of the predicate in its lists.
    func entry(slot: Int) -> PostingEntry {
        PostingEntry(slot: slot, hasResidual: residual != nil, mayRepeat: mayRepeat)
    }

    /// Extracts the terms of a condition's most selective conjunct.
    ///
    /// The evaluator runs conjuncts in order and stops at the first that does not hold. So one can stand for all only
    /// if those before it cannot fail; it may fail itself, as it is false without its terms.
    init(of condition: Condition, in index: TypeIndex) {
        let conjuncts = condition.conjuncts
        let reached = conjuncts.firstIndex { !$0.cannotThrow } ?? conjuncts.count
        var best: (cost: Double, conjunct: Int)?
        for (number, conjunct) in conjuncts.enumerated() where number <= reached {
            guard let cost = Self.cost(of: conjunct, in: index) else { continue }
            if best.map({ cost < $0.cost }) ?? true { best = (cost, number) }
        }
        guard let best else {
            terms = [Term(number: TypeIndex.always)]
            residual = conjuncts.isEmpty ? nil : condition
            return
        }
        terms = []
        Self.collect(conjuncts[best.conjunct], in: index, into: &terms)
        var rest = Array(conjuncts.enumerated())
        rest.remove(at: best.conjunct)
        switch conjuncts[best.conjunct] {
        case .constant, .term, .oneOf:
            if !terms.isEmpty { addSecondary(&rest, reached, index) }
        case .range: break
        case let conjunct:
            mayRepeat = terms.count > 1
            // A list that comes up with the predicate says that the conjunct holds only where terms are all of it.
            if conjuncts.count > 1 || !conjunct.isMadeOfTerms { residual = condition }
            return
        }
        if !rest.isEmpty { residual = .conjunction(rest.map(\.element)) }
    }

    /// Has the lists check a second conjunct: a range, which their order decides, or the least likely term.
    private mutating func addSecondary(
        _ rest: inout [(offset: Int, element: Condition)], _ reached: Int, _ index: TypeIndex
    ) {
        var term: (likelihood: Double, position: Int, term: UInt32)?
        for (position, conjunct) in rest.enumerated() where conjunct.offset < reached {
            switch conjunct.element {
            case .range(let range, _):
                rest.remove(at: position)
                for index in terms.indices { terms[index].secondary = .range(range) }
                return
            case .term(let other):
                let likelihood = index.likelihood(of: other)
                if term.map({ likelihood < $0.likelihood }) ?? true { term = (likelihood, position, other) }
            default: continue
            }
        }
        guard let term else { return }
        rest.remove(at: term.position)
        for index in terms.indices { terms[index].secondary = .term(term.term) }
    }

    /// About how likely a record is to have one of the terms that the condition would be listed under; nil where there
    /// are no terms without which it is false.
    private static func cost(of condition: Condition, in index: TypeIndex) -> Double? {
        switch condition {
        case .constant(let value): return value ? nil : 0
        case .term(let term): return index.likelihood(of: term)
        case .oneOf(let terms): return terms.reduce(0) { $0 + index.likelihood(of: $1) }
        case .range(let range, _): return range.low == -.infinity || range.high == .infinity ? 0.4 : 0.1
        case .any(let conditions):
            var sum = 0.0
            for condition in conditions {
                guard let cost = cost(of: condition, in: index) else { return nil }
                sum += cost
            }
            return sum
        case .all: return selective(condition, in: index)?.cost
        case .distance, .not, .evaluated: return nil
        }
    }

    /// The conjunct whose terms list the predicate, with its cost.
    private static func selective(_ condition: Condition, in index: TypeIndex) -> (cost: Double, conjunct: Condition)? {
        var best: (cost: Double, conjunct: Condition)?
        for conjunct in condition.conjuncts {
            if let cost = cost(of: conjunct, in: index), best.map({ cost < $0.cost }) ?? true {
                best = (cost, conjunct)
            }
            if !conjunct.cannotThrow { break }
        }
        return best
    }

    private static func collect(_ condition: Condition, in index: TypeIndex, into terms: inout [Term]) {
        switch condition {
        case .term(let term): terms.append(Term(number: term))
        case .oneOf(let values): terms += values.map { Term(number: $0) }
        case .range(let range, let presence): terms.append(Term(number: presence, secondary: .range(range)))
        case .any(let conditions): for condition in conditions { collect(condition, in: index, into: &terms) }
        case .all:
            if let conjunct = selective(condition, in: index)?.conjunct { collect(conjunct, in: index, into: &terms) }
        case .constant, .distance, .not, .evaluated: break
        }
    }
}

extension Condition {
    /// Whether it holds exactly where one of the lists that have it comes up with it.
    fileprivate var isMadeOfTerms: Bool {
        switch self {
        case .constant, .term, .oneOf, .range: true
        case .any(let conditions): conditions.allSatisfy(\.isMadeOfTerms)
        case .all, .distance, .not, .evaluated: false
        }
    }
}
