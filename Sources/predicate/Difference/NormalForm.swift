// Two spellings of one predicate brought to one text, as far as simple rules go.

import PredicateSyntax
import RecordDatabase

/// Predicates in a form that does not depend on the order and the spelling of their parts.
enum NormalForm {
    /// The text of a bound predicate after simplification: terms and members in order of their texts, constants on the
    /// right, NOT taken out of equalities. Predicates of one text hold for the same records, wherever neither fails.
    ///
    /// `nil` where a constant has no text, such as an object: it could be any.
    static func text(of predicate: BoundPredicate) -> String? {
        let tree = SyntaxTree(normal(predicate.simplest.root.syntax))
        return tree.placeholders.isEmpty ? tree.text : nil
    }

    private static func normal(_ node: PredicateNode) -> PredicateNode {
        switch node.kind {
        case .constant: node
        case .not(let term): negated(normal(term))
        case .and(let terms): group(terms, isConjunction: true)
        case .or(let terms): group(terms, isConjunction: false)
        case .comparison(let comparison): PredicateNode(.comparison(normal(comparison)))
        }
    }

    private static func group(_ terms: [PredicateNode], isConjunction: Bool) -> PredicateNode {
        var texts: [String: PredicateNode] = [:]
        for term in terms {
            let term = normal(term)
            var inner = [term]
            if case .and(let terms) = term.kind, isConjunction { inner = terms }
            if case .or(let terms) = term.kind, !isConjunction { inner = terms }
            for term in inner { texts[SyntaxTree(term).text] = term }
        }
        let sorted = texts.sorted { $0.key < $1.key }.map(\.value)
        if sorted.count == 1 { return sorted[0] }
        return PredicateNode(isConjunction ? .and(sorted) : .or(sorted))
    }

    /// NOT goes inward: over AND and OR, and into equalities. Logic is two-valued, so that is exact.
    private static func negated(_ node: PredicateNode) -> PredicateNode {
        switch node.kind {
        case .constant(let value): return PredicateNode(.constant(!value))
        case .not(let inner): return inner
        case .and(let terms): return group(terms.map(negated), isConjunction: false)
        case .or(let terms): return group(terms.map(negated), isConjunction: true)
        case .comparison(var comparison):
            switch comparison.quantifier {
            case nil:
                guard let negated = comparison.comparisonOperator.negated else { return PredicateNode(.not(node)) }
                comparison.comparisonOperator = negated
            case .any?: comparison.quantifier = Quantifier.none
            case Quantifier.none?: comparison.quantifier = .any
            case .all?: return PredicateNode(.not(node))
            }
            return PredicateNode(.comparison(comparison))
        }
    }

    private static func normal(_ comparison: Comparison) -> Comparison {
        var comparison = comparison
        if comparison.quantifier == nil, isConstant(comparison.lhs), !isConstant(comparison.rhs),
            let mirrored = comparison.comparisonOperator.mirrored
        {
            swap(&comparison.lhs, &comparison.rhs)
            comparison.comparisonOperator = mirrored
        }
        if comparison.comparisonOperator == .in, case .aggregate(let elements) = comparison.rhs.kind {
            var texts: [String: ExpressionNode] = [:]
            for element in elements { texts[text(of: element)] = element }
            comparison.rhs.kind = .aggregate(texts.sorted { $0.key < $1.key }.map(\.value))
        }
        return comparison
    }

    private static func text(of node: ExpressionNode) -> String {
        SyntaxTree(PredicateNode(.comparison(Comparison(node, .equal, [], node)))).text
    }

    private static func isConstant(_ node: ExpressionNode) -> Bool {
        switch node.kind {
        case .literal: true
        case .aggregate(let elements): elements.allSatisfy(isConstant)
        case .cast(let value, _): isConstant(value)
        default: false
        }
    }
}
