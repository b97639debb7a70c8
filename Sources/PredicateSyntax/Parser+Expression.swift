// Values: operators by precedence climbing, atoms, lists.

extension Parser {
    /// A value with all its operators.
    mutating func expression() throws(Rejection) -> ExpressionNode {
        let start = lexer.start
        return try operators(behind: try prefixed(), from: start, atLeast: 1)
    }

    /// A value that begins with a parenthesised value, which was read already and opened at byte `start`.
    mutating func expression(continuing value: ExpressionNode, from start: Int) throws(Rejection) -> ExpressionNode {
        let base = try steps(behind: value, from: start)
        return try operators(behind: base, from: start, atLeast: 1)
    }

    /// The operators of at least the given precedence behind a left operand, and their right operands.
    @inline(__always)
    private mutating func operators(
        behind left: ExpressionNode, from start: Int, atLeast precedence: Int
    ) throws(Rejection) -> ExpressionNode {
        guard token.binaryOperator != nil else { return left }
        return try chain(behind: left, from: start, atLeast: precedence)
    }

    private mutating func chain(
        behind first: ExpressionNode, from start: Int, atLeast precedence: Int
    ) throws(Rejection) -> ExpressionNode {
        var left = first
        while let binaryOperator = token.binaryOperator, binaryOperator.precedence >= precedence {
            let leftHeight = height
            lexer.advance()
            let rightStart = lexer.start
            let right = try operators(
                behind: try prefixed(), from: rightStart, atLeast: binaryOperator.precedence + 1)
            try grow(over: max(leftHeight, height))
            left = ExpressionNode(
                .binary(binaryOperator, left, right), span: SourceSpan(start, lexer.previousEnd))
        }
        return left
    }

    /// A value with its prefix operators: `-x`, `~x`. A minus before a number literal makes a negative literal.
    private mutating func prefixed() throws(Rejection) -> ExpressionNode {
        if token == .minus || token == .tilde { return try prefixOperation() }
        let start = lexer.start
        return try steps(behind: try atom(), from: start)
    }

    private mutating func prefixOperation() throws(Rejection) -> ExpressionNode {
        let unaryOperator: UnaryOperator = token == .minus ? .minus : .onesComplement
        let start = lexer.start
        try enter()
        lexer.advance()
        let number = token == .number && lexer.unit == nil && unaryOperator == .minus ? lexer.number : nil
        let operandStart = lexer.start
        let operand = try operators(
            behind: try prefixed(), from: operandStart, atLeast: UnaryOperator.precedence)
        leave()
        let span = SourceSpan(start, lexer.previousEnd)
        if let number, case .literal = operand.kind {
            return ExpressionNode(.literal(number.literal(negative: true)), span: span)
        }
        try grow(over: height)
        return ExpressionNode(.unary(unaryOperator, operand), span: span)
    }

    // MARK: Atoms

    /// A value without operators and without steps behind it.
    private mutating func atom() throws(Rejection) -> ExpressionNode {
        switch token {
        case .identifier: return try keyOrCall()
        case .leftParenthesis: return try parenthesisedExpression()
        case .leftBrace: return try aggregate()
        case .subquery: return try subquery()
        case .ternary, .cast, .function, .fetch, .union, .intersect, .minusSets: return try contextualWord()
        case .atName: return try leadingCollectionOperator()
        default: return try leaf()
        }
    }

    /// A value of one token.
    private mutating func leaf() throws(Rejection) -> ExpressionNode {
        let kind: ExpressionNode.Kind
        switch token {
        case .number: kind = .literal(lexer.numberLiteral)
        case .string: kind = .literal(.string(lexer.stringValue()))
        case .placeholder: kind = .placeholder(placeholder())
        case .true: kind = .literal(.bool(true))
        case .false: kind = .literal(.bool(false))
        case .null: kind = .literal(.null)
        case .selfObject: kind = .selfObject
        case .variable: kind = .variable(lexer.text(lexer.start + 1, lexer.end))
        case .escapedKey: kind = .key(lexer.text(lexer.start + 1, lexer.end))
        case .quotedKey: kind = .key(lexer.stringValue())
        default: try fail(.expressionExpected)
        }
        let span = lexer.span
        height = 1
        lexer.advance()
        return ExpressionNode(kind, span: span)
    }

    private mutating func keyOrCall() throws(Rejection) -> ExpressionNode {
        let span = lexer.span
        lexer.advance()
        if token == .leftParenthesis || token == .colon { return try call(named: span) }
        return key(at: span)
    }

    /// The key written at the given place.
    mutating func key(at span: SourceSpan) -> ExpressionNode {
        height = 1
        return ExpressionNode(.key(lexer.text(Int(span.lowerBound), Int(span.upperBound))), span: span)
    }

    /// `(value)` where no predicate may appear.
    private mutating func parenthesisedExpression() throws(Rejection) -> ExpressionNode {
        try open(.leftParenthesis, "(")
        let value = try expression()
        try close(.rightParenthesis, ")")
        return value
    }

    /// `{a, b, …}`
    private mutating func aggregate() throws(Rejection) -> ExpressionNode {
        let start = lexer.start
        try open(.leftBrace, "{")
        let elements = try list(until: .rightBrace)
        try close(.rightBrace, "}")
        return ExpressionNode(.aggregate(elements), span: SourceSpan(start, lexer.previousEnd))
    }

    /// Values with commas between them up to a closing bracket, which is left.
    /// Leaves the height of the node that holds them.
    mutating func list(until closing: Token) throws(Rejection) -> [ExpressionNode] {
        var elements: [ExpressionNode] = []
        var highest = 0
        if token != closing {
            repeat {
                try checkCount(elements.count)
                elements.append(try expression())
                highest = max(highest, height)
            } while take(.comma)
        }
        try grow(over: highest)
        return elements
    }

    /// The argument the current token stands for; counts it.
    mutating func placeholder() -> Placeholder {
        let placeholder = Placeholder(
            index: placeholders.count, kind: lexer.placeholderKind, text: lexer.text(lexer.start, lexer.end))
        placeholders.append(placeholder)
        return placeholder
    }
}
