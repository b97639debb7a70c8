// Random regular expressions, of the plain kind and of others.

/// Makes patterns for MATCHES.
enum RandomPattern {
    private static let atoms = [
        "a", "b", "on", "ond", "e", "é", "x", " ", "[a-z]", "[A-M]", "[^a-z]", "[0-9]", "[a-zé]", ".", ".", "\\.", "\\d",
        "\\w", "\\s", "\\*", "-", "ß", "K", "s", "(?:a|b)", "東", "[^\\n]", "[[:alpha:]]", "\\x{e9}", "[\\-x]", "^", "$",
    ]
    private static let counts = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "*?", "+?"]

    static func make(using generator: inout SeededGenerator) -> String {
        let body = sequence(depth: 2, using: &generator)
        return generator.oneIn(3) ? body : ".*" + body + ".*"
    }

    private static func sequence(depth: Int, using generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            let isGroup = depth > 0 && generator.oneIn(4)
            let atom =
                isGroup
                ? "("
                    + (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                        sequence(depth: depth - 1, using: &generator)
                    }.joined(separator: "|") + ")" : generator.pick(atoms)
            return atom + generator.pick(counts)
        }.joined()
    }
}
