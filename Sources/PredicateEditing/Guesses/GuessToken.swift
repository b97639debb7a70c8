// Texts of other query languages, cut into words, texts, numbers and signs.

/// A token of a text in another language.
struct GuessToken: Equatable {
    enum Kind: Equatable {
        case word, number, sign
        /// A text between quotes, which are kept apart: in SQL double ones are for names.
        case text(Character)
        /// A pattern between slashes.
        case pattern
    }

    var kind: Kind
    /// The text of a quoted token without its quotes and escapes; of others as written.
    var text: String
    /// Whether white space is before it.
    var isApart: Bool

    var isText: Bool { if case .text = kind { true } else { false } }

    /// Whether the token is a word, in any letter case.
    func isWord(_ word: String) -> Bool { kind == .word && text.uppercased() == word }

    /// Whether the token is a sign.
    func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }

    /// The tokens of a text; `nil` where a quote is not closed.
    ///
    /// - Parameter isSQL: Whether a doubled quote stands for one, and backslashes for themselves.
    static func tokens(of text: String, isSQL: Bool) -> [GuessToken]? {
        var tokens: [GuessToken] = []
        var rest = Substring(text)
        var isApart = false
        while let first = rest.first {
            if first.isWhitespace {
                isApart = true
                rest.removeFirst()
                continue
            }
            guard let token = token(&rest, first, isApart, isSQL: isSQL) else { return nil }
            tokens.append(token)
            isApart = false
        }
        return tokens
    }

    private static let signs = ["<=>", "==", "!=", "<>", "<=", ">=", "&&", "||", "::", "=~", "!~"]

    private static func token(
        _ rest: inout Substring, _ first: Character, _ isApart: Bool, isSQL: Bool
    ) -> GuessToken? {
        func taken(_ kind: Kind, _ count: Int) -> GuessToken {
            let text = String(rest.prefix(count))
            rest.removeFirst(count)
            return GuessToken(kind: kind, text: text, isApart: isApart)
        }
        if first == "'" || first == "\"" || first == "`" || first == "\u{201C}" || first == "\u{2018}" {
            return quoted(&rest, first, isApart, isSQL: isSQL)
        }
        if first.isLetter || first == "_" || first == "$" || first == "@" {
            return taken(.word, rest.prefix { $0.isLetter || $0.isNumber || "_$@".contains($0) }.count)
        }
        if first.isASCII, first.isNumber {
            return taken(.number, rest.prefix { $0.isASCII && ($0.isNumber || "._".contains($0) || $0.isLetter) }.count)
        }
        for sign in signs where rest.hasPrefix(sign) { return taken(.sign, sign.count) }
        return taken(.sign, 1)
    }

    private static func quoted(
        _ rest: inout Substring, _ quote: Character, _ isApart: Bool, isSQL: Bool
    ) -> GuessToken? {
        let closing: Character = quote == "\u{201C}" ? "\u{201D}" : quote == "\u{2018}" ? "\u{2019}" : quote
        rest.removeFirst()
        var text = ""
        while let next = rest.popFirst() {
            if next == closing {
                guard isSQL, rest.first == closing else {
                    return GuessToken(kind: .text(quote), text: text, isApart: isApart)
                }
                rest.removeFirst()
                text.append(closing)
            } else if next == "\\", !isSQL, let escaped = rest.popFirst() {
                text.append(escaped == "n" ? "\n" : escaped == "t" ? "\t" : escaped)
            } else {
                text.append(next)
            }
        }
        return nil
    }
}

/// Tokens that are read one after the other.
struct GuessReader {
    private let tokens: [GuessToken]
    private(set) var position = 0

    init(_ tokens: [GuessToken]) { self.tokens = tokens }

    var next: GuessToken? { peek(0) }
    var isAtEnd: Bool { position >= tokens.count }

    /// A token ahead.
    func peek(_ distance: Int) -> GuessToken? {
        position + distance < tokens.count ? tokens[position + distance] : nil
    }

    /// Takes the next token.
    mutating func take() -> GuessToken? {
        guard let token = next else { return nil }
        position += 1
        return token
    }

    /// Takes words in a row, in any letter case; none where they are not next.
    mutating func take(words: String...) -> Bool {
        for (distance, word) in words.enumerated() where peek(distance)?.isWord(word) != true { return false }
        position += words.count
        return true
    }

    /// Takes a sign; not where it is not next.
    mutating func take(sign: String) -> Bool {
        guard next?.isSign(sign) == true else { return false }
        position += 1
        return true
    }
}
