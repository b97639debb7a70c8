// What can go wrong when a predicate meets a record.

import FoundationEssentials
public import PredicateSyntax
public import RecordModel

/// A predicate could not be evaluated on a record.
///
/// Messages name kinds of values, never the values themselves.
public struct EvaluationError: DescribedError, Hashable, Codable {
    /// What went wrong.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// An operand of a kind that the operator or function does not take.
        case typeMismatch
        /// A list index outside the list.
        case indexOutOfRange
        /// Division of an integer by zero.
        case divisionByZero
        /// A number that does not fit where it must.
        case numberOutOfRange
        /// A pattern that is no regular expression.
        case invalidPattern
        /// A pattern that cost more time or memory than the limits allow.
        case patternLimit
        /// A `$variable` without a value.
        case unboundVariable
        /// A CAST that has no meaning.
        case invalidCast
        /// An argument of a function that is out of its domain.
        case invalidArgument
        /// The task of the caller was cancelled before the result was known.
        case cancelled
        /// The query took longer than the limits allow.
        case timeLimit
        /// Deciding one record took more steps than the limits allow: lists within lists, again and again.
        case stepLimit
        /// The result takes more memory than the limits allow.
        case resultLimit
    }

    /// What went wrong, for programs.
    public var kind: Kind
    /// The operand or comparison at fault, in the predicate's text.
    public var span: SourceSpan
    /// What went wrong, in one short clause without a full stop.
    public var message: String
    /// What to write instead, where there is a usual remedy.
    public var hint: String?

    /// An error at a place.
    public init(kind: Kind, span: SourceSpan, message: String, hint: String? = nil) {
        self.kind = kind
        self.span = span
        self.message = message
        self.hint = hint
    }
}

extension EvaluationError {
    public var description: String { hint.map { "\(message) (\($0))" } ?? message }
}

/// A fault found by an operator or function, which knows its operands' values but not their places.
struct ValueFault: Error {
    var kind: EvaluationError.Kind
    var message: String
    var hint: String?
    /// Which operand is at fault, counted from 0; nil for the whole expression.
    var operand: Int?

    init(_ kind: EvaluationError.Kind, _ message: String, hint: String? = nil, operand: Int? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.operand = operand
    }

    /// The fault at its place: the operand's span, or the whole's.
    func located(_ operands: [SourceSpan], whole: SourceSpan) -> EvaluationError {
        let span = operand.flatMap { operands.indices.contains($0) ? operands[$0] : nil } ?? whole
        return EvaluationError(kind: kind, span: span, message: message, hint: hint)
    }
}
