// Token searches: words of a query among the words of texts.

import PredicateSyntax
import RecordModel
import TextAnalysis

/// How a comparison searches the tokens of a record.
struct TokenSearch: Sendable {
    let mode: FieldConstraint.TokenMode
    /// The folding of the tokens.
    let options: TextOptions
    let profile: AnalysisProfile
    /// Whether only a record is searched; any other SELF compares by its value.
    var needsRecord = false
    /// Whether the query stands on the left: `'bob' IN SELF`.
    var isMirrored = false
    /// Whether a query that is no text asks for a member of the object: `SELF CONTAINS 42`.
    var asksForMembers = false
    /// The query, when it is a constant.
    var query: TokenQuery?

    init(mode: FieldConstraint.TokenMode, options: TextOptions, profile: AnalysisProfile) {
        self.mode = mode
        // Words are cut by the root locale; the letter l folds nothing.
        self.options = options.subtracting(.localeSensitive)
        self.profile = profile
    }

    /// The search that a comparison of these operands is; nil when it compares values.
    ///
    /// `SELF CONTAINS 'bob smith'` finds any of the words whatever their case and marks, as CloudKit documents it;
    /// TOKENMATCHES finds all of them under its options.
    init?(
        _ comparisonOperator: ComparisonOperator, _ lhs: Operand, _ rhs: Operand, _ text: TextSettings
    ) {
        switch (comparisonOperator, lhs.kind, rhs.kind) {
        case (.contains, .selfObject, _), (.in, _, .selfObject):
            let folding: TextOptions =
                text.options.contains(.normalized) ? .normalized : [.caseInsensitive, .diacriticInsensitive]
            self.init(mode: .any, options: folding, profile: text.profile)
            needsRecord = true
            asksForMembers = true
            isMirrored = comparisonOperator == .in
        case (.tokenMatches, .selfObject, _):
            self.init(mode: .all, options: text.options, profile: text.profile)
            needsRecord = true
        case (.tokenMatches, .allTokens, _):
            self.init(mode: .all, options: text.options, profile: text.profile)
        default: return nil
        }
        if case .string(let text) = (isMirrored ? lhs : rhs).constant { query = query(for: text) }
    }

    /// Whether the record is to be searched.
    func applies<Source: RecordSource>(to source: Source) -> Bool { !needsRecord || source.isRecord }

    /// The query of a text: its words without stop words, folded and without repetitions.
    func query(for text: String) -> TokenQuery {
        let tokenizer = Tokenizer(options: options, profile: profile)
        return TokenQuery(terms: tokenizer.queryTerms(of: text), mode: mode, tokenizer: tokenizer)
    }
}

/// Words to look for.
struct TokenQuery: Sendable {
    /// The distinct words, folded.
    let terms: [String]
    let mode: FieldConstraint.TokenMode
    let tokenizer: Tokenizer

    init(terms: [String], mode: FieldConstraint.TokenMode, tokenizer: Tokenizer) {
        var seen: Set<String> = []
        self.terms = terms.filter { seen.insert($0).inserted }
        self.mode = mode
        self.tokenizer = tokenizer
    }

    /// Whether the texts of a record have the words.
    func matches<Source: RecordSource>(textsOf source: Source) -> Bool {
        matches { visit in source.forEachText(visit) }
    }

    /// Whether the texts that `forEachText` visits have the words; stops as soon as it is known.
    ///
    /// - Complexity: O(n) in the length of the texts, times the number of words with the length of the text's word.
    func matches(_ forEachText: ((String) -> Bool) -> Void) -> Bool {
        var missing = terms.map { Array($0.utf8) }
        if missing.isEmpty { return false }
        var isFound = false
        forEachText { text in
            tokenizer.forEachToken(in: text.utf8.span) { token, _, _ in
                guard let index = missing.firstIndex(where: { Self.hasBytes(token, $0) }) else { return true }
                missing.swapAt(index, missing.count - 1)
                missing.removeLast()
                isFound = mode == .any || missing.isEmpty
                return !isFound
            }
            return !isFound
        }
        return isFound
    }

    private static func hasBytes(_ token: borrowing Span<UInt8>, _ term: [UInt8]) -> Bool {
        guard token.count == term.count else { return false }
        for index in term.indices where token[index] != term[index] { return false }
        return true
    }
}
