// Decides one record: logic, quantifiers, comparisons.

import Geospatial
import PredicateSyntax
import RecordModel

/// One evaluation of a bound tree on one record.
struct Evaluator<Source: RecordSource> {
    let source: Source
    let context: EvaluationContext
    /// The current elements of the enclosing SUBQUERY expressions, outermost first.
    var elements: [FieldValue] = []

    init(source: Source, context: EvaluationContext) {
        self.source = source
        self.context = context
    }

    /// Whether a predicate holds; AND and OR stop at the first term that decides them.
    mutating func holds(_ node: BoundNode) throws(EvaluationError) -> Bool {
        switch node {
        case .comparison(let comparison): return try holds(comparison)
        case .and(let terms):
            for term in terms where try !holds(term) { return false }
            return true
        case .or(let terms):
            for term in terms where try holds(term) { return true }
            return false
        case .not(let term): return try !holds(term)
        case .constant(let value): return value
        }
    }

    private mutating func holds(_ comparison: BoundComparison) throws(EvaluationError) -> Bool {
        switch comparison.shortcut {
        case .tokens(let search) where search.applies(to: source): return try holds(search, comparison)
        case .distance(let field, let test):
            switch source.value(at: field.slot) {
            case .location(let location): return test.contains(location)
            case .null: return false
            default: break
            }
        default: break
        }
        let lhs = try value(comparison.lhs)
        let rhs = try value(comparison.rhs)
        guard let quantifier = comparison.quantifier else { return try decide(lhs, rhs, comparison) }
        if lhs.isNull { return quantifier != .any }
        guard let elements = lhs.elements else {
            throw EvaluationError(
                kind: .typeMismatch, span: comparison.lhs.span,
                message: "\(quantifier.rawValue) needs a list on its left side, not \(lhs.phrase)",
                hint: "leave out \(quantifier.rawValue)")
        }
        // ALL looks for an element that fails, ANY and NONE for one that satisfies.
        let sought = quantifier != .all
        return try Self.contains(elements, comparison, rhs, deciding: sought) == (quantifier == .any)
    }

    /// Whether some element, nested lists opened, is decided as `sought`.
    private static func contains(
        _ elements: [FieldValue], _ comparison: BoundComparison, _ rhs: FieldValue, deciding sought: Bool
    ) throws(EvaluationError) -> Bool {
        for element in elements {
            switch element {
            case .list(let nested), .set(let nested):
                if try contains(nested, comparison, rhs, deciding: sought) { return true }
            default:
                if try decide(element, rhs, comparison) == sought { return true }
            }
        }
        return false
    }

    private static func decide(
        _ lhs: FieldValue, _ rhs: FieldValue, _ comparison: BoundComparison
    ) throws(EvaluationError) -> Bool {
        do {
            return try comparison.test.holds(lhs, rhs)
        } catch {
            throw error.located([comparison.lhs.span, comparison.rhs.span], whole: comparison.span)
        }
    }

    private func decide(
        _ lhs: FieldValue, _ rhs: FieldValue, _ comparison: BoundComparison
    ) throws(EvaluationError) -> Bool {
        try Self.decide(lhs, rhs, comparison)
    }

    private mutating func holds(
        _ search: TokenSearch, _ comparison: BoundComparison
    ) throws(EvaluationError) -> Bool {
        if let query = search.query { return query.matches(textsOf: source) }
        let text = try value(search.isMirrored ? comparison.lhs : comparison.rhs)
        switch text {
        case .null: return false
        case .string(let text): return search.query(for: text).matches(textsOf: source)
        default:
            // A record that is asked for a value and not for words: membership among its values.
            guard search.asksForMembers else {
                throw EvaluationError(
                    kind: .typeMismatch, span: (search.isMirrored ? comparison.lhs : comparison.rhs).span,
                    message: "a token search needs text, not \(text.phrase)")
            }
            let lhs = try value(comparison.lhs)
            return try decide(lhs, try value(comparison.rhs), comparison)
        }
    }
}
