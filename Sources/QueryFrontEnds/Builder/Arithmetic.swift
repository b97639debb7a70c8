// Arithmetic over fields.

import PredicateSemantics
import PredicateSyntax
import RecordModel

extension FieldExpression {
    /// The result of an operator between this value and another.
    fileprivate func combined<Other>(_ operation: BinaryOperator, _ other: FieldExpression<Other>) -> FieldExpression<
        Number
    > {
        FieldExpression<Number> { assembly in
            let left = assemble(&assembly)
            return ExpressionNode(.binary(operation, left, other.assemble(&assembly)))
        }
    }

    fileprivate func remainder<Other>(_ other: FieldExpression<Other>) -> FieldExpression<Number> {
        FieldExpression<Number> { assembly in
            let left = assemble(&assembly)
            return ExpressionNode(.function(.modulusBy, [left, other.assemble(&assembly)]))
        }
    }
}

/// The sum; nil where an operand is.
public func + <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: FieldExpression<R>) -> FieldExpression<
    Number
>
where L.Family == NumberFamily, R.Family == NumberFamily { a.combined(.add, b) }
/// The sum with a constant; nil where an operand is.
public func + <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: R) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { a.combined(.add, FieldExpression<R>(constant: b)) }
/// The sum with a constant; nil where an operand is.
public func + <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { FieldExpression<L>(constant: a).combined(.add, b) }

/// The difference; nil where an operand is.
public func - <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: FieldExpression<R>) -> FieldExpression<
    Number
>
where L.Family == NumberFamily, R.Family == NumberFamily { a.combined(.subtract, b) }
/// The difference from a constant; nil where an operand is.
public func - <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: R) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { a.combined(.subtract, FieldExpression<R>(constant: b)) }
/// The difference of a constant and a field; nil where an operand is.
public func - <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { FieldExpression<L>(constant: a).combined(.subtract, b) }

/// The product; nil where an operand is.
public func * <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: FieldExpression<R>) -> FieldExpression<
    Number
>
where L.Family == NumberFamily, R.Family == NumberFamily { a.combined(.multiply, b) }
/// The product with a constant; nil where an operand is.
public func * <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: R) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { a.combined(.multiply, FieldExpression<R>(constant: b)) }
/// The product with a constant; nil where an operand is.
public func * <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { FieldExpression<L>(constant: a).combined(.multiply, b) }

/// The quotient; whole numbers divide to a whole number, towards zero.
public func / <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: FieldExpression<R>) -> FieldExpression<
    Number
>
where L.Family == NumberFamily, R.Family == NumberFamily { a.combined(.divide, b) }
/// The quotient by a constant; whole numbers divide to a whole number, towards zero.
public func / <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: R) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { a.combined(.divide, FieldExpression<R>(constant: b)) }
/// The quotient of a constant; whole numbers divide to a whole number, towards zero.
public func / <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { FieldExpression<L>(constant: a).combined(.divide, b) }

/// The remainder of whole numbers.
public func % <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: FieldExpression<R>) -> FieldExpression<
    Number
>
where L.Family == NumberFamily, R.Family == NumberFamily { a.remainder(b) }
/// The remainder by a constant, of whole numbers.
public func % <L: FieldOperand, R: FieldOperand>(a: FieldExpression<L>, b: R) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { a.remainder(FieldExpression<R>(constant: b)) }
/// The remainder of a constant, of whole numbers.
public func % <L: FieldOperand, R: FieldOperand>(a: L, b: FieldExpression<R>) -> FieldExpression<Number>
where L.Family == NumberFamily, R.Family == NumberFamily { FieldExpression<L>(constant: a).remainder(b) }

/// The negative of a number.
public prefix func - <Value: FieldOperand>(a: FieldExpression<Value>) -> FieldExpression<Number>
where Value.Family == NumberFamily { FieldExpression<Number> { ExpressionNode(.unary(.minus, a.assemble(&$0))) } }
