// What an operator has to say for itself.

package import PredicateSyntax
import RecordModel
import TextAnalysis

/// The meaning of one comparison operator, and all that the rest of the engine knows of it.
///
/// What has a default is not known of an operator that does not say it. No default changes a result, so that a new
/// operator is right from the first day: it is evaluated for each record, in its place, and no plan leaves it out.
protocol OperatorSemantics: Sendable {
    /// The operand that this operator can never take, given the kinds of both; nil when there may be a meaning.
    func clash(_ lhs: OperandType, _ rhs: OperandType) -> TypeClash?
    /// The test of two values, with everything prepared that the constant sides allow.
    ///
    /// - Throws: `ValueFault` when a constant side has no meaning, such as a broken pattern.
    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest
    /// The requirement on one field that a comparison of this operator amounts to.
    func constraint(_ comparison: BoundComparison) -> FieldConstraint?
    /// Whether the test may throw for values of the operands' kinds, or nil.
    ///
    /// - Parameter left: The kind of what is tested: that of the left side, or of its elements under a quantifier.
    func canThrow(_ comparison: BoundComparison, _ left: OperandType) -> Bool
    /// Whether the comparison holds for nothing at all beside a constant right side, nil on the left included, and
    /// whatever the options.
    ///
    /// - Parameter left: As of `canThrow`.
    func neverHolds(beside constant: FieldValue, _ left: OperandType) -> Bool
    /// The kinds that must have a value in common for the comparison to hold: what is compared for equality.
    func equated(_ left: OperandType, _ rhs: OperandType) -> (OperandType, OperandType)?
    /// Which kind of index a field beside the operator needs.
    var purpose: FieldUse.Purpose { get }
    /// The operator that says the same with the sides exchanged.
    var mirrored: ComparisonOperator? { get }
    /// The operator that holds of two values exactly where this one does not.
    var negated: ComparisonOperator? { get }
}

extension OperatorSemantics {
    func constraint(_: BoundComparison) -> FieldConstraint? { nil }
    func canThrow(_: BoundComparison, _: OperandType) -> Bool { true }
    func neverHolds(beside _: FieldValue, _: OperandType) -> Bool { false }
    func equated(_: OperandType, _: OperandType) -> (OperandType, OperandType)? { nil }
    var purpose: FieldUse.Purpose { .value }
    var mirrored: ComparisonOperator? { nil }
    var negated: ComparisonOperator? { nil }
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
    /// Which kind of index a field beside the operator needs.
    package var purpose: FieldUse.Purpose { semantics.purpose }
    /// The operator that says the same with the sides exchanged; `nil` where there is none, or none is known.
    package var mirrored: ComparisonOperator? { semantics.mirrored }
    /// The operator that holds of two values exactly where this one does not; `nil` as above.
    package var negated: ComparisonOperator? { semantics.negated }

    /// The meaning of the operator.
    var semantics: any OperatorSemantics { entry(of: OperatorMeanings()) }
}

/// The meaning of each operator. Its property is in the operator's own file.
struct OperatorMeanings: OperatorCatalogue {}
