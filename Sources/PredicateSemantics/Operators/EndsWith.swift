// `ENDSWITH`: the suffix of a text.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var endsWith: any OperatorSemantics { EndsWith() }
}

/// `x ENDSWITH y`: whether text ends with a text, at a grapheme boundary unless `[n]`. The empty text is no suffix.
struct EndsWith: TextOperator {
    static let name = "ENDSWITH"

    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        guard case .string(let needle) = constants.rhs else { return Test(options: text.options, needle: nil) }
        return Test(options: text.options, needle: PreparedNeedle(needle, options: text.options))
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        guard let shape = ConstraintShape(comparison), case .string(let text) = shape.constant else {
            return FieldConstraint(presenceFor: comparison)
        }
        return shape.constraint(.suffix(text, comparison.options))
    }

    func neverHolds(beside constant: FieldValue, _: OperandType) -> Bool { constant.isNull || constant == "" }

    private struct Test: ComparisonTest {
        let options: TextOptions
        let needle: PreparedNeedle?

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            guard let texts = try TextOperands(lhs, rhs, EndsWith.name) else { return false }
            return (needle ?? PreparedNeedle(texts.rhs, options: options)).isSuffix(of: texts.lhs)
        }
    }
}
