// Suggestions for the common slips: what the author of a rejected text may have meant.

/// Looks at the tokens around an error. It runs once, for the error that is reported, so it may read the text again.
struct HintFinder {
    private struct Place {
        var token: Token
        var start: Int
        var end: Int

        var takesList: Bool { token == .comparison(.in) || token == .comparison(.between) }
    }

    private struct Opening {
        var start: Int
        /// True behind `IN` and `BETWEEN`, where SQL has lists in parentheses.
        var followsListOperator: Bool
    }

    /// The lexer at the token that cannot appear there.
    private let lexer: Lexer
    /// The innermost bracket open at that token.
    private let innermostOpening: Opening?
    /// The tokens before it, the nearest last; not more than matter.
    private let before: [Place]
    private let current: Place
    private let next: Place

    init(_ lexer: Lexer) {
        self.lexer = lexer
        current = Place(token: lexer.token, start: lexer.start, end: lexer.end)
        var ahead = lexer
        if ahead.token != .end { ahead.advance() }
        next = Place(token: ahead.token, start: ahead.start, end: ahead.end)
        var tokens: [Place] = []
        var openings: [Opening] = []
        var reader = lexer
        reader.restart(at: 0)
        while reader.start < lexer.start, reader.token != .end, reader.token != .invalid {
            if tokens.count == 64 { tokens.removeFirst(32) }
            switch reader.token {
            case .leftParenthesis, .leftBracket, .leftBrace:
                openings.append(Opening(start: reader.start, followsListOperator: tokens.last?.takesList ?? false))
            case .rightParenthesis, .rightBracket, .rightBrace: _ = openings.popLast()
            default: break
            }
            tokens.append(Place(token: reader.token, start: reader.start, end: reader.end))
            reader.advance()
        }
        before = tokens
        innermostOpening = openings.last
    }

    func hint(for fault: SyntaxFault) -> String? {
        isStatement ? "a predicate is what follows WHERE in SQL" : hintAtPlace(fault)
    }

    private func hintAtPlace(_ fault: SyntaxFault) -> String? {
        switch fault {
        case .comparisonExpected: hintForComparison
        case .expressionExpected: hintForExpression
        case .unexpectedToken: hintForConnective
        case .signExpected(let sign): hint(forMissing: sign)
        case .keyExpected:
            switch current.token {
            case _ where isRange: "write BETWEEN {lower, upper}"
            case .dot: "keys are separated by one dot"
            case .string: "an unusual key is written #'key'"
            default: nil
            }
        case .optionExpected:
            current.token == .number || current.token == .string
                ? "a list is written in braces: {1, 2}"
                : "the letters are c (case), d (diacritics), n (normalised), l (locale)"
        case .optionsNotTaken: "leave the brackets out"
        case .phraseNotTaken: "p searches for a phrase: x TOKENMATCHES[cdp] 'two words'"
        case .iteratorExpected: "write SUBQUERY(collection, $x, predicate on $x)"
        }
    }

    // MARK: Surroundings

    private func text(_ place: Place) -> String { lexer.text(place.start, place.end) }

    private func word(_ place: Place) -> String {
        String(decoding: lexer.bytes[place.start..<place.end].map { $0 &- 0x61 < 26 ? $0 & 0xDF : $0 }, as: UTF8.self)
    }

    private var isWord: Bool { lexer.isWord }
    private var previous: Place? { before.last }
    private var touchesPrevious: Bool { previous?.end == current.start }

    /// Words that begin statements of SQL.
    private static let statements: Set<String> = ["SELECT", "WHERE", "DELETE", "UPDATE"]

    private var isStatement: Bool {
        guard let first = before.first, Self.statements.contains(word(first)) else { return false }
        let second = before.dropFirst().first ?? current
        return second.token == .identifier || second.token == .star
    }

    /// `1..5`: a range of other languages.
    private var isRange: Bool { before.suffix(2).map(\.token) == [.number, .dot] }

    /// The tokens behind the last one of the given kind, `nil` if there is none nearby.
    private func tokens(behind token: Token) -> ArraySlice<Place>? {
        before.lastIndex { $0.token == token }.map { before[($0 + 1)...] }
    }

    // MARK: A comparison operator was expected

