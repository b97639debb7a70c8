// What the token comparisons of a predicate look for: what relevance counts and snippets show.

import PredicateSyntax
import RecordModel
package import TextAnalysis

/// A word, a phrase or the beginning of a word that a predicate wants in a field, or in any text of the record.
package struct WordSearch: Hashable, Sendable {
    /// The field that is searched; nil for all texts of the record.
    package var field: FieldReference?
    /// How the words of the texts are folded.
    package var options: TextOptions
    /// What is looked for, before an analyzer makes something else of it.
    package var pattern: WordPattern
    /// The analyzers of what is searched.
    package var analyzers: FieldAnalyzers?

    /// What is looked for in the texts of a field; `nil` where its analyzer leaves it out.
    package func pattern(in field: String) -> WordPattern? {
        if let analysis = analyzers?[field] { analysis.pattern(pattern, options) } else { pattern }
    }
}

extension BoundPredicate {
    /// What the token comparisons look for, in order, each once. Comparisons under an odd number of NOTs, of texts that
    /// are no constants, inside SUBQUERY, and of fields of other records are left out.
    package var wordSearches: [WordSearch] {
        var searches: [WordSearch] = []
        root.forEachComparison { comparison, isNegated in
            guard let constraint = comparison.wordConstraint, constraint.isNegated == isNegated,
                constraint.subject.keys.isEmpty
            else { return }
            searches += constraint.wordSearches
        }
        var seen: Set<WordSearch> = []
        return searches.filter { seen.insert($0).inserted }
    }
}

extension BoundComparison {
    /// The requirement on words that the comparison is; for a list element by element, that of the list.
    fileprivate var wordConstraint: FieldConstraint? {
        guard comparisonOperator == .tokenMatches, let quantifier else {
            let prefix =
                comparisonOperator == .beginsWith ? FieldConstraint(tokenPrefixFor: self, isOfText: false) : nil
            return prefix ?? constraint
        }
        guard let subject = FieldConstraint.Subject(lhs, quantifier: nil), case .string(let query) = rhs.constant else {
            return nil
        }
        let search = TokenSearch(tokenMatches: text)
        return FieldConstraint(subject, search.query(for: query).requirement, isNegated: quantifier == .none)
    }
}

extension FieldConstraint {
    /// What the requirement looks for, if it is one on words.
    fileprivate var wordSearches: [WordSearch] {
        func search(_ pattern: WordPattern, _ options: TextOptions) -> WordSearch {
            WordSearch(field: subject.field, options: options, pattern: pattern)
        }
        switch requirement {
        case .tokens(let terms, .phrase, let options): return [search(.phrase(terms), options)]
        case .tokens(let terms, _, let options): return terms.map { search(.word($0), options) }
        case .analyzed(let words):
            let patterns: [WordPattern] =
                words.mode == .phrase
                ? WordPattern(phrase: words.words).map { [$0] } ?? [] : words.words.map { .word($0) }
            return patterns.map {
                WordSearch(field: subject.field, options: words.options, pattern: $0, analyzers: words.analyzers)
            }
        case .tokenPrefix(let text, let options): return [search(.prefix(text), options)]
        default: return []
        }
    }
}
