// Conditions on lists, and on values by lists and ranges.

import PredicateSemantics
import PredicateSyntax
public import RecordModel

extension FieldExpression where Value: ListOperand {
    /// The Swift type of the elements.
    public typealias Element = Value.Element

    private func quantified(_ quantifier: Quantifier) -> QuantifiedExpression<Element> {
        QuantifiedExpression(quantifier: quantifier, expression: FieldExpression<Element>(assemble))
    }

    /// Some element: `$0.tags.any == "x"`; false of an empty or missing list.
    public var any: QuantifiedExpression<Element> { quantified(.any) }
    /// Every element: `$0.scores.all > 50`; true of an empty or missing list.
    public var all: QuantifiedExpression<Element> { quantified(.all) }
    /// No element: `$0.scores.none < 0`; true of an empty or missing list.
    public var none: QuantifiedExpression<Element> { quantified(.none) }

    /// Number of elements; nil of a missing list.
    public var count: FieldExpression<Int> { with(.collectionOperator(.count)) }
    /// The first element; nil of an empty list.
    public var first: FieldExpression<Element> { with(.first) }
    /// The last element; nil of an empty list.
    public var last: FieldExpression<Element> { with(.last) }
    /// The smallest element; nil of an empty list.
    public func min() -> FieldExpression<Element> { with(.collectionOperator(.min)) }
    /// The largest element; nil of an empty list.
    public func max() -> FieldExpression<Element> { with(.collectionOperator(.max)) }

    /// The element at a place, from 0; a place that the list does not have is an error.
    public subscript(index: Int) -> FieldExpression<Element> {
        with(.index(ExpressionNode(.literal(.integer(Int64(index))))))
    }

    /// The elements that satisfy a predicate.
    public func filter(_ test: (FieldExpression<Element>) -> some PredicateConvertible) -> FieldExpression<[Element]> {
        let (variable, test) = element(test)
        return FieldExpression<[Element]> { assembly in
            let list = assemble(&assembly)
            let name = variable.bind(&assembly)
            return ExpressionNode(.subquery(collection: list, variable: name, predicate: test.assemble(&assembly)))
        }
    }

    /// Whether some element satisfies a predicate.
    public func contains(where test: (FieldExpression<Element>) -> some PredicateConvertible) -> FieldPredicate {
        filter(test).count > 0
    }

    /// Whether every element satisfies a predicate; true of an empty or missing list.
    public func allSatisfy(_ test: (FieldExpression<Element>) -> some PredicateConvertible) -> FieldPredicate {
        !contains { !test($0).fieldPredicate }
    }

    /// A variable for the elements, and a predicate on it.
    private func element(
        _ test: (FieldExpression<Element>) -> some PredicateConvertible
    ) -> (ElementVariable, FieldPredicate) {
        let variable = ElementVariable()
        return (variable, test(FieldExpression<Element> { _ in variable.node }).fieldPredicate)
    }
}

/// The variable of one SUBQUERY, which gets its name when the tree is assembled.
private final class ElementVariable {
    private var name = ""
    var node: ExpressionNode { ExpressionNode(.variable(name)) }

    func bind(_ assembly: inout TreeAssembly) -> String {
        name = assembly.newVariable()
        return name
    }
}

extension FieldExpression where Value: ListOperand, Value.Element: FieldOperand {
    /// Whether an element equals a value.
    public func contains<Other: FieldOperand>(_ value: Other) -> FieldPredicate
    where Other.Family == Value.Element.Family { compared(.contains, constant: value) }

    /// Whether an element equals the value of another field.
    public func contains<Other: FieldOperand>(_ other: FieldExpression<Other>) -> FieldPredicate
    where Other.Family == Value.Element.Family { compared(.contains, other) }

    /// Whether every one of the values is an element; true of no values.
    public func contains<Other: FieldOperand>(allOf values: some Sequence<Other>) -> FieldPredicate
    where Other.Family == Value.Element.Family {
        QuantifiedExpression<Other>(quantifier: .all, expression: FieldExpression<Other>(constant: Array(values)))
            .compared(.in, self)
    }

    /// Whether one of the values is an element.
    public func contains<Other: FieldOperand>(anyOf values: some Sequence<Other>) -> FieldPredicate
    where Other.Family == Value.Element.Family { any.compared(.in, constant: Array(values)) }
}

extension FieldExpression where Value: ListOperand, Value.Element: FieldOperand, Value.Element.Family == NumberFamily {
    /// The sum of the elements.
    public func sum() -> FieldExpression<Number> { with(.collectionOperator(.sum)) }
    /// The mean of the elements; nil of an empty list.
    public func average() -> FieldExpression<Number> { with(.collectionOperator(.avg)) }
}

extension ComparedOperand where Value: FieldOperand {
    /// Whether the value is one of those.
    public func `in`<Other: FieldOperand>(_ values: some Sequence<Other>) -> FieldPredicate
    where Other.Family == Value.Family { compared(.in, constant: Array(values)) }

    /// Whether the value is an element of a list field.
    public func `in`<List: ListOperand>(_ list: FieldExpression<List>) -> FieldPredicate
    where List.Element: FieldOperand, List.Element.Family == Value.Family { compared(.in, list) }
}

extension ComparedOperand where Value: RawRepresentable, Value.RawValue: FieldValueConvertible {
    /// Whether the value is one of those cases.
    public func `in`(_ values: some Sequence<Value>) -> FieldPredicate {
        compared(.in, constant: values.map(\.rawValue))
    }
}

extension ComparedOperand where Value: FieldOperand, Value.Family: OrderedFamily {
    /// Whether the value lies between two others, or equals one of them. The smaller one may be either.
    public func between<Other: FieldOperand>(_ lower: Other, _ upper: Other) -> FieldPredicate
    where Other.Family == Value.Family { compared(.between, constant: [lower, upper]) }

    /// Whether the value lies in a range.
    public func between<Other: FieldOperand & Comparable>(_ range: ClosedRange<Other>) -> FieldPredicate
    where Other.Family == Value.Family { between(range.lowerBound, range.upperBound) }
}

extension Sequence where Element: FieldOperand {
    /// Whether a field's value is one of the elements.
    public func contains<Value: FieldOperand>(_ value: FieldExpression<Value>) -> FieldPredicate
    where Value.Family == Element.Family { value.in(self) }
}

extension ClosedRange where Bound: FieldOperand {
    /// Whether a field's value lies in the range.
    public func contains<Value: FieldOperand>(_ value: FieldExpression<Value>) -> FieldPredicate
    where Value.Family == Bound.Family, Value.Family: OrderedFamily { value.between(lowerBound, upperBound) }
}

extension Range where Bound: FieldOperand {
    /// Whether a field's value lies in the range, its upper bound left out.
    public func contains<Value: FieldOperand>(_ value: FieldExpression<Value>) -> FieldPredicate
    where Value.Family == Bound.Family, Value.Family: OrderedFamily { value >= lowerBound && value < upperBound }
}
