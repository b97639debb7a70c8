// `TOKENMATCHES`: every word of a query in a text, in any order or as a phrase.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension OperatorMeanings {
    var tokenMatches: any OperatorSemantics { TokenMatches() }
}

/// `x TOKENMATCHES[cdl] query`: whether every token of the query is among the tokens of `x`, a text, a list of texts,
/// or `allTokens`. A query without tokens matches nothing. With `[p]` the tokens appear side by side and in order,
/// within one text or one element.
///
/// On `allTokens` and on a record the comparison is a `TokenSearch`; this test decides texts and lists.
struct TokenMatches: OperatorSemantics {
    let purpose = FieldUse.Purpose.words

    func clash(_ lhs: OperandType, _ rhs: OperandType) -> TypeClash? {
        if !rhs.fits(.string) {
            return TypeClash(operand: 1, message: "TOKENMATCHES needs text to search for, not \(rhs.phrase)", hint: nil)
        }
        guard !(lhs.element ?? lhs).fits(.string) else { return nil }
        return TypeClash(
            operand: 0, message: "TOKENMATCHES searches text or a list of texts, not \(lhs.phrase)", hint: nil)
    }

    func test(_ constants: ConstantOperands, _ text: TextSettings) throws(ValueFault) -> any ComparisonTest {
        let search = TokenSearch(tokenMatches: text)
        guard case .string(let query) = constants.rhs else { return Test(search: search, query: nil) }
        return Test(search: search, query: search.query(for: query))
    }

    func constraint(_ comparison: BoundComparison) -> FieldConstraint? {
        guard case .string(let text) = comparison.rhs.constant, comparison.quantifier == nil,
            let subject = FieldConstraint.Subject(comparison.lhs, quantifier: nil)
        else { return FieldConstraint(presenceFor: comparison) }
        let search = TokenSearch(tokenMatches: comparison.text)
        return FieldConstraint(subject, search.query(for: text).requirement)
    }

    func canThrow(_ comparison: BoundComparison, _ left: OperandType) -> Bool {
        let isList = comparison.quantifier == nil && comparison.lhs.type.isKnownList
        return !(comparison.rhs.type.isText && (isList || left.isText))
    }

    func neverHolds(beside constant: FieldValue, _: OperandType) -> Bool { constant.isNull }

    private struct Test: ComparisonTest {
        let search: TokenSearch
        let query: TokenQuery?

        func holds(_ lhs: FieldValue, _ rhs: FieldValue) throws(ValueFault) -> Bool {
            guard !lhs.isNull, !rhs.isNull else { return false }
            guard case .string(let text) = rhs else {
                throw ValueFault(
                    .typeMismatch, "TOKENMATCHES needs text to search for, not \(rhs.phrase)", operand: 1)
            }
            let query = query ?? search.query(for: text)
            // The analyzers are those of the one field that the value is of.
            let field = search.analyzers?.soleField ?? ""
            switch lhs {
            case .string(let text): return query.matches { visit in _ = visit(field, text) }
            case .list(let elements), .set(let elements):
                return query.matches { visit in
                    for case .string(let text) in elements where !visit(field, text) { return }
                }
            default:
                throw ValueFault(
                    .typeMismatch, "TOKENMATCHES searches text or a list of texts, not \(lhs.phrase)", operand: 0)
            }
        }
    }
}
