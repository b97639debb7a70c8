// Texts and patterns at lengths where the way of working changes, rows of texts, and walks that end early.

import Testing

@testable import TextAnalysis

@Suite("Lengths at which work changes its way")
struct LongTextEdgesTests {
    /// Pieces that begin with a letter of their own, and their composed normal form: marks in canonical order, those of
    /// one class in the order they came, scalars of one unit and of two.
    static let pieces: [(text: String, composed: String)] = [
        ("a\u{301}\u{323}", "\u{1EA1}\u{301}"), ("a\u{300}\u{301}", "\u{E0}\u{301}"),
        ("a\u{301}\u{300}", "\u{E1}\u{300}"), ("b\u{1D16D}\u{1D165}", "b\u{1D165}\u{1D16D}"),
        // U+0323 joins the letter in front of the stem.
        ("b\u{1D165}\u{1D16D}\u{323}", "\u{1E05}\u{1D165}\u{1D16D}"), ("e\u{301}", "\u{E9}"), ("\u{E9}", "\u{E9}"),
        ("\u{FFFF}\u{10000}\u{10FFFF}b", "\u{FFFF}\u{10000}\u{10FFFF}b"), ("x", "x"),
        ("\u{10400}\u{301}", "\u{10400}\u{301}"),
    ]

    /// Beyond 256 units a text is decomposed piece by piece, cut anywhere.
    @Test(arguments: pieces.indices) func repeatedPieces(_ index: Int) {
        let (text, composed) = Self.pieces[index]
        for count in [1, 2, 42, 43, 64, 65, 85, 86, 128, 129, 200, 300] {
            let units = Array(String(repeating: text, count: count).utf16)
            let expected = Array(String(repeating: composed, count: count).utf16)
            #expect(FoldingPipeline.fold(units, []) == expected, "\(text.codePoints) \(count) times")
        }
    }

    @Test("Only the capitals of ASCII change without case")
    func capitals() {
        for (text, folded) in [("A", "a"), ("Z", "z"), ("[", "["), ("@", "@"), ("a", "a"), ("É", "é"), ("Zé", "zé")] {
            #expect(TextFolding.fold(text, .caseInsensitive) == folded, "\(text)")
            #expect(PreparedNeedle(folded, options: .caseInsensitive).isEqual(to: text), "\(text)")
            for count in [1_023, 1_024, 1_025] {
                let long = String(repeating: text, count: count)
                let needle = PreparedNeedle(String(repeating: folded, count: count), options: .caseInsensitive)
                #expect(needle.isEqual(to: long) && !needle.isEqual(to: long + "x"), "\(text) \(count) times")
            }
        }
    }

    /// Between two stars a stretch with a `?` is found by 64 scalars at a time.
    @Test(arguments: [1, 2, 3, 62, 63, 64, 65, 66, 127, 128, 129, 192, 193]) func stretchesOfLike(count: Int) {
        let letters = String(repeating: "a", count: count - 1)
        let other = String(repeating: "é", count: count - 1)
        let cases: [(pattern: String, text: String, matches: Bool)] = [
            ("*?\(letters)*", "x" + letters, true), ("*?\(letters)*", "bx\(letters)b", true),
            ("*\(letters)?*", letters + "x", true), ("*\(letters)?*", "b\(letters)xb", true),
            ("*\(letters)?*", letters, false), ("*?\(letters)*", letters, false),
            ("*b?\(letters)*", "b" + letters, false), ("*b?\(letters)*", "bbx\(letters)", true),
            ("*b?\(letters)c*", "abx\(letters)ca", true), ("*b?\(letters)c*", "abx\(letters)aca", false),
            ("*?\(other)*", "x" + other, true), ("*?\(other)*", "x" + letters, count == 1),
        ]
        for (pattern, text, matches) in cases {
            #expect(LikePattern(pattern, options: []).matches(text) == matches, "\(text) LIKE \(pattern)")
        }
    }

    /// Rows of texts get a bit each, among those that are asked for; words that do not fit the rows tell nothing.
    @Test(arguments: [0, 1, 63, 64, 65, 128, 130]) func rowsOfTexts(rows: Int) throws {
        let automaton = try #require(try RegularExpression("a+", options: []).automaton)
        let texts = (0..<rows).map { $0 % 3 == 0 ? String(repeating: "a", count: $0 % 4 + 1) : "ab" }
        var (bytes, offsets): ([UInt8], [UInt32]) = ([], [0])
        for text in texts {
            bytes += Array(text.utf8)
            offsets.append(UInt32(bytes.count))
        }
        func select(_ candidates: [UInt64]) -> (matching: [UInt64], unknown: [UInt64]) {
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe offsets.withUnsafeBufferPointer { offsets in
                    unsafe automaton.select(bytes, offsets, among: candidates, below: 256)
                }
            }
        }
        func words(_ isMember: (Int) -> Bool) -> [UInt64] {
            var words = [UInt64](repeating: 0, count: (rows + 63) / 64)
            for row in 0..<rows where isMember(row) { words[row / 64] |= 1 << UInt64(row % 64) }
            return words
        }
        let none = words { _ in false }
        for step in [1, 2, 5] {
            let (matching, unknown) = select(words { $0 % step == 0 })
            #expect(matching == words { $0 % step == 0 && $0 % 3 == 0 } && unknown == none, "\(step)")
        }
        let long = none + [5]
        let (matching, unknown) = select(long)
        #expect(matching == none + [0] && unknown == long)
    }

    /// A walk over words ends where it is told to, whoever cuts them.
    @Test("Walks end early")
    func walksEndEarly() {
        let plain = String(repeating: "word ", count: 30)
        let texts = ["a b c d", "A B C D", "é è ê ë", plain, plain + "é è ê ë " + plain, "é è " + plain]
        let analysis = WordAnalysis(TextAnalyzer(stopWords: ["b"]))
        for options in [[], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized] as [TextOptions] {
            for tokenizer in [Tokenizer(options: options), Tokenizer(options: options, analysis: analysis)] {
                for text in texts {
                    let all = tokenizer.tokens(of: text)
                    for last in [0, 1, 3, 29, 30, 31, 33, 34] where last < all.count {
                        var positions: [Int] = []
                        tokenizer.forEachToken(in: text.utf8.span) { _, range, position in
                            positions.append(position)
                            return position < last
                        }
                        #expect(positions == Array(0...last), "\(text.prefix(20)) \(options)")
                    }
                }
            }
        }
    }
}
