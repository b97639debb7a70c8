// What could appear at a place of a predicate's text: told from the tokens before it, finished or not.

import PredicateSyntax

/// What is wanted at the cursor, and what was typed of it.
struct CompletionPlace: Equatable {
    /// What could appear there.
    enum Want: Equatable {
        /// A value at the beginning of a comparison, or anything that a predicate begins with.
        case predicate
        /// A value within an expression.
        case operand
        /// A comparison operator behind the path.
        case comparison([String])
        /// A value that is compared with the path; behind a quotation mark that was opened, or not.
        case value([String], quote: Unicode.Scalar?)
        /// `AND` or `OR`.
        case connective
        /// Letters in brackets behind an operator.
        case option
        /// What is in brackets behind a path.
        case index
        /// The next key of a path.
        case step([String])
        case variable
        case nothing
    }

    var want: Want
    /// UTF-8 bytes that a completion replaces.
    var range: Range<Int>
    /// The part of them before the cursor.
    var typed: String

    /// The place of a byte in a text.
    init(in text: String, at cursor: Int) {
        let bytes = Array(text.utf8)
        let cursor = min(max(0, cursor), bytes.count)
        let tokens = LexicalToken.tokens(of: String(decoding: bytes[..<cursor], as: UTF8.self))
        guard let last = tokens.last, last.range.upperBound == cursor, Self.isWord(last, bytes) else {
            self.init(want: tokens.want(before: tokens.count), range: cursor..<cursor, typed: "")
            return
        }
        let want = tokens.want(before: tokens.count - 1)
        let typed = String(decoding: bytes[last.range], as: UTF8.self)
        self.init(want: want, range: last.range, typed: typed)
        if last.kind == .variable || bytes[last.range.lowerBound] == UInt8(ascii: "$") { self.want = .variable }
        if last.kind == .invalid, let quote = typed.unicodeScalars.first, quote == "'" || quote == "\"" {
            self.typed = String(typed.dropFirst())
            if case .value(let path, _) = want {
                self.want = .value(path, quote: quote)
            } else {
                self.want = .nothing
            }
            // A quotation mark that closes the literal goes with it.
            if cursor < bytes.count, bytes[cursor] == bytes[last.range.lowerBound] {
                range = last.range.lowerBound..<cursor + 1
            }
        } else if [.number, .string, .placeholder, .invalid].contains(last.kind), self.want != .variable {
            self.want = .nothing
        }
    }

    private init(want: Want, range: Range<Int>, typed: String) {
        (self.want, self.range, self.typed) = (want, range, typed)
    }

    /// Whether a token may be the beginning of a longer one.
    private static func isWord(_ token: LexicalToken, _ bytes: [UInt8]) -> Bool {
        let first = bytes[token.range.lowerBound]
        switch token.kind {
        case .bracket, .punctuation: return false
        case .comparison, .arithmetic: return (first | 0x20) &- 0x61 < 26
        default: return true
        }
    }
}

extension [LexicalToken] {
    /// What could follow the tokens before a position.
    fileprivate func want(before end: Int) -> CompletionPlace.Want {
        guard end > 0 else { return .predicate }
        let last = self[end - 1]
        if last.isDot { return .step(path(before: end - 1)) }
        if let opening = last.opening {
            if opening == "[" { return end > 1 && self[end - 2].kind == .comparison ? .option : .index }
            if opening == "{" { return compared(before: end).map { .value($0, quote: nil) } ?? .operand }
            return end > 1 && [.function, .keyword].contains(self[end - 2].kind) && !self[end - 2].isConnective
                && !self[end - 2].isNegation ? .operand : .predicate
        }
        if last.isConnective || last.isNegation { return .predicate }
        if last.kind == .comparison || closesOptions(end - 1) {
            return compared(before: end).map { .value($0, quote: nil) } ?? .operand
        }
        if last.endsValue {
            if isCompared(before: end) || endsPredicate(end - 1) { return .connective }
            return .comparison(path(before: end))
        }
        if last.kind == .punctuation, isInBraces(before: end) {
            return compared(before: end).map { .value($0, quote: nil) } ?? .operand
        }
        return .operand
    }

    /// Whether the token is the bracket behind option letters.
    private func closesOptions(_ index: Int) -> Bool {
        guard self[index].closing == "[" else { return false }
        var open = index
        while open > 0, self[open].opening != "[" { open -= 1 }
        return open > 0 && self[open - 1].kind == .comparison
    }

    /// Whether the token closes parentheses around a predicate, or is one by itself.
    private func endsPredicate(_ index: Int) -> Bool {
        if self[index].isPredicate { return true }
        guard self[index].closing == "(" else { return false }
        var depth = 0
        for token in self[..<index].reversed() {
            if token.closing != nil { depth += 1 }
            if token.opening != nil {
                if depth == 0 { return false }
                depth -= 1
            } else if depth == 0, token.kind == .comparison || token.isPredicate {
                return true
            }
        }
        return false
    }

    /// Whether a comparison operator precedes the position, in the same predicate.
    private func isCompared(before end: Int) -> Bool { comparison(before: end, throughBraces: false) != nil }

    /// The path on the left of the comparison that the position is on the right of; `nil` when there is none.
    private func compared(before end: Int) -> [String]? {
        comparison(before: end, throughBraces: true).map { path(before: $0) }
    }

    /// The nearest comparison operator to the left that is not in brackets of its own.
    private func comparison(before end: Int, throughBraces: Bool) -> Int? {
        var depth = 0
        for index in stride(from: end - 1, through: 0, by: -1) {
            let token = self[index]
            if token.closing != nil { depth += 1 }
            if let opening = token.opening {
                if depth == 0, !throughBraces || opening != "{" { return nil }
                depth = Swift.max(0, depth - 1)
            } else if depth == 0 {
                if token.isConnective { return nil }
                if token.kind == .comparison { return index }
            }
        }
        return nil
    }

    private func isInBraces(before end: Int) -> Bool {
        var depth = 0
        for token in self[..<end].reversed() {
            if token.closing != nil { depth += 1 }
            guard let opening = token.opening else { continue }
            if depth == 0 { return opening == "{" }
            depth -= 1
        }
        return false
    }

    /// The keys of the path that ends before the position; empty when something else does.
    private func path(before end: Int) -> [String] {
        var keys: [String] = []
        var index = end - 1
        while index >= 0, self[index].kind == .key, let name = self[index].name {
            keys.insert(name, at: 0)
            guard index > 1, self[index - 1].isDot else { break }
            index -= 2
        }
        return keys
    }
}
