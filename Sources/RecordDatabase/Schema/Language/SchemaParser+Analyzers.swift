// How the words of a field are analyzed, in the schema language.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension SchemaParser {
    /// What begins a part of an analyzer.
    static let analyzerWords = ["LANGUAGE", "STOP WORDS", "SYNONYMS"]

    /// The words behind those of indexes and constraints: `LANGUAGE english STOP WORDS (a, the) SYNONYMS ((a, b))`.
    ///
    /// - Parameter isPlain: Whether the database may look into the values.
    mutating func analyzer(of type: FieldType, isPlain: Bool) throws(SyntaxError) -> TextAnalyzer? {
        var analyzer: TextAnalyzer?
        var seen: Set<String> = []
        while let part = Self.analyzerWords.first(where: { token.isPlain(String($0.prefix { $0 != " " })) }) {
            guard isPlain, type.canBeAnalyzed else {
                throw SyntaxError(
                    .semantic, span: token.span, message: "\(type.schemaName) cannot have \(part)",
                    hint: "plain STRING and LIST<STRING> can")
            }
            guard seen.insert(part).inserted else { throw twice(part) }
            try take(keywords: part.split(separator: " ").map { String($0) })
            var known = analyzer ?? TextAnalyzer()
            switch part {
            case "LANGUAGE": known.language = try language()
            case "STOP WORDS": known.stopWords = Set(try words())
            default: known.synonyms = try list { (parser) throws(SyntaxError) in try parser.words() }
            }
            analyzer = known
        }
        return analyzer
    }

    private mutating func language() throws(SyntaxError) -> TextLanguage {
        guard let language = TextLanguage(rawValue: token.text) else {
            let names = TextLanguage.allCases.map(\.rawValue)
            throw SyntaxError(
                .syntax, span: token.span, message: "expected a language", expected: names,
                hint: EditDistance.closest(to: token.text, in: names).map { "did you mean \($0)?" }
                    ?? "one of " + names.joined(separator: ", "))
        }
        position += 1
        return language
    }

    /// Words between parentheses.
    private mutating func words() throws(SyntaxError) -> [String] {
        try list { (parser) throws(SyntaxError) in
            let word = parser.token
            guard word.kind == .word || word.kind == .quoted else { throw parser.unexpected(["a word"], keywords: []) }
            guard TextAnalyzer(stopWords: [word.text]).notWords.isEmpty else {
                throw SyntaxError(
                    .semantic, span: word.span, message: "this is not one word",
                    hint: "stop words and synonyms are single words")
            }
            parser.position += 1
            return word.text
        }
    }

    private mutating func list<Element>(
        _ element: (inout SchemaParser) throws(SyntaxError) -> Element
    ) throws(SyntaxError) -> [Element] {
        try take(sign: "(")
        var elements: [Element] = []
        repeat { elements.append(try element(&self)) } while take(ifSign: ",")
        if !take(ifSign: ")") { throw unexpected([",", ")"], keywords: []) }
        return elements
    }
}

extension ContainerSchema {
    /// An analyzer as it is written behind a field.
    static func words(_ analyzer: TextAnalyzer?) -> String {
        guard let analyzer else { return "" }
        var parts = analyzer.language.map { " LANGUAGE \($0.rawValue)" } ?? ""
        if !analyzer.stopWords.isEmpty { parts += " STOP WORDS \(list(analyzer.stopWords.sorted().map(word)))" }
        if !analyzer.synonyms.isEmpty {
            parts += " SYNONYMS \(list(analyzer.synonyms.map { list($0.map(word)) }))"
        }
        return parts
    }

    private static func list(_ elements: [String]) -> String { "(\(elements.joined(separator: ", ")))" }

    /// A word, in quotes where it has other characters than letters and digits; quotes within are doubled.
    private static func word(_ word: String) -> String {
        word.utf8.allSatisfy(SchemaLexer.isWord) ? word : "\"\(word.replacing("\"", with: "\"\""))\""
    }
}
