// A condition on one text: the form in which columns of texts are searched.

/// A condition on one text, prepared for many.
package enum TextCondition: Sendable {
    case contains(PreparedNeedle)
    case beginsWith(PreparedNeedle)
    case endsWith(PreparedNeedle)
    /// Equal to one of a few texts.
    case isAny([PreparedNeedle])
    case like(LikePattern)
    case matches(RegularExpression)

    /// Whether it holds for a UTF-8 text.
    /// - Throws: `PatternError` of a regular expression that comes to no result.
    /// - Complexity: O(n), regular expressions apart.
    package func holds(for text: Span<UInt8>) throws(PatternError) -> Bool {
        switch self {
        case .contains(let needle): needle.isContained(in: text)
        case .beginsWith(let needle): needle.isPrefix(of: text)
        case .endsWith(let needle): needle.isSuffix(of: text)
        case .isAny(let needles): TextCondition.equals(text, needles)
        case .like(let pattern): pattern.matches(text)
        case .matches(let expression): try expression.matchesWhole(text)
        }
    }

    private static func equals(_ text: Span<UInt8>, _ needles: [PreparedNeedle]) -> Bool {
        for needle in needles where needle.isEqual(to: text) { return true }
        return false
    }

    /// How texts are folded.
    package var options: TextOptions {
        switch self {
        case .contains(let needle), .beginsWith(let needle), .endsWith(let needle): needle.options
        case .isAny(let needles): needles.first?.options ?? []
        case .like(let pattern): pattern.options
        case .matches(let expression): expression.options
        }
    }

    /// UTF-8 that the folded form of every text that meets the condition contains; empty when none is known.
    package var requiredText: [UInt8] {
        switch self {
        case .contains(let needle), .beginsWith(let needle), .endsWith(let needle): Array(needle.folded.utf8)
        case .isAny(let needles): needles.count == 1 ? Array(needles[0].folded.utf8) : []
        case .like(let pattern): pattern.longestText
        case .matches: []
        }
    }

    /// An automaton that tells of folded texts, and of texts below `automatonLimit` as they are, whether they meet the
    /// condition; nil where there is none.
    package var automaton: TextAutomaton? {
        switch self {
        case .like(let pattern): pattern.automaton
        case .matches(let expression): expression.automaton
        default: nil
        }
    }

    /// The least byte of texts that folding may change in ways that the automaton does not know; 256 for none.
    package var automatonLimit: Int {
        if options.contains(.normalized) { return 256 }
        // No scalar below U+0300 is changed by composition, or joined to another.
        return options.folding.isEmpty ? 0xCC : 0x80
    }

    /// Whether the condition can hold for no text at all, whatever the options.
    package var isNever: Bool {
        switch self {
        case .contains(let needle), .beginsWith(let needle), .endsWith(let needle): needle.folded.isEmpty
        case .isAny(let needles): needles.isEmpty
        case .like, .matches: false
        }
    }
}
