// What a row's texts are like: which conditions on its columns can be trusted.

import TextAnalysis

/// Marks of a row.
package struct RowMarks: OptionSet, Hashable, Sendable {
    package let rawValue: Int16
    package init(rawValue: Int16) { self.rawValue = rawValue }

    /// Some text is not in composed normal form, or holds U+0000 or U+0001.
    static let unnormalized = RowMarks(rawValue: 1)
    /// Some text, folded in some way, has a scalar that may join its neighbour into one character.
    static let joining = RowMarks(rawValue: 2)
    /// Some text holds U+0000 or U+0001.
    static let control = RowMarks(rawValue: 4)
    /// Words, or places of words, are left out.
    static let wordsLeftOut = RowMarks(rawValue: 8)
    /// Some text is not ASCII.
    static let foreign = RowMarks(rawValue: 16)

    /// Marks of rows that are looked at one by one, where a condition cannot tell.
    package static let odd: RowMarks = [.unnormalized, .control, .wordsLeftOut]

    private static let foldings: [TextOptions] = [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]

    /// The marks of a text, but for those of its words.
    /// - Complexity: O(length).
    init(of text: String) {
        self = []
        let isControl = text.utf8.contains { $0 < 2 }
        if isControl { formUnion([.control, .unnormalized]) }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return }
        insert(.foreign)
        if !text.utf8.elementsEqual(TextFolding.fold(text, []).utf8) { insert(.unnormalized) }
        for options in Self.foldings where !contains(.joining) {
            if TextFolding.fold(text, options).unicodeScalars.contains(where: { TextFolding.mayJoin($0.value) }) {
                insert(.joining)
            }
        }
    }
}
