// A condition on the texts of a column, and what helps to find the rows that meet it.

package import Indexing
package import OrdinalSets
package import PredicateSemantics
package import RecordColumns
package import TextAnalysis

/// A condition on the texts of a column; rows without a value fail.
package struct TextTest: Sendable {
    package let texts: TextColumn
    package let presence: Bitmap?
    package let condition: TextCondition
    /// The condition as an automaton, where it is a pattern that allows it.
    package let automaton: TextAutomaton?
    /// The comparison that the condition stands for; tells why a condition came to no result.
    package let comparison: BoundNode
    /// How the whole column is searched at once; `nil` when each text must be looked at.
    package let search: TextSearch?
}

/// A search for a text that the folded form of every text that meets a condition contains.
package struct TextSearch: Sendable {
    /// The text in folded form; small letters in it stand for capitals too when `ignoresCase`. Not empty.
    package let text: [UInt8]
    package let ignoresCase: Bool
    /// Whether the column's own bytes can hold the text; else only `findings` count.
    package let isOverBytes: Bool
    /// Whether a row that holds the text, its neighbours apart, meets the condition.
    package let isSufficient: Bool
    /// Whether neighbours of the text make no difference.
    package let ignoresNeighbours: Bool
    /// What is found where folding has to do with more than ASCII.
    package let findings: NonASCIITerms.Findings
}

extension TextTest {
    /// - Parameter position: Position of the column in the segment.
    /// - Returns: `nil` for columns that do not hold texts, each row its own.
    init?(_ condition: TextCondition, column position: Int, of indexes: SegmentIndexes, comparison: BoundNode) {
        let column = indexes.segment.columns[position]
        guard case .text(let texts) = column.values else { return nil }
        self.texts = texts
        presence = column.presence
        self.condition = condition
        self.comparison = comparison
        automaton = condition.automaton
        // A single character is found so often that reading the texts is faster.
        search =
            automaton != nil && condition.requiredText.count < 2
            ? nil : TextSearch(condition, column: position, of: indexes)
    }

    /// About how many of `rowCount` rows pass.
    func estimate(rowCount: Int) -> Int {
        switch condition {
        case .isAny: min(rowCount, 8)
        case .contains, .beginsWith, .endsWith, .like: rowCount / 10
        case .matches: rowCount / 3
        }
    }

    /// Nanoseconds a row.
    var cost: Double {
        let length = Double(texts.bytes.count) / Double(max(1, texts.count))
        return search != nil ? 2 + length / 25 : automaton != nil ? 10 + length : 100 + length
    }
}

extension TextSearch {
    /// - Returns: `nil` where each text must be looked at.
    init?(_ condition: TextCondition, column position: Int, of indexes: SegmentIndexes) {
        text = condition.requiredText
        guard !text.isEmpty else { return nil }
        let options = condition.options
        ignoresNeighbours = options.contains(.normalized)
        ignoresCase = options.contains(.caseInsensitive) && !ignoresNeighbours
        let isASCII = text.allSatisfy { $0 < 0x80 }
        isOverBytes = isASCII || ignoresNeighbours
        let needle: PreparedNeedle? = if case .contains(let needle) = condition { needle } else { nil }
        isSufficient = needle != nil
        if ignoresNeighbours {
            findings = NonASCIITerms.Findings()
        } else {
            guard let words = indexes.nonASCIITerms(column: position) else { return nil }
            findings = words.find(text, needle: needle, options: options)
        }
    }
}
