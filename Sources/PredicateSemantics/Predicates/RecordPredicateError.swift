// One error for whatever can be wrong with a predicate, whichever stage found it.

import FoundationEssentials
public import PredicateSyntax
public import RecordModel

/// A predicate that cannot be parsed, bound, planned or evaluated: the stage, the place in its text, and what may help.
public struct RecordPredicateError: DescribedError, Hashable, Codable {
    /// The stage that found the error.
    public enum Stage: String, Hashable, Sendable, Codable, CaseIterable {
        /// The text is no predicate.
        case syntax
        /// Arguments, fields or types do not fit.
        case binding
        /// A value of a record has no meaning where it is used.
        case evaluation
        /// The query would read every record, and the set rejects such queries.
        case planning
    }

    /// The stage that found the error.
    public let stage: Stage
    /// The predicate's text.
    public let text: String
    /// The place in `text`, in UTF-8 bytes.
    public let span: SourceSpan
    /// What went wrong, in one short clause without a full stop.
    public let message: String
    /// What was expected at the position; empty where nothing certain can be said.
    public private(set) var expected: [String] = []
    /// A suggestion for a common slip.
    public let hint: String?
    /// What went wrong when the predicate was evaluated; `nil` for the stages before.
    public private(set) var evaluationKind: EvaluationError.Kind?

    /// A syntax error in a text.
    package init(_ error: SyntaxError, in text: String) {
        self.init(.syntax, text, error.span, message: error.message, hint: error.hint)
        expected = error.expected
    }

    /// A binding error of the predicate that was parsed from a text.
    package init(_ error: BindingError, in text: String) {
        self.init(.binding, text, error.span, message: error.message, hint: error.hint)
    }

    /// An evaluation error of the predicate that was parsed from a text.
    package init(_ error: EvaluationError, in text: String) {
        self.init(.evaluation, text, error.span, message: error.message, hint: error.hint)
        evaluationKind = error.kind
    }

    package init(_ stage: Stage, _ text: String, _ span: SourceSpan, message: String, hint: String?) {
        self.stage = stage
        self.text = text
        self.span = span
        self.message = message
        self.hint = hint
    }

    /// The place in Unicode scalars of `text`. Complexity: O(bytes of `text`).
    public var scalarRange: Range<Int> {
        let source = SourceText(text)
        let start = source.scalarOffset(ofByte: span.range.lowerBound)
        return start..<max(start, source.scalarOffset(ofByte: span.range.upperBound))
    }

    /// The line of the text with a caret under the place.
    public var excerpt: String { SourceText(text).caret(span) }

    /// Message, excerpt and hint, on several lines.
    public var description: String {
        var lines = ["\(stage.rawValue) error: \(message)", excerpt]
        if let hint { lines.append("hint: \(hint)") }
        return lines.joined(separator: "\n")
    }
}

extension SyntaxError: DescribedError {}
