// Calls: SUBQUERY, TERNARY, CAST, FUNCTION and the closed table of functions.

extension Parser {
    /// `SUBQUERY(collection, $variable, predicate)`
    mutating func subquery() throws(SyntaxError) -> ExpressionNode {
        let start = lexer.start
        lexer.advance()
        let opening = try open()
        let collection = try expression()
        var highest = height
        try expect(.comma, ",")
        guard token == .variable else { throw failure("iterator variable expected", expected: ["$variable"]) }
        let variable = lexer.text(lexer.start + 1, lexer.end)
        lexer.advance()
        try expect(.comma, ",")
        let predicate = try predicate()
        highest = max(highest, height)
        try close(opening, over: highest)
        return ExpressionNode(
            .subquery(collection: collection, variable: variable, predicate: predicate),
            span: SourceSpan(start, lexer.previousEnd))
    }

    /// `CAST(value, 'Type')`
    mutating func cast() throws(SyntaxError) -> ExpressionNode {
        let start = lexer.start
        lexer.advance()
        let opening = try open()
        let value = try expression()
        var highest = height
        try expect(.comma, ",")
        let type = try expression()
        highest = max(highest, height)
        try close(opening, over: highest)
        return ExpressionNode(.cast(value, type: type), span: SourceSpan(start, lexer.previousEnd))
    }

    /// A word that means something before `(` and is a key elsewhere.
    mutating func contextualWord() throws(SyntaxError) -> ExpressionNode {
        let word = token
        let span = lexer.span
        lexer.advance()
        guard token == .leftParenthesis || token == .colon else {
            return ExpressionNode(.key(lexer.text(Int(span.lowerBound), Int(span.upperBound))), span: span)
        }
        switch word {
        case .ternary where token == .leftParenthesis: return try ternary(from: Int(span.lowerBound))
        case .function where token == .leftParenthesis: return try functionExpression(named: span)
        case .fetch:
            throw SyntaxError(
                .syntax, span: span, message: "FETCH is not part of the language",
                hint: "it runs a stored fetch request of another framework; a key of this name is written #fetch")
        default: return try call(named: span)
        }
    }

    /// `TERNARY(predicate, value, value)`; the word was read.
    private mutating func ternary(from start: Int) throws(SyntaxError) -> ExpressionNode {
        let opening = try open()
        let condition = try predicate()
        var highest = height
        try expect(.comma, ",")
        let first = try expression()
        highest = max(highest, height)
        try expect(.comma, ",")
        let second = try expression()
        highest = max(highest, height)
        try close(opening, over: highest)
        return ExpressionNode(
            .ternary(condition, then: first, otherwise: second), span: SourceSpan(start, lexer.previousEnd))
    }

    /// Takes the parenthesis of a call; returns the opening outside of it for `close`.
    private mutating func open() throws(SyntaxError) -> SourceSpan? {
        guard token == .leftParenthesis else { throw failure("expected '('", expected: ["'('"]) }
        let outerOpening = innermostOpening
        innermostOpening = lexer.span
        try enter()
        lexer.advance()
        return outerOpening
    }

    private mutating func close(_ outerOpening: SourceSpan?, over highest: Int) throws(SyntaxError) {
        try expect(.rightParenthesis, ")")
        leave()
        innermostOpening = outerOpening
        try grow(over: highest)
    }

    // MARK: Functions of the table

    /// `name(a, b)`, `name:other:(a, b)`; the first word was read and stands at `name`.
    mutating func call(named name: SourceSpan) throws(SyntaxError) -> ExpressionNode {
        let start = Int(name.lowerBound)
        var selector = lexer.text(start, Int(name.upperBound))
        while take(.colon) {
            selector += ":"
            guard lexer.isWord else { continue }
            selector += lexer.text(lexer.start, lexer.end)
            lexer.advance()
        }
        let nameSpan = SourceSpan(start, lexer.previousEnd)
        guard token == .leftParenthesis else { throw failure("expected '('", expected: ["'('"]) }
        guard FunctionTable.knows(selector) else { throw unknownFunction(selector, at: nameSpan) }
        let arguments = try list(closedBy: .rightParenthesis, ")")
        guard let function = FunctionTable.function(selector, argumentCount: arguments.count) else {
            throw wrongArgumentCount(of: selector, arguments.count, at: nameSpan)
        }
        return ExpressionNode(.function(function, arguments), span: SourceSpan(start, lexer.previousEnd))
    }

    /// `FUNCTION(receiver, 'selector', arguments…)`: another spelling of a few functions of the table, never a call
    /// by name. The word was read and stands at `name`.
    private mutating func functionExpression(named name: SourceSpan) throws(SyntaxError) -> ExpressionNode {
        let start = Int(name.lowerBound)
        let arguments = try list(closedBy: .rightParenthesis, ")")
        let span = SourceSpan(start, lexer.previousEnd)
        guard arguments.count >= 2, case .literal(.string(let selector)) = arguments[1].kind else {
            throw SyntaxError(
                .syntax, span: arguments.count > 1 ? arguments[1].span : span,
                message: "FUNCTION needs a selector in quotes as its second argument",
                hint: "for example FUNCTION(name, 'uppercaseString')")
        }
        let receiver = arguments[0]
        let others = Array(arguments[2...])
        if let expression = FunctionTable.message(selector, to: receiver, others, span: span) {
            height += 3  // what a rewritten message may add to the height of its arguments
            try grow(over: height)
            return expression
        }
        throw SyntaxError(
            .syntax, span: arguments[1].span, message: "unknown function in FUNCTION",
            expected: FunctionTable.messages, hint: "only functions of the closed table can be called")
    }

    private func unknownFunction(_ selector: String, at span: SourceSpan) -> SyntaxError {
        let suggestion =
            FunctionTable.spellings.first { $0.hasPrefix(selector + ":") }
            ?? EditDistance.closest(to: selector, in: FunctionTable.spellings)
        return SyntaxError(
            .syntax, span: span, message: "unknown function", expected: [],
            hint: suggestion.map { "did you mean \($0)?" } ?? "only functions of the closed table can be called")
    }

    private func wrongArgumentCount(of selector: String, _ count: Int, at span: SourceSpan) -> SyntaxError {
        let needed = FunctionTable.argumentCounts(of: selector)
        return SyntaxError(
            .semantic, span: span, message: "the function takes \(needed), \(count) given", expected: [needed])
    }
}
