// `MATCHES`: the whole text against an ICU regular expression.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var matches: any OperatorSemantics { Matches() }
}

/// `x MATCHES pattern`: the whole text must match; time and stack of a match are limited.
///
/// A constant pattern is compiled when the predicate is bound, so a broken one is reported with its place.
struct Matches: TextOperator {
    static let name = "MATCHES"

    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        guard case .string(let pattern) = constants.rhs else { return Test(options: text.options, expression: nil) }
        return Test(options: text.options, expression: try Self.compile(pattern, text.options))
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        guard let shape = ConstraintShape(comparison), case .string(let text) = shape.constant else {
            return FieldConstraint(presenceFor: comparison)
        }
        return shape.constraint(.pattern(.regularExpression(text), comparison.options))
    }

    func canThrow(_ comparison: BoundComparison, _ left: OperandType) -> Bool {
        // A regular expression may run into its limits.
        guard left.isText, case .string(let pattern) = comparison.rhs.constant else { return true }
        return (try? RegularExpression(pattern, options: comparison.options))?.cannotThrow != true
    }

    private static func compile(_ pattern: String, _ options: TextOptions) throws(ValueFault) -> RegularExpression {
        do {
            return try RegularExpression(pattern, options: options)
        } catch {
            let isOfPattern = [.invalidPattern, .patternLimit, .classLimit].contains(error.kind)
            throw ValueFault(
                isOfPattern ? .invalidPattern : .patternLimit, error.message, hint: error.hint, operand: 1)
        }
    }

    private struct Test: ComparisonTest {
        let options: TextOptions
        let expression: RegularExpression?

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            guard let texts = try TextOperands(lhs, rhs, Matches.name) else { return false }
            let expression = if let expression { expression } else { try Matches.compile(texts.rhs, options) }
            do {
                return try expression.matchesWhole(texts.lhs)
            } catch {
                throw ValueFault(.patternLimit, error.message, hint: error.hint, operand: 1)
            }
        }
    }
}
