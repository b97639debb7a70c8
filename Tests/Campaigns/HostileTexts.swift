// Texts and names that try to leave the quotation marks they are put between.

/// Random texts of what means something to some language, and of what joins with it to one character.
struct HostileTexts {
    var generator: SeededGenerator

    /// What begins and ends texts, names, comments and commands somewhere.
    private static let marks = #"' " \ ` $ -- /* */ ; # % { } [ ] ( ) * ? ! & | < > ~ ^ , . : = @"#
        .split(separator: " ").map(String.init)

    private static let words = [
        "$(id)", "${x}", "%@", "' OR 1=1 --", "\" OR 1=1 --", "\\'", "\\\"", "''", "\"\"", "\\u{0}", "\\(x)", "$$",
        "$a$",
        "E'", "x", "n", "u", "0", "é", "e\u{301}", "東京", "ß", "𝄞", "👩‍👩‍👧",
    ]

    private static let blanks = [" ", "\n", "\r", "\r\n", "\t", "\u{1B}", "\u{7F}"]

    /// What a character before or behind becomes a part of, what cannot be seen or ends lines, and what is no
    /// character.
    private static let scalars: [Unicode.Scalar] = [
        "\u{600}", "\u{605}", "\u{6DD}", "\u{70F}", "\u{8E2}", "\u{110BD}", "\u{0D4E}", "\u{301}", "\u{338}",
        "\u{20DD}", "\u{20E3}", "\u{200C}", "\u{200D}", "\u{FE0F}", "\u{E0100}", "\u{1F3FD}", "\u{903}", "\u{1F1E8}",
        "\u{1100}", "\u{1161}", "\u{80}", "\u{85}", "\u{9F}", "\u{A0}", "\u{AD}", "\u{200B}", "\u{2028}", "\u{2029}",
        "\u{202E}", "\u{2066}", "\u{FEFF}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{E001}", "\u{10FFFF}",
    ]

    private static let pieces = marks + marks + words + blanks + scalars.map { String($0) }

    private static let plain = ["name", "x", "é", "Größe", "class", "init", "select", "order", "$x"]

    /// A text, empty now and then.
    mutating func text() -> String {
        if generator.oneIn(60) { return "" }
        // NUL has no literal in SQL: what holds one is refused there.
        if generator.oneIn(40) { return name() + "\0" + name() }
        return name()
    }

    /// A text that is not empty.
    mutating func name() -> String {
        if generator.oneIn(5) { return generator.pick(Self.plain) }
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...7, using: &generator) {
            if generator.oneIn(3) {
                // A quote that is a part of the character before or behind it.
                scalars.append(generator.pick(Self.scalars))
                scalars.append(generator.pick(["'", "\"", "\\", "`", "|"]))
            } else if generator.oneIn(12),
                let scalar = Unicode.Scalar(UInt32.random(in: 1..<0x11_0000, using: &generator))
            {
                scalars.append(scalar)
            } else {
                scalars.append(contentsOf: generator.pick(Self.pieces).unicodeScalars)
            }
        }
        return String(scalars)
    }
}

extension String {
    /// Whether the scalars are the same: texts that look alike are equal to `==`.
    func isSame(as other: String) -> Bool { unicodeScalars.elementsEqual(other.unicodeScalars) }
}
