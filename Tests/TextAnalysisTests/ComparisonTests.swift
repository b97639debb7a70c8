// Equality and order of text, and substring tests.
import Testing

@testable import TextAnalysis

@Suite struct ComparisonTests {
    static let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]

    @Test func orders() {
        let cases: [(left: String, right: String, options: TextOptions, locale: String, order: Int)] = [
            ("a", "b", [], "", -1), ("Z", "a", [], "", -1), ("a", "a", [], "", 0), ("", "a", [], "", -1),
            ("é", "e\u{301}", [], "", 0), ("é", "e\u{301}", .normalized, "", 1), ("é", "f", [], "", 1),
            ("\u{FFFF}", "\u{10000}", [], "", -1), ("a\0", "a", [], "", 1),
            ("STRASSE", "straße", .caseInsensitive, "", 0), ("É", "e", .caseInsensitive, "", 1),
            ("É", "E", .diacriticInsensitive, "", 0), ("É", "e", Self.both, "", 0), ("Z", "a", .caseInsensitive, "", 1),
            ("A", "a", [.normalized, .caseInsensitive], "", -1),
            ("Z", "a", .localeSensitive, "", 1), ("a", "A", .localeSensitive, "", -1),
            ("a", "A", [.localeSensitive, .caseInsensitive], "", 0),
            ("a", "á", [.localeSensitive, .caseInsensitive], "", -1),
            ("a", "á", [.localeSensitive, .diacriticInsensitive], "", 0),
            ("a", "A", [.localeSensitive, .diacriticInsensitive], "", -1),
            ("a", "Á", [.localeSensitive, .diacriticInsensitive, .caseInsensitive], "", 0),
            ("z", "ö", .localeSensitive, "sv", -1), ("z", "ö", .localeSensitive, "de", 1),
            ("é", "e\u{301}", .localeSensitive, "", 0), ("z", "ö", .localeSensitive, "qqq", 1),
            ("z", "a", [.localeSensitive, .normalized], "", 1),
            ("a\u{387}b", "a\u{B7}b", [], "", 0), ("\u{387}", "\u{B7}", .caseInsensitive, "", 0),
            ("\u{387}", "\u{387}", [], "", 0), ("\u{386}", "\u{391}\u{301}", [], "", 0),
            ("K", "\u{212A}", [], "", 0), ("a;b", "a\u{37E}b", [], "", 0), ("K", "\u{212A}", .normalized, "", -1),
        ]
        for (left, right, options, locale, order) in cases {
            let name = "\(left.codePoints) \(right.codePoints) \(options) \(locale)"
            #expect(TextComparison.compare(left, right, options: options, locale: locale) == order, "\(name)")
            #expect(TextComparison.compare(right, left, options: options, locale: locale) == -order, "\(name)")
            #expect(TextComparison.areEqual(left, right, options: options, locale: locale) == (order == 0), "\(name)")
            if !options.contains(.localeSensitive) {
                #expect(PreparedNeedle(left, options: options).isEqual(to: right) == (order == 0), "\(name)")
            }
            let keys = [left, right].map { TextComparison.sortKey(of: $0, options: options, locale: locale) }
            let keyOrder = keys[0] == keys[1] ? 0 : keys[0].lexicographicallyPrecedes(keys[1]) ? -1 : 1
            #expect(keyOrder == order, "\(name)")
        }
    }

    @Test func needles() {
        let cases: [(needle: String, text: String, options: TextOptions, found: String)] = [
            // found: which of c(ontains), b(egins), e(nds) hold
            ("", "", [], ""), ("", "abc", [], ""), ("abc", "abc", [], "cbe"), ("b", "abc", [], "c"),
            ("abcd", "abc", [], ""),
            ("B", "abc", [], ""), ("B", "abc", .caseInsensitive, "c"), ("A", "abcA", .caseInsensitive, "cbe"),
            ("e", "cafe\u{301}", [], ""), ("e", "café", [], ""), ("é", "cafe\u{301}", [], "ce"),
            ("e", "cafe\u{301}", .normalized, "c"), ("e", "café", .diacriticInsensitive, "ce"),
            ("x", "ax\u{304}", [], ""), ("x", "ax\u{304}", .diacriticInsensitive, "ce"),
            ("\u{304}", "ax\u{304}", [], ""),
            ("x", "x\u{304}x", [], "ce"), ("ss", "Straße", .caseInsensitive, "c"),
            ("SS", "straß", .caseInsensitive, "ce"),
            ("👩", "👩‍👩‍👧", [], ""), ("👧", "👩‍👩‍👧", [], ""), ("👩", "👩‍👩‍👧", .normalized, "cb"), ("👍", "👍🏽", [], ""),
            ("🇪🇫", "🇩🇪🇫🇷", [], ""), ("🇫🇷", "🇩🇪🇫🇷", [], "ce"), ("\n", "a\r\nb", [], "c"), ("京", "東京", [], "ce"),
            ("क", "कि", [], ""), ("कि", "किताब", [], "cb"), ("가", "각", [], ""), ("aa", "aaa", [], "cbe"),
            ("\u{301}", "e\u{301}", Self.both, ""), ("Ł", "łódź", Self.both, "cb"), ("l", "łódź", Self.both, ""),
            ("\0", "a\0b", [], "c"), ("É", "tempête d'été", .caseInsensitive, "ce"),
            ("ﬁ", "FIN", .caseInsensitive, "cb"),
            // Of two places that overlap the first cuts a character.
            ("x\u{304}x", "x\u{304}x\u{304}x", [], "ce"), ("aba", "ababa\u{302}", [], "cb"),
            ("aba", "aba\u{302}ba", [], ""), ("x\u{304}x", "x\u{304}x\u{304}x\u{304}", [], ""),
            // Nothing joins the end of a line.
            ("\n", "a\n\u{301}", [], "c"), ("a\n", "a\n\u{301}", [], "cb"), ("\u{301}", "a\n\u{301}", [], "ce"),
        ]
        for (needle, text, options, found) in cases {
            let prepared = PreparedNeedle(needle, options: options)
            var holds = prepared.isContained(in: text) ? "c" : ""
            if prepared.isPrefix(of: text) { holds += "b" }
            if prepared.isSuffix(of: text) { holds += "e" }
            #expect(holds == found, "\(needle) in \(text) \(options)")
        }
    }

    /// Letters of two bytes are compared in the form that folding gives them, whatever stands beside them.
    @Test func lettersOfTwoBytesEqualTheirFoldedForm() {
        for value in UInt32(0x80)..<0x800 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "a\(scalar)z", "\(scalar)\u{301}", "é\(scalar)"] {
                let folded = String(decoding: FoldingTests.thorough(text, []), as: UTF8.self)
                let needle = PreparedNeedle(folded, options: [])
                let isEqual = TextComparison.areEqual(text, folded, options: []) && needle.isEqual(to: text)
                if !isEqual || !LikePattern(folded + "*", options: []).matches(text) {
                    Issue.record("\(text.codePoints)")
                }
            }
        }
    }

    /// Keys of a collation tell texts apart whose difference comes last, however long they are.
    @Test(arguments: [0, 1, 31, 32, 33, 500, 5_000]) func sortKeysOfLongTexts(length: Int) {
        func key(_ text: String, _ options: TextOptions) -> [UInt8] {
            TextComparison.sortKey(of: String(repeating: "ä", count: length) + text, options: options, locale: "de")
        }
        #expect(key("a", .localeSensitive).lexicographicallyPrecedes(key("A", .localeSensitive)))
        #expect(key("A", .localeSensitive).lexicographicallyPrecedes(key("ab", .localeSensitive)))
        let ignoring: TextOptions = [.localeSensitive, .caseInsensitive]
        #expect(key("a", ignoring) == key("A", ignoring) && key("a", ignoring) != key("á", ignoring))
    }

    /// The definition itself: folded texts, every offset, ICU asked for every boundary.
    static func isContainedByDefinition(_ needle: String, _ text: String, _ options: TextOptions) -> (Bool, Bool, Bool)
    {
        let wanted = Array(TextFolding.fold(needle, options).utf8)
        let folded = TextFolding.fold(text, options)
        let bytes = Array(folded.utf8)
        guard !wanted.isEmpty, bytes.count >= wanted.count else { return (false, false, false) }
        var boundaries = Set(BoundaryProbe.boundaries(of: folded, .clusters))
        for offset in bytes.indices.dropFirst() where bytes[offset - 1] == 0x0D && bytes[offset] == 0x0A {
            boundaries.insert(offset)
        }
        let isFree = options.contains(.normalized)
        let matches = (0...bytes.count - wanted.count).filter { start in
            let end = start + wanted.count
            return Array(bytes[start..<end]) == wanted
                && (isFree || (boundaries.contains(start) && boundaries.contains(end)))
        }
        return (!matches.isEmpty, matches.first == 0, matches.last == bytes.count - wanted.count)
    }

    @Test func needlesEqualTheirDefinition() {
        var random = SeededRandom(seed: 5)
        let pieces = [
            "a", "A", "b", "é", "e\u{301}", "x\u{304}", "ß", "s", "\r\n", "\n", "\r", "👩‍👧", "👩", "\u{200D}", "🇩🇪", "🇪",
            "👍🏽", "가",
            "\u{1100}", "\u{11A8}", "कि", "क", "\u{301}", "ก", "\u{E33}", "\u{600}", "İ", "日", "\u{AD}", "\u{0}",
        ]
        for _ in 0..<(TextFixtures.isThorough ? 200_000 : 3000) {
            let (needle, text) = (random.text(of: pieces, upTo: 3), random.text(of: pieces, upTo: 10))
            for options in [[], .caseInsensitive, Self.both, .normalized] as [TextOptions] {
                let prepared = PreparedNeedle(needle, options: options)
                let found = (prepared.isContained(in: text), prepared.isPrefix(of: text), prepared.isSuffix(of: text))
                if found != Self.isContainedByDefinition(needle, text, options) {
                    Issue.record("\(needle.codePoints) in \(text.codePoints) \(options)")
                }
            }
        }
    }

    /// Texts that are equal to another one, and how they may be written; none where that is not known.
    static let spellings: [(text: String, all: [String]?)] = [
        ("", [""]), ("ab", ["ab"]), ("\u{7F}", ["\u{7F}"]), (";", [";", "\u{37E}"]), ("K", ["K", "\u{212A}"]),
        ("`", ["`", "\u{1FEF}"]), ("a;b", ["a;b", "a\u{37E}b"]), ("\u{212A}", ["K", "\u{212A}"]),
        (";K", [";K", ";\u{212A}", "\u{37E}K", "\u{37E}\u{212A}"]), (";;;;;", nil), ("ж", ["ж"]), ("ø", ["ø"]),
        ("Æ", ["Æ"]), ("\u{D7}", ["\u{D7}"]), ("\u{24F}", ["\u{24F}"]), ("\u{250}", nil), ("й", nil), ("é", nil),
        ("e\u{301}", nil), ("日", nil), ("\u{80}", nil), ("\u{BF}", nil), ("\u{3FF}", nil), ("\u{400}", nil),
        ("\u{47F}", ["\u{47F}"]), ("\u{480}", nil),
    ]

    @Test func spellingsOfEqualTexts() {
        for (text, all) in Self.spellings {
            let found = TextSpelling.all(of: text)
            #expect(found?.map { Array($0.utf8) } == all?.map { Array($0.utf8) }, "\(text.codePoints)")
        }
        #expect(TextSpelling.all(of: ";;;;")?.count == 16)
    }
}
