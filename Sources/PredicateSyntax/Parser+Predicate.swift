// Predicates: connectives, NOT, comparisons, and parentheses that may hold either a predicate or a value.

extension Parser {
    /// What a parenthesis turned out to hold.
    enum Operand {
        case predicate(PredicateNode)
        case expression(ExpressionNode)
    }

    /// A predicate: terms joined by AND and OR.
    mutating func predicate() throws(Rejection) -> PredicateNode {
        let start = lexer.start
        return try predicate(continuing: try term(), from: start)
    }

    /// A predicate whose first term, beginning at byte `start`, was read already.
    @inline(__always)
    private mutating func predicate(
        continuing first: PredicateNode, from start: Int
    ) throws(Rejection) -> PredicateNode {
        guard token == .and || token == .or else { return first }
        return try disjunction(continuing: first, from: start)
    }

    /// Chains of AND inside a chain of OR, in one loop and flat: a hundred thousand terms need no deep stack.
    private mutating func disjunction(
        continuing first: PredicateNode, from start: Int
    ) throws(Rejection) -> PredicateNode {
        var alternatives: [PredicateNode] = []
        var alternativesHeight = 0
        var alternative = first
        var alternativeStart = start
        while true {
            if token == .and { alternative = try conjunction(continuing: alternative, from: alternativeStart) }
            guard token == .or || !alternatives.isEmpty else { return alternative }
            try checkCount(alternatives.count)
            alternatives.append(alternative)
            alternativesHeight = max(alternativesHeight, height)
            guard take(.or) else { break }
            alternativeStart = lexer.start
            alternative = try term()
        }
        try grow(over: alternativesHeight)
        return PredicateNode(.or(alternatives), span: SourceSpan(start, lexer.previousEnd))
    }

    /// A chain of AND; the current token is the first `AND`.
    private mutating func conjunction(
        continuing first: PredicateNode, from start: Int
    ) throws(Rejection) -> PredicateNode {
        var highest = height
        lexer.advance()
        let second = try term()
        highest = max(highest, height)
        var terms = [first, second]
        while take(.and) {
            try checkCount(terms.count)
            terms.append(try term())
            highest = max(highest, height)
        }
        try grow(over: highest)
        return PredicateNode(.and(terms), span: SourceSpan(start, lexer.previousEnd))
    }

    /// One term: `NOT` and a term, a constant, a comparison, or a predicate in parentheses.
    private mutating func term() throws(Rejection) -> PredicateNode {
        switch token {
        case .leftParenthesis:
            let start = lexer.start
            switch try parenthesised() {
            case .predicate(let node): return node
            case .expression(let value):
                return try comparison(try expression(continuing: value, from: start), from: start)
            }
        case .not: return try negation()
        case .truePredicate, .falsePredicate:
            let node = PredicateNode(.constant(token == .truePredicate), span: lexer.span)
            lexer.advance()
            height = 1
            return node
        case .any, .some, .all, .none: return try quantifiedComparison()
        default:
            let start = lexer.start
            return try comparison(try expression(), from: start)
        }
    }

    /// `NOT p`, `! p`; a row of them in one loop.
    private mutating func negation() throws(Rejection) -> PredicateNode {
        var starts: [Int] = []
        while token == .not {
            try enter()
            starts.append(lexer.start)
            lexer.advance()
        }
        var node = try term()
        while let start = starts.popLast() {
            leave()
            try grow(over: height)
            node = PredicateNode(.not(node), span: SourceSpan(start, lexer.previousEnd))
        }
        return node
    }

    /// The inside of parentheses that may hold a predicate or a value: read once, decided by what follows it.
    private mutating func parenthesised() throws(Rejection) -> Operand {
        try open(.leftParenthesis, "(")
        let operand = try operand()
        if token != .rightParenthesis, case .expression = operand { try fail(.comparisonExpected) }
        try close(.rightParenthesis, ")")
        return operand
    }

    /// A predicate or a value, whichever comes next.
    private mutating func operand() throws(Rejection) -> Operand {
        let start = lexer.start
        let value: ExpressionNode
        switch token {
        case .leftParenthesis:
            switch try parenthesised() {
            case .predicate(let node): return .predicate(try predicate(continuing: node, from: start))
            case .expression(let inner): value = try expression(continuing: inner, from: start)
            }
        case .not, .truePredicate, .falsePredicate, .any, .some, .all, .none: return .predicate(try predicate())
        default: value = try expression()
        }
        guard token.comparisonOperator != nil else { return .expression(value) }
        return .predicate(try predicate(continuing: try comparison(value, from: start), from: start))
    }

    // MARK: Comparisons

    private mutating func quantifiedComparison() throws(Rejection) -> PredicateNode {
        let start = lexer.start
        let span = lexer.span
        let quantifier: Quantifier =
            switch token {
            case .all: .all
            case .none: .none
            default: .any
            }
        lexer.advance()
        return try comparison(try expression(), from: start, quantifier: quantifier, quantifierSpan: span)
    }

    /// An operator as written, with its options and its place.
    private struct WrittenOperator {
        var comparisonOperator: ComparisonOperator
        var options: ComparisonOptions = []
        var span: SourceSpan
    }

    /// The operator and the right side behind a left side that begins at byte `start`.
    private mutating func comparison(
        _ lhs: ExpressionNode, from start: Int, quantifier: Quantifier? = nil, quantifierSpan: SourceSpan = .none
    ) throws(Rejection) -> PredicateNode {
        let leftHeight = height
        let written = try comparisonOperator()
        let rhs = try expression()
        if written.comparisonOperator == .between { try checkBounds(rhs) }
        try grow(over: max(leftHeight, height))
        let comparison = Comparison(
            quantifier: quantifier, lhs, written.comparisonOperator, written.options, rhs,
            quantifierSpan: quantifierSpan, operatorSpan: written.span)
        return PredicateNode(.comparison(comparison), span: SourceSpan(start, lexer.previousEnd))
    }

    private mutating func comparisonOperator() throws(Rejection) -> WrittenOperator {
        guard let comparisonOperator = token.comparisonOperator else { try fail(.comparisonExpected) }
        var written = WrittenOperator(comparisonOperator: comparisonOperator, span: lexer.span)
        lexer.advance()
        if token == .leftBracket {
            let known = comparisonOperator.syntax.options
            if known.isEmpty { try fail(.optionsNotTaken) }
            written.options = try options(of: known)
            written.span = SourceSpan(Int(written.span.lowerBound), lexer.previousEnd)
        }
        return written
    }

    /// `[cd]` behind an operator that takes these; the current token is the bracket.
    private mutating func options(of known: ComparisonOptions) throws(Rejection) -> ComparisonOptions {
        lexer.advance()
        if token == .end { try fail(.optionExpected) }
        var options: ComparisonOptions = []
        for offset in lexer.start..<lexer.end {
            guard let option = ComparisonOptions(letter: UnicodeScalar(lexer.bytes[offset])) else {
                try fail(.optionExpected, from: offset)
            }
            if option == .phrase, !known.contains(option) { try fail(.phraseNotTaken, from: offset) }
            options.insert(option)
        }
        lexer.advance()
        try expect(.rightBracket, "]")
        return options
    }

    private func checkBounds(_ bounds: ExpressionNode) throws(Rejection) {
        guard case .aggregate(let elements) = bounds.kind, elements.count != 2 else { return }
        try fail(.semantic, at: bounds.span, "BETWEEN needs exactly two bounds", expected: ["{lower, upper}"])
    }
}
