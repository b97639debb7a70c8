// The recursive-descent parser: its state, its entry points, its errors.

/// Reads one predicate, token by token, without going back.
///
/// Every parse function leaves the height of the node it returns in `height` (a leaf has 1), so that a tree never
/// grows higher than the limit, however it is written.
struct Parser {
    var lexer: Lexer
    let limits: SyntaxLimits
    /// Levels of nesting open at the current token.
    private(set) var depth = 0
    /// Height of the node parsed last.
    var height = 0
    /// Arguments read so far.
    var placeholders: [Placeholder] = []
    /// Opening brackets not closed yet are on the stack of calls; this is the innermost, for hints.
    var innermostOpening: SourceSpan?

    init(_ text: String, limits: SyntaxLimits) throws(SyntaxError) {
        let length = text.utf8.count
        guard length <= limits.maximumLength else {
            throw SyntaxError(
                .limit, span: SourceSpan(limits.maximumLength, limits.maximumLength),
                message: "the text is longer than \(limits.maximumLength) bytes")
        }
        self.lexer = Lexer(text)
        self.limits = limits
        lexer.advance()
    }

    /// The kind of the current token.
    var token: Token {
        @inline(__always) get { lexer.token }
    }

    /// The whole text as one predicate.
    mutating func parse() throws(SyntaxError) -> PredicateNode {
        let node = try predicate()
        guard token == .end else { throw unexpected() }
        return node
    }

    // MARK: Steps

    /// Takes the current token if it is of the given kind.
    @inline(__always)
    mutating func take(_ kind: Token) -> Bool {
        guard token == kind else { return false }
        lexer.advance()
        return true
    }

    /// Takes a closing bracket or a comma, or throws that it was expected.
    @inline(__always)
    mutating func expect(_ kind: Token, _ sign: String) throws(SyntaxError) {
        guard take(kind) else { throw failure("expected '\(sign)'", expected: ["'\(sign)'"]) }
    }

    /// Enters one level of nesting; `leave()` follows on success.
    @inline(__always)
    mutating func enter() throws(SyntaxError) {
        depth += 1
        if depth > limits.maximumDepth { throw tooDeep() }
    }

    @inline(__always)
    mutating func leave() {
        depth -= 1
    }

    /// Sets the height of a node whose highest child has the given height.
    @inline(__always)
    mutating func grow(over childHeight: Int) throws(SyntaxError) {
        height = childHeight + 1
        if height > limits.maximumDepth { throw tooDeep() }
    }

    /// Checks the number of elements of a list that is about to grow.
    @inline(__always)
    func checkCount(_ count: Int) throws(SyntaxError) {
        if count >= limits.maximumListCount {
            throw SyntaxError(
                .limit, span: lexer.span, message: "more than \(limits.maximumListCount) elements in one list")
        }
    }

    private func tooDeep() -> SyntaxError {
        SyntaxError(.limit, span: lexer.span, message: "nested deeper than \(limits.maximumDepth) levels")
    }

    // MARK: Errors

    /// The error that the current token cannot stand here; a lexical error of that token comes first.
    func failure(_ message: String, expected: [String] = []) -> SyntaxError {
        if let lexical = lexer.failure, token == .invalid { return lexical }
        return SyntaxError(
            .syntax, span: lexer.span, message: message, expected: expected, hint: hint(for: message))
    }

    func expressionExpected() -> SyntaxError { failure("expression expected", expected: Self.expressionStarts) }

    func comparisonExpected() -> SyntaxError {
        failure("comparison operator expected", expected: ComparisonOperator.allCases.map(\.rawValue))
    }

    func unexpected() -> SyntaxError { failure("unexpected token", expected: ["AND", "OR", "end of text"]) }

    private static let expressionStarts = ["key", "number", "string", "argument", "$variable", "{", "(", "function"]
}
