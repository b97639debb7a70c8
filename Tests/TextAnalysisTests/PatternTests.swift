// LIKE against a naive matcher, and regular expressions with their limits.
import Testing
import _TestSupport

@testable import TextAnalysis

@Suite struct PatternTests {
    static let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]

    @Test func like() {
        let cases: [(pattern: String, text: String, options: TextOptions, matches: Bool)] = [
            ("", "", [], true), ("", "a", [], false), ("*", "", [], true), ("*?", "", [], false), ("?", "é", [], true),
            ("a*c", "ac", [], true), ("a*c", "abc\nc", [], true), ("a?c", "a\nc", [], true), ("A*", "abc", [], false),
            ("A*", "abc", .caseInsensitive, true), ("?a*z?\\?", "aazz?", [], true), ("a\\*c", "a*c", [], true),
            ("a\\*c", "abc", [], false), ("a\\", "a\\", [], true), ("\\a", "a", [], true), ("\\\\*", "\\x", [], true),
            ("caf?", "cafe\u{301}", [], true), ("caf?", "café", [], true), ("caf\u{e9}", "cafe\u{301}", [], true),
            ("CAFE*", "café au lait", Self.both, true), ("STRASSE", "straße", .caseInsensitive, true),
            ("stra??e", "straße", .caseInsensitive, true), ("stra?e", "straße", [], true),
            ("a%b_", "a%b_", [], true), ("a%", "ab", [], false), ("*東?", "首都東京", [], true), ("a*a", "a", [], false),
            ("*ab*bc*", "abc", [], false), ("*ab*bc*", "abbc", [], true), ("?", "👩‍👧", [], false), ("???", "👩‍👧", [], true),
            ("e?", "e\u{301}", .normalized, true), ("*[a-c]*.", "x[a-c]y.", [], true), ("?*?*?", "ab", [], false),
        ]
        for (pattern, text, options, matches) in cases {
            #expect(
                LikePattern(pattern, options: options).matches(text) == matches, "\(text) LIKE \(pattern) \(options)")
        }
    }

    /// The definition: a star takes nothing, or one scalar and stays.
    static func matchesNaively(_ pattern: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "*": return matchesNaively(rest, text) || (!text.isEmpty && matchesNaively(pattern, text.dropFirst()))
        case "?": return !text.isEmpty && matchesNaively(rest, text.dropFirst())
        case "\\":
            let literal = rest.first ?? first
            return text.first == literal && matchesNaively(rest.dropFirst(), text.dropFirst())
        default: return text.first == first && matchesNaively(rest, text.dropFirst())
        }
    }

    @Test func likeEqualsTheNaiveMatcher() {
        var random = SeededRandom(seed: 9)
        let patternPieces = ["a", "b", "é", "日", "*", "?", "\\*", "\\?", "\\\\", "*a", "?b"]
        let textPieces = ["a", "b", "é", "日", "*", "?", "\\", "😀"]
        for _ in 0..<(TextFixtures.isThorough ? 1_000_000 : 20_000) {
            let (pattern, text) = (random.text(of: patternPieces, upTo: 7), random.text(of: textPieces, upTo: 9))
            let expected = Self.matchesNaively(Array(pattern.unicodeScalars)[...], Array(text.unicodeScalars)[...])
            if LikePattern(pattern, options: []).matches(text) != expected { Issue.record("\(text) LIKE \(pattern)") }
        }
    }

    @Test func likeTakesLinearTime() {
        let text = String(repeating: "a", count: 200_000)
        let patterns = [
            String(repeating: "*a", count: 2000) + "b", String(repeating: "*a", count: 2000) + "*b*",
            "*" + String(repeating: "a?", count: 1000) + "b*", "*" + String(repeating: "a", count: 1000) + "b*",
            String(repeating: "*?", count: 2000) + "b",
        ]
        for pattern in patterns {
            let time = processorSeconds { #expect(!LikePattern(pattern, options: []).matches(text)) }
            #expect(time < 20, "\(pattern.prefix(8))")
        }
        let long = LikePattern("*" + String(repeating: "a?", count: 100) + "*", options: [])
        #expect(long.matches(text))
        #expect(!long.matches(String(repeating: "a", count: 199)))
    }

    @Test func regularExpressions() throws {
        let cases: [(pattern: String, text: String, options: TextOptions, matches: Bool)] = [
            ("Cat*", "Cathedral", [], false), ("Cat.*", "Cathedral", [], true), ("", "", [], true),
            ("", "a", [], false),
            ("a|ab", "ab", [], true), ("[a-c]+", "ABC", [], false), ("[a-c]+", "ABC", .caseInsensitive, true),
            ("cafe", "café", .diacriticInsensitive, true), ("café", "cafe", .diacriticInsensitive, true),
            ("CAFÉ", "cafe\u{301}", Self.both, true), ("caf.", "cafe\u{301}", [], true),
            ("caf.", "cafe\u{301}", .normalized, false),
            ("a.b", "a\nb", [], false), ("(?s)a.b", "a\nb", [], true), ("\\w+@\\w+\\.com", "me@x.com", [], true),
            ("\\p{L}+", "東京", [], true), ("^a$", "a", [], true), ("a\0b", "a\0b", [], true),
            ("(?i)STRASSE", "straße", [], true),
            // Without case a letter and its capital are ruled out together.
            ("[^a]", "A", .caseInsensitive, false), ("[^A]", "a", .caseInsensitive, false),
            ("[^a-c]+", "xyB", .caseInsensitive, false), ("[^a-c]+", "xYz", .caseInsensitive, true),
            // The signs of begin and end hold at these alone.
            ("a^b", "ab", [], false), ("a^", "a", [], false), ("(^a)", "a", [], true), ("^^a", "a", [], true),
            ("a$b", "ab", [], false), ("$a", "a", [], false), ("a$", "a", [], true), ("(a$)", "a", [], true),
            ("a|^b", "b", [], true), ("a$|b", "b", [], true), ("x(a|^b)", "xb", [], false),
        ]
        for (pattern, text, options, matches) in cases {
            let expression = try RegularExpression(pattern, options: options)
            #expect(try expression.matchesWhole(text) == matches, "\(text) MATCHES \(pattern) \(options)")
            #expect(try expression.matchesWhole(text) == matches)
        }
    }

    @Test func invalidPatterns() {
        let cases: [(pattern: String, name: String, offset: Int)] = [
            ("(a", "U_REGEX_MISMATCHED_PAREN", 2), ("é日😀[z-a]", "U_REGEX_INVALID_RANGE", 7),
            ("😀😀(a", "U_REGEX_MISMATCHED_PAREN", 4), ("😀\n😀(a", "U_REGEX_MISMATCHED_PAREN", 5),
            ("a\r(b", "U_REGEX_MISMATCHED_PAREN", 4), ("a\r\n(b", "U_REGEX_MISMATCHED_PAREN", 5),
            ("a\u{2028}(b", "U_REGEX_MISMATCHED_PAREN", 4), ("a\u{85}\n(b", "U_REGEX_MISMATCHED_PAREN", 5),
            ("a{2,1}", "U_REGEX_MAX_LT_MIN", 6),
            ("*a", "U_REGEX_RULE_SYNTAX", 1), ("a\n\n(b", "U_REGEX_MISMATCHED_PAREN", 5),
            ("\\p{Nothing}", "U_REGEX_PROPERTY_SYNTAX", 11), ("[a", "U_REGEX_MISSING_CLOSE_BRACKET", 2),
        ]
        for (pattern, name, offset) in cases {
            let error = #expect(throws: PatternError.self) { try RegularExpression(pattern, options: []) }
            #expect(error?.kind == .invalidPattern)
            #expect(error?.icuName == name, "\(pattern)")
            #expect(error?.offset == offset, "\(pattern)")
        }
        let long = String(repeating: "a", count: 70_000)
        #expect(throws: PatternError(kind: .patternLimit, icuName: "", offset: nil)) {
            try RegularExpression(long, options: [])
        }
    }

    @Test func whatPatternsAreRefusedFor() throws {
        let error = #expect(throws: PatternError.self) { try RegularExpression("(éa", options: []) }
        let refusal = try #require(error)
        #expect(
            refusal.message
                == "not a regular expression at character 3: parentheses that do not pair (U_REGEX_MISMATCHED_PAREN)")
        #expect(refusal.hint?.contains("backslash") == true && refusal.description == refusal.message)
        let limit = PatternLimits(patternBytes: 4)
        #expect(throws: Never.self) { try RegularExpression("éé", options: [], limits: limit) }
        let long = #expect(throws: PatternError.self) { try RegularExpression("ééa", options: [], limits: limit) }
        #expect(long?.message == "the regular expression is too long" && long?.hint?.contains("OR") == true)
    }

    /// One part of a pattern, and how many classes that are dear to compile it has.
    static let classes: [(part: String, count: Int)] = [
        ("a", 0), ("[a-z]", 0), ("[^à-ÿ]", 0), ("[]a]", 0), ("[\\n\\t]", 0),
        ("\\w\\d\\b\\.", 0), ("\\[\\w", 0), ("\\\\[a]", 0), ("(?<name>a)", 0), ("\\p{L}", 1), ("\\P{L}", 1),
        ("[\\w.-]", 2),
        ("[\\p{L}]", 2), ("[^\\p{L}]", 2), ("[東]", 1),
        ("[[[\\x{0}-\\x{10FFFF}]]]", 5), ("[[a]\\w[b]]", 2), ("[[:alpha:]]", 2), ("[]\\w]", 2), ("[^]\\w]", 2),
        ("[\\c]\\w]", 3), ("[\\]\\w]", 2), ("[^\\s\\d]", 0), ("(?<=a)", 1), ("(?<!a)", 1), ("\\N{DIGIT ONE}", 1),
        ("\\Qa\\E[a]", 3),
        ("(?x)[a]", 1), ("(?i-x:[a]\\w)", 2),
    ]

    @Test func expensiveClassesAreCounted() {
        for (part, count) in Self.classes {
            #expect(RegularExpression.classCount(of: part) == count, "\(part)")
            // Hidden brackets are told once for the whole pattern.
            #expect(RegularExpression.classCount(of: part + part) == 2 * count, "\(part) twice")
        }
    }

    /// Patterns of 64 KiB that ICU would compile for a minute are refused before it sees them.
    @Test(arguments: ["[\\p{L}]", "[^\\p{L}]", "[\\p{Script=Han}-[a]]", "[\\s\\S]", "[[:alpha:]]", "(?<=a|b)"])
    func classesAreLimited(_ part: String) throws {
        let each = RegularExpression.classCount(of: part)
        let limits = PatternLimits(patternClasses: 4 * each)
        #expect(throws: Never.self) {
            try RegularExpression(String(repeating: part, count: 4), options: .caseInsensitive, limits: limits)
        }
        #expect(throws: PatternError(kind: .classLimit, icuName: "", offset: nil)) {
            try RegularExpression(String(repeating: part, count: 5), options: .caseInsensitive, limits: limits)
        }
        // Where case counts, four times as many; a flag may say that it does not.
        #expect(throws: Never.self) {
            try RegularExpression(String(repeating: part, count: 16), options: [], limits: limits)
        }
        for pattern in [String(repeating: part, count: 17), "(?i)" + String(repeating: part, count: 5)] {
            #expect(throws: PatternError(kind: .classLimit, icuName: "", offset: nil)) {
                try RegularExpression(pattern, options: [], limits: limits)
            }
        }
        let long = String(repeating: part, count: 60_000 / part.utf8.count)
        let error = #expect(throws: PatternError.self) { try RegularExpression(long, options: .caseInsensitive) }
        #expect(error?.kind == .classLimit)
        #expect(error?.message.contains("too many classes") == true)
    }

    /// With `d` marks go, and what they stood behind is a class.
    @Test func foldingHidesNoClasses() {
        let long = String(repeating: "[\\\u{301}w]", count: 300)
        #expect(RegularExpression.classCount(of: long) == 0)
        #expect(throws: Never.self) { try RegularExpression(long, options: []) }
        let error = #expect(throws: PatternError.self) {
            try RegularExpression(long, options: .diacriticInsensitive)
        }
        #expect(error?.kind == .classLimit)
    }

    @Test func plainPatternsNeverFail() throws {
        let hopeless = try RegularExpression("(a+)+$", options: [])
        #expect(try !hopeless.matchesWhole(String(repeating: "a", count: 40) + "!"))
        #expect(hopeless.cannotThrow)
        #expect(try !RegularExpression("\\d+", options: []).cannotThrow)
        #expect(try !RegularExpression("(?=a)a", options: []).cannotThrow)
        // Too large for an automaton.
        #expect(try RegularExpression("[ab]*a[ab]{40}", options: []).automaton == nil)
    }

    @Test func limitsEndHopelessMatches() throws {
        let text = String(repeating: "a", count: 40) + "!"
        let expression = try RegularExpression("(?=a)(a+)+$", options: [])
        let time = processorSeconds {
            let error = #expect(throws: PatternError.self) { try expression.matchesWhole(text) }
            #expect(error?.kind == .timeLimit)
        }
        #expect(time < 10)
        #expect(try expression.matchesWhole("aaa"))
        let small = PatternLimits(stackBytes: 10_000)
        let deep = try RegularExpression("(?=a)(?:a|b)*c", options: [], limits: small)
        let error = #expect(throws: PatternError.self) {
            try deep.matchesWhole(String(repeating: "ab", count: 100_000))
        }
        #expect(error?.kind == .stackLimit)
        #expect(try deep.matchesWhole("abc"))
    }

    @Test func manyTasksShareOneExpression() async throws {
        let expression = try RegularExpression("(\\w+) (\\w+)", options: Self.both)
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { turn in
                        (try? expression.matchesWhole(turn % 2 == 0 ? "één \(task)" : "één")) == (turn % 2 == 0)
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func extremeTextsHaveResults() throws {
        let scale = TextFixtures.isThorough ? 30 : 1
        // With the columns of the piece that is repeated: marks and controls take none.
        let pieces: [(head: String, piece: String, count: Int, columns: Int)] = [
            ("", "The quick brown fox. ", 20_000, 21), ("", "日本語", 50_000, 6), ("a", "\u{301}", 50_000, 0),
            ("", "🇩🇪", 20_000, 2), ("", "\0", 50_000, 0), ("", "\u{10FFFF}\u{378}", 5_000, 2),
        ]
        for (head, piece, count, columns) in pieces {
            let text = head + String(repeating: piece, count: count * scale)
            let bytes = text.utf8.count
            var last = 0
            Tokenizer(options: Self.both).forEachToken(in: text.utf8.span) { _, range, _ in
                last = range.upperBound
                return true
            }
            #expect(last <= bytes)
            #expect(!PreparedNeedle("zzz", options: Self.both).isContained(in: text))
            #expect(!PreparedNeedle("🇪🇩🇩", options: []).isContained(in: text))
            #expect(!LikePattern("*z?z*", options: Self.both).matches(text))
            #expect(TextWidth.columns(of: text) == head.count + count * scale * columns)
        }
    }
}