    private var hintForComparison: String? {
        if let between = hintForBetween { return between }
        switch current.token {
        case .not:
            if next.token == .comparison(.equal) { return "write != without a blank" }
            return next.token.comparisonOperator.map { "there is no infix NOT: write NOT (x \($0.rawValue) …)" }
        case .identifier where word(current) == "IS":
            switch next.token {
            case .null: return "write == nil"
            case .not: return "write != nil"
            default: return "write =="
            }
        case .identifier: return hintForOperatorWord
        case .end, .rightParenthesis, .and, .or, .comma: return hintForBareValue
        case .leftBrace, .string, .number: return "an operator such as == or IN is missing"
        case .assignment: return "variables cannot be assigned"
        case .tilde: return "write MATCHES for a regular expression, CONTAINS for a part of a text"
        default: return isWord ? hintForBlanks : nil
        }
    }

    private var hintForBlanks: String? {
        guard previous?.token == .identifier, next.token.comparisonOperator != nil else { return nil }
        return "a key with blanks is written #'key with blanks'"
    }

    /// `x BETWEEN a AND b`: the second bound is taken for the next comparison.
    private var hintForBetween: String? {
        guard let behind = tokens(behind: .comparison(.between)), behind.first?.token != .leftBrace,
            behind.contains(where: { $0.token == .and }), !behind.contains(where: { $0.token == .or })
        else { return nil }
        return "write BETWEEN {lower, upper}"
    }

    private static let operatorWords = ComparisonOperator.allCases.map(\.rawValue).filter {
        Lexer.isWordStart($0.utf8.first ?? 0)
    }

    /// Words of other languages for operators of this one.
    private static let foreignOperators: [String: String] = [
        "EQUALS": "==", "EQUAL": "==", "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "LTE": "<=", "GT": ">",
        "GE": ">=", "GTE": ">=", "HAS": "CONTAINS", "INCLUDES": "CONTAINS", "STARTSWITH": "BEGINSWITH",
        "STARTS": "BEGINSWITH", "HASPREFIX": "BEGINSWITH", "HASSUFFIX": "ENDSWITH", "ILIKE": "LIKE[c]",
        "DOESNOTCONTAIN": "NOT (x CONTAINS …)", "REGEXP": "MATCHES", "REGEX": "MATCHES", "RLIKE": "MATCHES",
        "GLOB": "LIKE",
    ]

    private var hintForOperatorWord: String? {
        let word = word(current)
        if let known = Self.foreignOperators[word] { return "write \(known)" }
        if let near = EditDistance.closest(to: word, in: Self.operatorWords) { return "did you mean \(near)?" }
        return hintForBlanks
    }

    private var hintForBareValue: String? {
        let isBitTest = before.reversed().prefix { $0.token != .and && $0.token != .or && $0.token != .not }
            .contains { $0.token == .ampersand || $0.token == .pipe }
        if isBitTest { return "a bit test is written (flags & 4) != 0; predicates are joined by && and ||" }
        switch before.last(where: { $0.token != .rightParenthesis })?.token {
        case .identifier, .escapedKey, .quotedKey: return "a key alone is no predicate: write key == TRUE"
        case .true: return "the constant predicate is TRUEPREDICATE"
        case .false: return "the constant predicate is FALSEPREDICATE"
        case .placeholder: return "an argument is a value, not a predicate"
        case .string, .number:
            guard before.contains(where: { $0.token == .or || $0.token == .and }) else { return nil }
            return "AND and OR join comparisons; for one of several values write x IN {…}"
        default: return nil
        }
    }

    // MARK: An expression was expected

    private var hintForExpression: String? {
        if before.isEmpty, current.token == .end || current.token == .star && next.token == .end {
            return "TRUEPREDICATE is true of every record"
        }
        if isWord, let hint = hintForReservedWord { return hint }
        if let hint = hintForSigns { return hint }
        switch (previous?.token, current.token) {
        case (.slash, .slash), (.slash, .star): return "there are no comments"
        case (.slash?, .starStar): return "there are no comments"
        case (_, .slash) where next.token == .slash || next.token == .star: return "there are no comments"
        case (_, .dot) where next.token == .number: return "a fraction needs a digit before the dot: 0.5"
        case (.comma, .rightBrace), (.comma, .rightParenthesis): return "no comma follows the last element"
        case (_, .leftBracket): return "a list is written in braces: {1, 2}"
        case (.and, .and), (.or, .or): return "one connective is enough"
        case (.comparison(.like)?, .star), (.comparison(.like)?, .starStar), (.comparison(.equal)?, .star),
            (.comparison(.contains)?, .star):
            return "text needs quotes: '*x*'"
        case (.any?, _), (.some?, _), (.all?, _), (.none?, _):
            guard let previous, current.token.comparisonOperator != nil else { return nil }
            return reservedWordHint(word(previous))
        default: return nil
        }
    }

