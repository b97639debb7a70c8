// Lucene's query syntax at the place of a predicate, and words alone.

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

/// Reads conditions in everyday words: `country is Iceland`, `name contains bern`, `star wars`.
enum PlainGuess {
    private static let signs: [([String], String)] = [
        (["is", "not"], "!="), (["isn't"], "!="), (["is"], "=="), (["equals"], "=="), (["eq"], "=="), (["="], "=="),
        (["=="], "=="), (["==="], "=="), (["!=="], "!="), (["!="], "!="), (["<>"], "!="), (["ne"], "!="),
        (["neq"], "!="), (["gte"], ">="), (["ge"], ">="), (["gt"], ">"), (["lte"], "<="), (["le"], "<="), (["lt"], "<"),
        (["greater", "than"], ">"), (["more", "than"], ">"), (["less", "than"], "<"), (["at", "least"], ">="),
        (["at", "most"], "<="), (["above"], ">"), (["over"], ">"), (["below"], "<"), (["under"], "<"),
        (["after"], ">"), (["before"], "<"), (["since"], ">="), ([">="], ">="), (["<="], "<="), ([">"], ">"),
        (["<"], "<"), (["contains"], "CONTAINS[cd]"), (["includes"], "CONTAINS[cd]"), (["has"], "CONTAINS[cd]"),
        (["starts", "with"], "BEGINSWITH"), (["startswith"], "BEGINSWITH"), (["begins", "with"], "BEGINSWITH"),
        (["beginswith"], "BEGINSWITH"), (["ends", "with"], "ENDSWITH"), (["endswith"], "ENDSWITH"),
        (["like"], "LIKE[cd]"), (["matches"], "MATCHES"),
    ]

    static func query(of text: String) -> TranslatedQuery? {
        guard
            let tokens = GuessToken.tokens(
                of: text.replacing("===", with: "==").replacing("!==", with: "!="), isSQL: false)
        else { return nil }
        var words = tokens.map { token in (text: token.text, isQuoted: token.isText, isSign: token.kind == .sign) }
        var query = TranslatedQuery()
        while let tail = tail(&words) { query.options = tail + query.options }
        var terms: [String] = []
        var connective = ""
        while !words.isEmpty {
            let end = words.firstIndex {
                !$0.isQuoted && ["and", "or", "&&", "||", "&", ","].contains($0.text.lowercased())
            }
            guard let term = condition(Array(words[..<(end ?? words.count)])) else { return search(for: text) }
            terms.append(connective + term)
            guard let end else { break }
            connective = ["or", "||"].contains(words[end].text.lowercased()) ? " OR " : " AND "
            words.removeFirst(end + 1)
            if words.isEmpty { return nil }
        }
        query.predicate = terms.joined()
        return query
    }

    /// `limit 5`, `sort by x desc` at the end of a text, as options.
    private static func tail(_ words: inout [(text: String, isQuoted: Bool, isSign: Bool)]) -> [String]? {
        let lower = words.map { $0.text.lowercased() }
        if words.count >= 2, let number = Int(lower[words.count - 1]),
            ["limit", "top", "first"].contains(lower[words.count - 2])
        {
            words.removeLast(2)
            return ["--limit", "\(number)"]
        }
        for (index, word) in lower.enumerated().reversed()
        where (word == "sort" || word == "sorted" || word == "order" || word == "ordered") && index + 2 < words.count
            && lower[index + 1] == "by"
        {
            let rest = lower[(index + 3)...]
            guard rest.allSatisfy({ ["desc", "descending", "asc", "ascending"].contains($0) }), rest.count <= 1 else {
                return nil
            }
            let key = words[index + 2].text + (rest.first?.hasPrefix("desc") == true ? ":desc" : "")
            words.removeLast(words.count - index)
            return ["--sort", key]
        }
        return nil
    }

    /// `field sign value`
    private static func condition(_ words: [(text: String, isQuoted: Bool, isSign: Bool)]) -> String? {
        var words = words
        if words.first?.text.lowercased() == "where" { words.removeFirst() }
        var isNegated = false
        if let first = words.first, !first.isQuoted, ["not", "!"].contains(first.text.lowercased()) {
            isNegated = true
            words.removeFirst()
        }
        for (names, sign) in signs {
            guard
                let index = words.indices.first(where: { index in
                    index + names.count <= words.count
                        && zip(words[index...], names).allSatisfy { !$0.isQuoted && $0.text.lowercased() == $1 }
                }), index > 0, index + names.count < words.count
            else { continue }
            let field = words[..<index].map(\.text)
            guard
                field.count == 1
                    || field.count % 2 == 1
                        && field.enumerated().allSatisfy({ $0.offset % 2 == 0 || $0.element == "." })
            else { continue }
            let path = field.filter { $0 != "." }.joined(separator: ".")
            var value = words[(index + names.count)...]
            if ["than", "to"].contains(value.first?.text.lowercased() ?? ""), value.count > 1 {
                value = value.dropFirst()
            }
            let isQuoted = value.count == 1 && value.first?.isQuoted == true
            let operators = ["<", ">", "=", "!", "&", "|", "==", "!=", "<=", ">=", "<>", "(", ")", "{", "}"]
            guard isQuoted || !value.contains(where: { $0.isQuoted || $0.isSign && operators.contains($0.text) }) else {
                return nil
            }
            let text = value.map(\.text).joined(separator: value.contains(where: \.isSign) ? "" : " ")
            let isOrder = "<>".contains(sign.first ?? " ")
            let literal =
                isQuoted || !isOrder && !PredicatePart.isNumber(text) && !isWordOfValue(text)
                    || isOrder && !PredicatePart.isNumber(text)
                ? PredicatePart.text(text) : PredicatePart.value(text)
            let comparison = "\(PredicatePart.key(path)) \(sign) \(literal)"
            return isNegated ? "NOT (\(comparison))" : comparison
        }
        return nil
    }

    private static func isWordOfValue(_ text: String) -> Bool {
        ["true", "false", "null", "nil", "none"].contains(text.lowercased())
    }

    /// A few words alone: a search in all texts.
    private static func search(for text: String) -> TranslatedQuery? {
        let words = text.split(separator: " ")
        guard (1...6).contains(words.count),
            words.allSatisfy({ $0.allSatisfy { $0.isLetter || $0.isNumber || "-'’.".contains($0) } }),
            words.contains(where: { $0.contains(where: \.isLetter) }), words.count > 1
        else { return nil }
        return TranslatedQuery(predicate: "allTokens TOKENMATCHES[cdl] " + PredicatePart.text(text))
    }
}
