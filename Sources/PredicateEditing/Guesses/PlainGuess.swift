// Conditions in everyday words at the place of a predicate, and words alone.

import RecordDatabase

/// Reads conditions in everyday words: `country is Iceland`, `name contains bern`, `star wars`.
enum PlainGuess {
    private static let signs: [([String], String)] = [
        (["is", "greater", "than"], ">"), (["is", "more", "than"], ">"), (["is", "less", "than"], "<"),
        (["is", "at", "least"], ">="), (["is", "at", "most"], "<="), (["is", "above"], ">"), (["is", "below"], "<"),
        (["is", "over"], ">"), (["is", "under"], "<"), (["is", "after"], ">"), (["is", "before"], "<"),
        (["is", "not", "equal", "to"], "!="), (["is", "equal", "to"], "=="), (["not", "equal", "to"], "!="),
        (["equal", "to"], "=="), (["is", "not"], "!="), (["isn't"], "!="), (["is"], "=="), (["equals"], "=="),
        (["eq"], "=="), (["="], "=="),
        (["=="], "=="), (["==="], "=="), (["!=="], "!="), (["!="], "!="), (["<>"], "!="), (["ne"], "!="),
        (["neq"], "!="), (["gte"], ">="), (["ge"], ">="), (["gt"], ">"), (["lte"], "<="), (["le"], "<="), (["lt"], "<"),
        (["greater", "than"], ">"), (["more", "than"], ">"), (["less", "than"], "<"), (["at", "least"], ">="),
        (["at", "most"], "<="), (["above"], ">"), (["over"], ">"), (["below"], "<"), (["under"], "<"),
        (["after"], ">"), (["before"], "<"), (["since"], ">="), ([">="], ">="), (["<="], "<="), ([">"], ">"),
        (["<"], "<"), (["contains"], "CONTAINS[cd]"), (["includes"], "CONTAINS[cd]"), (["has"], "CONTAINS[cd]"),
        (["starts", "with"], "BEGINSWITH"), (["startswith"], "BEGINSWITH"), (["begins", "with"], "BEGINSWITH"),
        (["beginswith"], "BEGINSWITH"), (["ends", "with"], "ENDSWITH"), (["endswith"], "ENDSWITH"),
        (["like"], "LIKE[cd]"), (["matches"], "MATCHES"), (["regex"], "MATCHES"), (["=~"], "MATCHES"),
        // As German, French and Spanish have them.
        (["enthält"], "CONTAINS[cd]"), (["contient"], "CONTAINS[cd]"), (["contiene"], "CONTAINS[cd]"),
        (["beginnt", "mit"], "BEGINSWITH"), (["ist"], "=="), (["est"], "=="), (["es"], "=="),
        (["größer", "als"], ">"), (["kleiner", "als"], "<"),
    ]
    private static let connectives = [
        "and": "AND", "&&": "AND", "&": "AND", ",": "AND", "or": "OR", "||": "OR", "und": "AND", "oder": "OR",
        "et": "AND", "ou": "OR", "y": "AND", "o": "OR",
    ]

    static func query(of text: String) -> TranslatedQuery? {
        if let query = phrase(text) { return query }
        let text = CodeGuess.rewritten(withPlainNumbers(text))
        let rewritten = TranslatedQuery(predicate: text)
        if rewritten.isSound { return rewritten }
        guard
            let tokens = GuessToken.tokens(
                of: text.replacing("===", with: "==").replacing("!==", with: "!="), isSQL: false)
        else { return nil }
        var words = tokens.map { token in (text: token.text, isQuoted: token.isText, isSign: token.kind == .sign) }
        var query = TranslatedQuery()
        while let tail = tail(&words) { query.options = tail + query.options }
        var terms: [String] = []
        var connective = ""
        var subject: Words?
        while !words.isEmpty {
            let end = words.firstIndex {
                !$0.isQuoted && connectives[$0.text.lowercased()] != nil
            }
            var part = Array(words[..<(end ?? words.count)])
            // `year >= 1990 and <= 1999` is about one field.
            if let subject, part.first.map({ word in !word.isQuoted && "<>=!".contains(word.text.prefix(1)) }) == true {
                part = subject + part
            }
            guard let term = condition(part) else { return search(for: text) }
            subject = part.firstIndex { $0.isSign && $0.text != "." }.map { Array(part[..<$0]) }
            terms.append(connective + term)
            guard let end else { break }
            connective = " \(connectives[words[end].text.lowercased()] ?? "AND") "
            words.removeFirst(end + 1)
            if words.isEmpty { return nil }
        }
        if !terms.isEmpty { query.predicate = terms.joined() } else if query.options.isEmpty { return nil }
        return query
    }

    private typealias Words = [(text: String, isQuoted: Bool, isSign: Bool)]

