// Folding: Unicode's tables, the U+0510 rule, and that folding twice folds once.
import CICU
import Testing

@testable import TextAnalysis

@Suite struct FoldingTests {
    static let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    static let all: [TextOptions] = [[], .caseInsensitive, .diacriticInsensitive, both]

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Folding by the pipeline alone, without the table.
    static func thorough(_ text: String, _ options: TextOptions) -> [UInt8] {
        bytes(String(decoding: FoldingPipeline.fold(Array(text.utf16), options), as: UTF16.self))
    }

    @Test func examples() {
        let cases: [(text: String, options: TextOptions, folded: String)] = [
            ("Straße ﬁ ẞ", .caseInsensitive, "strasse fi ss"),
            ("ÅNGSTRÖM", .caseInsensitive, "ångström"),
            ("ÅNGSTRÖM", .diacriticInsensitive, "ANGSTROM"),
            ("ÅNGSTRÖM \u{212B}\u{212A}", Self.both, "angstrom ak"),
            ("Łódź Ørsted Đ", Self.both, "łodz ørsted đ"),
            ("İIıi", .caseInsensitive, "i\u{307}iıi"),
            ("İIıi", Self.both, "iiıi"),
            ("Ἀθῆναι ᾳ ΣΊΣΥΦΟΣ", Self.both, "αθηναι α σισυφοσ"),
            ("Ёжик Йод", Self.both, "ежик иод"),
            ("が ゔ हिन्दी ที่ نَصّ שָׁלוֹם", Self.both, "が ゔ हिन्दी ที่ نَصّ שָׁלוֹם"),
            ("Việt Nam", Self.both, "viet nam"),
            ("ẞ\u{308}", Self.both, "ss"),
            ("Ⱥ\u{301} Ɐ\u{301}", .diacriticInsensitive, "Ⱥ Ɐ\u{301}"),
            ("\u{301}a", Self.both, "\u{301}a"),
            ("ＡＢｃ", Self.both, "ａｂｃ"),
            ("\0A\0é", Self.both, "\0a\0e"),
            ("e\u{301}", [], "é"), ("ﬁ", [], "ﬁ"), ("Ωhm \u{2126}", [], "Ωhm Ω"),
            ("E\u{301}", .normalized, "E\u{301}"), ("E\u{301}", [.normalized, .caseInsensitive], "E\u{301}"),
            ("E\u{301}", .localeSensitive, "É"),
            ("각\u{1100}\u{1161}\u{11A8}", Self.both, "각각"),
        ]
        for (text, options, folded) in cases {
            #expect(Self.bytes(TextFolding.fold(text, options)) == Self.bytes(folded), "\(text) \(options)")
        }
    }

    /// Long texts are taken apart piece by piece, also between the two units of a character that comes apart itself.
    @Test func longTextsInPieces() {
        for offset in 0..<300 {
            let (before, behind) = (String(repeating: "b", count: offset), String(repeating: "b", count: 300 - offset))
            let folded = Self.thorough("\(before)\u{1D15E}\(behind)", [])
            if folded != Self.bytes("\(before)\u{1D157}\u{1D165}\(behind)") { Issue.record("at \(offset)") }
        }
    }

    /// Marks stand in the order of their classes also where a piece ends among them.
    @Test(arguments: [1, 126, 127, 128, 129, 300]) func marksOfLongTextsAreInOrder(count: Int) {
        let (above, below) = (String(repeating: "\u{301}", count: count), String(repeating: "\u{323}", count: 200))
        for text in ["x" + above + below, "x" + below + above] {
            #expect(Self.thorough(text, []) == Self.bytes("x" + below + above))
            #expect(Self.bytes(TextFolding.fold(text, [])) == Self.bytes("x" + below + above))
            #expect(Self.thorough(text, .diacriticInsensitive) == Self.bytes("x"))
        }
    }

    /// A mark that folds to a letter does so behind those of lower classes, also where it stands before them and a
    /// piece ends between them.
    @Test(arguments: [1, 126, 127, 300]) func marksThatFoldToLettersComeLast(count: Int) {
        let text = "\u{3B1}" + String(repeating: "\u{345}", count: count) + "\u{301}"
        let folded = Self.bytes("\u{3AC}" + String(repeating: "\u{3B9}", count: count))
        #expect(Self.thorough(text, .caseInsensitive) == folded)
        #expect(Self.bytes(TextFolding.fold(text, .caseInsensitive)) == folded)
    }

