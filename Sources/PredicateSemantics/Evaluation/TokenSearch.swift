// Token searches: words of a query among the words of texts.

import PredicateSyntax
import RecordModel
import TextAnalysis

/// How a comparison searches the tokens of a record.
struct TokenSearch: Sendable {
    let mode: FieldConstraint.TokenMode
    /// The folding of the tokens.
    let options: TextOptions
    /// The analyzers of what is searched.
    let analyzers: FieldAnalyzers?
    /// Whether only a record is searched; any other SELF compares by its value.
    var needsRecord = false
    /// Whether the query is on the left: `'bob' IN SELF`.
    var isMirrored = false
    /// Whether a query that is no text looks for a member of the object: `SELF CONTAINS 42`.
    var searchesMembers = false
    /// The query, when it is a constant.
    var query: TokenQuery?

    init(mode: FieldConstraint.TokenMode, options: TextOptions, analyzers: FieldAnalyzers?) {
        self.mode = mode
        // Words are cut by the root locale; the letter l folds nothing.
        self.options = options.subtracting(.localeSensitive)
        self.analyzers = analyzers
    }

    /// The search for all words, or for a phrase, that TOKENMATCHES is.
    init(tokenMatches text: TextSettings) {
        self.init(mode: text.isPhrase ? .phrase : .all, options: text.options, analyzers: text.analyzers)
    }

    /// The search that a comparison of these operands is; nil when it compares values.
    ///
    /// `SELF CONTAINS 'bob smith'` finds any of the words whatever their case and marks, as CloudKit documents it;
    /// TOKENMATCHES finds all of them, or the phrase, under its options.
    init?(
        _ comparisonOperator: ComparisonOperator, _ lhs: Operand, _ rhs: Operand, _ text: TextSettings
    ) {
        switch (comparisonOperator, lhs.kind, rhs.kind) {
        case (.contains, .selfObject, _), (.in, _, .selfObject):
            let folding: TextOptions =
                text.options.contains(.normalized) ? .normalized : [.caseInsensitive, .diacriticInsensitive]
            self.init(mode: .any, options: folding, analyzers: text.analyzers)
            needsRecord = true
            searchesMembers = true
            isMirrored = comparisonOperator == .in
        case (.tokenMatches, .selfObject, _):
            self.init(tokenMatches: text)
            needsRecord = true
        case (.tokenMatches, .allTokens, _):
            self.init(tokenMatches: text)
        default: return nil
        }
        if case .string(let text) = (isMirrored ? lhs : rhs).constant { query = query(for: text) }
    }

    /// Whether the record is to be searched.
    func applies<Source: RecordSource>(to source: Source) -> Bool { !needsRecord || source.isRecord }

    /// The query of a text: its words, folded and without repetitions; of a phrase all words.
    func query(for text: String) -> TokenQuery {
        if let analyzers {
            return .analyzed(AnalyzedWords(text, mode: mode, options: options, analyzers: analyzers))
        }
        let tokenizer = Tokenizer(options: options)
        return .plain(PlainWords(terms: tokenizer.terms(of: text), mode: mode, tokenizer: tokenizer))
    }
}

/// Words to look for.
enum TokenQuery: Sendable {
    case plain(PlainWords)
    case analyzed(AnalyzedWords)

    /// Whether the texts of a record have the words.
    func matches<Source: RecordSource>(textsOf source: Source) -> Bool {
        matches { visit in source.forEachText(visit) }
    }

    /// Whether the texts that `forEachText` visits with the names of their fields have the words; stops as soon as it
    /// is known.
    ///
    /// - Complexity: O(n) in the length of the texts and of the query.
    func matches(_ forEachText: ((_ field: String, _ text: String) -> Bool) -> Void) -> Bool {
        switch self {
        case .plain(let words): words.matches(forEachText)
        case .analyzed(let words): words.matches(forEachText)
        }
    }

    /// What the query requires.
    var requirement: FieldConstraint.Requirement {
        switch self {
        case .plain(let words): .tokens(words.terms, words.mode, words.tokenizer.options)
        case .analyzed(let words): .analyzed(words)
        }
    }
}

/// Words to look for in texts without an analyzer.
struct PlainWords: Sendable {
    /// The words, folded: distinct ones, or those of a phrase in order.
    let terms: [String]
    /// `phrase` for two words and more only: a phrase of one word is a search for that word.
    let mode: FieldConstraint.TokenMode
    let tokenizer: Tokenizer
    /// The words by their bytes, where there are many.
    private let numbers: [[UInt8]: Int]

    init(terms: [String], mode: FieldConstraint.TokenMode, tokenizer: Tokenizer) {
        self.tokenizer = tokenizer
        if mode == .phrase, terms.count > 1 {
            self.terms = terms
            self.mode = .phrase
        } else {
            var seen: Set<String> = []
            self.terms = terms.filter { seen.insert($0).inserted }
            self.mode = mode == .any ? .any : .all
        }
        let isMany = self.mode != .phrase && self.terms.count > 16
        // Words that differ as texts differ in their bytes; those of canonical equivalents are one of the words.
        numbers =
            isMany
            ? Dictionary(
                self.terms.enumerated().map { (Array($0.element.utf8), $0.offset) },
                uniquingKeysWith: { first, _ in first })
            : [:]
    }

    /// Whether the texts that `forEachText` visits have the words.
    func matches(_ forEachText: ((String, String) -> Bool) -> Void) -> Bool {
        if terms.isEmpty { return false }
        return mode == .phrase ? holdsPhrase(forEachText) : holdsWords(forEachText)
    }

    private func holdsWords(_ forEachText: ((String, String) -> Bool) -> Void) -> Bool {
        if !numbers.isEmpty { return holdsManyWords(forEachText) }
        var missing = terms.map { Array($0.utf8) }
        var isFound = false
        forEachText { _, text in
            tokenizer.forEachToken(in: text.utf8.span) { token, _, _ in
                guard let index = missing.firstIndex(where: { token.equals($0) }) else { return true }
                missing.swapAt(index, missing.count - 1)
                missing.removeLast()
                isFound = mode == .any || missing.isEmpty
                return !isFound
            }
            return !isFound
        }
        return isFound
    }

    /// As `holdsWords`, without a look at every word sought for every word of the text.
    private func holdsManyWords(_ forEachText: ((String, String) -> Bool) -> Void) -> Bool {
        var isSeen = [Bool](repeating: false, count: terms.count)
        var missing = terms.count
        var isFound = false
        var word: [UInt8] = []
        forEachText { _, text in
            tokenizer.forEachToken(in: text.utf8.span) { token, _, _ in
                word.removeAll(keepingCapacity: true)
                for index in token.indices { word.append(token[index]) }
                guard let number = numbers[word], !isSeen[number] else { return true }
                isSeen[number] = true
                missing -= 1
                isFound = mode == .any || missing == 0
                return !isFound
            }
            return !isFound
        }
        return isFound
    }

    private func holdsPhrase(_ forEachText: ((String, String) -> Bool) -> Void) -> Bool {
        var matcher = WordMatcher(.phrase(terms), options: tokenizer.options)
        var isFound = false
        forEachText { _, text in
            matcher.beginText()
            tokenizer.forEachToken(in: text.utf8.span) { token, _, _ in
                isFound = matcher.advance(token) > 0
                return !isFound
            }
            return !isFound
        }
        return isFound
    }
}
