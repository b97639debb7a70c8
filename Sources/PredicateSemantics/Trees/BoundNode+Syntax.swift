// The bound tree as text, for plans and logs.

package import PredicateSyntax
import RecordModel
import TextAnalysis

extension BoundNode: CustomStringConvertible {
    /// The canonical text of what is left after folding; values that the language has no text for show as `%@`.
    package var description: String { SyntaxTree(syntax).text }

    /// The node as syntax, with constants where arguments and variables were.
    package var syntax: PredicateNode {
        switch self {
        case .constant(let value): PredicateNode(.constant(value))
        case .not(let term): PredicateNode(.not(term.syntax))
        case .and(let terms): PredicateNode(.and(terms.map(\.syntax)))
        case .or(let terms): PredicateNode(.or(terms.map(\.syntax)))
        case .comparison(let comparison): comparison.syntax
        }
    }
}

extension BoundComparison: CustomStringConvertible {
    /// The canonical text of the comparison.
    package var description: String { BoundNode.comparison(self).description }

    fileprivate var syntax: PredicateNode {
        var options = options.comparisonOptions
        if text.isPhrase { options.insert(.phrase) }
        let comparison = Comparison(
            quantifier: quantifier, lhs.syntax, comparisonOperator, options, rhs.syntax,
            operatorSpan: operatorSpan)
        return PredicateNode(.comparison(comparison), span: span)
    }
}

extension Operand: CustomStringConvertible {
    /// The canonical text of the operand.
    package var description: String {
        // Only predicates print; the operand is left of a comparison with nil.
        let nothing = ExpressionNode(.literal(.null))
        let text = SyntaxTree(PredicateNode(.comparison(Comparison(syntax, .equal, [], nothing)))).text
        return String(text.dropLast(" == nil".count))
    }

    /// The operand as syntax.
    package var syntax: ExpressionNode { ExpressionNode(syntaxKind, span: span) }

    private var syntaxKind: ExpressionNode.Kind {
        switch kind {
        case .constant(let value):
            TreeRewriter.expression(value, .value)?.kind
                ?? .placeholder(Placeholder(index: 0, kind: .value, text: "%@"))
        case .field(let field): .key(field.name)
        case .selfObject: .selfObject
        case .allTokens: .key("allTokens")
        case .element(_, let name), .variable(let name): .variable(name)
        case .path(let base, let steps): .path(base: base.syntax, steps: steps.flatMap(\.syntax))
        case .list(let members): .aggregate(members.map(\.syntax))
        case .unary(let operation, let base): .unary(operation, base.syntax)
        case .binary(let operation, let lhs, let rhs): .binary(operation, lhs.syntax, rhs.syntax)
        case .moved(let operation, let base, let span):
            .binary(operation, base.syntax, ExpressionNode(.literal(.duration(span))))
        case .function(let name, let arguments): .function(name, arguments.map(\.syntax))
        case .subquery(let collection, let variable, let predicate):
            .subquery(collection: collection.syntax, variable: variable, predicate: predicate.syntax)
        case .ternary(let condition, let then, let otherwise):
            .ternary(condition.syntax, then: then.syntax, otherwise: otherwise.syntax)
        case .cast(let value, let type): .cast(value.syntax, type: type.syntax)
        }
    }
}

extension BoundStep {
    /// The step as syntax; a collection operator is followed by the keys of its argument.
    fileprivate var syntax: [PathStep] {
        switch kind {
        case .key(let key): [PathStep(.key(key), span: span)]
        case .index(let index): [PathStep(.index(index.syntax), span: span)]
        case .first: [PathStep(.first, span: span)]
        case .last: [PathStep(.last, span: span)]
        case .size: [PathStep(.size, span: span)]
        case .collection(let operation, let argument):
            [PathStep(.collectionOperator(operation), span: span)]
                + (argument.isEmpty && operation != .count ? [PathStep(.selfObject)] : argument.flatMap(\.syntax))
        }
    }
}