    /// Two operators of signs, one behind the other: a synonym of another language, or one that was parted.
    private var hintForSigns: String? {
        switch (previous?.token.comparisonOperator, current.token.comparisonOperator) {
        case (.equal, .equal) where touchesPrevious: "equality is written =="
        case (.equal, .greaterThan), (.greaterThan, .equal): "write >= without a blank"
        case (.equal, .lessThan), (.lessThan, .equal): "write <= without a blank"
        case (.lessThan, .greaterThan): "write <> or != without a blank"
        default: nil
        }
    }

    /// A reserved word where a value should appear: a key of that name needs a `#`.
    private var hintForReservedWord: String? {
        let word = word(current)
        switch current.token {
        case .any, .some, .all, .none:
            if let previous, [.any, .some, .all, .none].contains(previous.token) { return "one quantifier is enough" }
            guard next.token.comparisonOperator != nil else { return "a quantifier precedes the left side" }
        case .anyKey:
            return "ANYKEY is not part of the language; a key of this name is written #\(word.lowercasedASCII)"
        case .first, .last, .size, .caseInsensitive: break
        default: guard next.token.comparisonOperator != nil || next.token == .dot else { return nil }
        }
        return reservedWordHint(word)
    }

    private func reservedWordHint(_ word: String) -> String {
        "\(word) is a reserved word: a key of this name is written #\(word.lowercasedASCII)"
    }

    // MARK: The end or a connective was expected

    private static let clauses: Set<String> = [
        "ORDER", "SORT", "SORTED", "LIMIT", "GROUP", "HAVING", "DISTINCT", "OFFSET", "WHERE", "ASC", "DESC",
    ]

    private var hintForConnective: String? {
        switch current.token {
        case .rightParenthesis: return "no parenthesis is open here"
        case .string where previous?.token == .string: return "adjacent literals are not joined"
        case .not: return "join predicates by AND NOT"
        case .comma where previous?.token == .number:
            let takesList = before.dropLast().last?.takesList ?? false
            return takesList ? "a list is written in braces: {1, 2}" : "digits are written without commas"
        case .leftParenthesis, .any, .some, .all, .none, .number, .string: return "join predicates by AND or OR"
        default: break
        }
        if current.token.comparisonOperator != nil { return hintForChain }
        guard isWord else { return nil }
        if touchesPrevious, previous?.token == .string { return "a quote inside a literal is written \\' or \\\"" }
        let word = word(current)
        if word == "XOR" { return "there is no XOR: write (a AND NOT b) OR (NOT a AND b)" }
        if Self.clauses.contains(word) { return "order and limits are no part of a predicate" }
        if let meant = EditDistance.closest(to: word, in: ["AND", "OR"]) { return "did you mean \(meant)?" }
        return "join predicates by AND or OR"
    }

    private var hintForChain: String {
        let recent = before.reversed().prefix { $0.token != .and && $0.token != .or }
        if recent.contains(where: { $0.token == .ampersand }) { return "predicates are joined by && or AND" }
        if recent.contains(where: { $0.token == .pipe }) { return "predicates are joined by || or OR" }
        if previous?.token == .rightParenthesis { return "a predicate cannot be compared" }
        return "comparisons do not chain: write a < b AND b < c"
    }

    // MARK: A bracket or comma was expected

    private func hint(forMissing sign: String) -> String? {
        if sign == "(" {
            guard let previous, LanguageWords.isReserved(text(previous)) else { return nil }
            return reservedWordHint(word(previous))
        }
        guard let opening = innermostOpening else { return nil }
        if sign == ")", current.token == .comma, opening.followsListOperator {
            return "a list is written in braces: {…}"
        }
        if sign == ")", current.token.comparisonOperator != nil { return "a predicate cannot be an operand" }
        guard sign != "," else { return nil }
        return "\(UnicodeScalar(lexer.bytes[opening.start])) was opened at \(place(of: opening.start))"
    }

    private func place(of offset: Int) -> String {
        let position = SourceText(lexer.text(0, lexer.length)).position(ofByte: offset)
        return position.line == 1 ? "column \(position.column)" : "line \(position.line), column \(position.column)"
    }
}

extension String {
    /// With ASCII letters in lower case; words of the language are ASCII.
    fileprivate var lowercasedASCII: String {
        String(decoding: utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
