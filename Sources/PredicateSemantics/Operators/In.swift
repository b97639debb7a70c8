// `IN`: the mirror of CONTAINS.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var `in`: any OperatorSemantics { In() }
}

/// `x IN y`: a member where `y` is a list, a set or an object (its values), a substring where it is text.
///
/// A constant list becomes a hash set under exact numeric equality (1 equals 1.0 and TRUE), so a list of a million
/// members costs one lookup a record. Options apply to the members that are text.
struct In: OperatorSemantics {
    let mirrored: ComparisonOperator? = .contains

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

    func canThrow(_ comparison: BoundComparison, _ left: OperandType) -> Bool {
        !(comparison.rhs.type.knownElement != nil || left.isText && comparison.rhs.type.isText)
    }

    func neverHolds(beside constant: FieldValue, _: OperandType) -> Bool {
        if case .list(let members) = constant { members.allSatisfy(\.isNull) } else { constant.isNull }
    }

    func equated(_ left: OperandType, _ rhs: OperandType) -> (OperandType, OperandType)? {
        rhs.element.map { (left, $0) }
    }
}
