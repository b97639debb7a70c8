// What an operator has to say for itself, and the one switch that lists the operators.

import PredicateSyntax
import RecordModel
import TextAnalysis

/// The meaning of one comparison operator: the operands it takes, how it decides, what an index could answer.
protocol OperatorSemantics: Sendable {
    /// The operand that this operator can never take, given the kinds of both; nil when there may be a meaning.
    func clash(_ lhs: OperandType, _ rhs: OperandType) -> TypeClash?
    /// The test of two values, with everything prepared that the constant sides allow.
    ///
    /// - Throws: `ValueFault` when a constant side has no meaning, such as a broken pattern.
    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest
    /// The requirement on one field that a comparison of this operator amounts to.
    func constraint(_ comparison: BoundComparison) -> FieldConstraint?
    /// Whether nothing compares as true with nil on the right side, nil itself included. `false` says that this is not
    /// known: then nothing is left out of a plan.
    var neverHoldsBesideNil: Bool { get }
}

extension OperatorSemantics {
    /// Not known, so that an operator that says nothing of nil is evaluated beside it.
    var neverHoldsBesideNil: Bool { false }
}

/// Decides two values.
protocol ComparisonTest: Sendable {
    /// Whether the comparison holds. A constant side that was prepared is passed again and may be ignored.
    ///
    /// - Throws: `ValueFault` for values of kinds that the operator does not take.
    func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool
}

/// The sides of a comparison that are known at binding.
struct ConstantOperands {
    var lhs: FieldValue?
    var rhs: FieldValue?
}

/// An operand that an operator can never take.
struct TypeClash {
    /// 0 for the left side, 1 for the right.
    var operand: Int
    var message: String
    var hint: String?
}

extension ComparisonOperator {
    /// Whether nothing compares as true with nil on the right side, nil itself included.
    package var neverHoldsBesideNil: Bool { semantics.neverHoldsBesideNil }

    /// The meaning of the operator. A new operator adds its file and its line here.
    var semantics: any OperatorSemantics {
        switch self {
        case .equal: Equality(isNegated: false)
        case .notEqual: Equality(isNegated: true)
        case .lessThan: Ordering(.lessThan)
        case .lessThanOrEqual: Ordering(.lessThanOrEqual)
        case .greaterThan: Ordering(.greaterThan)
        case .greaterThanOrEqual: Ordering(.greaterThanOrEqual)
        case .between: Between()
        case .in: In()
        case .contains: Contains()
        case .beginsWith: BeginsWith()
        case .endsWith: EndsWith()
        case .like: Like()
        case .matches: Matches()
        case .tokenMatches: TokenMatches()
        case .utiEquals: TypeIdentifierEquals()
        case .utiConformsTo: TypeIdentifierConforms()
        }
    }
}

/// The two texts of an operator that compares texts only.
struct TextOperands {
    var lhs: String
    var rhs: String

    /// The texts of both sides; nil when a side is nil, which no text operator matches.
    ///
    /// - Throws: `ValueFault` when a side is neither text nor nil.
    init?(_ lhs: FieldValue, _ rhs: FieldValue, _ name: String) throws(ValueFault) {
        if case .string(let left) = lhs, case .string(let right) = rhs {
            self.lhs = left
            self.rhs = right
            return
        }
        if lhs.isNull || rhs.isNull { return nil }
        let operand = if case .string = lhs { 1 } else { 0 }
        let value = operand == 0 ? lhs : rhs
        throw ValueFault(
            .typeMismatch, "\(name) needs text, not \(value.phrase)",
            hint: operand == 0 && value.isCollection ? "write ANY before the list" : nil, operand: operand)
    }

    /// The operand of an operator on texts that can never be one.
    static func clash(_ lhs: OperandType, _ rhs: OperandType, _ name: String) -> TypeClash? {
        for (operand, type) in [(0, lhs), (1, rhs)] where !type.fits(.string) {
            let isList = operand == 0 && type.element != nil
            return TypeClash(
                operand: operand, message: "\(name) needs text, not \(type.phrase)",
                hint: isList ? "write ANY before the list" : nil)
        }
        return nil
    }
}
