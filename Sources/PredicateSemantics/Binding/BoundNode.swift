// The bound tree: truth. Predicates over resolved operands.

import Geospatial
package import PredicateSyntax
package import TextAnalysis

/// A truth-valued node of a bound predicate.
package indirect enum BoundNode: Sendable {
    /// True or false whatever the record.
    case constant(Bool)
    case not(BoundNode)
    /// All of two or more.
    case and([BoundNode])
    /// One of two or more.
    case or([BoundNode])
    case comparison(BoundComparison)
}

/// A comparison whose operands are resolved and whose constant side is prepared.
package struct BoundComparison: Sendable {
    /// How the left side is iterated; nil compares it as it is.
    package let quantifier: Quantifier?
    package let lhs: Operand
    package let comparisonOperator: ComparisonOperator
    /// How the operator compares text.
    let text: TextSettings
    package let rhs: Operand
    /// The whole comparison in the predicate's text.
    package let span: SourceSpan
    /// The operator with its options.
    package let operatorSpan: SourceSpan
    /// Decides two values; whatever could be prepared from a constant side already is.
    let test: any ComparisonTest
    /// Decides on the record instead of on values, where that is what the comparison means or is faster.
    let shortcut: Shortcut?

    /// Another way to decide than by the values of both sides.
    enum Shortcut: Sendable {
        /// Words among the record's texts.
        case tokens(TokenSearch)
        /// A location field within a range of distances from a constant place.
        case distance(FieldReference, DistanceTest)
    }

    /// The options that the operator obeys.
    package var options: TextOptions { text.options }

    /// The requirement on one field, or on the record's tokens, that an index could answer; nil when the comparison is
    /// of no such shape.
    package var constraint: FieldConstraint? {
        if case .tokens(let search) = shortcut, let query = search.query {
            return FieldConstraint(.allTokens, .tokens(query.terms, query.mode, search.options))
        }
        return comparisonOperator.semantics.constraint(self)
    }
}
