// Limits, errors, options and edits: their edges, value by value.

import PredicateSyntax
import Testing

@Suite("Values of the syntax")
struct SyntaxValueTests {
    /// A text over limits of 3 levels and 2 elements, the place where it goes beyond them, and the message.
    static let excesses: [(text: String, place: Range<Int>, message: String)] = [
        ("a IN {1, 2, 3}", 12..<13, "more than 2 elements in one list"),
        ("a>1 AND b>1 AND c>1", 16..<17, "more than 2 elements in one list"),
        ("a>1 OR b>1 OR c>1", 17..<17, "more than 2 elements in one list"),
        ("a.b.c.d == 1", 6..<7, "more than 2 elements in one list"),
        ("((((a == 1))))", 3..<4, "nested deeper than 3 levels"),
        ("a == 1 AND b == 2345", 19..<19, "the text is longer than 19 bytes"),
    ]

    @Test(arguments: excesses) func excess(text: String, place: Range<Int>, message: String) throws {
        let limits = SyntaxLimits(maximumLength: 19, maximumDepth: 3, maximumListCount: 2)
        let error = try #require(syntaxError(text, limits: limits))
        #expect(error.kind == .limit && error.message == message && error.hint == nil)
        #expect(error.span.range == place)
    }

    @Test("Limits have a least size, and texts of just that length are read")
    func limits() {
        let least = SyntaxLimits(maximumLength: -1, maximumDepth: -1, maximumListCount: -1)
        #expect(least == SyntaxLimits(maximumLength: 0, maximumDepth: 1, maximumListCount: 1))
        #expect(SyntaxLimits.default.maximumLength == 16_777_216 && SyntaxLimits.default.maximumDepth == 500)
        #expect(SyntaxLimits.default.maximumListCount == 1_000_000)
        #expect(syntaxError("é == 1", limits: SyntaxLimits(maximumLength: 7)) == nil)
        #expect(syntaxError("é == 1", limits: SyntaxLimits(maximumLength: 6))?.kind == .limit)
    }

    @Test("Errors are equal in all their parts, and say all of them")
    func errors() {
        let one = SyntaxError(.lexical, span: SourceSpan(5, 7), message: "bad", expected: ["x"], hint: "good")
        let others: [SyntaxError] = [
            SyntaxError(.syntax, span: SourceSpan(5, 7), message: "bad", expected: ["x"], hint: "good"),
            SyntaxError(.lexical, span: SourceSpan(5, 8), message: "bad", expected: ["x"], hint: "good"),
            SyntaxError(.lexical, span: SourceSpan(4, 7), message: "bad", expected: ["x"], hint: "good"),
            SyntaxError(.lexical, span: SourceSpan(5, 7), message: "bat", expected: ["x"], hint: "good"),
            SyntaxError(.lexical, span: SourceSpan(5, 7), message: "bad", expected: [], hint: "good"),
            SyntaxError(.lexical, span: SourceSpan(5, 7), message: "bad", expected: ["x"], hint: nil),
        ]
        for other in others { #expect(other != one, "\(other)") }
        #expect(one.description == "lexical error at bytes 5..<7: bad (good)")
        #expect(others[5].description == "lexical error at bytes 5..<7: bad")
    }

    /// Letters of options, and how they are written again; nil where one is none.
    @Test(arguments: [
        ("", ""), ("c", "[c]"), ("DC", "[cd]"), ("lndc", "[cdnl]"), ("pc", "[cp]"), ("cc", "[c]"), ("x", nil),
        ("cx", nil), ("c d", nil), ("é", nil), ("1", nil),
    ])
    func options(letters: String, suffix: String?) {
        #expect(ComparisonOptions(letters: letters)?.suffix == suffix)
    }

    /// A predicate, and the field that it is about; nil where that is none.
    @Test(arguments: [
        ("n > 1", "n"), ("a.b == 1", "a.b"), ("year(t) == 1", "t"), ("year(a.b) == 1", "a.b"), ("ANY n == 1", "n"),
        ("#'x y' == 1", "#'x y'"), ("SELF.a == 1", "SELF.a"), ("1 == a", nil), ("now() > a", nil), ("a + 1 == 2", nil),
        ("sum(1, a) == 1", nil), ("NOT a == 1", nil), ("TRUEPREDICATE", nil), ("a == 1 AND a == 2", nil),
        ("SELF == 1", nil),
    ])
    func field(text: String, field: String?) throws {
        #expect(ClauseEditing.field(of: try SyntaxTree(parsing: text).root) == field)
    }

    /// What is typed between terms stays with those that stay.
    @Test("Edits keep signs and blanks between other terms")
    func blanks() throws {
        let text = "a==1&&b==2 AND  c==3"
        for (index, removed, replaced) in [
            (0, "b==2 AND  c==3", "(x == 1 OR y == 2)&&b==2 AND  c==3"),
            (1, "a==1 AND  c==3", "a==1&&(x == 1 OR y == 2) AND  c==3"),
            (2, "a==1&&b==2", "a==1&&b==2 AND  (x == 1 OR y == 2)"), (3, text, text), (-1, text, text),
        ] {
            var editing = try ClauseEditing(text)
            try editing.removeClause(at: index)
            #expect(editing.text == removed)
            editing = try ClauseEditing(text)
            try editing.replaceClause(at: index, by: "x == 1 OR y == 2")
            #expect(editing.text == replaced)
        }
        var editing = try ClauseEditing("  a == 1  ")
        try editing.append("b == 2")
        #expect(editing.text == "  a == 1 AND b == 2  ")
        try editing.put("a == 3")
        #expect(editing.text == "  a == 3 AND b == 2  ")
        editing = try ClauseEditing("n > 1 AND n > 2")
        try editing.put("n > 5")
        #expect(editing.text == "n > 5 AND n > 2")
    }

    /// A predicate, and its keys in the places of values.
    @Test(arguments: [
        ("a == b", ["b"]), ("a == b AND c IN {d, 'e', f} OR NOT g == h", ["b", "d", "f", "h"]), ("a.b == c.d", []),
        ("1 == a", ["a"]), ("a == 'b'", []), ("TRUEPREDICATE", []), ("NOT (a == b OR c == 1)", ["b"]),
        ("a == {{b}}", []), ("a == b + c", []),
    ])
    func bareValues(text: String, keys: [String]) throws {
        #expect(try SyntaxTree(parsing: text).bareValueKeys == Set(keys))
    }

    @Test("Lengths of time in seconds")
    func lengthsOfTime() {
        let cases: [(length: TimeSpan, text: String, seconds: String)] = [
            (TimeSpan(3, .second), "3s", "3"), (TimeSpan(3, .minute), "3m", "180"), (TimeSpan(2, .hour), "2h", "7200"),
            (TimeSpan(2, .day), "2d", "172800"), (TimeSpan(2, .week), "2w", "1209600"), (TimeSpan(0, .week), "0w", "0"),
            (TimeSpan(31_556_952_000_000, .week), "31556952000000w", "1.90856445696e+19"),
        ]
        for (length, text, seconds) in cases {
            #expect(length.text == text && length.secondsText == seconds, "\(text): \(length.secondsText)")
        }
    }

    @Test("Tokens have the bytes of their text")
    func tokenRanges() {
        let tokens = LexicalToken.tokens(of: " é ==[c] #'x y'.%K ")
        #expect(tokens.map(\.range) == [1..<3, 4..<6, 6..<7, 7..<8, 8..<9, 10..<16, 16..<17, 17..<19])
    }
}