    @Test func normalizationTable() throws {
        for row in try TextFixtures.rows("normalization.tsv") {
            let forms = row.map(TextFixtures.text)
            for form in forms where Self.bytes(TextFolding.fold(form, [])) != Self.bytes(forms[1]) {
                Issue.record("\(form.codePoints)")
            }
        }
    }

    @Test func caseFoldingTable() throws {
        for row in try TextFixtures.rows("casefolding.tsv") where row[1] == "C" || row[1] == "F" {
            let (source, mapping) = (TextFixtures.text(row[0]), TextFixtures.text(row[2]))
            let expected = Self.bytes(TextFolding.fold(mapping, []))
            // The table folds the iota below an alpha only once it is taken apart: composed normal form does that.
            if Self.bytes(TextFolding.fold(source, .caseInsensitive)) != expected {
                Issue.record("\(row[0]): \(TextFolding.fold(source, .caseInsensitive).codePoints)")
            }
        }
    }

    @Test func everyScalarFoldsToAFixedPoint() {
        for value in UInt32(0)..<0x110000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            // A sample of ideographs, syllables and private use does for most runs.
            let isUniform = value >= 0x20000 || (0x3400..<0xF900).contains(value)
            if isUniform, value & 0x7F != 0, !TextFixtures.isThorough { continue }
            let text = String(scalar)
            for options in Self.all {
                let once = TextFolding.fold(text, options)
                if Self.bytes(once) != Self.thorough(text, options)
                    || Self.bytes(TextFolding.fold(once, options)) != Self.bytes(once)
                {
                    Issue.record("\(text.codePoints) \(options): \(once.codePoints)")
                }
            }
        }
    }

    /// Scalars that combine, reorder, fold to several, or stand near the limit of the bases.
    static let pieces = [
        "a", "E", "I", "İ", "ß", "ẞ", "ﬁ", "Å", "\u{212B}", "α", "ᾳ", "Ά", "Σ", "ς", "й", "Ё", "\u{510}", "\u{511}",
        "Ա",
        "א", "ا", "か", "ก", "क", "가", "\u{1100}", "\u{1161}", "\u{11A8}", "😀", "\u{1D15E}", " ", "1",
        "\u{300}", "\u{301}", "\u{307}", "\u{308}", "\u{323}", "\u{327}", "\u{345}", "\u{34F}", "\u{358}", "\u{488}",
        "\u{5B0}", "\u{64B}", "\u{651}", "\u{93C}", "\u{94D}", "\u{9BE}", "\u{9C7}", "\u{E31}", "\u{E38}", "\u{E48}",
        "\u{3099}", "\u{FE0F}", "\u{20E3}", "\u{200D}", "\u{1F3FD}", "\u{378}", "\u{E0100}", "\u{1E944}", "\u{1E900}",
    ]

    @Test func tableEqualsPipeline() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<(TextFixtures.isThorough ? 200_000 : 3000) {
            let text = random.text(of: Self.pieces, upTo: 8)
            for options in Self.all {
                let folded = TextFolding.fold(text, options)
                let thorough = Self.thorough(text, options)
                // Canonically equivalent texts fold alike, and folding twice folds once.
                let decomposed = String(
                    decoding: FoldingPipeline.transform(Array(text.utf16), cicu_decompose), as: UTF16.self)
                let same =
                    Self.bytes(folded) == thorough
                    && Self.bytes(TextFolding.fold(decomposed, options)) == thorough
                    && Self.bytes(TextFolding.fold(folded, options)) == thorough
                if !same { Issue.record("\(text.codePoints) \(options): \(folded.codePoints)") }
            }
        }
    }

    /// What Python's tables make of random texts.
    @Test func randomTextsFoldAsPythonFoldsThem() throws {
        let rows = try TextFixtures.rows("foldings.tsv")
        #expect(rows.count == 1500)
        for row in rows {
            let forms = row.map(TextFixtures.text)
            for (options, expected) in zip(Self.all, forms.dropFirst()) {
                let (folded, thorough) = (TextFolding.fold(forms[0], options), Self.thorough(forms[0], options))
                if Self.bytes(folded) != Self.bytes(expected) || thorough != Self.bytes(expected) {
                    Issue.record("\(row[0]) \(options): \(folded.codePoints), not \(expected.codePoints)")
                }
            }
        }
    }

    /// Capitals and small letters of ASCII are 32 apart; nothing else changes.
    @Test func asciiEqualsPipeline() throws {
        let every = String(String.UnicodeScalarView((UInt8(0)..<128).map(Unicode.Scalar.init)))
        var texts = [every]
        texts += try TextFixtures.rows("sentences.tsv").map { $0[1] }
        for text in texts {
            for options in Self.all where Self.bytes(TextFolding.fold(text, options)) != Self.thorough(text, options) {
                Issue.record("\(text)")
            }
            guard text.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
            for options in Self.all {
                let lowers = options.contains(.caseInsensitive)
                let expected = text.utf8.map { lowers && (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
                #expect(Self.bytes(TextFolding.fold(text, options)) == expected, "\(text)")
            }
        }
    }

    @Test func longRunsOfMarksTakeLinearTime() {
        // Marks in alternating order would cost ICU's insertion sort the square of their number.
        let marks = String(repeating: "\u{301}\u{323}", count: 50_000)
        let folded = TextFolding.fold("x" + marks, .caseInsensitive)
        #expect(folded.unicodeScalars.count == 100_001)
        #expect(TextFolding.fold("x" + marks, .diacriticInsensitive) == "x")
        #expect(Self.bytes(TextFolding.fold(folded, .caseInsensitive)) == Self.bytes(folded))
    }

    @Test func illFormedBytesBecomeReplacements() {
        let samples: [[UInt8]] = [
            [0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC0, 0x80],
            [0x61, 0x80, 0x62],
            [0xF0, 0x9F, 0x98],
        ]
        for sample in samples {
            var folded = FoldedText()
            TextFolding.fold(sample.span, .caseInsensitive, into: &folded)
            let text = folded.withBytes { String(utf8: $0) }
            #expect(text.unicodeScalars.contains("\u{FFFD}"), "\(sample)")
            Tokenizer(options: Self.both).forEachToken(in: sample.span) { _, range, _ in
                #expect(range.upperBound <= sample.count)
                return true
            }
        }
    }

    @Test func caseMappings() {
        #expect(TextCase.uppercase("straße ﬁ i ı é") == "STRASSE FI I I É")
        #expect(TextCase.lowercase("ΟΔΥΣΣΕΥΣ İ STRASSE") == "οδυσσευς i\u{307} strasse")
        #expect(TextCase.uppercase("a{z`@[Z") == "A{Z`@[Z")
        #expect(TextCase.lowercase("A[Z@`{z") == "a[z@`{z")
        #expect(TextCase.uppercase("") == "")
    }

    @Test func terminalColumns() {
        let cases: [(String, Int)] = [
            ("", 0), ("abc", 3), ("東京", 4), ("e\u{301}", 1), ("ＡＢ", 4), ("👩‍👩‍👧", 2), ("🇩🇪🇫🇷", 4), ("👍🏽", 2), ("❤️", 2),
            ("❤", 1), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("ที่นี่", 2), ("\u{200B}a\u{0}", 1), ("कि", 2), ("½", 1),
        ]
        for (text, columns) in cases { #expect(TextWidth.columns(of: text) == columns, "\(text)") }
    }

    @Test func prefixesOfColumns() {
        let cases: [(String, Int, String)] = [
            ("", 3, ""), ("abc", 2, "ab"), ("東京都", 5, "東京"), ("e\u{301}f", 1, "e\u{301}"), ("a👩‍👩‍👧b", 2, "a"),
            ("a👩‍👩‍👧b", 3, "a👩‍👩‍👧"), ("abc", 0, ""), ("abc", -1, ""),
        ]
        for (text, columns, prefix) in cases {
            #expect(TextWidth.prefix(of: text, columns: columns) == prefix, "\(text) \(columns)")
        }
    }

    @Test func versions() {
        #expect(TextVersions.icu.contains("."))
        #expect(TextVersions.unicode.contains("."))
    }
}
