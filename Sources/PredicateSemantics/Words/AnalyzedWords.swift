// Words that are looked for in texts with analyzers.

package import TextAnalysis

/// The words of a search, where some of the searched fields have analyzers: each field is searched for what its own
/// analyzer makes of them.
///
/// Of several words that must all be there, each may be in another field. One that the analyzer of a searched field
/// leaves out need not be anywhere, and if all are left out nothing is found. Fields are those of the whole type and
/// not those that a record has values for: what is looked for is the same for all records.
package struct AnalyzedWords: Hashable, Sendable {
    package let mode: FieldConstraint.TokenMode
    /// The folding of the words.
    package let options: TextOptions
    /// Folded words: distinct ones, or those of a phrase in order.
    package let words: [String]
    package let analyzers: FieldAnalyzers
    /// By word: whether it must be somewhere, where all must.
    package let isRequired: [Bool]
    /// What to look for in the texts of fields with analyzers, by field.
    private let analyzed: [String: [String]]

    init(_ text: String, mode: FieldConstraint.TokenMode, options: TextOptions, analyzers: FieldAnalyzers) {
        var words = Tokenizer(options: options).terms(of: text)
        if mode != .phrase {
            var seen: Set<String> = []
            words = words.filter { seen.insert($0).inserted }
        }
        let analyzed = analyzers.terms(of: words, options)
        isRequired = words.indices.map { place in analyzed.values.allSatisfy { !$0[place].isEmpty } }
        (self.mode, self.options, self.words, self.analyzers) = (mode, options, words, analyzers)
        self.analyzed = analyzed
    }

    /// What to look for in the texts of a field, by word; an empty text for one that is left out.
    package func terms(in field: String) -> [String] { analyzed[field] ?? words }

    /// What to look for in the texts of a field, where words must be side by side, or one is enough.
    private func patterns(in field: String) -> [WordPattern] {
        let terms = terms(in: field)
        if mode == .phrase { return WordPattern(phrase: terms).map { [$0] } ?? [] }
        return terms.filter { !$0.isEmpty }.map { .word($0) }
    }

    /// Whether the texts that `forEachText` visits with the names of their fields have the words.
    /// - Complexity: O(n) in the length of the texts, times the words.
    func matches(_ forEachText: ((_ field: String, _ text: String) -> Bool) -> Void) -> Bool {
        mode == .all ? holdsAll(forEachText) : holdsPattern(forEachText)
    }

    private func holdsPattern(_ forEachText: ((String, String) -> Bool) -> Void) -> Bool {
        var isFound = false
        forEachText { field, text in
            var matchers = patterns(in: field).map { WordMatcher($0, options: options) }
            if matchers.isEmpty { return true }
            tokenizer(field).forEachToken(in: text.utf8.span) { token, _, _ in
                for index in matchers.indices where matchers[index].advance(token) > 0 { isFound = true }
                return !isFound
            }
            return !isFound
        }
        return isFound
    }

    private func holdsAll(_ forEachText: ((String, String) -> Bool) -> Void) -> Bool {
        var missing = Set(words.indices.filter { isRequired[$0] })
        if missing.isEmpty { return false }
        forEachText { field, text in
            let terms = terms(in: field)
            let wanted = missing.map { (place: $0, term: Array(terms[$0].utf8)) }
            tokenizer(field).forEachToken(in: text.utf8.span) { token, _, _ in
                // Two words may have one stem.
                for word in wanted where token.equals(word.term) { missing.remove(word.place) }
                return !missing.isEmpty
            }
            return !missing.isEmpty
        }
        return missing.isEmpty
    }

    private func tokenizer(_ field: String) -> Tokenizer { Tokenizer(options: options, analysis: analyzers[field]) }
}
