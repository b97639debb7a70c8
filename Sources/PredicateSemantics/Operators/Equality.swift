// `==` and `!=`: any two values; different families are unequal, never an error.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var equal: any OperatorSemantics { Equality(isNegated: false) }
    var notEqual: any OperatorSemantics { Equality(isNegated: true) }
}

/// `==` and its exact negation `!=`.
///
/// Nil equals nil and nothing else, so `x != 3` holds for a record without `x`. Numbers compare by exact value, text
/// by canonical equivalence and the options, lists element by element, sets without order, references by the record
/// they name.
struct Equality: OperatorSemantics {
    let isNegated: Bool

    var mirrored: ComparisonOperator? { isNegated ? .notEqual : .equal }
    var negated: ComparisonOperator? { isNegated ? .equal : .notEqual }

    func clash(_: OperandType, _: OperandType) -> TypeClash? { nil }

    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        let folds = text.options.contains(.normalized) || !text.options.contains(.localeSensitive)
        for (constant, isMirrored) in [(constants.rhs, false), (constants.lhs, true)] {
            if folds, case .string(let wanted) = constant {
                let needle = PreparedNeedle(wanted, options: text.options)
                return TextTest(isNegated: isNegated, isMirrored: isMirrored, needle: needle)
            }
        }
        return Test(isNegated: isNegated, equality: ValueEquality(text: text))
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
        guard let shape = ConstraintShape(comparison) else {
            if let area = FieldConstraint(areaFor: comparison, isNegated: isNegated) { return area }
            return isNegated ? nil : FieldConstraint(presenceFor: comparison)
        }
        let requirement: FieldConstraint.Requirement =
            shape.constant.isNull ? .presence(false) : .equal(shape.constant, options)
        return shape.constraint(requirement, isNegated: isNegated)
    }

    func canThrow(_: BoundComparison, _: OperandType) -> Bool { false }

    func equated(_ left: OperandType, _ rhs: OperandType) -> (OperandType, OperandType)? { (left, rhs) }

    private struct Test: ComparisonTest {
        let isNegated: Bool
        let equality: ValueEquality

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            equality.areEqual(lhs, rhs) != isNegated
        }
    }
    /// Equality with a constant text, folded once.
    private struct TextTest: ComparisonTest {
        let isNegated: Bool
        let isMirrored: Bool
        let needle: PreparedNeedle

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            guard case .string(let text) = isMirrored ? rhs : lhs else { return isNegated }
            return needle.isEqual(to: text) != isNegated
        }
    }
}
