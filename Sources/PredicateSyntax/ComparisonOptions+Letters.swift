// The letters of the comparison options.

extension ComparisonOptions {
    /// Each option with its letter, in the order in which they are printed.
    private static let all: [(letter: Unicode.Scalar, option: ComparisonOptions)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive),
        ("p", .phrase),
    ]

    /// The option of a letter of either case; `nil` for other letters.
    package init?(letter: Unicode.Scalar) {
        guard let known = Self.all.first(where: { $0.letter.value == letter.value | 0x20 }) else { return nil }
        self = known.option
    }

    /// The options of letters in any order and case, such as `cd` or `Cdl`; `nil` where one is no option's.
    package init?(letters: String) {
        self = []
        for letter in letters.unicodeScalars {
            guard let option = ComparisonOptions(letter: letter) else { return nil }
            insert(option)
        }
    }

    /// The letters: `cd`.
    package var letters: String {
        var letters = String.UnicodeScalarView()
        for (letter, option) in Self.all where contains(option) { letters.append(letter) }
        return String(letters)
    }

    /// As written behind an operator, `[cd]`; empty without options.
    package var suffix: String { isEmpty ? "" : "[\(letters)]" }
}
