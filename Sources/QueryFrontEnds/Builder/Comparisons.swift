// Comparison operators between fields and constants.

import PredicateSemantics
import PredicateSyntax
public import RecordModel

/// The left side of a comparison: a value, or the elements of a list one by one.
public protocol ComparedOperand<Value> {
    /// The Swift type of the field, or of the elements of the list.
    associatedtype Value
    /// The operand, with whether some, all or none of its elements are compared; of a value the value itself.
    var compared: QuantifiedExpression<Value> { get }
}

/// The elements of a list, of which some, all or none are to satisfy a comparison: `$0.scores.all > 50`.
public struct QuantifiedExpression<Value>: ComparedOperand {
    let quantifier: Quantifier?
    let expression: FieldExpression<Value>

    /// Itself.
    public var compared: QuantifiedExpression<Value> { self }
}

extension FieldExpression: ComparedOperand {
    /// The value itself, not its elements.
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

/// Whether a field equals a constant of its family; a field without a value equals `nil` alone.
public func == <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family { a.compared(.equal, constant: b) }
/// The same where the field's type tells the constant's: `$0.status == .open`.
@_disfavoredOverload
public func == <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand { a.compared(.equal, constant: b) }
/// Whether two fields are equal; both without a value are.
public func == <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family { a.compared(.equal, b) }
/// The same, with the constant in front.
public func == <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family { FieldExpression<L>(constant: a).compared(.equal, b) }

/// Whether a field differs from a constant of its family: the exact negation of `==`, true of a field without a value.
public func != <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family { a.compared(.notEqual, constant: b) }
/// The same where the field's type tells the constant's: `$0.status != .open`.
@_disfavoredOverload
public func != <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand { a.compared(.notEqual, constant: b) }
/// Whether two fields differ: the exact negation of `==`.
public func != <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family { a.compared(.notEqual, b) }
/// The same, with the constant in front.
public func != <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family { FieldExpression<L>(constant: a).compared(.notEqual, b) }

/// Whether a field is less than a constant of its family; false of a field without a value.
public func < <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.lessThan, constant: b)
}
/// The same where the field's type tells the constant's: `$0.date < .now`.
@_disfavoredOverload
public func < <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family: OrderedFamily { a.compared(.lessThan, constant: b) }
/// Whether a field is less than another; false where one has no value.
public func < <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily { a.compared(.lessThan, b) }
/// The same, with the constant in front.
public func < <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family, L.Family: OrderedFamily { FieldExpression<L>(constant: a).compared(.lessThan, b) }

/// Whether a field is at most a constant of its family; false of a field without a value.
public func <= <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.lessThanOrEqual, constant: b)
}
/// The same where the field's type tells the constant's: `$0.date <= .now`.
@_disfavoredOverload
public func <= <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family: OrderedFamily { a.compared(.lessThanOrEqual, constant: b) }
/// Whether a field is at most another; false where one alone has no value.
public func <= <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.lessThanOrEqual, b)
}
/// The same, with the constant in front.
public func <= <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family, L.Family: OrderedFamily { FieldExpression<L>(constant: a).compared(.lessThanOrEqual, b) }

/// Whether a field is greater than a constant of its family; false of a field without a value.
public func > <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.greaterThan, constant: b)
}
/// The same where the field's type tells the constant's: `$0.date > .now`.
@_disfavoredOverload
public func > <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family: OrderedFamily { a.compared(.greaterThan, constant: b) }
/// Whether a field is greater than another; false where one has no value.
public func > <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily { a.compared(.greaterThan, b) }
/// The same, with the constant in front.
public func > <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family, L.Family: OrderedFamily { FieldExpression<L>(constant: a).compared(.greaterThan, b) }

/// Whether a field is at least a constant of its family; false of a field without a value.
public func >= <L: ComparedOperand, R: FieldOperand>(a: L, b: R) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.greaterThanOrEqual, constant: b)
}
/// The same where the field's type tells the constant's: `$0.date >= .now`.
@_disfavoredOverload
public func >= <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family: OrderedFamily { a.compared(.greaterThanOrEqual, constant: b) }
/// Whether a field is at least another; false where one alone has no value.
public func >= <L: ComparedOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Value: FieldOperand, L.Value.Family == R.Family, L.Value.Family: OrderedFamily {
    a.compared(.greaterThanOrEqual, b)
}
/// The same, with the constant in front.
public func >= <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldPredicate
where L.Family == R.Family, L.Family: OrderedFamily { FieldExpression<L>(constant: a).compared(.greaterThanOrEqual, b) }

// MARK: Nil, and enumerations by their raw values

/// Whether a field has no value.
public func == <L: ComparedOperand>(a: L, b: NoValue) -> FieldPredicate { a.compared(.equal, constant: b) }
/// Whether a field of an enumeration has a case, by its raw value.
public func == <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: RawRepresentable, L.Value.RawValue: FieldValueConvertible { a.compared(.equal, constant: b.rawValue) }
/// Whether a field of an optional enumeration has a case, by its raw value.
public func == <L: ComparedOperand, R: RawRepresentable>(a: L, b: R) -> FieldPredicate
where L.Value == R?, R.RawValue: FieldValueConvertible { a.compared(.equal, constant: b.rawValue) }

/// Whether a field has a value.
public func != <L: ComparedOperand>(a: L, b: NoValue) -> FieldPredicate { a.compared(.notEqual, constant: b) }
/// Whether a field of an enumeration does not have a case, by its raw value.
public func != <L: ComparedOperand>(a: L, b: L.Value) -> FieldPredicate
where L.Value: RawRepresentable, L.Value.RawValue: FieldValueConvertible { a.compared(.notEqual, constant: b.rawValue) }
/// Whether a field of an optional enumeration does not have a case, by its raw value; true without a value.
public func != <L: ComparedOperand, R: RawRepresentable>(a: L, b: R) -> FieldPredicate
where L.Value == R?, R.RawValue: FieldValueConvertible { a.compared(.notEqual, constant: b.rawValue) }
