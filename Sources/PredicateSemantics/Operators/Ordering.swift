// `<`, `<=`, `>`, `>=`: numbers with numbers, dates with dates, texts with texts.

import FoundationEssentials
import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var lessThan: any OperatorSemantics { Ordering.below }
    var lessThanOrEqual: any OperatorSemantics { Ordering.atMost }
    var greaterThan: any OperatorSemantics { Ordering.above }
    var greaterThanOrEqual: any OperatorSemantics { Ordering.atLeast }
}

/// The four orderings.
///
/// Nil is below and above nothing; `<=` and `>=` hold between nil and nil. Numbers are ordered by exact value with
/// NaN on top, text by the scalars of its normal form after the options, or by collation under `[l]`.
struct Ordering: OperatorSemantics {
    let name: String
    /// Whether the order must be "below" (−1) or "above" (1).
    let sign: Int
    let includesEqual: Bool
    let mirrored: ComparisonOperator?
    let purpose = FieldUse.Purpose.order

    static let below = Ordering(.lessThan, sign: -1, mirrored: .greaterThan)
    static let atMost = Ordering(.lessThanOrEqual, sign: -1, includesEqual: true, mirrored: .greaterThanOrEqual)
    static let above = Ordering(.greaterThan, sign: 1, mirrored: .lessThan)
    static let atLeast = Ordering(.greaterThanOrEqual, sign: 1, includesEqual: true, mirrored: .lessThanOrEqual)

    private init(
        _ comparisonOperator: ComparisonOperator, sign: Int, includesEqual: Bool = false, mirrored: ComparisonOperator
    ) {
        (name, self.sign) = (comparisonOperator.rawValue, sign)
        (self.includesEqual, self.mirrored) = (includesEqual, mirrored)
    }

    func clash(_ lhs: OperandType, _ rhs: OperandType) -> TypeClash? { ValueOrder.clash(lhs, rhs, name) }

    func test(_: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        Test(sign: sign, includesEqual: includesEqual, order: ValueOrder(text: text, name: name))
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        if let distance = FieldConstraint(distanceFor: comparison, sign: sign, includesEqual: includesEqual) {
            return distance
        }
        guard let shape = ConstraintShape(comparison) else {
            return FieldConstraint(presenceFor: comparison)
        }
        if shape.constant.isNull {
            return includesEqual ? shape.constraint(.presence(false)) : nil
        }
        let bound = FieldConstraint.Bound(shape.constant, isInclusive: includesEqual)
        let isUpper = (sign < 0) != shape.isMirrored
        return shape.constraint(
            .range(lower: isUpper ? nil : bound, upper: isUpper ? bound : nil, comparison.options))
    }

    func canThrow(_ comparison: BoundComparison, _ left: OperandType) -> Bool {
        let right = comparison.rhs.type
        return !left.isKnownOrderable || !right.isKnownOrderable || left != right && left != .null && right != .null
    }

    func neverHolds(beside constant: FieldValue, _: OperandType) -> Bool { constant.isNull && !includesEqual }

    private struct Test: ComparisonTest {
        let sign: Int
        let includesEqual: Bool
        let order: ValueOrder

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            if lhs.isNull || rhs.isNull { return includesEqual && lhs.isNull && rhs.isNull }
            let result = try order.compare(lhs, rhs)
            return result == sign || (includesEqual && result == 0)
        }
    }
}
