// A phrase that rows are checked for.

package import Indexing
package import PredicateSemantics

/// Words that must appear side by side and in order.
package struct PhraseTest: Sendable {
    package let positions: WordPositions
    /// The words, as distinct values of the positions' index.
    package let words: [Int]
    /// The comparison with the phrase.
    package let comparison: BoundNode

    /// - Parameter terms: Folded words that the positions' index all has.
    init(_ terms: [String], _ positions: WordPositions, _ comparison: BoundNode) {
        self.positions = positions
        self.comparison = comparison
        words = terms.compactMap { positions.index.distinct(ofFolded: Array($0.utf8)) }
    }
}
