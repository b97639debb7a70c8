// Calls: SUBQUERY, TERNARY, CAST, FUNCTION and the closed table of functions.

extension Parser {
    /// `SUBQUERY(collection, $variable, predicate)`
    mutating func subquery() throws(Rejection) -> ExpressionNode {
        let start = lexer.start
        lexer.advance()
        try open(.leftParenthesis, "(")
        let collection = try expression()
        let collectionHeight = height
        let variable = try iteratorVariable()
        let predicate = try predicate()
        try grow(over: max(collectionHeight, height))
        try close(.rightParenthesis, ")")
        return ExpressionNode(
            .subquery(collection: collection, variable: variable, predicate: predicate),
            span: SourceSpan(start, lexer.previousEnd))
    }

    /// `, $variable,`
    private mutating func iteratorVariable() throws(Rejection) -> String {
        try expect(.comma, ",")
        guard token == .variable else { try fail(.iteratorExpected) }
        let variable = lexer.text(lexer.start + 1, lexer.end)
        lexer.advance()
        try expect(.comma, ",")
        return variable
    }

    /// `CAST(value, 'Type')`; the word was read.
    private mutating func cast(from start: Int) throws(Rejection) -> ExpressionNode {
        try open(.leftParenthesis, "(")
        let value = try expression()
        let valueHeight = height
        try expect(.comma, ",")
        let type = try expression()
        try grow(over: max(valueHeight, height))
        try close(.rightParenthesis, ")")
        return ExpressionNode(.cast(value, type: type), span: SourceSpan(start, lexer.previousEnd))
    }

    /// A word that means something before `(` and is a key elsewhere.
    mutating func contextualWord() throws(Rejection) -> ExpressionNode {
        let word = token
        let span = lexer.span
        lexer.advance()
        switch (word, token) {
        case (.ternary, .leftParenthesis): return try ternary(from: Int(span.lowerBound))
        case (.cast, .leftParenthesis): return try cast(from: Int(span.lowerBound))
        case (.function, .leftParenthesis): return try functionExpression(from: Int(span.lowerBound))
        case (.fetch, .leftParenthesis): try failFetch(at: span)
        case (_, .leftParenthesis), (_, .colon): return try call(named: span)
        default: return key(at: span)
        }
    }

    @inline(never)
    private func failFetch(at span: SourceSpan) throws(Rejection) -> Never {
        try fail(
            .syntax, at: span, "FETCH is not part of the language",
            hint: "it runs a stored fetch request of another framework; a key of this name is written #fetch")
    }

    /// `TERNARY(predicate, value, value)`; the word was read.
    private mutating func ternary(from start: Int) throws(Rejection) -> ExpressionNode {
        try open(.leftParenthesis, "(")
        let condition = try predicate()
        let conditionHeight = height
        try expect(.comma, ",")
        let first = try expression()
        let firstHeight = height
        try expect(.comma, ",")
        let second = try expression()
        try grow(over: max(conditionHeight, firstHeight, height))
        try close(.rightParenthesis, ")")
        return ExpressionNode(
            .ternary(condition, then: first, otherwise: second), span: SourceSpan(start, lexer.previousEnd))
    }

    // MARK: Functions of the table

    /// `name(a, b)`, `name:other:(a, b)`; the first word was read and is at `name`.
    mutating func call(named name: SourceSpan) throws(Rejection) -> ExpressionNode {
        let selector = try selector(from: Int(name.lowerBound), to: Int(name.upperBound))
        let nameSpan = SourceSpan(Int(name.lowerBound), lexer.previousEnd)
        if !FunctionTable.knows(selector) { try failUnknownFunction(selector, at: nameSpan) }
        try open(.leftParenthesis, "(")
        let arguments = try list(until: .rightParenthesis)
        try close(.rightParenthesis, ")")
        return ExpressionNode(
            .function(try function(selector, taking: arguments.count, at: nameSpan), arguments),
            span: SourceSpan(Int(name.lowerBound), lexer.previousEnd))
    }

    /// The selector whose first word is between the given bytes; leaves the parenthesis behind it.
    private mutating func selector(from start: Int, to end: Int) throws(Rejection) -> String {
        var selector = lexer.text(start, end)
        while take(.colon) {
            selector += ":"
            guard lexer.isWord else { continue }
            selector += lexer.text(lexer.start, lexer.end)
            lexer.advance()
        }
        if token != .leftParenthesis { try fail(.signExpected("(")) }
        return selector
    }

    private func function(
        _ selector: String, taking count: Int, at span: SourceSpan
    ) throws(Rejection) -> FunctionName {
        if let function = FunctionTable.function(selector, argumentCount: count) { return function }
        let needed = FunctionTable.argumentCounts(of: selector)
        let isBetweenPlaces = selector == "distance" && count == 2
        try fail(
            .semantic, at: span, "the function takes \(needed), \(count) given", expected: [needed],
            hint: isBetweenPlaces
                ? "of a field and a place it is distanceToLocation:fromLocation:(field, %@)" : nil)
    }

    @inline(never)
    private func failUnknownFunction(_ selector: String, at span: SourceSpan) throws(Rejection) -> Never {
        let closest = FunctionTable.closest(to: selector)
        let hint = closest.map { "did you mean \($0)?" } ?? "only functions of the closed table can be called"
        try fail(.syntax, at: span, "unknown function", hint: hint)
    }

    /// `FUNCTION(receiver, 'selector', arguments…)`: another spelling of a few functions of the table, never a call
    /// by name. The word was read.
    private mutating func functionExpression(from start: Int) throws(Rejection) -> ExpressionNode {
        try open(.leftParenthesis, "(")
        let arguments = try list(until: .rightParenthesis)
        try close(.rightParenthesis, ")")
        // A message that moves a date stands for a node three levels above its arguments, one of which is counted.
        try grow(over: height + 1)
        return try message(arguments, at: SourceSpan(start, lexer.previousEnd))
    }

    @inline(never)
    private func message(_ arguments: [ExpressionNode], at span: SourceSpan) throws(Rejection) -> ExpressionNode {
        guard arguments.count >= 2, case .literal(.string(let selector)) = arguments[1].kind else {
            try fail(
                .syntax, at: arguments.count > 1 ? arguments[1].span : span,
                "FUNCTION needs a selector in quotes as its second argument",
                hint: "for example FUNCTION(name, 'uppercaseString')")
        }
        if let expression = FunctionTable.message(selector, to: arguments[0], Array(arguments[2...]), span: span) {
            return expression
        }
        try fail(
            .syntax, at: arguments[1].span, "unknown function in FUNCTION", expected: FunctionTable.messages,
            hint: "only functions of the closed table can be called")
    }
}
