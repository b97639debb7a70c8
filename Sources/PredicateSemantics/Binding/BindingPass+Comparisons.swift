// Binds comparisons: operands, kinds, prepared constants.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension BindingPass {
    mutating func bind(_ comparison: Comparison, _ span: SourceSpan) throws(BindingError) -> BoundNode {
        let outerOptions = tokenOptions
        defer { tokenOptions = outerOptions }
        let isPhrase = comparison.options.contains(.phrase)
        let options = TextOptions(comparison.options)
        let folding = options.union(tokenizing(comparison.lhs)).union(tokenizing(comparison.rhs))
        tokenOptions = folding.subtracting(.localeSensitive)

        let lhs = try bind(comparison.lhs)
        let rhs = try bind(comparison.rhs)
        if comparison.comparisonOperator == .matches { try countClasses(of: rhs, options) }
        var text = TextSettings(options: options, isPhrase: isPhrase, shared: sharedText)
        text.analyzers = analyzers(lhs, comparison.comparisonOperator, rhs)
        return try compare(
            BoundComparison.Form(
                quantifier: comparison.quantifier, lhs: lhs, comparisonOperator: comparison.comparisonOperator,
                text: text, rhs: rhs, span: place(span), operatorSpan: place(comparison.operatorSpan)))
    }

    /// The analyzers of the fields that a comparison searches for words.
    private func analyzers(_ lhs: Operand, _ comparisonOperator: ComparisonOperator, _ rhs: Operand) -> FieldAnalyzers?
    {
        guard let all = settings.analyzers else { return nil }
        switch (comparisonOperator, lhs.kind, rhs.kind) {
        case (.tokenMatches, .field(let field), _): return all.only(field.name)
        case (.tokenMatches, .allTokens, _), (.tokenMatches, .selfObject, _), (.contains, .selfObject, _),
            (.in, _, .selfObject):
            return all
        default: return nil
        }
    }

    /// Adds up what the patterns of the predicate take to compile; a pattern that takes too much alone says so itself.
    private mutating func countClasses(of pattern: Operand, _ options: TextOptions) throws(BindingError) {
        guard case .string(let text) = pattern.constant else { return }
        let ignoresCase = options.contains(.caseInsensitive)
        let cost = RegularExpression.classCost(of: text, ignoringCase: ignoresCase)
        guard cost <= PatternLimits.default.patternClasses * PatternLimits.classesWithCase else { return }
        patternCost += cost
        guard patternCost <= PatternLimits.predicateClasses * PatternLimits.classesWithCase else {
            throw BindingError(
                kind: .invalidPattern, span: pattern.span,
                message: "the regular expressions of the predicate have too many classes of characters",
                hint: "use several predicates")
        }
    }

    /// A comparison of bound operands, or its truth where both are known.
    func compare(_ form: BoundComparison.Form) throws(BindingError) -> BoundNode {
        let form = try form.readingDates()
        if schema != nil { try check(form.comparisonOperator, form.quantifier, form.lhs, form.rhs) }

        let plain = BoundComparison(parts: BoundComparison.Parts(form, test: try prepare(form)))
        if form.lhs.constant != nil, form.rhs.constant != nil, let value = Self.fold(.comparison(plain)) {
            return .constant(value)
        }
        return .comparison(plain.shortened)
    }

    /// The folding that a `tokenize:using:` requests, so that `tokenize(q, 'cd') IN allTokens` folds both alike.
    private func tokenizing(_ expression: ExpressionNode) -> TextOptions {
        guard case .function(.tokenize, let arguments) = expression.kind, arguments.count == 2 else { return [] }
        let letters: FieldValue? =
            switch arguments[1].kind {
            case .literal(.string(let letters)): .string(letters)
            case .placeholder(let placeholder):
                self.arguments.indices.contains(placeholder.index) ? self.arguments[placeholder.index] : nil
            default: nil
            }
        return letters.flatMap { try? Functions.options($0) } ?? []
    }

    /// The operator's test, prepared from the constant sides.
    ///
    /// A constant that the operator cannot take is left for evaluation to complain about, except where nothing else
    /// could come of it: a broken pattern, a list that is no pair of bounds, and anything at all under a schema.
    private func prepare(_ form: BoundComparison.Form) throws(BindingError) -> any ComparisonTest {
        do {
            return try form.test(form.constants)
        } catch {
            let located = error.located([form.lhs.span, form.rhs.span], whole: form.lhs.span)
            // Bounds are part of the language's form: there is no text for a BETWEEN of another number of them.
            let isPair = form.comparisonOperator != .between || form.rhs.constant?.elements == nil
            guard schema == nil, isPair, error.kind != .invalidPattern,
                let test = try? form.test(ConstantOperands())
            else {
                throw BindingError(
                    kind: error.kind == .invalidPattern ? .invalidPattern : .typeMismatch, span: located.span,
                    message: error.message, hint: error.hint)
            }
            return test
        }
    }

    private func check(
        _ comparisonOperator: ComparisonOperator, _ quantifier: Quantifier?, _ lhs: Operand, _ rhs: Operand
    ) throws(BindingError) {
        var type = lhs.type
        if let quantifier {
            guard let element = lhs.type.element else {
                throw BindingError(
                    kind: .typeMismatch, span: lhs.span,
                    message: "\(quantifier.rawValue) needs a list on its left side, not \(lhs.type.phrase)",
                    hint: "leave out \(quantifier.rawValue)")
            }
            type = element.flattened
        }
        guard var clash = comparisonOperator.semantics.clash(type, rhs.type) else { return }
        // Of a field and a constant it is the constant that does not fit.
        if clash.operand == 1, lhs.constant != nil, rhs.constant == nil, !type.fits(rhs.type), rhs.type.isOrderable {
            clash.operand = 0
        }
        throw BindingError(
            kind: .typeMismatch, span: clash.operand == 0 ? lhs.span : rhs.span, message: clash.message,
            hint: quantifier == nil ? rewritten(comparisonOperator, lhs, rhs) ?? clash.hint : clash.hint)
    }

    /// What orders a text and a number as numbers, where one of them is a constant. Errors repeat no arguments: where
    /// there are any, the constant is left out.
    private func rewritten(
        _ comparisonOperator: ComparisonOperator, _ lhs: Operand, _ rhs: Operand
    ) -> String? {
        switch comparisonOperator {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: break
        default: return nil
        }
        let sign = comparisonOperator.rawValue
        let (left, right) = arguments.isEmpty ? ("\(lhs)", "\(rhs)") : ("…", "…")
        switch (lhs.type, rhs.type) {
        case (.string, .number) where lhs.constant == nil && rhs.constant != nil:
            return "as numbers: CAST(\(lhs), 'NSNumber') \(sign) \(right)"
        case (.number, .string) where rhs.constant == nil && lhs.constant != nil:
            return "as numbers: \(left) \(sign) CAST(\(rhs), 'NSNumber')"
        case (.number, .string):
            guard arguments.isEmpty, case .string(let text)? = rhs.constant, Double(text) != nil else { return nil }
            return "leave the quotes out: \(lhs) \(sign) \(text)"
        default: return nil
        }
    }

    /// The truth of a predicate without fields; nil when it has no meaning.
    static func fold(_ node: BoundNode) -> Bool? {
        var evaluator = Evaluator(source: PlainValue.none, context: .unused)
        return try? evaluator.holds(node)
    }
}

extension OperandType {
    /// The kind of the elements that a quantifier meets: nested lists are opened.
    var flattened: OperandType {
        switch self {
        case .list(let element), .set(let element): element.flattened
        default: self
        }
    }
}
