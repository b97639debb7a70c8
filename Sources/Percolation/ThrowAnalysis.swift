// Which comparisons cannot fail, and what that takes for granted about the kinds of values in the fields they read.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import TextAnalysis

/// Collects the assumptions under which a comparison cannot fail.
struct ThrowAnalysis {
    /// Kinds that the values of fields must be of, by name.
    private(set) var assumed: [(field: String, kinds: ValueKinds)] = []

    /// Whether evaluating the comparison cannot fail for a record that fits `assumed` at that point.
    mutating func cannotThrow(_ comparison: BoundComparison) -> Bool {
        guard comparison.quantifier == nil else { return false }
        let (lhs, rhs) = (comparison.lhs, comparison.rhs)
        switch comparison.comparisonOperator {
        case .equal, .notEqual: return gives(.all, lhs) && gives(.all, rhs)
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            guard let family = family(lhs) ?? family(rhs) else { return false }
            return gives(family, lhs) && gives(family, rhs)
        case .between:
            guard case .list(let bounds) = rhs.constant, bounds.count == 2 else { return false }
            let kinds = bounds.reduce(ValueKinds()) { $0.union(ValueKinds(of: $1)) }
            guard let family = Self.families.first(where: { kinds.isSubset(of: $0) }) else { return false }
            return gives(family, lhs)
        case .beginsWith, .endsWith, .contains, .like, .utiEquals, .utiConformsTo:
            return gives(.string, lhs) && gives(.string, rhs)
        case .in:
            switch rhs.constant {
            case .list, .set: return gives(.all, lhs)
            default: break
            }
            return gives(.string, lhs) && gives(.string, rhs)
        case .matches:
            // A regular expression may run into its limits.
            guard case .string(let pattern) = rhs.constant, gives(.string, lhs) else { return false }
            return (try? RegularExpression(pattern, options: comparison.options))?.cannotThrow ?? false
        default: return false
        }
    }

    private static let families: [ValueKinds] = [.anyNumber, .string, .anyDate]

    /// The kind that an operand is bound to have, of those with an order.
    private func family(_ operand: Operand) -> ValueKinds? {
        if let constant = operand.constant {
            let kind = ValueKinds(of: constant)
            return Self.families.first { kind.isSubset(of: $0) }
        }
        switch operand.kind {
        case .binary, .unary, .function(.distanceToLocation, _), .function(.abs, _): return .anyNumber
        case .function(.now, _): return .anyDate
        case .path(_, let steps): return steps.count == 1 && steps[0].isCount ? .anyNumber : nil
        default: break
        }
        switch operand.type {
        case .number: return .anyNumber
        case .string: return .string
        case .date: return .anyDate
        default: return nil
        }
    }

    /// Whether the operand's value can always be computed and is nil or of the kinds.
    private mutating func gives(_ kinds: ValueKinds, _ operand: Operand) -> Bool {
        switch operand.kind {
        case .constant(let value): return ValueKinds(of: value).isSubset(of: kinds.union(.null))
        case .field(let field):
            if kinds != .all { assumed.append((field.name, kinds.union(.null))) }
            return true
        case .binary(let operation, let lhs, let rhs):
            guard kinds.isSuperset(of: .anyNumber), gives(.anyNumber, lhs), gives(.anyNumber, rhs) else { return false }
            switch operation {
            case .add, .subtract, .multiply: return true
            case .divide: return rhs.constant?.number.map { $0.asDouble != 0 } ?? false
            default: return false
            }
        case .unary(.minus, let base): return kinds.isSuperset(of: .anyNumber) && gives(.anyNumber, base)
        case .function(.abs, let arguments), .function(.floor, let arguments), .function(.ceiling, let arguments),
            .function(.trunc, let arguments), .function(.sqrt, let arguments):
            return kinds.isSuperset(of: .anyNumber) && arguments.allSatisfy { gives(.anyNumber, $0) }
        case .function(.now, _): return kinds.isSuperset(of: .anyDate)
        case .function(.distanceToLocation, let arguments):
            return kinds.isSuperset(of: .anyNumber) && arguments.allSatisfy { gives(.location, $0) }
        case .function(.inBox, let arguments), .function(.inPolygon, let arguments):
            return kinds.isSuperset(of: .anyNumber) && arguments.dropFirst().allSatisfy { $0.constant != nil }
                && gives(.location, arguments[0])
        case .path(let base, let steps):
            if steps.count == 1, steps[0].isCount {
                return kinds.isSuperset(of: .anyNumber) && gives(.list(of: .anyElements), base)
            }
            // Keys of objects and references never fail: what is not there is nil.
            return kinds == .all && steps.allSatisfy(\.isKey) && gives(.all, base)
        default: return false
        }
    }
}

extension BoundStep {
    fileprivate var isKey: Bool { if case .key = kind { true } else { false } }
    fileprivate var isCount: Bool {
        if case .collection(.count, let argument) = kind { argument.isEmpty } else { false }
    }
}
