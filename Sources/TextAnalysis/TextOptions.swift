// The option letters of a comparison, as they concern text.

/// How two pieces of text are compared. Raw values equal those of the language's comparison options.
package struct TextOptions: OptionSet, Hashable, Sendable {
    /// The letters as bits: c 1, d 2, n 4, l 8.
    package let rawValue: Int

    /// Options from their bits; unknown bits are kept and mean nothing.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// `c`: full case folding, independent of any locale.
    package static let caseInsensitive = TextOptions(rawValue: 1)
    /// `d`: non-spacing marks after bases below U+0510 (Latin, Greek, Cyrillic) are ignored.
    package static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// `n`: the text is taken as it is, unit by unit; the other options are ignored.
    package static let normalized = TextOptions(rawValue: 4)
    /// `l`: comparisons collate by a locale, the root locale unless one is given.
    package static let localeSensitive = TextOptions(rawValue: 8)

    /// The options that folding obeys: `c` and `d`, or nothing where `n` is present.
    var folding: TextOptions {
        contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
    }
}
