// The text of a key path, as an argument of %K gives it.

/// Reads keys between dots. Unlike a key in predicate text, one of these may hold any character but a dot and may be
/// any word, since it was supplied apart from the text.
struct KeyPathText {
    private var lexer: Lexer

    init(_ text: String) {
        lexer = Lexer(text)
    }

    /// The key or path that the text denotes.
    mutating func parse() throws(SyntaxError) -> ExpressionNode {
        var steps: [PathStep] = []
        var position = 0
        while true {
            let (step, end) = try step(at: position)
            steps.append(step)
            guard end < lexer.length else { break }
            position = end + 1
        }
        return expression(of: steps)
    }

    /// The step whose first byte is at `position`, and the offset of the dot or the end behind it.
    private mutating func step(at position: Int) throws(SyntaxError) -> (PathStep, end: Int) {
        if lexer.bytes[position] == 0x23, lexer.bytes[position + 1] == 0x27 || lexer.bytes[position + 1] == 0x22 {
            lexer.restart(at: position)
            if lexer.token == .quotedKey, lexer.end == lexer.length || lexer.bytes[lexer.end] == 0x2E {
                return (PathStep(.key(lexer.stringValue()), span: lexer.span), lexer.end)
            }
        }
        let end = lexer.bytes[position..<lexer.length].firstIndex(of: 0x2E) ?? lexer.length
        let span = SourceSpan(position, end)
        guard position < end else {
            throw SyntaxError(
                .syntax, span: span, message: position == 0 ? "key expected" : "key expected after .",
                expected: ["key", "@operator"])
        }
        let name = lexer.text(position, end)
        if LanguageWords.isSelf(name) { return (PathStep(.selfObject, span: span), end) }
        if lexer.bytes[position] == 0x40, let known = CollectionOperator(rawValue: lexer.text(position + 1, end)) {
            return (PathStep(.collectionOperator(known), span: span), end)
        }
        let isEscaped = lexer.bytes[position] == 0x23 && end > position + 1
        return (PathStep(.key(isEscaped ? lexer.text(position + 1, end) : name), span: span), end)
    }

    /// The steps as an expression: the first is the base, or `SELF` is.
    private func expression(of steps: [PathStep]) -> ExpressionNode {
        let whole = SourceSpan(0, lexer.length)
        var base = ExpressionNode(.selfObject, span: SourceSpan(0, 0))
        var others = steps[...]
        switch steps.first?.kind {
        case .key(let key): base = ExpressionNode(.key(key), span: others.removeFirst().span)
        case .selfObject: base.span = others.removeFirst().span
        default: break
        }
        return others.isEmpty ? base : ExpressionNode(.path(base: base, steps: Array(others)), span: whole)
    }
}
