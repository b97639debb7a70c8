// The canonical text of a tree.

/// Writes a tree so that parsing the text gives an equal tree.
///
/// Degenerate nodes that no text produces print as what they mean: an AND of no terms as `TRUEPREDICATE`, an OR of
/// none as `FALSEPREDICATE`, a single term as itself, infinities and NaN as a division of constants.
struct Printer {
    private(set) var text = ""

    // MARK: Predicates

    mutating func print(_ node: PredicateNode) {
        switch node.kind {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): print(comparison)
        case .not(let negated):
            text += "NOT "
            printTerm(negated)
        case .and(let terms): printTerms(terms, " AND ", empty: "TRUEPREDICATE")
        case .or(let terms): printTerms(terms, " OR ", empty: "FALSEPREDICATE")
        }
    }

    private mutating func printTerms(_ terms: [PredicateNode], _ connective: String, empty: String) {
        if terms.isEmpty { text += empty }
        if terms.count == 1 { return print(terms[0]) }
        for (index, term) in terms.enumerated() {
            if index > 0 { text += connective }
            printTerm(term)
        }
    }

    /// A term of a connective or of NOT: chains of two and more terms in parentheses.
    private mutating func printTerm(_ node: PredicateNode) {
        switch node.kind {
        case .and(let terms) where terms.count > 1, .or(let terms) where terms.count > 1:
            text += "("
            print(node)
            text += ")"
        default: print(node)
        }
    }

    private mutating func print(_ comparison: Comparison) {
        if let quantifier = comparison.quantifier { text += quantifier.rawValue + " " }
        print(comparison.lhs)
        text += " " + comparison.comparisonOperator.rawValue
        if !comparison.comparisonOperator.syntax.options.isEmpty { text += comparison.options.suffix }
        text += " "
        print(comparison.rhs)
    }

    mutating func append(_ string: String) { text += string }
}
