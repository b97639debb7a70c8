// Foundation's operators: logic, comparisons, arithmetic, optionals.

import FoundationEssentials
import PredicateSyntax

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let first = try translation.truth(of: lhs)
        return .truth(.all([first, try translation.truth(of: rhs)]))
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let first = try translation.truth(of: lhs)
        return .truth(.any([first, try translation.truth(of: rhs)]))
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        .truth(PredicateNode(.not(try translation.truth(of: wrapped))))
    }
}

extension PredicateTranslation {
    fileprivate mutating func comparison(
        _ lhs: any PredicateExpression, _ comparisonOperator: ComparisonOperator, _ rhs: any PredicateExpression
    ) throws(UntranslatableExpression) -> TranslatedExpression {
        let left = try value(of: lhs)
        return .truth(.comparison(left, comparisonOperator, try value(of: rhs)))
    }

    fileprivate mutating func operation(
        _ lhs: any PredicateExpression, _ operation: BinaryOperator, _ rhs: any PredicateExpression
    ) throws(UntranslatableExpression) -> TranslatedExpression {
        let left = try value(of: lhs)
        return .value(ExpressionNode(.binary(operation, left, try value(of: rhs))))
    }
}

extension PredicateExpressions.Equal: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        try translation.comparison(lhs, .equal, rhs)
    }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        try translation.comparison(lhs, .notEqual, rhs)
    }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let comparisonOperator: ComparisonOperator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqual
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqual
            @unknown default:
                throw UntranslatableExpression(
                    expression: PredicateTranslation.name(of: self), message: "the operator is not known")
            }
        return try translation.comparison(lhs, comparisonOperator, rhs)
    }
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let operation: BinaryOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default:
                throw UntranslatableExpression(
                    expression: PredicateTranslation.name(of: self), message: "the operator is not known")
            }
        return try translation.operation(lhs, operation, rhs)
    }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        try translation.operation(lhs, .divide, rhs)
    }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        try translation.operation(lhs, .divide, rhs)
    }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let left = try translation.value(of: lhs)
        return .value(ExpressionNode(.function(.modulusBy, [left, try translation.value(of: rhs)])))
    }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        .value(ExpressionNode(.unary(.minus, try translation.value(of: wrapped))))
    }
}

// MARK: Optionals and conditions

extension PredicateExpressions.NilLiteral: TranslatableExpression {
    func translated(_: inout PredicateTranslation) -> TranslatedExpression { .value(ExpressionNode(.literal(.null))) }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        .value(try translation.value(of: inner))
    }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        .value(
            try translation.value(unlessNil: lhs) { (inner) throws(UntranslatableExpression) in
                try inner.value(of: lhs)
            } otherwise: { (inner) throws(UntranslatableExpression) in
                try inner.value(of: rhs)
            })
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        translation.bindings[variable.key] = .unwrapped(wrapped)
        defer { translation.bindings[variable.key] = nil }
        // A path is nil by itself where something on its way is.
        if Self.isPath(transform) { return .value(try translation.value(of: transform)) }
        return .value(
            try translation.value(unlessNil: wrapped) { (inner) throws(UntranslatableExpression) in
                try inner.value(of: transform)
            } otherwise: { _ in
                ExpressionNode(.literal(.null))
            })
    }

    private static func isPath(_ expression: any PredicateExpression) -> Bool {
        (expression as? any MemberExpression)?.isPath ?? false
    }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let condition = try translation.truth(of: test)
        let first = try translation.value(of: trueBranch)
        return .value(
            ExpressionNode(.ternary(condition, then: first, otherwise: try translation.value(of: falseBranch))))
    }
}
