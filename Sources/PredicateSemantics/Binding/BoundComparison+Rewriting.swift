// Comparisons made from comparisons: what a simplifier puts in the place of several.

import Geospatial
package import PredicateSyntax
package import RecordModel

extension BoundComparison {
    /// A comparison with its test prepared.
    ///
    /// - Throws: `ValueFault` when a constant side has no meaning.
    init(_ form: Form) throws(ValueFault) {
        self.init(parts: Parts(form, test: try form.test(form.constants)))
        self = shortened
    }

    /// The comparison with the shortcut that its shape allows; itself where there is none.
    var shortened: BoundComparison {
        guard quantifier == nil, let shortcut = possibleShortcut else { return self }
        return BoundComparison(parts: Parts(form, test: parts.test, shortcut: shortcut))
    }

    private var possibleShortcut: Shortcut? {
        if let search = TokenSearch(comparisonOperator, lhs, rhs, text) { return .tokens(search) }
        guard lhs.isFunction || rhs.isFunction, let constraint,
            let test = constraint.requirement.placeTest,
            let field = constraint.subject.field, constraint.subject.keys.isEmpty
        else { return nil }
        return .place(field, test, isNegated: constraint.isNegated)
    }

    /// The side that is no constant: what the comparison is about, where it compares something with a constant.
    package var subject: Operand { lhs.constant == nil ? lhs : rhs }

    /// The same subject under the same text options, compared with something else.
    ///
    /// - Parameters:
    ///   - constant: The right side.
    ///   - span: The place in the predicate's text of what the comparison stands for.
    /// - Returns: `nil` when the constant has no meaning for the operator.
    package func rewritten(
        _ comparisonOperator: ComparisonOperator, _ constant: FieldValue, quantifier: Quantifier? = nil,
        span: SourceSpan
    ) -> BoundComparison? {
        let rhs = Operand(constant: constant, span: span)
        return try? BoundComparison(
            Form(
                quantifier: quantifier, lhs: subject, comparisonOperator: comparisonOperator, text: text, rhs: rhs,
                span: span, operatorSpan: operatorSpan))
    }

    /// The comparison that holds exactly where this one does not, by another operator or quantifier; `nil` where the
    /// language has none: `NOT (a < 3)` holds for a record without `a`, and `a >= 3` does not.
    package var negation: BoundComparison? {
        switch quantifier {
        case nil: comparisonOperator.negated.flatMap { with(nil, $0) }
        case .some(.any): with(Quantifier.none, comparisonOperator)
        case .some(.none): with(.any, comparisonOperator)
        case .some(.all): comparisonOperator.negated.flatMap { with(.any, $0) }
        }
    }

    /// The same operands under another quantifier or operator.
    package func with(_ quantifier: Quantifier?, _ comparisonOperator: ComparisonOperator) -> BoundComparison? {
        var form = form
        (form.quantifier, form.comparisonOperator) = (quantifier, comparisonOperator)
        return try? BoundComparison(form)
    }

    /// −1, 0 or 1 as the comparison orders two values; `nil` for values that have no order.
    package func order(_ a: FieldValue, _ b: FieldValue) -> Int? {
        try? ValueOrder(text: text, name: comparisonOperator.rawValue).compare(a, b)
    }
}

extension BoundComparison.Form {
    /// The sides that are constants and the same for every element.
    var constants: ConstantOperands {
        ConstantOperands(lhs: quantifier == nil ? lhs.constant : nil, rhs: rhs.constant)
    }
}

extension BoundPredicate {
    /// The same predicate with another tree, which reads no field that the old one does not.
    package func replacingRoot(_ root: BoundNode) -> BoundPredicate {
        BoundPredicate(root: root, names: names, usesContext: usesContext, openVariables: openVariables)
    }
}

extension SourceSpan {
    /// The stretch from the first byte of either to the last; the other one where one is nowhere.
    package func union(_ other: SourceSpan) -> SourceSpan {
        if range.isEmpty { return other }
        if other.range.isEmpty { return self }
        return SourceSpan(
            min(range.lowerBound, other.range.lowerBound), max(range.upperBound, other.range.upperBound))
    }
}

extension Operand {
    fileprivate var isFunction: Bool { if case .function = kind { true } else { false } }
}
