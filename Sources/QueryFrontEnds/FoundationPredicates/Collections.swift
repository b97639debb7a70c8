// Foundation's conditions on texts, lists, dictionaries and ranges.

import FoundationEssentials
import PredicateSyntax
import RecordModel

extension PredicateTranslation {
    /// A test of one text by another. An empty text is part of every text in Swift, and of none in the language.
    fileprivate mutating func textTest<Text, Other>(
        _ text: any PredicateExpression<Text>, _ comparisonOperator: ComparisonOperator,
        _ other: any PredicateExpression<Other>, in expression: any PredicateExpression
    ) throws(UntranslatableExpression) -> TranslatedExpression {
        guard Text.self is any StringProtocol.Type, Other.self is any StringProtocol.Type else {
            throw UntranslatableExpression(
                expression: Self.name(of: expression), message: "only single elements of lists can be looked for")
        }
        let left = try value(of: text)
        let right = try value(of: other)
        if case .literal(.string("")) = right.kind { return .truth(PredicateNode(.constant(true))) }
        return .truth(.comparison(left, comparisonOperator, right))
    }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        try translation.textTest(base, .contains, other, in: self)
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        try translation.textTest(base, .beginsWith, prefix, in: self)
    }
}

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        // The language has `element IN list` and `list CONTAINS element`; the side of the constant decides which.
        if sequence is PredicateExpressions.Value<LHS.Output> {
            let member = try translation.value(of: element)
            return .truth(.comparison(member, .in, try translation.value(of: sequence)))
        }
        let list = try translation.value(of: sequence)
        return .truth(.comparison(list, .contains, try translation.value(of: element)))
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        .truth(try translation.exists(in: sequence, variable.key, where: test))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        .truth(
            PredicateNode(.not(try translation.exists(in: sequence, variable.key, where: test, isNegated: true))))
    }
}

extension PredicateExpressions.Filter: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let list = try translation.value(of: sequence)
        return try translation.withElement(variable.key) { (inner, name) throws(UntranslatableExpression) in
            .value(
                ExpressionNode(.subquery(collection: list, variable: name, predicate: try inner.truth(of: filter))))
        }
    }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let list = try translation.value(of: elements)
        return .value(TreeAssembly.node(list, [PathStep(.collectionOperator(.min))]))
    }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let list = try translation.value(of: elements)
        return .value(TreeAssembly.node(list, [PathStep(.collectionOperator(.max))]))
    }
}

// MARK: Subscripts

extension PredicateTranslation {
    fileprivate mutating func element(
        _ key: any PredicateExpression, of base: any PredicateExpression
    ) throws(UntranslatableExpression) -> ExpressionNode {
        let base = try value(of: base)
        return TreeAssembly.node(base, [PathStep(.index(try value(of: key)))])
    }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        .value(try translation.element(index, of: wrapped))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        .value(try translation.element(key, of: wrapped))
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        let null = ExpressionNode(.literal(.null))
        let isPresent = PredicateNode.comparison(try translation.element(key, of: wrapped), .notEqual, null)
        let member = try translation.element(key, of: wrapped)
        return .value(
            ExpressionNode(.ternary(isPresent, then: member, otherwise: try translation.value(of: `default`))))
    }
}

// MARK: Ranges

/// Where a range begins and ends, as expressions of Foundation or as constants.
private struct RangeBounds {
    typealias Bound = (inout PredicateTranslation) throws(UntranslatableExpression) -> ExpressionNode
    var lower: Bound?
    var upper: Bound?
    var includesUpper = false
}

private protocol BoundedExpression {
    var bounds: RangeBounds? { get }
}

extension PredicateExpressions.ClosedRange: BoundedExpression {
    fileprivate var bounds: RangeBounds? {
        RangeBounds(
            lower: { (translation) throws(UntranslatableExpression) in try translation.value(of: lower) },
            upper: { (translation) throws(UntranslatableExpression) in try translation.value(of: upper) },
            includesUpper: true)
    }
}

extension PredicateExpressions.Range: BoundedExpression {
    fileprivate var bounds: RangeBounds? {
        RangeBounds(
            lower: { (translation) throws(UntranslatableExpression) in try translation.value(of: lower) },
            upper: { (translation) throws(UntranslatableExpression) in try translation.value(of: upper) })
    }
}

extension PredicateExpressions.Value: BoundedExpression {
    fileprivate var bounds: RangeBounds? { (value as? any ConstantRange)?.bounds }
}

private protocol ConstantRange {
    var bounds: RangeBounds { get }
}

extension ConstantRange {
    fileprivate static func bound(_ value: Any) -> RangeBounds.Bound {
        { (translation) throws(UntranslatableExpression) in try translation.constant(value) }
    }
}

extension ClosedRange: ConstantRange {
    fileprivate var bounds: RangeBounds {
        RangeBounds(lower: Self.bound(lowerBound), upper: Self.bound(upperBound), includesUpper: true)
    }
}

extension Range: ConstantRange {
    fileprivate var bounds: RangeBounds {
        RangeBounds(lower: Self.bound(lowerBound), upper: Self.bound(upperBound))
    }
}

extension PartialRangeFrom: ConstantRange {
    fileprivate var bounds: RangeBounds { RangeBounds(lower: Self.bound(lowerBound)) }
}

extension PartialRangeUpTo: ConstantRange {
    fileprivate var bounds: RangeBounds { RangeBounds(upper: Self.bound(upperBound)) }
}

extension PartialRangeThrough: ConstantRange {
    fileprivate var bounds: RangeBounds { RangeBounds(upper: Self.bound(upperBound), includesUpper: true) }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        guard let bounds = (range as? any BoundedExpression)?.bounds else {
            throw UntranslatableExpression(
                expression: PredicateTranslation.name(of: range), message: "the range has no bounds that are known")
        }
        if let lower = bounds.lower, let upper = bounds.upper, bounds.includesUpper {
            let member = try translation.value(of: element)
            let least = try lower(&translation)
            return .truth(
                .comparison(member, .between, ExpressionNode(.aggregate([least, try upper(&translation)]))))
        }
        var terms: [PredicateNode] = []
        for (bound, comparison) in [
            (bounds.lower, ComparisonOperator.greaterThanOrEqual),
            (bounds.upper, bounds.includesUpper ? .lessThanOrEqual : .lessThan),
        ] {
            guard let bound else { continue }
            let member = try translation.value(of: element)
            terms.append(.comparison(member, comparison, try bound(&translation)))
        }
        return .truth(terms.count == 1 ? terms[0] : .all(terms))
    }
}
