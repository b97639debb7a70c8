// `BETWEEN`: a value within two bounds, both included.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var between: any OperatorSemantics { Between() }
}

/// `x BETWEEN {low, high}`.
///
/// Bounds in the wrong order are swapped. A nil value or bound is between nothing. Anything but two bounds on the
/// right is an error.
struct Between: OperatorSemantics {
    let purpose = FieldUse.Purpose.order

    private static let shapeHint = "write BETWEEN {low, high}"

    func clash(_ lhs: OperandType, _ rhs: OperandType) -> TypeClash? {
        guard let bound = rhs.element, rhs != .object else {
            return TypeClash(
                operand: 1, message: "BETWEEN needs a list of two bounds, not \(rhs.phrase)", hint: Self.shapeHint)
        }
        guard var clash = ValueOrder.clash(lhs, bound, "BETWEEN") else { return nil }
        if clash.operand == 1, !bound.isOrderable { clash.hint = Self.shapeHint }
        return clash
    }

    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        if let bounds = constants.rhs { _ = try Self.bounds(bounds) }
        return Test(order: ValueOrder(text: text, name: "BETWEEN"))
    }

    /// The two bounds; nil when the right side is nil.
    static func bounds(_ value: FieldValue) throws(ValueFault) -> (FieldValue, FieldValue)? {
        switch value {
        case .null: return nil
        case .list(let bounds), .set(let bounds):
            guard bounds.count == 2 else {
                throw ValueFault(
                    .typeMismatch, "BETWEEN needs exactly two bounds, not \(bounds.count)", hint: shapeHint, operand: 1)
            }
            return (bounds[0], bounds[1])
        default:
            throw ValueFault(
                .typeMismatch, "BETWEEN needs a list of two bounds, not \(value.phrase)", hint: shapeHint, operand: 1)
        }
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        guard let value = comparison.rhs.constant, let bounds = try? Self.bounds(value),
            let ordered = Self.ordered(bounds, comparison.text)
        else { return FieldConstraint(presenceFor: comparison) }
        if let distance = FieldConstraint(distanceFor: comparison, between: ordered) { return distance }
        guard let subject = FieldConstraint.Subject(comparison.lhs, quantifier: comparison.quantifier) else {
            return FieldConstraint(presenceFor: comparison)
        }
        return FieldConstraint(
            subject,
            .range(
                lower: .init(ordered.0, isInclusive: true), upper: .init(ordered.1, isInclusive: true),
                comparison.options),
            isNegated: comparison.quantifier == Quantifier.none)
    }

    func canThrow(_ comparison: BoundComparison, _ left: OperandType) -> Bool {
        guard case .list(let bound) = comparison.rhs.type, case .list(let bounds) = comparison.rhs.constant,
            bounds.count == 2
        else { return true }
        return !(left.isKnownOrderable && left == bound)
    }

    func neverHolds(beside constant: FieldValue, _: OperandType) -> Bool {
        if case .list(let bounds) = constant { bounds.contains(where: \.isNull) } else { constant.isNull }
    }

    /// The bounds, the lower first; nil when they have no order.
    private static func ordered(
        _ bounds: (FieldValue, FieldValue), _ text: TextSettings
    ) -> (FieldValue, FieldValue)? {
        guard !bounds.0.isNull, !bounds.1.isNull,
            let order = try? ValueOrder(text: text, name: "BETWEEN").compare(bounds.0, bounds.1)
        else { return nil }
        return order > 0 ? (bounds.1, bounds.0) : bounds
    }

    private struct Test: ComparisonTest {
        let order: ValueOrder

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            guard let (first, second) = try Between.bounds(rhs) else { return false }
            if lhs.isNull || first.isNull || second.isNull { return false }
            let (low, high) = try order.compare(first, second) > 0 ? (second, first) : (first, second)
            if try order.compare(lhs, low) < 0 { return false }
            return try order.compare(lhs, high) <= 0
        }
    }
}
