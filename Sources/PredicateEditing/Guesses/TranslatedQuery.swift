// What a query of another language says.

import PredicateSyntax
import RecordDatabase

/// A query of another language in the words of this one.
package struct TranslatedQuery: Equatable {
    /// What the other language does with the records.
    package enum Verb: Equatable {
        case query, delete
        /// What fields there are.
        case schema
        case update([String])
    }

    package var verb = Verb.query
    /// The predicate; `nil` for all records.
    package var predicate: String?
    package var options: [String] = []
    /// The file or table that the query names.
    package var source: String?

    /// The text of the predicate.
    package var predicateText: String { predicate ?? "TRUEPREDICATE" }

    /// Whether the predicate is one.
    package var isSound: Bool { (try? RecordPredicate.tree(of: predicateText, .full)) != nil }

    /// The lines for the prompt: commands with a dot for the options, then the predicate.
    package var lines: [String] {
        if verb == .schema { return [".schema"] }
        var lines: [String] = []
        var figures: String?
        let groups = options.firstIndex(of: "--count-by").map { options[$0 + 1] }
        var index = 0
        while index < options.count {
            let value = index + 1 < options.count ? options[index + 1] : ""
            switch options[index] {
            case "--count": figures = ".count"
            case "--count-by": figures = ".count \(value)"
            case "--stats" where groups != nil:
                figures = ".stats \(value) by \(groups ?? "")".replacing(",", with: " ")
            case "--stats", "--distinct", "--histogram": figures = ".\(options[index].dropFirst(2)) \(value)"
            case "--sort":
                lines.append(".sort \(value.hasSuffix(":desc") ? String(value.dropLast(5)) + " desc" : value)")
            default: lines.append(".\(options[index].dropFirst(2)) \(value)")
            }
            index += options[index] == "--count" ? 1 : 2
        }
        return lines + [predicateText] + (figures.map { [$0] } ?? [])
    }
}

/// A query language that people know.
package enum ForeignLanguage: String, CaseIterable {
    case sql = "SQL"
    case jq = "jq"
    case mongo = "MongoDB"
    case code = "code"
    case lucene = "Lucene"
    case plain = "plain words"

    /// What a text says that is no predicate, in the first language that it is of.
    package static func translation(of text: String) -> (language: ForeignLanguage, query: TranslatedQuery)? {
        for language in allCases {
            guard let query = language.query(of: text), query.isSound else { continue }
            return (language, query)
        }
        return nil
    }

    /// What a text that is no predicate says in another language; `nil` where what is wrong has a hint that fits
    /// better: one slip in a predicate.
    package static func suggestion(for text: String, hint: String?) -> TranslatedQuery? {
        guard let (language, query) = translation(of: text) else { return nil }
        // A few words alone are a search only where nothing better is known.
        let isSearch = language == .plain && query.predicateText.hasPrefix("allTokens ")
        return isSearch && hint != nil ? nil : query
    }

    /// A predicate with its days between quotes, `released > 1999-01-01` as `released > '1999-01-01'`; `nil` where all
    /// are.
    package static func withQuotedDates(_ text: String) -> TranslatedQuery? {
        let written = text.replacing(#/([<>=] ?)(\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[-+]\d{2}:\d{2}))?)(?= |$|\))/#) {
            "\($0.1)'\($0.2)'"
        }
        let query = TranslatedQuery(predicate: written)
        return written != text && query.isSound ? query : nil
    }

    /// What a condition within code says.
    static func inner(_ text: String) -> TranslatedQuery? {
        for language in [sql, plain] {
            guard let query = language.query(of: text), query.isSound,
                !query.predicateText.hasPrefix("allTokens ")
            else { continue }
            return query
        }
        return nil
    }

    private func query(of text: String) -> TranslatedQuery? {
        switch self {
        case .sql: SQLGuess.query(of: text)
        case .jq: JQGuess.query(of: text)
        case .mongo: MongoGuess.query(of: text)
        case .code: CodeGuess.query(of: text)
        case .lucene: LuceneGuess.query(of: text)
        case .plain: PlainGuess.query(of: text)
        }
    }
}

/// Parts of predicates.
enum PredicatePart {
    /// A field or a path as a key.
    static func key(_ path: String) -> String {
        path.split(separator: ".", omittingEmptySubsequences: false).map { CanonicalText.key(String($0)) }
            .joined(separator: ".")
    }

    /// A text between quotes.
    static func text(_ text: String) -> String {
        CanonicalText.string(text, quote: text.contains(scalar: "'") && !text.contains(scalar: "\"") ? "\"" : "'")
    }

    /// A number, a truth value or nothing as it is, a text between quotes.
    static func value(_ word: String) -> String {
        if isNumber(word) { return word }
        switch word.lowercased() {
        case "true", "false": return word.uppercased()
        case "null", "nil", "none": return "nil"
        default: return text(word)
        }
    }

    /// Whether a text is a number as predicates write them, of digits, signs and a point.
    static func isNumber(_ text: String) -> Bool {
        Double(text) != nil && text.utf8.allSatisfy { (0x2B...0x39).contains($0) }
    }

    /// A regular expression that may match anywhere, as MATCHES has it; a plain text as CONTAINS.
    static func search(_ field: String, _ pattern: String, ignoresCase: Bool = false) -> String {
        let options = ignoresCase ? "[c]" : ""
        let parts = alternatives(of: pattern).map { part in
            let (begins, ends) = (part.hasPrefix("^"), part.hasSuffix("$") && !part.hasSuffix("\\$"))
            let inner = part.dropFirst(begins ? 1 : 0)
            return (begins: begins, inner: inner.dropLast(ends ? 1 : 0), ends: ends)
        }
        if parts.count == 1, let (begins, inner, ends) = parts.first, !inner.isEmpty,
            !inner.contains(where: { #".*+?[](){}|^$\"#.contains($0) })
        {
            let name = begins && ends ? "==" : begins ? "BEGINSWITH" : ends ? "ENDSWITH" : "CONTAINS"
            return "\(field) \(name)\(options) \(text(String(inner)))"
        }
        let whole = parts.map { ($0.begins ? "" : ".*") + $0.inner + ($0.ends ? "" : ".*") }.joined(separator: "|")
        return "\(field) MATCHES\(options) \(text(whole))"
    }

    /// What is between the bars of a pattern that are in no group and no set.
    private static func alternatives(of pattern: String) -> [Substring] {
        var (parts, start, depth, isInSet): ([Substring], String.Index, Int, Bool) = ([], pattern.startIndex, 0, false)
        var index = start
        while index < pattern.endIndex {
            switch pattern[index] {
            case "\\":
                index = pattern.index(after: index)
                if index == pattern.endIndex { continue }
            case "[": isInSet = true
            case "]": isInSet = false
            case "(" where !isInSet: depth += 1
            case ")" where !isInSet: depth -= 1
            case "|" where !isInSet && depth == 0:
                parts.append(pattern[start..<index])
                start = pattern.index(after: index)
            default: break
            }
            index = pattern.index(after: index)
        }
        return parts + [pattern[start...]]
    }
}
