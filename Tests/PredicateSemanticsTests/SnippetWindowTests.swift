// Which stretch of a text is shown where several hold as much, and which signs beside it belong to it.

import PredicateSemantics
import RecordModel
import Testing

@Suite struct SnippetWindowTests {
    private static func shown(_ predicate: String, in text: String, words: Int) throws -> [String] {
        let record = Record(type: "T", id: Record.ID("r"), fields: ["t": .string(text)])
        return try RecordPredicate(format: predicate).snippets(in: record, words: words).map { $0.marked("[", "]") }
    }

    /// A predicate, a text, how many words are shown, and which.
    static let stretches: [(predicate: String, text: String, words: Int, shown: String)] = [
        // What a stretch has left behind is no longer in it.
        ("t TOKENMATCHES 'x y'", "x x a y", 2, "[x] [x]…"),
        ("t TOKENMATCHES 'x y'", "x x x a a y y", 3, "[x] [x] [x]…"),
        ("t TOKENMATCHES 'x y'", "x a a x y x", 3, "…[x] [y] [x]"),
        ("t TOKENMATCHES 'x y z'", "x x y a y z x", 3, "…[y] [z] [x]"),
        // A phrase that is too long for a stretch hides nothing of what follows it.
        ("t TOKENMATCHES[p] 'a b c' OR t TOKENMATCHES 'x y'", "a b c x y d d x y", 2, "…[x] [y]…"),
        ("t TOKENMATCHES[p] 'a b c' OR t TOKENMATCHES 'x y'", "a b c d x d d x y d", 2, "…[x] [y]…"),
        ("t TOKENMATCHES[p] 'a b c' OR t TOKENMATCHES 'x'", "d a b c d x", 2, "…d [x]"),
        // Nor of what begins within it.
        ("t TOKENMATCHES 'x b' OR t TOKENMATCHES[p] 'a b c d'", "x a b c d e x x", 3, "[x] [a b]…"),
        // Where all is alike the first stretch is shown.
        ("t TOKENMATCHES 'x y'", "a x y a y x a", 2, "…[x] [y]…"), ("t TOKENMATCHES 'x'", "a b x c x", 1, "…[x]…"),
    ]

    @Test(arguments: stretches.indices) func theBestStretch(_ number: Int) throws {
        let (predicate, text, words, shown) = Self.stretches[number]
        #expect(try Self.shown(predicate, in: text, words: words) == [shown])
    }

    /// The signs at a word are shown with it, up to a blank of any kind.
    @Test(arguments: ["\t", "\n", "\u{B}", "\u{C}", "\r", " ", "\r\n", "\t "])
    func blanksEndAStretch(_ blank: String) throws {
        #expect(
            try Self.shown("t TOKENMATCHES 'b'", in: "a:\(blank)(b),\(blank)-c", words: 1) == ["…([b]),…"])
    }

    /// Without a blank between them the signs belong to neither word.
    @Test(arguments: ["\u{8}", "\u{E}", "\u{1F}", "!", "/"]) func signsBetweenWords(_ sign: String) throws {
        #expect(try Self.shown("t TOKENMATCHES 'b'", in: "a\(sign)(b)\(sign)c", words: 1) == ["…[b]…"])
        // Nor do signs behind a blank.
        #expect(try Self.shown("t TOKENMATCHES 'b'", in: "a \(sign) b \(sign) c", words: 1) == ["…[b]…"])
    }

    /// Unless something else is said a stretch has 24 words, or all there are.
    @Test(arguments: [(23, 23), (24, 24), (25, 24), (60, 24)])
    func wordsWhereNothingIsSaid(_ count: Int, _ shown: Int) throws {
        let text = (0..<count).map { "w\($0)" }.joined(separator: " ")
        let record = Record(type: "T", id: Record.ID("r"), fields: ["t": .string(text)])
        let predicate = try RecordPredicate(format: "t TOKENMATCHES 'w11'")
        let matches = try predicate.textMatches(in: record)
        for snippet in try predicate.snippets(in: record) + matches.map({ $0.snippet() }) {
            #expect(snippet.text.split(separator: " ").count == shown)
            #expect(!snippet.isCutAtStart && snippet.isCutAtEnd == (count > shown))
        }
        #expect(matches.count == 1)
    }
}
