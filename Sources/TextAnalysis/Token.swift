// One word of a text.

/// A word of a text in folded form, and its place.
package struct Token: Hashable, Sendable {
    /// The word, folded by the tokenizer's options.
    package var text: String
    /// Where the word is in the source, in UTF-8 bytes.
    package var range: Range<Int>
    /// The number of words before it.
    package var position: Int

    /// A token from its parts.
    package init(text: String, range: Range<Int>, position: Int) {
        self.text = text
        self.range = range
        self.position = position
    }
}
