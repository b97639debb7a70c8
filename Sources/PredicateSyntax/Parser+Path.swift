// Paths: keys, collection operators and indexes behind a value.

extension Parser {
    /// The steps behind a value that begins at byte `start` (its opening parenthesis included).
    @inline(__always)
    mutating func steps(behind base: ExpressionNode, from start: Int) throws(Rejection) -> ExpressionNode {
        guard token == .dot || token == .leftBracket else { return base }
        return try path(from: base, startingAt: start)
    }

    private mutating func path(from value: ExpressionNode, startingAt start: Int) throws(Rejection) -> ExpressionNode {
        var base = value
        var steps: [PathStep] = []
        // A path in parentheses goes on as the same path: the base of a path is never a path.
        if case .path(let innerBase, let innerSteps) = value.kind {
            base = innerBase
            steps = innerSteps
            height -= 1
        }
        var highest = height
        while true {
            if token == .dot {
                lexer.advance()
                try checkCount(steps.count)
                steps.append(try keyStep(behind: steps.last))
            } else if token == .leftBracket {
                try checkCount(steps.count)
                steps.append(try indexStep())
                highest = max(highest, height)
            } else {
                break
            }
        }
        try grow(over: highest)
        return ExpressionNode(.path(base: base, steps: steps), span: SourceSpan(start, lexer.previousEnd))
    }

    /// The step behind a dot.
    private mutating func keyStep(behind previous: PathStep?) throws(Rejection) -> PathStep {
        let span = lexer.span
        let kind: PathStep.Kind
        switch token {
        case .identifier: kind = .key(lexer.text(lexer.start, lexer.end))
        case .atName: kind = collectionStep()
        case .placeholder where lexer.placeholderKind == .key: kind = .placeholder(placeholder())
        case .selfObject: kind = .selfObject
        case .quotedKey: kind = .key(lexer.stringValue())
        case .escapedKey:
            let key = lexer.text(lexer.start + 1, lexer.end)
            // `@max.#self` is the elements themselves: behind an operator the object's own key `self` is meant.
            if case .collectionOperator = previous?.kind, LanguageWords.isSelf(key) {
                kind = .selfObject
            } else {
                kind = .key(key)
            }
        case .variable:
            // `.$name` is the key that the variable holds, so it is the same as `[$name]`.
            kind = .index(ExpressionNode(.variable(lexer.text(lexer.start + 1, lexer.end)), span: span))
        default:
            guard lexer.isWord else { try fail(.keyExpected) }
            kind = .key(lexer.text(lexer.start, lexer.end))
        }
        lexer.advance()
        return PathStep(kind, span: span)
    }

    /// The step that the current `@name` stands for. A name that is no operator is a key written with its `@`,
    /// as in JSON-LD (`@type`).
    private func collectionStep() -> PathStep.Kind {
        let name = lexer.text(lexer.start + 1, lexer.end)
        return CollectionOperator(rawValue: name).map { .collectionOperator($0) } ?? .key("@" + name)
    }

    /// `@sum.items.price`, which is `SELF.@sum.items.price`.
    mutating func leadingCollectionOperator() throws(Rejection) -> ExpressionNode {
        let span = lexer.span
        let step = collectionStep()
        lexer.advance()
        height = 1
        if case .key(let key) = step { return ExpressionNode(.key(key), span: span) }
        try grow(over: height)
        let base = ExpressionNode(.selfObject, span: SourceSpan(Int(span.lowerBound), Int(span.lowerBound)))
        return ExpressionNode(.path(base: base, steps: [PathStep(step, span: span)]), span: span)
    }

    /// `[FIRST]`, `[LAST]`, `[SIZE]` or `[value]`; leaves the height of the value.
    private mutating func indexStep() throws(Rejection) -> PathStep {
        let start = lexer.start
        try open(.leftBracket, "[")
        let kind: PathStep.Kind
        if let word = positionWord() { kind = word } else { kind = .index(try expression()) }
        try close(.rightBracket, "]")
        return PathStep(kind, span: SourceSpan(start, lexer.previousEnd))
    }

    private mutating func positionWord() -> PathStep.Kind? {
        let kind: PathStep.Kind
        switch token {
        case .first: kind = .first
        case .last: kind = .last
        case .size: kind = .size
        default: return nil
        }
        lexer.advance()
        height = 1
        return kind
    }
}
