// `LIKE`: the whole text against a pattern of `*` and `?`.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var like: any OperatorSemantics { Like() }
}

/// `x LIKE pattern`: `*` stands for any run, `?` for one scalar, a backslash makes the next character ordinary.
struct Like: TextOperator {
    static let name = "LIKE"

    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        guard case .string(let pattern) = constants.rhs else { return Test(options: text.options, pattern: nil) }
        return Test(options: text.options, pattern: LikePattern(pattern, options: text.options))
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        guard let shape = ConstraintShape(comparison), case .string(let text) = shape.constant else {
            return FieldConstraint(presenceFor: comparison)
        }
        return shape.constraint(.pattern(.like(text), comparison.options))
    }

    private struct Test: ComparisonTest {
        let options: TextOptions
        let pattern: LikePattern?

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            guard let texts = try TextOperands(lhs, rhs, Like.name) else { return false }
            return (pattern ?? LikePattern(texts.rhs, options: options)).matches(texts.lhs)
        }
    }
}
