// What the operators between two texts have in common.

import PredicateSyntax
import RecordModel

/// An operator that takes texts alone: beside nil it never holds, and other kinds are an error.
protocol TextOperator: OperatorSemantics {
    /// The operator in messages.
    static var name: String { get }
}

extension TextOperator {
    func clash(_ lhs: OperandType, _ rhs: OperandType) -> TypeClash? { TextOperands.clash(lhs, rhs, Self.name) }
    func canThrow(_ comparison: BoundComparison, _ left: OperandType) -> Bool {
        !(left.isText && comparison.rhs.type.isText)
    }
    func neverHolds(beside constant: FieldValue, _: OperandType) -> Bool { constant.isNull }
}

extension OperandType {
    /// Whether values are texts or nil.
    var isText: Bool { self == .string || self == .null }
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
