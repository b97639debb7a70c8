// Why a predicate text was rejected, and where.

/// A malformed predicate text: the position, what was expected there and a suggestion for common mistakes.
///
/// `SourceText` renders it under the text; the message itself holds no part of the text.
public struct SyntaxError: Error, Hashable, Sendable, Codable {
    /// What stage of reading found it.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// No token can be read here: an unterminated string, a malformed number, an illegal character.
        case lexical
        /// The token cannot continue any predicate.
        case syntax
        /// Well formed, but without meaning: `BETWEEN` with three bounds, a function with too many arguments.
        case semantic
        /// A limit of `SyntaxLimits` is exceeded.
        case limit
        /// Valid, but outside the chosen dialect.
        case dialect
    }

    /// What stage of reading rejected the text.
    public var kind: Kind
    /// Bytes of the text that are at fault; empty at the end of the text.
    public var span: SourceSpan
    /// One short clause without a full stop.
    public var message: String
    /// What was expected there, as written in text, for example `==` or `')'`; empty where no list would help.
    public var expected: [String]
    /// What the author may have meant; `nil` where nothing is known.
    public var hint: String?

    /// An error of the given kind and place.
    public init(_ kind: Kind, span: SourceSpan, message: String, expected: [String] = [], hint: String? = nil) {
        self.kind = kind
        self.span = span
        self.message = message
        self.expected = expected
        self.hint = hint
    }

    /// Equal in everything, the place included (spans alone compare equal at any position).
    public static func == (lhs: SyntaxError, rhs: SyntaxError) -> Bool {
        lhs.kind == rhs.kind && lhs.span.range == rhs.span.range && lhs.message == rhs.message
            && lhs.expected == rhs.expected && lhs.hint == rhs.hint
    }

    /// Hashes what tells errors apart first: kind, place and message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(span.range)
        hasher.combine(message)
    }
}

extension SyntaxError: CustomStringConvertible {
    /// One line: kind, bytes, message, hint.
    public var description: String {
        var line = "\(kind.rawValue) error at bytes \(span.lowerBound)..<\(span.upperBound): \(message)"
        if let hint { line += " (\(hint))" }
        return line
    }
}
