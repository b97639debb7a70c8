// Words: against Unicode's cases, against ICU alone, against each other's options.
import Testing

@testable import TextAnalysis

@Suite struct TokenizerTests {
    static let folding: TextOptions = [.caseInsensitive, .diacriticInsensitive]

    /// Words by ICU alone, without the scanner for ASCII.
    static func wordsByICU(_ text: String) -> [Range<Int>] {
        guard let segmenter = WordSegmenter.borrow() else { return [] }
        defer { WordSegmenter.giveBack(segmenter) }
        segmenter.setText(text.utf8.span)
        var words: [Range<Int>] = []
        while let word = segmenter.next() { words.append(word) }
        return words
    }

    @Test func words() {
        let cases: [(text: String, options: TextOptions, terms: [String])] = [
            (
                "The Quick ﬁsh's Straße — naïve café 3.14 東京都に行く สวัสดีชาวโลก", .caseInsensitive,
                [
                    "the", "quick", "fish's", "strasse", "naïve", "café", "3.14", "東京", "都", "に", "行く", "สวัสดี",
                    "ชาว", "โลก",
                ]
            ),
            ("naïve Café ÅNGSTRÖM Ёлка", Self.folding, ["naive", "cafe", "angstrom", "елка"]),
            ("naïve Café", [], ["naïve", "Café"]),
            ("cafe\u{301}", [], ["caf\u{e9}"]),
            ("cafe\u{301}", .normalized, ["cafe\u{301}"]),
            ("نَصٌّ हिन्दी が", Self.folding, ["نَصٌّ", "हिन्दी", "が"]),
            ("", Self.folding, []),
            (" .,;!?—…", Self.folding, []),
            (
                "_ __ a_b 1,000.5 e.g. it's 'tis @me a@b.c x:y 1;2 \0a\0", [],
                [
                    "__", "a_b", "1,000.5", "e.g", "it's", "tis", "@me", "a@b.c", "x", "y", "1;2", "a",
                ]
            ),
            ("我们在学习中文", Self.folding, ["我们", "在", "学习", "中文"]),
            ("I❤️NY 👩‍👩‍👧 x", Self.folding, ["i", "ny", "x"]),
            ("İSTANBUL ISPARTA ışık", Self.folding, ["istanbul", "isparta", "ısık"]),
            ("Ｗｉｄｅ ½", Self.folding, ["ｗｉｄｅ"]),
        ]
        for (text, options, terms) in cases {
            let found = Tokenizer(options: options).terms(of: text)
            #expect(found == terms, "\(text)")
            #expect(found.map { Array($0.utf8) } == terms.map { Array($0.utf8) }, "\(text)")
        }
    }

