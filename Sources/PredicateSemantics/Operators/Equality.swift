// `==` and `!=`: any two values; different families are unequal, never an error.

import PredicateSyntax
import RecordModel
import TextAnalysis

/// `==` and its exact negation `!=`.
///
/// Nil equals nil and nothing else, so `x != 3` holds for a record without `x`. Numbers compare by exact value, text
/// by canonical equivalence and the options, lists element by element, sets without order, references by the record
/// they name.
struct Equality: OperatorSemantics {
    let isNegated: Bool

    func clash(_: OperandType, _: OperandType) -> TypeClash? { nil }

    func test(_: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        Test(isNegated: isNegated, equality: ValueEquality(text: text))
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        let options = comparison.options
        if comparison.quantifier == .any || comparison.quantifier == Quantifier.none,
            let members = comparison.lhs.constant?.elements
        {
            // ANY {'red', 'green'} == colour: the list is the quantified side.
            guard !isNegated, case .list = comparison.lhs.constant,
                !members.contains(where: { $0.isCollection || $0.isNull }),
                let subject = FieldConstraint.Subject(comparison.rhs, quantifier: nil)
            else { return nil }
            return FieldConstraint(
                subject, .membership(members, options), isNegated: comparison.quantifier == Quantifier.none)
        }
        guard let shape = ConstraintShape(comparison, mayMirror: true) else {
            return isNegated ? nil : FieldConstraint(presenceFor: comparison)
        }
        let requirement: FieldConstraint.Requirement =
            shape.constant.isNull ? .presence(false) : .equal(shape.constant, options)
        return shape.constraint(requirement, isNegated: isNegated)
    }

    private struct Test: ComparisonTest {
        let isNegated: Bool
        let equality: ValueEquality

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            equality.areEqual(lhs, rhs) != isNegated
        }
    }
}
