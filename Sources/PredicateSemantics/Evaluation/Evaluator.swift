// Decides one record: logic, quantifiers, comparisons.

import Deadlines
import Geospatial
import PredicateSyntax
import RecordModel

/// One evaluation of a bound tree on one record.
struct Evaluator<Source: RecordSource> {
    let source: Source
    let context: EvaluationContext
    /// The current elements of the enclosing SUBQUERY expressions, outermost first.
    var elements: [FieldValue] = []
    /// Elements looked at so far, in every SUBQUERY together.
    private var steps = 0

    init(source: consuming Source, context: EvaluationContext) {
        self.source = source
        self.context = context
    }

    /// Counts an element that is looked at: lists within lists make one record as long a work as any.
    /// - Throws: `EvaluationError` of kind `cancelled` or `timeLimit`.
    mutating func step() throws(EvaluationError) {
        steps &+= 1
        if steps % 64 == 0 { try QueryDeadline.watch.check() }
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
        let parts = comparison.parts
        switch parts.shortcut {
        case nil: break
        case .tokens(let search):
            if search.applies(to: source) { return try holds(search, parts) }
        case .distance(let field, let test):
            switch source.value(at: field.slot) {
            case .location(let location): return test.contains(location)
            case .null: return false
            default: break
            }
        }
        let lhs = parts.slot >= 0 ? source.value(at: parts.slot) : try value(parts.lhs)
        let rhs = if let constant = parts.constant { constant } else { try value(parts.rhs) }
        guard let quantifier = parts.quantifier else { return try Self.decide(lhs, rhs, parts) }
        if lhs.isNull { return quantifier != .any }
        guard let elements = lhs.elements else {
            throw EvaluationError(
                kind: .typeMismatch, span: parts.lhs.span,
                message: "\(quantifier.rawValue) needs a list on its left side, not \(lhs.phrase)",
                hint: "leave out \(quantifier.rawValue)")
        }
        // ALL looks for an element that fails, ANY and NONE for one that satisfies.
        let sought = quantifier != .all
        return try Self.contains(elements, parts, rhs, deciding: sought) == (quantifier == .any)
    }

    /// Whether some element, nested lists opened, is decided as `sought`.
    private static func contains(
        _ elements: [FieldValue], _ parts: BoundComparison.Parts, _ rhs: FieldValue, deciding sought: Bool
    ) throws(EvaluationError) -> Bool {
        let watch = QueryDeadline.watch
        for (index, element) in elements.enumerated() {
            if index % 64 == 63 { try watch.checkTime() }
            switch element {
            case .list(let nested), .set(let nested):
                if try contains(nested, parts, rhs, deciding: sought) { return true }
            default:
                if try decide(element, rhs, parts) == sought { return true }
            }
        }
        return false
    }

    private static func decide(
        _ lhs: FieldValue, _ rhs: FieldValue, _ parts: BoundComparison.Parts
    ) throws(EvaluationError) -> Bool {
        do {
            return try parts.test.holds(lhs, rhs)
        } catch {
            throw error.located([parts.lhs.span, parts.rhs.span], whole: parts.span)
        }
    }

    private mutating func holds(
        _ search: TokenSearch, _ comparison: BoundComparison.Parts
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
            return try Self.decide(lhs, try value(comparison.rhs), comparison)
        }
    }
}