    /// What is about all records, and about values that are there or not.
    private static func phrase(_ text: String) -> TranslatedQuery? {
        let text = text.lowercased() == text ? text : text.replacing(#/^(Count|COUNT|Top|TOP)\b/#) { $0.1.lowercased() }
        if text == "count" || text == "count(*)" { return TranslatedQuery(options: ["--count"]) }
        if let match = text.wholeMatch(of: #/(?:max|min|avg|mean|sum|average)\((\w[\w.]*)\)/#) {
            return TranslatedQuery(options: ["--stats", String(match.1)])
        }
        if let match = text.wholeMatch(of: #/top (\d+) (?:by )?(\w[\w.]*)/#) {
            return TranslatedQuery(options: ["--sort", match.2 + ":desc", "--limit", String(match.1)])
        }
        if let match = text.wholeMatch(of: #/(?:exists|has)[ (](\w[\w.]*)\)?|(\w[\w.]*) exists/#) {
            return (match.1 ?? match.2).map { TranslatedQuery(predicate: PredicatePart.key(String($0)) + " != nil") }
        }
        if let match = text.wholeMatch(
            of: #/(?:missing|isnull|is_null|no)[ (](\w[\w.]*)\)?|(\w[\w.]*) (?:is )?(?:missing|empty)/#)
        {
            return (match.1 ?? match.2).map { TranslatedQuery(predicate: PredicatePart.key(String($0)) + " == nil") }
        }
        if let match = text.wholeMatch(of: #/(?:not |!)(\w[\w.]*)/#) {
            return TranslatedQuery(predicate: PredicatePart.key(String(match.1)) + " == FALSE")
        }
        // A name alone says by its words whether it may be true.
        if text.wholeMatch(of: #/(?:is|has|was|can)(?:[A-Z]|_)\w*/#) != nil {
            return TranslatedQuery(predicate: "\(PredicatePart.key(text)) == TRUE")
        }
        if let match = text.wholeMatch(of: #/([\d.]+) (<=?) (\w[\w.]*) (<=?) ([\d.]+)/#) {
            let key = PredicatePart.key(String(match.3))
            return TranslatedQuery(predicate: "\(match.1) \(match.2) \(key) AND \(key) \(match.4) \(match.5)")
        }
        return relativeDate(text)
    }

    /// `released within 30 days`, `released in the last 2 weeks`, `released > now - 7 days`
    private static func relativeDate(_ text: String) -> TranslatedQuery? {
        let units = ["second": "s", "minute": "m", "hour": "h", "day": "d", "week": "w"]
        func length(_ count: Substring, _ unit: Substring) -> String? {
            let name = unit.lowercased()
            if name.hasPrefix("month") { return Int(count).map { "\($0 * 30)d" } }
            if name.hasPrefix("year") { return Int(count).map { "\($0 * 365)d" } }
            return units.first { name.hasPrefix($0.key) }.map { count + $0.value }
        }
        if let match = text.wholeMatch(of: #/(\w[\w.]*) (?:(?:with)?in )?(?:the )?(?:last |past )?(\d+) ([a-z]+)/#),
            let length = length(match.2, match.3)
        {
            return TranslatedQuery(predicate: "\(PredicatePart.key(String(match.1))) > now() - \(length)")
        }
        let now = #/\b(?:now|today|NOW)(?:\(\))? ?([-+]) ?(\d+) ?([a-zA-Z]+)\b|\b(\d+) ([a-z]+) ago\b/#
        guard text.contains(now) else { return nil }
        let written = text.replacing(now) { match in
            let parts = (match.1 ?? "-", match.2 ?? match.4 ?? "", match.3 ?? match.5 ?? "")
            let known = parts.2.count == 1 ? String(parts.1 + parts.2) : length(parts.1, parts.2)
            return known.map { "now() \(parts.0) \($0)" } ?? String(match.0)
        }
        let query = TranslatedQuery(predicate: written)
        return query.isSound ? query : written == text ? nil : ForeignLanguage.inner(written)
    }

    /// Numbers as predicates write them: `8,5` is 8.5, `1,999` and `19_99` have no marks, `10km` are metres. What is
    /// between quotes stays.
    private static func withPlainNumbers(_ text: String) -> String {
        var (written, rest) = ("", text[...])
        while let quoted = rest.firstMatch(of: #/"[^"]*"|'[^']*'/#) {
            written += plainNumbers(String(rest[..<quoted.range.lowerBound])) + quoted.output
            rest = rest[quoted.range.upperBound...]
        }
        return written + plainNumbers(String(rest))
    }

    private static func plainNumbers(_ text: String) -> String {
        let groups = text.replacing(#/([<>=] ?)(\d{1,3}(?:[,_]\d{3})+|\d+_\d+)(?![\d,])/#) { match in
            match.1 + match.2.filter { $0 != "," && $0 != "_" }
        }
        let points = groups.replacing(#/([<>=] ?\d+),(\d{1,2})(?![\d,])/#) { "\($0.1).\($0.2)" }
        return points.replacing(#/(\d+(?:\.\d+)?) ?(km|mi|miles)\b/#) { match in
            guard let count = Double(match.1), count < 1e12 else { return String(match.0) }
            let metres = (count * (match.2 == "km" ? 1_000 : 1_609.344) * 10).rounded() / 10
            return Int(exactly: metres).map(String.init) ?? "\(metres)"
        }
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
            // A pattern between slashes.
            if sign == "MATCHES", let match = text.wholeMatch(of: #/\/(.+)\/([a-z]*)/#) {
                return PredicatePart.search(
                    PredicatePart.key(path), String(match.1), ignoresCase: match.2.contains("i"))
            }
            if names == ["regex"] || names == ["=~"] { return PredicatePart.search(PredicatePart.key(path), text) }
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
