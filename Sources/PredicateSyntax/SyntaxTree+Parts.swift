// The parts of a syntax tree: the one place that says which contain which.

/// A part of a syntax tree.
package enum SyntaxPart {
    case predicate(PredicateNode)
    case expression(ExpressionNode)
    case step(PathStep)
}

extension PredicateNode {
    /// Visits the node and all within, each before what it consists of, else in the order of the canonical text.
    package func forEachPart(_ visit: (SyntaxPart) -> Void) {
        visit(.predicate(self))
        switch kind {
        case .constant: break
        case .comparison(let comparison):
            comparison.lhs.forEachPart(visit)
            comparison.rhs.forEachPart(visit)
        case .not(let negated): negated.forEachPart(visit)
        case .and(let terms), .or(let terms): for term in terms { term.forEachPart(visit) }
        }
    }
}

extension ExpressionNode {
    /// Visits the node and all within, as `PredicateNode.forEachPart`.
    fileprivate func forEachPart(_ visit: (SyntaxPart) -> Void) {
        visit(.expression(self))
        switch kind {
        case .literal, .key, .selfObject, .variable, .placeholder: break
        case .path(let base, let steps):
            base.forEachPart(visit)
            for step in steps {
                visit(.step(step))
                if case .index(let index) = step.kind { index.forEachPart(visit) }
            }
        case .aggregate(let elements), .function(_, let elements):
            for element in elements { element.forEachPart(visit) }
        case .unary(_, let operand): operand.forEachPart(visit)
        case .binary(_, let first, let second), .cast(let first, let second):
            first.forEachPart(visit)
            second.forEachPart(visit)
        case .subquery(let collection, _, let predicate):
            collection.forEachPart(visit)
            predicate.forEachPart(visit)
        case .ternary(let condition, let first, let second):
            condition.forEachPart(visit)
            first.forEachPart(visit)
            second.forEachPart(visit)
        }
    }
}
