// Searches on texts at their edges: from a place on, at the ends, and by each kind of condition.

import Testing

@testable import TextAnalysis

@Suite("Edges of searches in texts")
struct TextSearchEdgeTests {
    /// A needle, a folded text, where the search begins, and the match.
    static let matches: [(needle: String, text: String, start: Int, match: Range<Int>?)] = [
        ("ab", "abxab", 0, 0..<2), ("ab", "abxab", 1, 3..<5), ("ab", "abxab", 3, 3..<5), ("ab", "abxab", 4, nil),
        ("ab", "abxab", 5, nil), ("ab", "", 0, nil), ("", "ab", 0, nil), ("aa", "aaa", 1, 1..<3), ("b", "ab", 2, nil),
        ("x", "x\u{304}x", 0, 3..<4), ("é", "aéé", 2, 3..<5),
    ]

    @Test(arguments: matches) func match(needle: String, text: String, start: Int, match: Range<Int>?) {
        #expect(PreparedNeedle(needle, options: []).firstMatch(inFolded: text.utf8.span, from: start) == match)
    }

    @Test("Each condition holds for its own texts")
    func conditions() throws {
        func needle(_ text: String) -> PreparedNeedle { PreparedNeedle(text, options: .caseInsensitive) }
        let expression = try RegularExpression("a.c", options: .caseInsensitive)
        let cases: [(condition: TextCondition, holds: [String], fails: [String])] = [
            (.contains(needle("B")), ["abc", "b", "AB"], ["", "ac", "é"]),
            (.beginsWith(needle("B")), ["bc", "B"], ["", "ab", "b\u{301}"]),
            (.endsWith(needle("B")), ["ab", "B"], ["", "ba", "ab\u{301}"]),
            (.isAny([needle("A"), needle("bc"), needle("")]), ["a", "A", "Bc", ""], ["ab", "b", "c", "abc"]),
            (.isAny([]), [], ["", "a"]),
            (.like(LikePattern("a*C", options: .caseInsensitive)), ["ac", "Abc"], ["", "acb"]),
            (.matches(expression), ["abc", "AéC"], ["", "ac", "abcd", "xabc"]),
        ]
        for (condition, holds, fails) in cases {
            for text in holds { #expect(try condition.holds(for: text.utf8.span), "\(condition): \(text)") }
            for text in fails { #expect(try !condition.holds(for: text.utf8.span), "\(condition): \(text)") }
            let takesOptions = condition.options == .caseInsensitive
            #expect(takesOptions != (holds.isEmpty && fails.count == 2), "\(condition)")
        }
        #expect(TextCondition.contains(needle("a")).automaton == nil)
        #expect(TextCondition.isAny([needle("a")]).automaton == nil)
        #expect(TextCondition.matches(expression).automaton != nil)
        #expect(TextCondition.like(LikePattern("a*", options: [])).automaton != nil)
    }

    /// Patterns, and whether they are read without ICU: nested up to fifty deep, repeated up to a thousand times.
    static let readable: [(pattern: String, isRead: Bool)] = [
        (String(repeating: "(", count: 49) + "a" + String(repeating: ")", count: 49), true),
        (String(repeating: "(", count: 50) + "a" + String(repeating: ")", count: 50), false),
        (String(repeating: "(a)", count: 60), true), ("a{1000}", true), ("a{1001}", false), ("a{0,1000}", true),
        ("a{0,1001}", false), ("a{2,1}", false), ("a{1,1}", true), ("a{,2}", false), ("a{}", false), ("a{1", false),
        ("a**", false), ("a*?", true), ("a*+", false), ("(a*)*", false), ("(a|b)*", true), ("(a|)*", false),
        ("(?:a)", true),
        ("(?=a)", false), ("(a", false), ("a)", false), ("[b-a]", false), ("[a-a]", true), ("[]", false),
        ("[^a]", true),
        ("\\", false), ("\\b", false), ("\\1", false), ("\\.", true), ("a|b|", true), ("^a$", true), ("$a", false),
    ]

    @Test(arguments: readable) func reading(pattern: String, isRead: Bool) {
        #expect((RegularSyntax.parse(pattern, ignoringCase: false) != nil) == isRead)
    }

    @Test("Nodes that match the empty text")
    func nullable() {
        let cases: [(pattern: String, isNullable: Bool)] = [
            ("", true), ("a", false), ("a?", true), ("a*b", false), ("a*b?", true), ("a|b?", true), ("a|b", false),
            ("a{0}", true), ("a{0,2}", true), ("a{1,2}", false), ("(a?b?)", true), ("a?b", false), (".", false),
        ]
        for (pattern, isNullable) in cases {
            #expect(RegularSyntax.parse(pattern, ignoringCase: false)?.isNullable == isNullable, "\(pattern)")
        }
    }

    /// Sets of scalars in ranges that neither touch nor overlap.
    @Test("Sets join and turn over")
    func sets() {
        func set(_ ranges: ClosedRange<UInt32>...) -> ScalarSet {
            ranges.reduce(into: ScalarSet()) { $0.formUnion(ScalarSet($1)) }
        }
        #expect(set(3...5, 6...8).ranges == [3...8])
        #expect(set(3...5, 7...8).ranges == [3...5, 7...8])
        #expect(set(7...8, 1...2, 2...3).ranges == [1...3, 7...8])
        #expect(set(1...9, 3...4).ranges == [1...9])
        #expect(set(3...5).complement.ranges == [0...2, 6...0x10FFFF])
        #expect(set(0...5, 0x10FFFF...0x10FFFF).complement.ranges == [6...0x10FFFE])
        #expect(set(0...0x10FFFF).complement.isEmpty && set().complement.ranges == [0...0x10FFFF])
        #expect(set(5...5).only == 5 && set(5...6).only == nil && set(5...5, 9...9).only == nil && set().only == nil)
        #expect(set(0x41...0x5A).withBothCasesOfASCII.ranges == [0x41...0x5A, 0x61...0x7A])
        #expect(
            set(0x40...0x41, 0x7A...0x7B).withBothCasesOfASCII.ranges == [
                0x40...0x41, 0x5A...0x5A, 0x61...0x61, 0x7A...0x7B,
            ])
        #expect(set(0x30...0x39, 0xE9...0xE9).withBothCasesOfASCII.ranges == [0x30...0x39, 0xE9...0xE9])
    }
}
