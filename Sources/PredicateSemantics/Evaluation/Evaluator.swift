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
    /// Steps taken so far.
    private var steps = 0
    /// The steps at which the next look at the clock is due.
    private var nextLook = 64
    /// What is known of comparisons within SUBQUERY whose sides are the same for every element.
    var preparations: [ObjectIdentifier: PreparedSides] = [:]

    init(source: consuming Source, context: EvaluationContext) {
        self.source = source
        self.context = context
    }

    /// Whether operands are evaluated once for every element of a list.
    var isRepeating: Bool { !elements.isEmpty }

    /// Counts steps: lists within lists make one record as long a work as any.
    /// - Throws: `EvaluationError` of kind `stepLimit`, `cancelled` or `timeLimit`.
    mutating func spend(_ count: Int, _ span: SourceSpan) throws(EvaluationError) {
        steps &+= count
        guard steps >= nextLook else { return }
        nextLook = steps &+ 64
        if steps > context.maximumSteps {
            throw EvaluationError(
                kind: .stepLimit, span: span,
                message: "the predicate takes more than \(context.maximumSteps) steps for one record",
                hint: "compare long lists by IN, not by a SUBQUERY within a SUBQUERY")
        }
        try QueryDeadline.watch.check()
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
        case .place(let field, let test, let isNegated):
            switch source.value(at: field.slot) {
            case .location(let location): return test.contains(location) != isNegated
            case .null: return isNegated
            default: break
            }
        }
        if isRepeating {
            if parts.isLeftFixed || parts.isRightFixed { return try holdsAgain(parts) }
            let (lhs, rhs) = (try value(parts.form.lhs), try value(parts.form.rhs))
            // What is constant is prepared.
            let cost = (parts.isLeftConstant ? 0 : lhs.steps) &+ (parts.constant == nil ? rhs.steps : 0)
            try spend(1 &+ cost, parts.form.span)
            return try decide(lhs, rhs, parts)
        }
        let lhs = parts.slot >= 0 ? source.value(at: parts.slot) : try value(parts.form.lhs)
        let rhs = if let constant = parts.constant { constant } else { try value(parts.form.rhs) }
        return parts.form.quantifier == nil ? try parts.decide(lhs, rhs, parts.test) : try decide(lhs, rhs, parts)
    }

    /// Decides the values of both sides.
    ///
    /// - Parameter prepared: The comparison's test, where it is prepared for these values as far as that can be.
    mutating func decide(
        _ lhs: FieldValue, _ rhs: FieldValue, _ parts: BoundComparison.Parts, prepared: (any ComparisonTest)? = nil
    ) throws(EvaluationError) -> Bool {
        guard let quantifier = parts.form.quantifier else { return try parts.decide(lhs, rhs, prepared ?? parts.test) }
        if lhs.isNull { return quantifier != .any }
        guard let elements = lhs.elements else {
            throw EvaluationError(
                kind: .typeMismatch, span: parts.form.lhs.span,
                message: "\(quantifier.rawValue) needs a list on its left side, not \(lhs.phrase)",
                hint: "leave out \(quantifier.rawValue)")
        }
        // ALL looks for an element that fails, ANY and NONE for one that satisfies.
        let sought = quantifier != .all
        var test = ElementTest(parts, rhs, prepared: prepared)
        let isFound =
            if let written = parts.written {
                try contains(elements, written, &test, deciding: sought)
            } else {
                try contains(elements, &test, deciding: sought)
            }
        return isFound == (quantifier == .any)
    }

    /// Whether some element of a list that is written out is decided as `sought`.
    private mutating func contains(
        _ elements: [FieldValue], _ written: WrittenElements, _ test: inout ElementTest, deciding sought: Bool
    ) throws(EvaluationError) -> Bool {
        var other = ElementTest(test.parts, test.rhs, prepared: written.test)
        for (place, element) in elements.enumerated() {
            let isFound =
                written.read.contains(place)
                ? try contains([element], &test, deciding: sought) : try contains([element], &other, deciding: sought)
            if isFound { return true }
        }
        return false
    }

    /// Whether some element, nested lists opened, is decided as `sought`.
    private mutating func contains(
        _ elements: [FieldValue], _ test: inout ElementTest, deciding sought: Bool
    ) throws(EvaluationError) -> Bool {
        for element in elements {
            switch element {
            case .list(let nested), .set(let nested):
                try spend(1, test.parts.form.span)
                if try contains(nested, &test, deciding: sought) { return true }
            case .string(let text):
                try spend(1 &+ text.utf8.count >> 6, test.parts.form.span)
                if try test.holds(element) == sought { return true }
            default:
                try spend(1, test.parts.form.span)
                if try test.holds(element) == sought { return true }
            }
        }
        return false
    }

    private mutating func holds(
        _ search: TokenSearch, _ parts: BoundComparison.Parts
    ) throws(EvaluationError) -> Bool {
        if isRepeating {
            var bytes = 0
            source.forEachText { _, text in
                bytes += text.utf8.count
                return true
            }
            try spend(1 &+ bytes >> 6, parts.form.span)
        }
        if let query = search.query { return query.matches(textsOf: source) }
        let side = search.isMirrored ? parts.form.lhs : parts.form.rhs
        let text = try value(side)
        switch text {
        case .null: return false
        case .string(let text): return search.query(for: text).matches(textsOf: source)
        default:
            // A record that is searched for a value and not for words: membership among its values.
            guard search.searchesMembers else {
                throw EvaluationError(
                    kind: .typeMismatch, span: side.span,
                    message: "a token search needs text, not \(text.phrase)")
            }
            let lhs = try value(parts.form.lhs)
            return try parts.decide(lhs, try value(parts.form.rhs), parts.test)
        }
    }
}
