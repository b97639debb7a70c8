// `BEGINSWITH`: the prefix of a text.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var beginsWith: any OperatorSemantics { BeginsWith() }
}

/// `x BEGINSWITH y`: whether text begins with a text, at a grapheme boundary unless `[n]`. The empty text is no prefix.
struct BeginsWith: TextOperator {
    static let name = "BEGINSWITH"

    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        guard case .string(let needle) = constants.rhs else { return Test(options: text.options, needle: nil) }
        return Test(options: text.options, needle: PreparedNeedle(needle, options: text.options))
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        if let prefix = FieldConstraint(tokenPrefixFor: comparison) { return prefix }
        guard let shape = ConstraintShape(comparison), case .string(let text) = shape.constant else {
            return FieldConstraint(presenceFor: comparison)
        }
        return shape.constraint(.prefix(text, comparison.options))
    }

    func neverHolds(beside constant: FieldValue, _: OperandType) -> Bool { constant.isNull || constant == "" }

    private struct Test: ComparisonTest {
        let options: TextOptions
        let needle: PreparedNeedle?

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            guard let texts = try TextOperands(lhs, rhs, BeginsWith.name) else { return false }
            return (needle ?? PreparedNeedle(texts.rhs, options: options)).isPrefix(of: texts.lhs)
        }
    }
}
