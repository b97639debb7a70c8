// Whether two parts of a bound predicate say the same, wherever they appear in its text.

import PredicateSyntax
import RecordModel

extension BoundNode {
    /// Whether both are built alike: then they hold for the same records, and fail for the same.
    ///
    /// Constants count as the same when nothing could tell them apart: −0 is not 0, and texts are compared by their
    /// code units, since patterns are.
    /// - Complexity: O(nodes) for equal ones; others mostly differ at once.
    package func isSame(as other: BoundNode) -> Bool {
        switch (self, other) {
        case (.constant(let a), .constant(let b)): a == b
        case (.not(let a), .not(let b)): a.isSame(as: b)
        case (.and(let a), .and(let b)), (.or(let a), .or(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.comparison(let a), .comparison(let b)): a.isSame(as: b)
        default: false
        }
    }
}

extension BoundComparison {
    fileprivate func isSame(as other: BoundComparison) -> Bool {
        if parts === other.parts { return true }
        return comparisonOperator == other.comparisonOperator && parts.slot == other.parts.slot
            && quantifier == other.quantifier && options == other.options && text.isPhrase == other.text.isPhrase
            && lhs.isSame(as: other.lhs) && rhs.isSame(as: other.rhs)
    }
}

extension Operand {
    fileprivate func isSame(as other: Operand) -> Bool {
        switch (kind, other.kind) {
        case (.constant(let a), .constant(let b)): a.isSame(as: b)
        case (.field(let a), .field(let b)): a.slot == b.slot
        case (.selfObject, .selfObject): true
        case (.allTokens(let a), .allTokens(let b)): a == b
        case (.element(let a, _), .element(let b, _)): a == b
        case (.variable(let a), .variable(let b)): a == b
        case (.path(let a, let steps), .path(let b, let others)):
            a.isSame(as: b) && steps.isSame(as: others)
        case (.list(let a), .list(let b)): a.isSame(as: b)
        case (.unary(let operation, let a), .unary(let other, let b)): operation == other && a.isSame(as: b)
        case (.binary(let operation, let a, let b), .binary(let other, let c, let d)):
            operation == other && a.isSame(as: c) && b.isSame(as: d)
        case (.moved(let operation, let a, let span), .moved(let other, let b, let length)):
            operation == other && a.isSame(as: b) && span == length
        case (.function(let name, let a), .function(let other, let b)): name == other && a.isSame(as: b)
        case (.subquery(let a, _, let predicate), .subquery(let b, _, let other)):
            a.isSame(as: b) && predicate.isSame(as: other)
        case (.ternary(let condition, let a, let b), .ternary(let other, let c, let d)):
            condition.isSame(as: other) && a.isSame(as: c) && b.isSame(as: d)
        case (.cast(let a, let b), .cast(let c, let d)): a.isSame(as: c) && b.isSame(as: d)
        default: false
        }
    }
}

extension [Operand] {
    fileprivate func isSame(as other: [Operand]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
    }
}

extension [BoundStep] {
    fileprivate func isSame(as other: [BoundStep]) -> Bool {
        count == other.count
            && zip(self, other).allSatisfy { step, other in
                switch (step.kind, other.kind) {
                case (.key(let a), .key(let b)): a == b
                case (.collection(let operation, let a), .collection(let other, let b)):
                    operation == other && a.isSame(as: b)
                case (.index(let a), .index(let b)): a.isSame(as: b)
                case (.first, .first), (.last, .last), (.size, .size): true
                default: false
                }
            }
    }
}

extension FieldValue {
    fileprivate func isSame(as other: FieldValue) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        // Sets and objects may hold either.
        case (.set, _), (.object, _): false
        default: self == other
        }
    }
}
