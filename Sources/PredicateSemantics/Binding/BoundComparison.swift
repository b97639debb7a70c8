// A comparison of a bound predicate, prepared for many records.

import Geospatial
package import PredicateSyntax
import RecordModel
import Synchronization
package import TextAnalysis

/// A comparison whose operands are resolved and whose constant side is prepared.
package struct BoundComparison: Sendable {
    /// What a comparison says, with its places in the predicate's text.
    struct Form: Sendable {
        var quantifier: Quantifier?
        var lhs: Operand
        var comparisonOperator: ComparisonOperator
        var text: TextSettings
        var rhs: Operand
        var span: SourceSpan
        var operatorSpan: SourceSpan
    }

    /// What a comparison consists of, shared by all copies: evaluation passes comparisons around once per record.
    final class Parts: Sendable {
        let form: Form
        let test: any ComparisonTest
        let shortcut: Shortcut?
        /// The slot of a left side that is a plain field, −1 for any other.
        let slot: Int
        /// The value of a constant right side.
        let constant: FieldValue?
        /// Whether the left side is a constant.
        let isLeftConstant: Bool
        /// Whether a side is no constant, but the same for every element of an enclosing SUBQUERY.
        let isLeftFixed: Bool
        let isRightFixed: Bool
        /// How elements of the left side are decided, where some of them are read as dates and others are not.
        let written: WrittenElements?
        /// The requirement, derived on first use.
        let known = AtomicLazyReference<KnownConstraint>()

        init(_ form: Form, test: any ComparisonTest, shortcut: Shortcut? = nil) {
            self.form = form
            self.test = test
            self.shortcut = shortcut
            slot = if case .field(let field) = form.lhs.kind { field.slot } else { -1 }
            constant = form.rhs.constant
            isLeftConstant = form.lhs.constant != nil
            isLeftFixed = form.lhs.isFixed
            isRightFixed = form.rhs.isFixed
            written = WrittenElements(form)
        }
    }

    /// What a comparison requires of a field, derived once.
    final class KnownConstraint: Sendable {
        let constraint: FieldConstraint?
        init(constraint: FieldConstraint?) { self.constraint = constraint }
    }

    /// Another way to decide than by the values of both sides.
    enum Shortcut: Sendable {
        /// Words among the record's texts.
        case tokens(TokenSearch)
        /// A location field that meets a condition, or that does not or is missing.
        case place(FieldReference, PlaceTest, isNegated: Bool)
    }

    let parts: Parts

    /// How the left side is iterated; nil compares it as it is.
    package var quantifier: Quantifier? { parts.form.quantifier }
    package var lhs: Operand { parts.form.lhs }
    package var comparisonOperator: ComparisonOperator { parts.form.comparisonOperator }
    package var rhs: Operand { parts.form.rhs }
    /// The options that the operator obeys.
    package var options: TextOptions { parts.form.text.options }
    /// The whole comparison in the predicate's text.
    package var span: SourceSpan { parts.form.span }
    /// The operator with its options.
    package var operatorSpan: SourceSpan { parts.form.operatorSpan }

    /// The kind of what the operator tests: that of the left side, or of its elements under a quantifier.
    var testedType: OperandType { quantifier == nil ? lhs.type : lhs.type.element ?? .any }

    var form: Form { parts.form }
    /// How the operator compares text.
    var text: TextSettings { parts.form.text }

    /// The requirement on one field, or on the record's tokens, that an index could serve; nil when the comparison is
    /// of no such shape.
    package var constraint: FieldConstraint? {
        if let known = parts.known.load() { return known.constraint }
        return parts.known.storeIfNil(KnownConstraint(constraint: derivedConstraint)).constraint
    }

    private var derivedConstraint: FieldConstraint? {
        if case .tokens(let search) = parts.shortcut, let query = search.query {
            return FieldConstraint(.allTokens, query.requirement)
        }
        if form.dateReading != nil {
            // A text that may be met by texts and by dates: only that there must be a value is sure.
            return comparisonOperator == .notEqual ? nil : FieldConstraint(presenceFor: self)
        }
        return comparisonOperator.semantics.constraint(self)
    }
}
