// The same predicate in fewer parts: a pass over bound predicates before they are planned.
//
// A pass of its own and not a part of planning: what it does to a predicate is a value that prints and that the
// evaluator can run, so that its rules are tested without an index in sight. Each rule leaves every result
// and every error as they are. The evaluator goes from left to right and stops when the result is known; so parts that
// may fail keep their places, nothing is moved past one, and terms are joined only before the first of them.

package import PredicateSemantics
import PredicateSyntax
import RecordModel

extension BoundPredicate {
    /// The predicate with parts that say the same, contradict each other or can never decide put together or left out.
    ///
    /// It holds for the same records and fails for the same, with the same error. A predicate with nothing to simplify
    /// is given back as it is. One that reads chance, or has open variables, is left alone: nothing may run less
    /// often.
    /// - Complexity: O(terms) where no two terms are about one field; else O(terms²) in the terms that are.
    package func simplified() -> BoundPredicate {
        guard !usesContext, openVariables.isEmpty, let root = Simplifier.simplified(root) else { return self }
        return replacingRoot(root)
    }
}

/// The rules.
enum Simplifier {
    /// The node in fewer parts; `nil` when there is nothing to simplify.
    static func simplified(_ node: BoundNode) -> BoundNode? {
        switch node {
        case .constant: nil
        case .comparison(let comparison): simplified(comparison)
        case .not(let inner): negation(of: inner)
        case .and(let terms): group(terms, isConjunction: true)
        case .or(let terms): group(terms, isConjunction: false)
        }
    }

    // MARK: NOT

    private static func negation(of node: BoundNode) -> BoundNode? {
        let inner = simplified(node)
        return freeNegation(of: inner ?? node) ?? inner.map { .not($0) }
    }

    /// The opposite of a node, where it costs no NOT.
    static func freeNegation(of node: BoundNode) -> BoundNode? {
        switch node {
        case .constant(let value): return .constant(!value)
        case .not(let inner): return inner
        case .comparison(let comparison):
            guard !comparison.canThrow else { return nil }
            return comparison.negation.map { .comparison($0) }
        // NOT goes into a group when it takes a NOT out of every term: `NOT (a != 1 AND NOT (b < 2))`.
        case .and(let terms): return freeNegations(of: terms).map { simplified(.or($0)) ?? .or($0) }
        case .or(let terms): return freeNegations(of: terms).map { simplified(.and($0)) ?? .and($0) }
        }
    }

    private static func freeNegations(of terms: [BoundNode]) -> [BoundNode]? {
        var negations: [BoundNode] = []
        for term in terms {
            guard term.isNegative, let negation = freeNegation(of: term) else { return nil }
            negations.append(negation)
        }
        return negations
    }

    // MARK: Single comparisons

    private static func simplified(_ comparison: BoundComparison) -> BoundNode? {
        if comparison.quantifier == .all {
            // What an index knows: no element is equal.
            guard comparison.comparisonOperator == .notEqual, !comparison.canThrow else { return nil }
            return comparison.with(Quantifier.none, .equal).map { .comparison($0) }
        }
        if comparison.neverHolds {
            return comparison.canThrow ? nil : .constant(comparison.quantifier == Quantifier.none)
        }
        if comparison.comparisonOperator == .in, case .list(let members) = comparison.rhs.constant, members.count == 1,
            members[0].isScalar, !comparison.canThrow, comparison.lhs.constant == nil
        {
            return comparison.rewritten(
                .equal, members[0], quantifier: comparison.quantifier, span: comparison.span
            ).map { .comparison($0) }
        }
        return nil
    }
}

extension BoundNode {
    /// Whether the node begins with a NOT, spelled out or not.
    fileprivate var isNegative: Bool {
        switch self {
        case .not: true
        case .comparison(let comparison):
            comparison.comparisonOperator == .notEqual && comparison.quantifier == nil
                || comparison.quantifier == Quantifier.none
        case .constant, .and, .or: false
        }
    }
}
