// `IN`: the mirror of CONTAINS.

import PredicateSyntax
import RecordModel
import TextAnalysis

/// `x IN y`: a member where `y` is a list, a set or an object (its values), a substring where it is text.
///
/// A constant list becomes a hash set under exact numeric equality (1 equals 1.0 and TRUE), so a list of a million
/// members costs one lookup a record. Options apply to the members that are text.
struct In: OperatorSemantics {
    let neverHoldsBesideNil = true

    func clash(_ lhs: OperandType, _ rhs: OperandType) -> TypeClash? {
        ContainmentTest.clash(container: rhs, member: lhs, isMirrored: true)
    }

    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        try ContainmentTest(isMirrored: true, container: constants.rhs, member: constants.lhs, text: text)
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        ContainmentTest.constraint(
            comparison, container: comparison.rhs, member: comparison.lhs, isMirrored: true)
    }
}
