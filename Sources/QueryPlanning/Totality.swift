// Which parts of a predicate can never fail, so that they may be answered in any order.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import TextAnalysis

extension BoundNode {
    /// Whether evaluation cannot throw, whatever the record.
    ///
    /// The evaluator goes from left to right and stops when the answer is known. A part that may fail therefore keeps
    /// its place behind the parts before it: no index may let a row reach it, or keep a row from it, that the
    /// evaluator would not.
    ///
    /// - Parameter isKnown: Whether a comparison is known not to fail for other reasons than the kinds of its operands.
    func isTotal(_ isKnown: (BoundComparison) -> Bool) -> Bool {
        switch self {
        case .constant: true
        case .not(let node): node.isTotal(isKnown)
        case .and(let nodes), .or(let nodes): nodes.allSatisfy { $0.isTotal(isKnown) }
        case .comparison(let comparison): comparison.isTotal || isKnown(comparison)
        }
    }
}

extension BoundComparison {
    /// Whether the comparison cannot fail, by the kinds of its operands.
    var isTotal: Bool {
        guard lhs.isTotal, rhs.isTotal else { return false }
        let left = quantifier == nil ? lhs.type : lhs.type.element ?? .any
        if quantifier != nil, lhs.type.element == nil { return false }
        switch comparisonOperator {
        case .equal, .notEqual: return true
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            return left.isKnownOrderable && rhs.type.isKnownOrderable && (left == rhs.type || isNull(left, rhs.type))
        case .beginsWith, .endsWith, .contains, .like, .tokenMatches:
            return isText(left) && isText(rhs.type)
                || comparisonOperator == .contains && lhs.type.element != nil && quantifier == nil
        case .in: return rhs.type.element != nil || (isText(left) && isText(rhs.type))
        case .between:
            guard case .list(let bound) = rhs.type, rhs.constant?.elementCount == 2 else { return false }
            return left.isKnownOrderable && left == bound
        case .matches:
            // A regular expression may run into its limits.
            guard isText(left), case .string(let pattern) = rhs.constant else { return false }
            return (try? RegularExpression(pattern, options: options))?.isTotal ?? false
        case .utiConformsTo, .utiEquals: return isText(left) && isText(rhs.type)
        }
    }

    private func isText(_ type: OperandType) -> Bool { type == .string || type == .null }
    private func isNull(_ a: OperandType, _ b: OperandType) -> Bool { a == .null || b == .null }
}

extension FieldValue {
    fileprivate var elementCount: Int? { if case .list(let elements) = self { elements.count } else { nil } }
}

extension OperandType {
    /// Whether values are of one kind that has an order.
    fileprivate var isKnownOrderable: Bool { self != .any && isOrderable }
}

extension Operand {
    /// Whether the value can always be computed.
    fileprivate var isTotal: Bool {
        switch kind {
        case .constant, .field, .selfObject, .allTokens, .element: true
        case .binary(let operation, let lhs, let rhs):
            switch operation {
            case .add, .subtract, .multiply: lhs.isTotalNumber && rhs.isTotalNumber
            case .divide: lhs.isTotalNumber && rhs.isNonzeroConstant
            default: false
            }
        case .unary(.minus, let operand): operand.isTotalNumber
        case .function(.abs, let arguments), .function(.floor, let arguments), .function(.ceiling, let arguments),
            .function(.trunc, let arguments), .function(.sqrt, let arguments):
            arguments.allSatisfy(\.isTotalNumber)
        case .function(.distanceToLocation, let arguments):
            arguments.allSatisfy { $0.isTotal && ($0.type == .location || $0.type == .null) }
        case .function(.tokenize, let arguments):
            if arguments.count == 2, case .string(let letters) = arguments[1].constant {
                arguments[0].isTotal && arguments[0].type == .string && TextOptions(letters: letters) != nil
            } else {
                false
            }
        case .path(let base, let steps):
            // Keys of objects and references never fail: what is not there is nil.
            base.isTotal
                && steps.allSatisfy { step in
                    if case .key = step.kind { true } else { false }
                }
        default: false
        }
    }

    private var isTotalNumber: Bool { isTotal && type == .number }

    private var isNonzeroConstant: Bool { constant?.number.map { $0.asDouble != 0 } ?? false }
}
