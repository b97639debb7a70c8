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

    init(_ text: String, limits: SyntaxLimits) throws(SyntaxError) {
        let length = text.utf8.count
        let allowed = min(limits.maximumLength, SyntaxLimits.greatestLength)
        guard length <= allowed else {
            throw SyntaxError(
                .limit, span: SourceSpan(allowed, allowed), message: "the text is longer than \(allowed) bytes")
        }
        self.lexer = Lexer(text)
        self.limits = limits
        lexer.advance()
    }

    /// The whole text as one predicate.
    mutating func parse() throws(SyntaxError) -> PredicateNode {
        do {
            let node = try predicate()
            if token != .end { try fail(.unexpectedToken) }
            return node
        } catch {
            throw error.reason
        }
    }

    /// The kind of the current token.
    var token: Token {
        @inline(__always) get { lexer.token }
    }

    // MARK: Steps

    /// Takes the current token if it is of the given kind.
    @inline(__always)
    mutating func take(_ kind: Token) -> Bool {
        guard token == kind else { return false }
        lexer.advance()
        return true
    }

    /// Takes a bracket or a comma, or fails because it was expected.
    @inline(__always)
    mutating func expect(_ kind: Token, _ sign: String) throws(Rejection) {
        if !take(kind) { try fail(.signExpected(sign)) }
    }

    /// Takes an opening bracket and enters one level of nesting; `close` or `leave` follows on success.
    mutating func open(_ kind: Token, _ sign: String) throws(Rejection) {
        if token != kind { try fail(.signExpected(sign)) }
        try enter()
        lexer.advance()
    }

    /// Takes a closing bracket and leaves its level of nesting.
    mutating func close(_ kind: Token, _ sign: String) throws(Rejection) {
        try expect(kind, sign)
        leave()
    }

    /// Enters one level of nesting; `leave()` follows on success.
    @inline(__always)
    mutating func enter() throws(Rejection) {
        depth += 1
        if depth > limits.maximumDepth { try failTooDeep() }
    }

    @inline(__always)
    mutating func leave() {
        depth -= 1
    }

    /// Sets the height of a node whose highest child has the given height.
    @inline(__always)
    mutating func grow(over childHeight: Int) throws(Rejection) {
        height = childHeight + 1
        if height > limits.maximumDepth { try failTooDeep() }
    }

    /// Checks the number of elements of a list that is about to grow.
    @inline(__always)
    func checkCount(_ count: Int) throws(Rejection) {
        if count >= limits.maximumListCount { try failTooMany() }
    }

    // MARK: Errors

    /// An error on its way out of the parser: one word, which keeps the frames of nested calls small.
    indirect enum Rejection: Error {
        case because(SyntaxError)

        var reason: SyntaxError {
            switch self {
            case .because(let error): error
            }
        }
    }

    /// Fails because the current token cannot appear here; a lexical error of that token comes first.
    @inline(never)
    func fail(_ fault: SyntaxFault, from start: Int? = nil) throws(Rejection) -> Never {
        if token == .invalid { throw .because(lexer.lexicalError) }
        let span = SourceSpan(start ?? lexer.start, lexer.end)
        let hint = HintFinder(lexer).hint(for: fault)
        throw .because(
            SyntaxError(.syntax, span: span, message: fault.message, expected: fault.expected, hint: hint))
    }

    /// Fails for a reason that lies in what was read already.
    @inline(never)
    func fail(
        _ kind: SyntaxError.Kind, at span: SourceSpan, _ message: String, expected: [String] = [], hint: String? = nil
    ) throws(Rejection) -> Never {
        throw .because(SyntaxError(kind, span: span, message: message, expected: expected, hint: hint))
    }

    @inline(never)
    private func failTooDeep() throws(Rejection) -> Never {
        try fail(.limit, at: lexer.span, "nested deeper than \(limits.maximumDepth) levels")
    }

    @inline(never)
    private func failTooMany() throws(Rejection) -> Never {
        try fail(.limit, at: lexer.span, "more than \(limits.maximumListCount) elements in one list")
    }
}
