// What a text must hold to meet a condition: never more than that, or an index would lose it.

import Testing

@testable import TextAnalysis

@Suite struct RequiredTextTests {
    /// A requirement in letters: `*` for none, `&` between parts of which all, `|` between those of which one is there.
    private static func written(_ requirement: RequiredText) -> String {
        switch requirement {
        case .anything: "*"
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .all(let parts): "(" + parts.map(written).joined(separator: " & ") + ")"
        case .any(let parts): "(" + parts.map(written).joined(separator: " | ") + ")"
        }
    }

    static let expressions: [(pattern: String, options: TextOptions, required: String)] = [
        ("fox", [], "fox"), ("FOX", [], "fox"), ("", [], "*"), ("a.c", [], "(a & c)"), ("^ab$", [], "ab"),
        // What may be left out is not required, whatever says so.
        ("ab(cd)?ef", [], "(ab & ef)"), ("ab(cd)*ef", [], "(ab & ef)"), ("ab(cd){0,2}ef", [], "(ab & ef)"),
        ("ab(cd){0}", [], "ab"), ("(abc)?", [], "*"), ("x?abc", [], "abc"),
        ("ab(cd)+ef", [], "(cd & ab & ef)"), ("ab(cd){2}", [], "(cd & ab)"), ("ab(cd){1,}", [], "(cd & ab)"),
        ("(ab|cd)", [], "(ab | cd)"), ("ab|cd.ef", [], "(ab | (cd & ef))"), ("ab|.*", [], "*"), ("(ab|)", [], "*"),
        ("(ab|c?)d", [], "d"), ("[ab]cd", [], "cd"), ("[a]bc", [], "abc"), ("[^a]bc", [], "bc"),
        ("\\d+ab", [], "ab"), (".*abc.*", [], "abc"), ("abc.*abd", [], "(abc & abd)"),
        // Letters are folded, and what is no part of the simple syntax says nothing.
        ("Été", [], "ete"), ("été", .diacriticInsensitive, "ete"), ("(?=a)abc", [], "*"), ("abc", .normalized, "*"),
    ]

    @Test(arguments: expressions)
    func ofExpressions(pattern: String, options: TextOptions, required: String) throws {
        let condition = TextCondition.matches(try RegularExpression(pattern, options: options))
        #expect(Self.written(condition.requirement) == required)
        #expect(condition.requiredText.isEmpty)
    }

    static let patterns: [(pattern: String, options: TextOptions, required: String, longest: String)] = [
        ("abc", [], "abc", "abc"), ("*", [], "*", ""), ("", [], "*", ""), ("???", [], "*", ""),
        ("*quick?brown*fox", [], "(quick & brown & fox)", "quick"), ("ab?cdef*g", [], "(ab & cdef & g)", "cdef"),
        ("*ABC*", .caseInsensitive, "abc", "abc"), ("*ABC*", [], "abc", "ABC"), ("a\\*b*", [], "a*b", "a*b"),
        ("*été*", .diacriticInsensitive, "ete", "ete"), ("*abc*", .normalized, "*", "abc"),
    ]

    @Test(arguments: patterns)
    func ofLike(pattern: String, options: TextOptions, required: String, longest: String) {
        let condition = TextCondition.like(LikePattern(pattern, options: options))
        #expect(Self.written(condition.requirement) == required)
        #expect(String(decoding: condition.requiredText, as: UTF8.self) == longest)
        #expect(condition.options == options && !condition.isNever)
    }

    @Test func ofPartsAndChoices() {
        func needle(_ text: String, _ options: TextOptions = []) -> PreparedNeedle {
            PreparedNeedle(text, options: options)
        }
        let cases: [(condition: TextCondition, required: String, text: String, isNever: Bool)] = [
            (.contains(needle("Abc")), "abc", "Abc", false), (.beginsWith(needle("Abc")), "abc", "Abc", false),
            (.endsWith(needle("Abc", .caseInsensitive)), "abc", "abc", false), (.contains(needle("")), "*", "", true),
            (.contains(needle("abc", .normalized)), "*", "abc", false),
            // A mark at the beginning may be part of a letter before it.
            (.contains(needle("\u{301}abc")), "abc", "\u{301}abc", false),
            (.isAny([]), "*", "", true), (.isAny([needle("ab")]), "ab", "ab", false),
            (.isAny([needle("ab"), needle("cd")]), "(ab | cd)", "", false),
            (.isAny([needle("ab"), needle("")]), "*", "", false),
        ]
        for (condition, required, text, isNever) in cases {
            #expect(Self.written(condition.requirement) == required, "\(condition)")
            #expect(String(decoding: condition.requiredText, as: UTF8.self) == text, "\(condition)")
            #expect(condition.isNever == isNever, "\(condition)")
        }
    }

    /// Texts that folding may change are folded before an automaton sees them: any with a byte from there on.
    static let limits: [(options: TextOptions, limit: Int)] = [
        ([], 0xCC), (.localeSensitive, 0xCC), (.caseInsensitive, 0x80), (.diacriticInsensitive, 0x80),
        ([.caseInsensitive, .diacriticInsensitive], 0x80), (.normalized, 256), ([.normalized, .caseInsensitive], 256),
    ]

    @Test(arguments: limits)
    func textsThatAreTakenAsTheyAre(options: TextOptions, limit: Int) {
        #expect(TextCondition.like(LikePattern("a*", options: options)).automatonLimit == limit)
    }

    @Test func prefixesOfPatterns() {
        let cases: [(pattern: String, options: TextOptions, prefix: String)] = [
            ("abc*", [], "abc"), ("ab?c*", [], "ab"), ("?ab", [], ""), ("*ab", [], ""), ("", [], ""),
            ("a\\*b*", [], "a*b"), ("ABC*", .caseInsensitive, "abc"), ("ÉT*", .diacriticInsensitive, "ET"),
            ("ab", [], "ab"),
        ]
        for (pattern, options, prefix) in cases {
            #expect(LikePattern(pattern, options: options).literalPrefix == prefix, "\(pattern)")
        }
    }
}
