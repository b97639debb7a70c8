// Lucene's query syntax at the place of a predicate.

import RecordDatabase

/// Reads `field:value` and its kin.
struct LuceneGuess {
    private var rest: Substring

    /// What a query says; `nil` for what names no field.
    static func query(of text: String) -> TranslatedQuery? {
        let names = text.split { " (+-".contains($0) }
        guard
            names.contains(where: { word in
                guard let colon = word.firstIndex(of: ":"), colon != word.startIndex else { return false }
                return word[..<colon].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
            }), !text.contains("=="), !text.contains("{$")
        else { return nil }
        var guess = LuceneGuess(rest: text[...])
        guard let condition = guess.clauses(field: nil), guess.rest.allSatisfy(\.isWhitespace) else { return nil }
        return TranslatedQuery(predicate: condition)
    }

    private mutating func skipBlanks() { rest = rest.drop(while: \.isWhitespace) }

    private mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest.removeFirst(text.count)
        return true
    }

    private mutating func take(word: String) -> Bool {
        guard rest.hasPrefix(word), rest.dropFirst(word.count).first.map({ !$0.isLetter && $0 != ":" }) ?? true else {
            return false
        }
        rest.removeFirst(word.count)
        return true
    }

    /// Clauses up to a closing parenthesis: AND where nothing is between them.
    private mutating func clauses(field: String?) -> String? {
        var alternatives: [[String]] = [[]]
        skipBlanks()
        while !rest.isEmpty, !rest.hasPrefix(")") {
            if take(word: "OR") || take("||") {
                alternatives.append([])
            } else if take(word: "AND") || take("&&") {
                skipBlanks()
                continue
            } else {
                let isNegated = take(word: "NOT") || take("-") || take("!")
                if !isNegated { _ = take("+") }
                skipBlanks()
                guard let clause = clause(field: field) else { return nil }
                alternatives[alternatives.count - 1].append(isNegated ? "NOT (\(clause))" : clause)
            }
            skipBlanks()
        }
        guard alternatives.allSatisfy({ !$0.isEmpty }) else { return nil }
        return alternatives.map { $0.joined(separator: " AND ") }.joined(separator: " OR ")
    }

    private mutating func clause(field: String?) -> String? {
        if take("(") {
            guard let inner = clauses(field: field), take(")") else { return nil }
            return inner.contains(" OR ") || inner.contains(" AND ") ? "(\(inner))" : inner
        }
        var field = field
        let word = rest.prefix { $0.isLetter || $0.isNumber || "_.@".contains($0) }
        if !word.isEmpty, rest.dropFirst(word.count).hasPrefix(":") {
            field = String(word)
            rest = rest.dropFirst(word.count + 1)
            skipBlanks()
            if take("(") {
                guard let inner = clauses(field: field), take(")") else { return nil }
                return inner.contains(" OR ") || inner.contains(" AND ") ? "(\(inner))" : inner
            }
        }
        return value(of: field)
    }

    private mutating func value(of field: String?) -> String? {
        let key = field.map(PredicatePart.key) ?? "allTokens"
        if rest.hasPrefix("[") || rest.hasPrefix("{") { return range(of: key) }
        for sign in [">=", "<=", ">", "<"] where take(sign) {
            skipBlanks()
            return word().map { "\(key) \(sign) \(PredicatePart.value($0))" }
        }
        if take("/") {
            guard let end = rest.firstIndex(of: "/") else { return nil }
            let pattern = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            return "\(key) MATCHES \(PredicatePart.text(pattern))"
        }
        if take("\"") {
            guard let end = rest.firstIndex(of: "\"") else { return nil }
            let phrase = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            return "\(key) TOKENMATCHES[\(phrase.contains(" ") ? "cdp" : "cdl")] \(PredicatePart.text(phrase))"
        }
        guard let word = word() else { return nil }
        if field == "_exists_" { return PredicatePart.key(word) + " != nil" }
        if word == "*" { return key + " != nil" }
        if PredicatePart.isNumber(word) || ["true", "false"].contains(word), field != nil {
            return "\(key) == \(PredicatePart.value(word))"
        }
        if isDay(word), field != nil { return "\(key) == \(PredicatePart.text(word))" }
        if word.contains("*") || word.contains("?") {
            let inner = word.dropLast()
            if word.hasSuffix("*"), !inner.contains("*"), !inner.contains("?") {
                return field == nil
                    ? "ANY allTokens BEGINSWITH[cd] \(PredicatePart.text(String(inner)))"
                    : "\(key) BEGINSWITH[cd] \(PredicatePart.text(String(inner)))"
            }
            return field == nil ? nil : "\(key) LIKE[cd] \(PredicatePart.text(word))"
        }
        return "\(key) TOKENMATCHES[cdl] \(PredicatePart.text(word))"
    }

    private func isDay(_ word: String) -> Bool { RFC3339.date(word) != nil }

    private mutating func word() -> String? {
        let word = rest.prefix { !$0.isWhitespace && !"()[]{}\"".contains($0) }
        rest = rest.dropFirst(word.count)
        // What follows a tilde or a circumflex says how near, or how much it counts.
        let plain = word.prefix { $0 != "~" && $0 != "^" }
        return plain.isEmpty ? nil : String(plain)
    }

    /// `[a TO b]`, `{a TO b}`, `[a TO *]`
    private mutating func range(of key: String) -> String? {
        let includesLow = rest.first == "["
        rest.removeFirst()
        skipBlanks()
        guard let low = bound() else { return nil }
        skipBlanks()
        guard take(word: "TO") else { return nil }
        skipBlanks()
        guard let high = bound() else { return nil }
        skipBlanks()
        let includesHigh = rest.first == "]"
        guard includesHigh || rest.first == "}" else { return nil }
        rest.removeFirst()
        if includesLow, includesHigh, low != "*", high != "*" {
            return "\(key) BETWEEN {\(PredicatePart.value(low)), \(PredicatePart.value(high))}"
        }
        var parts: [String] = []
        if low != "*" { parts.append("\(key) \(includesLow ? ">=" : ">") \(PredicatePart.value(low))") }
        if high != "*" { parts.append("\(key) \(includesHigh ? "<=" : "<") \(PredicatePart.value(high))") }
        return parts.isEmpty ? "\(key) != nil" : parts.joined(separator: " AND ")
    }

    private mutating func bound() -> String? {
        if take("\"") {
            guard let end = rest.firstIndex(of: "\"") else { return nil }
            let text = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            return text
        }
        return word()
    }
}
