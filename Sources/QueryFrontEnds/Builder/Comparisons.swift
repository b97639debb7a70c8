// Comparison operators between fields and constants.

import PredicateSemantics
import PredicateSyntax
public import RecordModel

/// The left side of a comparison: a value, or the elements of a list one by one.
public protocol ComparedOperand<Value> {
    associatedtype Value
    var compared: QuantifiedExpression<Value> { get }
}

/// The elements of a list, of which some, all or none are to satisfy a comparison: `$0.scores.all > 50`.
public struct QuantifiedExpression<Value>: ComparedOperand {
    let quantifier: Quantifier?
    let expression: FieldExpression<Value>

    public var compared: QuantifiedExpression<Value> { self }
}

extension FieldExpression: ComparedOperand {
    public var compared: QuantifiedExpression<Value> { QuantifiedExpression(quantifier: nil, expression: self) }
}

extension ComparedOperand {
    /// The comparison with another value.
    func compared<Other>(
        _ comparisonOperator: ComparisonOperator, _ other: FieldExpression<Other>, _ options: ComparisonOptions = []
    ) -> FieldPredicate {
        let compared = compared
        return FieldPredicate { assembly in
            let left = compared.expression.assemble(&assembly)
            return .comparison(
                left, comparisonOperator, other.assemble(&assembly), options: options, quantifier: compared.quantifier)
        }
    }

    /// The comparison with a constant.
    func compared(
        _ comparisonOperator: ComparisonOperator, constant: some FieldValueConvertible,
        _ options: ComparisonOptions = []
    ) -> FieldPredicate {
        compared(comparisonOperator, FieldExpression<FieldValue>(constant: constant), options)
    }
}

/// Stands for `nil` in `$0.nickname == nil`.
public struct NoValue: ExpressibleByNilLiteral, FieldValueConvertible, Sendable {
    public init(nilLiteral: ()) {}
    public var fieldValue: FieldValue { .null }
}

// MARK: Values of one family

// The disfavoured twins take what needs a type from its context: `.kilometers(5)`, `.now`.

public func == <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family { a.compared(.equal, constant: b) }
@_disfavoredOverload
public func == <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand { a.compared(.equal, constant: b) }
public func == <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family { a.compared(.equal, b) }
public func == <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family { FieldExpression<L>(constant: a).compared(.equal, b) }

public func != <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family { a.compared(.notEqual, constant: b) }
@_disfavoredOverload
public func != <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand { a.compared(.notEqual, constant: b) }
public func != <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family { a.compared(.notEqual, b) }
public func != <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family { FieldExpression<L>(constant: a).compared(.notEqual, b) }

public func < <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.lessThan, constant: b)
}
@_disfavoredOverload
public func < <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family: OrderedFamily { a.compared(.lessThan, constant: b) }
public func < <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily { a.compared(.lessThan, b) }
public func < <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family, L.Family: OrderedFamily { FieldExpression<L>(constant: a).compared(.lessThan, b) }

public func <= <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.lessThanOrEqual, constant: b)
}
@_disfavoredOverload
public func <= <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family: OrderedFamily { a.compared(.lessThanOrEqual, constant: b) }
public func <= <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.lessThanOrEqual, b)
}
public func <= <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family, L.Family: OrderedFamily { FieldExpression<L>(constant: a).compared(.lessThanOrEqual, b) }

public func > <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.greaterThan, constant: b)
}
@_disfavoredOverload
public func > <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family: OrderedFamily { a.compared(.greaterThan, constant: b) }
public func > <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily { a.compared(.greaterThan, b) }
public func > <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family, L.Family: OrderedFamily { FieldExpression<L>(constant: a).compared(.greaterThan, b) }

public func >= <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.greaterThanOrEqual, constant: b)
}
@_disfavoredOverload
public func >= <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family: OrderedFamily { a.compared(.greaterThanOrEqual, constant: b) }
public func >= <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.greaterThanOrEqual, b)
}
public func >= <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family, L.Family: OrderedFamily { FieldExpression<L>(constant: a).compared(.greaterThanOrEqual, b) }

// MARK: Nil, and enumerations by their raw values

public func == <L: ComparedOperand>(a: L, b: NoValue) -> FieldPredicate { a.compared(.equal, constant: b) }
public func == <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: RawRepresentable, L.Value.RawValue: FieldValueConvertible { a.compared(.equal, constant: b.rawValue) }
public func == <L: ComparedOperand, R: RawRepresentable>(a: L, b: R) -> FieldPredicate
where L.Value == R?, R.RawValue: FieldValueConvertible { a.compared(.equal, constant: b.rawValue) }

public func != <L: ComparedOperand>(a: L, b: NoValue) -> FieldPredicate { a.compared(.notEqual, constant: b) }
public func != <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: RawRepresentable, L.Value.RawValue: FieldValueConvertible { a.compared(.notEqual, constant: b.rawValue) }
public func != <L: ComparedOperand, R: RawRepresentable>(a: L, b: R) -> FieldPredicate
where L.Value == R?, R.RawValue: FieldValueConvertible { a.compared(.notEqual, constant: b.rawValue) }
