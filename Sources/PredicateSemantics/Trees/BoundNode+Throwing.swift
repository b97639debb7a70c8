// Which parts of a predicate can fail, so that they run only where the evaluator would run them.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension BoundNode {
    /// Whether evaluation may throw, for some record.
    ///
    /// The evaluator goes from left to right and stops when the result is known. A part that may fail therefore keeps
    /// its place behind the parts before it: no index may let a row reach it, or keep a row from it, that the
    /// evaluator would not.
    package var canThrow: Bool { canThrow { _ in false } }

    /// Whether evaluation may throw, where some comparisons are known not to for other reasons than the kinds of their
    /// operands.
    package func canThrow(unless isKnown: (BoundComparison) -> Bool) -> Bool {
        !allComparisons { !$0.canThrow || isKnown($0) }
    }
}

extension BoundComparison {
    /// Whether the comparison may throw, as far as the kinds of its operands tell.
    package var canThrow: Bool {
        if lhs.canThrow || rhs.canThrow || quantifier != nil && lhs.type.knownElement == nil { return true }
        return comparisonOperator.semantics.canThrow(self, testedType)
    }

    /// Whether the constant right side lets no value through, nil included.
    package var neverHolds: Bool {
        guard let constant = rhs.constant, !(constant.isNull && searchesTokens) else { return false }
        return comparisonOperator.semantics.neverHolds(beside: constant, testedType)
    }

    /// Whether words of the record are sought, and not a value.
    private var searchesTokens: Bool {
        switch (lhs.kind, rhs.kind) {
        case (.selfObject, _), (_, .selfObject), (.allTokens, _), (_, .allTokens): true
        default: false
        }
    }
}

extension OperandType {
    /// The kind of the elements of what is known to have elements; `nil` for others, and where the kind is not known.
    var knownElement: OperandType? { self == .any ? nil : element }

    /// Whether values are lists or sets.
    var isKnownList: Bool {
        switch self {
        case .list, .set: true
        default: false
        }
    }

    /// Whether values are of one kind that has an order.
    var isKnownOrderable: Bool { self != .any && isOrderable }
}

extension Operand {
    /// Whether computing the value may throw.
    fileprivate var canThrow: Bool {
        switch kind {
        case .constant, .field, .selfObject, .allTokens, .element: false
        case .binary(let operation, let lhs, let rhs):
            switch operation {
            case .add, .subtract, .multiply: !(lhs.isNumber && rhs.isNumber)
            case .divide: !(lhs.isNumber && rhs.isNonzeroConstant)
            default: true
            }
        case .moved(_, let base, _): base.canThrow || base.type != .date
        case .function(.year, let arguments), .function(.month, let arguments), .function(.day, let arguments):
            arguments.contains { $0.canThrow || $0.type != .date }
        case .function(.date, let arguments):
            arguments.contains { $0.canThrow || $0.type != .date && $0.type != .string }
        case .function(.location, let arguments): !arguments.allSatisfy(\.isNumber)
        case .unary(.minus, let operand): !operand.isNumber
        case .function(.abs, let arguments), .function(.floor, let arguments), .function(.ceiling, let arguments),
            .function(.trunc, let arguments), .function(.sqrt, let arguments):
            !arguments.allSatisfy(\.isNumber)
        case .function(.distanceToLocation, let arguments):
            arguments.contains { $0.canThrow || $0.type != .location && $0.type != .null }
        case .function(.inBox, let arguments), .function(.inPolygon, let arguments):
            // Constants that are no area have no bound form.
            arguments[0].canThrow || arguments[0].type != .location && arguments[0].type != .null
                || !arguments.dropFirst().allSatisfy { $0.constant != nil }
        case .function(.tokenize, let arguments):
            if arguments.count == 2, case .string(let letters) = arguments[1].constant {
                arguments[0].canThrow || arguments[0].type != .string || TextOptions(letters: letters) == nil
            } else {
                true
            }
        case .path(let base, let steps):
            // Keys of objects and references never fail: what is not there is nil.
            base.canThrow || !steps.allSatisfy { if case .key = $0.kind { true } else { false } }
        default: true
        }
    }

    /// Whether the value is known to be a number or nil.
    private var isNumber: Bool { !canThrow && type == .number }

    private var isNonzeroConstant: Bool { constant?.number.map { $0.asDouble != 0 } ?? false }
}
