// The tokens of any text, finished or not, by what they are to a reader: for highlighting and completion.

/// A token with its place, classified as far as its neighbours tell: no parsing, so that unfinished text works too.
package struct LexicalToken: Hashable, Sendable {
    /// What the token is to a reader.
    package enum Kind: Hashable, Sendable {
        /// `AND`, `NOT`, `ANY`, `SUBQUERY` …
        case keyword
        /// `==`, `CONTAINS`, `BETWEEN` …
        case comparison
        /// Letters in brackets behind a comparison operator.
        case option
        /// `+`, `**`, `UNION` …
        case arithmetic
        /// A field, or a step of a path.
        case key
        /// A word of a selector before `(`.
        case function
        /// `nil`, `TRUE`, `SELF`, `TRUEPREDICATE` …
        case constant
        case string, number, variable, placeholder
        case bracket
        /// `,` `.` `:`
        case punctuation
        /// No token can be read here.
        case invalid
    }

    package var kind: Kind
    /// Its bytes in the text.
    package var range: Range<Int>
    /// The key, without what escapes it; `nil` for other tokens.
    package let name: String?
    let token: Token
}

extension LexicalToken {
    /// The tokens of a text, in order.
    /// - Complexity: O(n).
    package static func tokens(of text: String) -> [LexicalToken] {
        var lexer = Lexer(text)
        var tokens: [LexicalToken] = []
        while true {
            lexer.advance()
            if lexer.token == .end { break }
            let isStep = lexer.isWord && tokens.last?.token == .dot
            let token = isStep ? .identifier : lexer.token
            tokens.append(
                LexicalToken(kind: kind(of: token), range: lexer.start..<lexer.end, name: lexer.key, token: token))
            if lexer.end >= lexer.length { break }
        }
        for index in tokens.indices { tokens.classify(at: index) }
        return tokens
    }

    private static func kind(of token: Token) -> Kind {
        switch token {
        case .end, .invalid, .assignment: .invalid
        case .identifier, .escapedKey, .quotedKey, .atName: .key
        case .variable: .variable
        case .string: .string
        case .number: .number
        case .placeholder: .placeholder
        case .leftParenthesis, .rightParenthesis, .leftBracket, .rightBracket, .leftBrace, .rightBrace: .bracket
        case .comma, .dot, .colon: .punctuation
        case .plus, .minus, .star, .slash, .starStar, .ampersand, .pipe, .caret, .tilde, .shiftLeft, .shiftRight,
            .union, .intersect, .minusSets:
            .arithmetic
        case .comparison: .comparison
        case .null, .selfObject, .true, .false, .truePredicate, .falsePredicate: .constant
        case .and, .or, .not, .any, .some, .all, .none, .first, .last, .size, .subquery, .anyKey, .caseInsensitive,
            .ternary, .cast, .function, .fetch:
            .keyword
        }
    }
}

extension Lexer {
    /// The key that the current token stands for, perhaps behind a dot.
    fileprivate var key: String? {
        switch token {
        case .quotedKey: stringValue()
        case .escapedKey: text(start + 1, end)
        default: isWord ? text(start, end) : nil
        }
    }
}

extension [LexicalToken] {
    /// Settles what only the neighbours tell: selectors, option letters, words that are keys elsewhere.
    fileprivate mutating func classify(at index: Int) {
        switch self[index].token {
        case .leftBracket where index > 0 && self[index - 1].kind == .comparison:
            let letters = index + 1
            if letters < count, self[letters].token == .identifier { self[letters].kind = .option }
        case .identifier where self[index].kind == .key:
            for word in selectorWords(from: index) { self[word].kind = .function }
        case .cast, .ternary, .function, .fetch:
            if !isFollowed(index, by: .leftParenthesis) { self[index].kind = .key }
        case .union, .intersect, .minusSets:
            if index == 0 || !self[index - 1].endsValue { self[index].kind = .key }
        default: break
        }
    }

    private func isFollowed(_ index: Int, by token: Token) -> Bool {
        index + 1 < count && self[index + 1].token == token
    }

    /// The words of a selector that begins at `index` and is followed by a parenthesis:
    /// `distanceToLocation:fromLocation:(`.
    private func selectorWords(from index: Int) -> [Int] {
        if index > 0, self[index - 1].token == .dot { return [] }
        var words: [Int] = []
        var next = index
        while next < count, self[next].token == .identifier {
            words.append(next)
            next += 1
            guard next < count, self[next].token == .colon else { break }
            next += 1
        }
        return next < count && self[next].token == .leftParenthesis ? words : []
    }
}

extension LexicalToken {
    /// Whether a value can end with the token.
    package var endsValue: Bool {
        switch kind {
        case .key, .constant, .string, .number, .variable, .placeholder: true
        case .bracket: token == .rightParenthesis || token == .rightBracket || token == .rightBrace
        case .keyword: token == .first || token == .last || token == .size
        default: false
        }
    }

    /// Whether the token joins predicates: `AND`, `OR`.
    package var isConnective: Bool { token == .and || token == .or }

    /// Whether the token is a predicate by itself: `TRUEPREDICATE`, `FALSEPREDICATE`.
    package var isPredicate: Bool { token == .truePredicate || token == .falsePredicate }

    /// Whether the token turns what follows around.
    package var isNegation: Bool { token == .not }

    /// Whether the token is between a key and the next one of its path.
    package var isDot: Bool { token == .dot }

    /// Whether the token opens a bracket; of which kind.
    package var opening: Character? {
        switch token {
        case .leftParenthesis: "("
        case .leftBracket: "["
        case .leftBrace: "{"
        default: nil
        }
    }

    /// Whether the token closes a bracket; of which kind, by its opening one.
    package var closing: Character? {
        switch token {
        case .rightParenthesis: "("
        case .rightBracket: "["
        case .rightBrace: "{"
        default: nil
        }
    }
}

/// How values and names are written in predicate text.
package enum CanonicalText {
    /// A text as a literal, between the quotation marks given.
    package static func string(_ value: String, quote: Unicode.Scalar = "'") -> String {
        Printer.quoted(value, with: quote)
    }

    /// A value as the canonical text has it.
    package static func value(_ node: ExpressionNode) -> String {
        var printer = Printer()
        printer.print(node)
        return printer.text
    }

    /// A field's name, behind `#` where it would mean something else.
    package static func key(_ name: String) -> String { Printer.text(ofKey: name) }
}

extension FunctionName {
    /// How the function is written before its parenthesis.
    package var written: String { spelling }
}