    @Test func rangesAndPositions() {
        let text = "Naïve 東京 it's"
        let tokens = Tokenizer(options: Self.folding).tokens(of: text)
        #expect(
            tokens == [
                Token(text: "naive", range: 0..<6, position: 0), Token(text: "東京", range: 7..<13, position: 1),
                Token(text: "it's", range: 14..<18, position: 2),
            ])
    }

    @Test func unicodeWordBreakCases() throws {
        var differing = 0
        for row in try TextFixtures.rows("wordbreak.tsv") where row[3] == "15.0" {
            let text = TextFixtures.text(row[0])
            let offsets =
                text.unicodeScalars.indices.map { text.utf8.distance(from: text.startIndex, to: $0) }
                + [text.utf8.count]
            let expected = (row[2].isEmpty ? row[1] : row[2]).split(separator: " ").compactMap { Int($0) }
            differing += row[2].isEmpty ? 0 : 1
            #expect(BoundaryProbe.boundaries(of: text, .words) == expected.map { offsets[$0] }, "\(row[0])")
        }
        #expect(differing == 15)
    }

    @Test func asciiScannerEqualsICU() {
        var random = SeededRandom(seed: 7)
        let pieces = "aZ09__..'',,;;::@@ \n-\"/\0$%+~".map(String.init)
        for _ in 0..<(TextFixtures.isThorough ? 1_000_000 : 4000) {
            let text = random.text(of: pieces, upTo: 24)
            let words = Tokenizer(options: []).tokens(of: text).map(\.range)
            #expect(words == Self.wordsByICU(text), "\(text.codePoints)")
        }
    }

    @Test func mixedTextEqualsICU() {
        var random = SeededRandom(seed: 11)
        let ascii = String(repeating: "plain text, of no account. ", count: 4)
        let pieces = [
            ascii, ascii, "a", "1", " ", "\n", " \u{301}b", "é", "日本", "ที่", "👍🏽", "'", "\u{200D}", "한국", "א\"ב", "_",
            ".",
            "\r\n", "\u{85}", " 5", " x",
        ]
        for _ in 0..<(TextFixtures.isThorough ? 50_000 : 400) {
            let text = random.text(of: pieces, upTo: 16)
            let tokens = Tokenizer(options: Self.folding).tokens(of: text)
            #expect(tokens.map(\.range) == Self.wordsByICU(text), "\(text.codePoints)")
            #expect(tokens.map(\.position) == Array(tokens.indices))
            for token in tokens {
                let source = String(decoding: Array(text.utf8)[token.range], as: UTF8.self)
                #expect(Array(token.text.utf8) == Array(TextFolding.fold(source, Self.folding).utf8))
            }
        }
    }

    @Test func sentencesEqualICU() throws {
        let tokenizer = Tokenizer(options: Self.folding)
        for (language, text) in try TextFixtures.sentences() {
            let words = tokenizer.tokens(of: text).map(\.range)
            if words != Self.wordsByICU(text) { Issue.record("\(language): \(text)") }
        }
    }

    /// Texts longer than what is folded at a time: words keep their places, none is cut, none is lost.
    @Test(arguments: [16_380, 16_383, 16_384, 16_385, 40_000]) func wordsOfLongTexts(length: Int) {
        let long = String(repeating: "A", count: length)
        let tokens = Tokenizer(options: .caseInsensitive).tokens(of: long + " B c\nD")
        #expect(tokens.map(\.text) == [long.lowercased(), "b", "c", "d"])
        #expect(tokens.map(\.range.lowerBound) == [0, length + 1, length + 3, length + 5])
        #expect(tokens.map(\.position) == [0, 1, 2, 3])
        let count = length / 5 + 1
        let many = Tokenizer(options: .caseInsensitive).tokens(of: String(repeating: "Word ", count: count))
        #expect(many == (0..<count).map { Token(text: "word", range: 5 * $0..<5 * $0 + 4, position: $0) })
    }

    /// More words that are not ASCII than ICU is asked for at a time, and characters of two units.
    @Test func wordsBeyondASCII() {
        for count in [255, 256, 257, 512, 700] {
            let tokens = Tokenizer(options: Self.folding).tokens(of: String(repeating: "é ", count: count))
            #expect(tokens == (0..<count).map { Token(text: "e", range: 3 * $0..<3 * $0 + 2, position: $0) })
        }
        let tokens = Tokenizer(options: []).tokens(of: "\u{10400}b é \u{1D4B3} z")
        #expect(tokens.map(\.text) == ["\u{10400}b", "é", "\u{1D4B3}", "z"])
        #expect(tokens.map(\.range) == [0..<5, 6..<8, 9..<13, 14..<15])
    }

    @Test func stopsWhenTold() {
        for text in ["one two three", "één twee drie"] {
            var seen = 0
            Tokenizer(options: .caseInsensitive).forEachToken(in: text.utf8.span) { _, _, _ in
                seen += 1
                return seen < 2
            }
            #expect(seen == 2)
        }
    }

    @Test func manyTasksShareOneTokenizer() async {
        let tokenizer = Tokenizer(options: Self.folding)
        let text = "The Quick ﬁsh — naïve café 東京都に行く สวัสดีชาวโลก"
        let expected = tokenizer.terms(of: text)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<100).allSatisfy { _ in tokenizer.terms(of: text) == expected } }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
