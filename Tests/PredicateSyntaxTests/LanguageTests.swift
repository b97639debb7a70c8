// Details of the language that the tables leave open: one text, one tree.
import PredicateSyntax
import Testing

@Suite("Language")
struct LanguageTests {
    /// Texts that must give equal trees; the second is the canonical text.
    static let equivalents: [(text: String, canonical: String)] = [
        ("a=1", "a == 1"), ("a<>1", "a != 1"), ("a =< 1", "a <= 1"), ("a => 1", "a >= 1"),
        ("!a == 1", "NOT a == 1"), ("! ! a == 1", "NOT NOT a == 1"),
        ("a==1&&b==2||c==3", "(a == 1 AND b == 2) OR c == 3"),
        ("a == 1 AND (b == 2 AND c == 3)", "a == 1 AND (b == 2 AND c == 3)"),
        ("some a == 1", "ANY a == 1"), ("none a == 1", "NONE a == 1"), ("a == YES", "a == TRUE"),
        ("a == Null", "a == nil"), ("self == 1", "SELF == 1"), ("(a) == ((1))", "a == 1"),
        ("a LIKE[DC] 'x'", "a LIKE[cd] \"x\""), ("a ==[ll]'x'", "a ==[l] \"x\""),
        ("a == -5", "a == -5"), ("a == - 5", "a == -5"), ("a == -(5)", "a == -(5)"), ("a == --5", "a == -(-5)"),
        ("a == -9223372036854775808", "a == -9223372036854775808"),
        ("a == 9223372036854775808", "a == 9.223372036854776e+18"),
        ("a == 5.", "a == 5.0"), ("a == 017", "a == 17"), ("a == 0X1f", "a == 31"), ("a == 0B11", "a == 3"),
        ("a == 0xFFFFFFFFFFFFFFFFFF", "a == 4.722366482869645e+21"), ("a == 1e2", "a == 100.0"),
        // Bits and digits beyond a double's decide how it is rounded, once.
        ("a == 0x80000000000004000", "a == 1.4757395258967641e+20"),
        ("a == 0x80000000000004001", "a == 1.4757395258967645e+20"),
        ("a == 0x8000000000000400000000001", "a == 6.338253001141148e+29"),
        ("a == 0o2000000000000000000000", "a == 1.8446744073709552e+19"),
        ("a == 18446744073709551615", "a == 1.8446744073709552e+19"),
        ("a == 2184223319036539965e1", "a == 2.18422331903654e+19"),
        ("a == 1121426044895689587.9", "a == 1.1214260448956896e+18"),
        ("a == 586455046669598393.0", "a == 5.864550466695983e+17"),
        ("a == 9007199254740993.0", "a == 9007199254740992.0"), ("a == 1e22", "a == 1e+22"),
        ("a == 1e23", "a == 1e+23"), ("a == 1e-400", "a == 0.0"), ("a == 0e999999999999", "a == 0.0"),
        ("a == 00.5e+1", "a == 5.0"), ("a == 5.e1", "a == 50.0"), ("a == 25e-1", "a == 2.5"),
        ("a == -9223372036854775809", "a == -9.223372036854776e+18"),
        ("a == -0x8000000000000000", "a == -9223372036854775808"),
        ("a == 0x8000000000000000", "a == 9.223372036854776e+18"),
        ("t + 31556952000000s == t", "t + 31556952000000s == t"),
        ("(-0.0) ** 2 == 4", "(-0.0) ** 2 == 4"), ("-0.0 ** 2 == 4", "-0.0 ** 2 == 4"),
        ("2 ** -0.0 == 4", "2 ** (-0.0) == 4"), ("-0.0 == a", "-0.0 == a"), ("(-0.0).x == a", "(-0.0).x == a"),
        ("-a ** 2 == 4", "-a ** 2 == 4"), ("-(a ** 2) == 4", "-a ** 2 == 4"), ("(-a) ** 2 == 4", "(-a) ** 2 == 4"),
        ("-2 ** 2 == 4", "-2 ** 2 == 4"), ("(-2) ** 2 == 4", "(-2) ** 2 == 4"),
        ("(2 ** 3) ** 2 == 4", "2 ** 3 ** 2 == 4"), ("2 ** (3 ** 2) == 4", "2 ** (3 ** 2) == 4"),
        ("2 ** -1 ** 2 == 4", "2 ** (-1 ** 2) == 4"), ("2 ** -a == 4", "2 ** (-a) == 4"),
        ("a - (b - c) == 0", "a - (b - c) == 0"), ("(a - b) - c == 0", "a - b - c == 0"),
        ("a | b ^ c & d << e + f * g == 0", "a | b ^ c & d << e + f * g == 0"),
        ("((a | b) ^ c) & d == 0", "((a | b) ^ c) & d == 0"), ("~a & ~b == 0", "~a & ~b == 0"),
        ("a INTERSECTION b MINUS c == d", "a INTERSECT b MINUS c == d"),
        ("union union intersect == minus", "#union UNION #intersect == #minus"),
        ("ternary == function", "#ternary == #function"), ("fetch > 1", "#fetch > 1"),
        ("(a.b).c == 1", "a.b.c == 1"), ("SELF.a == 1", "SELF.a == 1"), ("a.self == 1", "a.SELF == 1"),
        ("a.size == 1", "a.#size == 1"), ("a.#size.first == 1", "a.#size.#first == 1"),
        ("g.@max.#self == 3", "g.@max.SELF == 3"), ("SELF.@sum.a.b == 1", "@sum.a.b == 1"),
        // Behind an operator only quotes make a key of it, in whatever letters.
        ("g.@max.#'self' == 3", "g.@max.#'self' == 3"), ("g.@max.#'Self' == 3", "g.@max.#'Self' == 3"),
        ("#'key with spaces' == 1", "#'key with spaces' == 1"), ("#\"a\" == 1", "a == 1"),
        // What goes on with a word does not begin one: a mark, a digit of another script.
        ("#'\u{301}x' == 1", "#'\u{301}x' == 1"), ("#'\u{663}a' == 1", "#'\u{663}a' == 1"),
        ("#'x\u{301}\u{663}' == 1", "x\u{301}\u{663} == 1"),
        ("a.#'b.c' == 1", "a.#'b.c' == 1"), ("a.$b == 1", "a[$b] == 1"), ("größe > 1", "größe > 1"),
        ("@type == 'x'", "@type == \"x\""), ("a.@allKeys == {}", "a.@allKeys == {}"),
        ("#'@count' == 1", "#'@count' == 1"),
        ("x[first] == x[ Last ]", "x[FIRST] == x[LAST]"), ("x[-1] == x['k']", "x[-1] == x[\"k\"]"),
        ("modulus:by: (n, 2) == 0", "modulus:by:(n, 2) == 0"),
        ("sum:(1, 1) == 2", "sum(1, 1) == 2"), ("now() > d", "now() > d"),
        ("tokenize(x,'cdl') == y", "tokenize:using:(x, \"cdl\") == y"),
        ("FUNCTION(x, 'uppercaseString') == 'A'", "uppercase(x) == \"A\""),
        ("function(x, 'length') == 1", "length(x) == 1"),
        ("FUNCTION(x, 'modulus:by:', 2) == 1", "modulus:by:(x, 2) == 1"),
        ("FUNCTION(x, 'lowercaseString') == 'a'", "lowercase(x) == \"a\""),
        ("FUNCTION(x, 'count') == 1", "count(x) == 1"),
        ("FUNCTION(x, 'objectAtIndex:', 0) == 1", "objectFrom:withIndex:(x, 0) == 1"),
        ("FUNCTION(x, 'distanceFromLocation:', y) < 1", "distanceToLocation:fromLocation:(x, y) < 1"),
        // The receiver comes first, in seconds whatever the unit.
        (
            "FUNCTION(d, 'dateByAddingTimeInterval:', x) == d",
            "CAST(CAST(d, \"NSNumber\") + x, \"NSDate\") == d"
        ),
        (
            "FUNCTION(d, 'dateByAddingMinutes:', x) == d",
            "CAST(CAST(d, \"NSNumber\") + x * 60, \"NSDate\") == d"
        ),
        (
            "FUNCTION(d, 'dateByAddingHours:', x) == d",
            "CAST(CAST(d, \"NSNumber\") + x * 3600, \"NSDate\") == d"
        ),
        (
            "FUNCTION(now(), 'dateByAddingDays:', -2) < d",
            "CAST(CAST(now(), \"NSNumber\") + -2 * 86400, \"NSDate\") < d"
        ),
        ("TERNARY(a==1,b,c).length > 1", "TERNARY(a == 1, b, c).length > 1"),
        ("TERNARY((a)==1 OR (b == 2), b, c) > 1", "TERNARY(a == 1 OR b == 2, b, c) > 1"),
        ("uti uti-equals 'x' and uti UTI-Conforms-To 'y'", "uti UTI-EQUALS \"x\" AND uti UTI-CONFORMS-TO \"y\""),
        ("uti-conforms > 1", "uti - conforms > 1"), ("a\u{A0}==\u{3000}1", "a == 1"),
        ("%K.%K[%ld] == %5$@", ""), ("a == %lld + %f", "a == %lld + %f"), ("%@.a == 1", "%@.a == 1"),
        (#"a == '\u00e9\x41\101\t\'\"\\\q'"#, #"a == "éAA\t'\"\\q""#), (#"a == '\uD83D\uDE00'"#, "a == \"😀\""),
        // The first and the last pair of surrogates, with small and capital letters.
        (#"a == '\uD800\uDC00'"#, "a == \"\u{10000}\""), (#"a == '\uDBFF\uDFFF'"#, "a == \"\u{10FFFF}\""),
        (#"a == '\ud83c\UDFFFx'"#, "a == \"\u{1F3FF}x\""),
        (#"a == '\a\b\f\n\r\t\v\x41\X7a\1011\777\8\z'"#, #"a == "\x07\x08\x0c\n\r\t\x0bAzA1ǿ8z""#),
        (#"a == "\x7f\u0080\u2028\u2029\x1f\U00E9""#, #"a == "\x7f\u0080\u2028\u2029\x1fé""#),
        (#"#'it\'s \u0041' == 1"#, #"#'it\'s A' == 1"#), (#"#"a\"b" == 1"#, #"#'a"b' == 1"#),
        ("a == 'x\ny'", #"a == "x\ny""#), (#"a == '\0\7'"#, #"a == "\x00\x07""#), ("a==''", "a == \"\""),
    ]

    @Test("One text, one tree", arguments: equivalents.indices)
    func equivalent(_ index: Int) throws {
        let (text, canonical) = Self.equivalents[index]
        if canonical.isEmpty {
            #expect(syntaxError(text) != nil, "\(text)")
            return
        }
        let tree = try SyntaxTree(parsing: text)
        #expect(tree.description == canonical, "\(text)")
        #expect(try SyntaxTree(parsing: canonical) == tree, "\(text)")
    }

    @Test("Texts that are refused, and where")
    func rejected() {
        let cases: [(String, Int, SyntaxError.Kind)] = [
            ("a == 1e400", 5, .lexical), ("a == 1.8e308", 5, .lexical), ("t + 31556952000001s == t", 4, .lexical),
            ("a == '\\u12'", 6, .lexical), ("a == '\\uD83D\\uD83D'", 6, .lexical), ("a == '\\x4'", 6, .lexical),
            ("a == 0x1" + String(repeating: "0", count: 256), 5, .lexical), ("a == 1e", 5, .lexical),
            ("a == 0b12", 5, .lexical), ("a == 0o8", 5, .lexical),
            ("a == '\\uD83D\\xDE00'", 6, .lexical), ("a == '\\uD83DuDE00'", 6, .lexical),
            ("a == '\\uD83D\\uE000'", 6, .lexical), ("a == '\\uDFFF\\uD83D'", 6, .lexical),
            ("a == '\\uD800'", 6, .lexical), ("a == '\\uDC00x'", 6, .lexical), ("a == 'x\\xg0'", 7, .lexical),
            ("a == 'x\\", 5, .lexical), ("a == #'x", 5, .lexical), ("#1 == 1", 0, .lexical), ("a == %%", 5, .lexical),
            ("a @ b", 2, .lexical), ("a == 1\u{0}", 6, .lexical), ("b == 'x' ==[w] 1", 9, .syntax),
            ("a ==[w] 'x'", 5, .syntax), ("a ==[cx] 'x'", 6, .syntax), ("a ==[c,d] 'x'", 6, .syntax),
            ("(a, b) == 1", 2, .syntax), ("a == 1 == 'unterminated", 7, .syntax), ("TRUEPREDICATE == 1", 14, .syntax),
            ("NOT (a) AND b == 1", 8, .syntax), ("{1, 2} > ", 9, .syntax), ("a.%d == 1", 2, .syntax),
            ("nosuch(a) == 1", 0, .syntax), ("modulus(a, 2) == 1", 0, .syntax),
            ("inverseOrderKey:(a) == 1", 0, .syntax), ("a IN {{1} == 1", 10, .syntax),
            // The words with hyphens end where no letter and no hyphen goes on with them.
            ("x UTI-EQUALS-5", 2, .syntax), ("x UTI-CONFORMS-TO-y", 2, .syntax), ("x UTI-EQUALS5", 2, .syntax),
            ("x UTI-EQUALSé", 2, .syntax), ("x UTI-CONFORMS\rTO 'y'", 2, .syntax), ("x UTI\rEQUALS 'y'", 2, .syntax),
            // A message takes as many arguments as its function has left.
            ("FUNCTION(d, 'dateByAddingDays:') == d", 12, .syntax),
            ("FUNCTION(d, 'dateByAddingDays:', 1, 2) == d", 12, .syntax),
            ("FUNCTION(x, 'length', 1) == 1", 12, .syntax), ("FUNCTION(x, 'modulus:by:') == 1", 12, .syntax),
            ("FUNCTION(x, 'modulus:by:', 1, 2) == 1", 12, .syntax), ("FUNCTION(x) == 1", 0, .syntax),
        ]
        for (text, offset, kind) in cases {
            let error = syntaxError(text)
            #expect(error?.kind == kind, "\(text): \(String(describing: error))")
            #expect(error.map { Int($0.span.lowerBound) } == offset, "\(text): \(String(describing: error))")
        }
    }

    @Test("Placeholders count in the order of the text")
    func placeholders() throws {
        let tree = try SyntaxTree(parsing: "%K.%K > %d AND SUBQUERY(%@, $x, $x[%i] == %g).@count == '%@'")
        #expect(tree.placeholders.map(\.text) == ["%K", "%K", "%d", "%@", "%i", "%g"])
        #expect(tree.placeholders.map(\.index) == Array(0..<6))
        #expect(tree.placeholders.map(\.kind) == [.key, .key, .integer, .value, .integer, .double])
        #expect(SyntaxTree(tree.root).placeholders == tree.placeholders)
    }

    @Test("Spans are bytes of the text, without parentheses around a node")
    func spans() throws {
        let text = "é == 1 AND (size(b.c) > 2 OR NOT d IN {3})"
        let tree = try SyntaxTree(parsing: text.replacing("size(b.c)", with: "count(b.c)"))
        func part(_ span: SourceSpan) -> String { String(decoding: Array(tree.text.utf8)[span.range], as: UTF8.self) }
        guard case .and(let terms) = tree.root.kind, case .or(let inner) = terms[1].kind,
            case .comparison(let first) = inner[0].kind, case .function(_, let arguments) = first.lhs.kind,
            case .path(_, let steps) = arguments[0].kind
        else {
            Issue.record("unexpected tree \(tree.treeDescription)")
            return
        }
        #expect(part(tree.root.span) == tree.text)
        #expect(part(terms[0].span) == "é == 1")
        #expect(part(terms[1].span) == "count(b.c) > 2 OR NOT d IN {3}")
        #expect(part(inner[1].span) == "NOT d IN {3}")
        #expect(part(first.operatorSpan) == ">")
        #expect(part(first.lhs.span) == "count(b.c)")
        #expect(part(arguments[0].span) == "b.c")
        #expect(part(steps[0].span) == "c")
    }

    @Test("Key paths as arguments hold any key")
    func keyPaths() throws {
        let cases: [(String, String)] = [
            ("name", "name"), ("a.b", "a.b"), ("size", "#size"), ("items.@count", "items.@count"), ("self", "SELF"),
            ("SELF.name", "SELF.name"), ("first name.x", "#'first name'.x"), ("@sum.items.price", "@sum.items.price"),
            ("#size.a", "#size.a"), ("#'a.b'.c", "#'a.b'.c"), ("ключ", "ключ"), ("a'b", #"#'a\'b'"#), ("@id", "@id"),
            ("#'a.b'", "#'a.b'"), ("#\"a.b\".c", "#'a.b'.c"), ("#'a'b.c", #"#'\'a\'b'.c"#),
            ("#'a.b", #"#'\'a'.b"#), ("#", "#'#'"), ("#.a", "#'#'.a"),
            ("a.self.b", "a.SELF.b"), ("a.@sum", "a.@sum"),
        ]
        for (text, canonical) in cases {
            let path = try SyntaxTree.parseKeyPath(text)
            let node = PredicateNode(.comparison(Comparison(path, .equal, [], ExpressionNode(.literal(.integer(1))))))
            #expect(SyntaxTree(node).text == canonical + " == 1", "\(text)")
        }
        for text in ["", ".", "a.", ".a", "a..b"] {
            #expect(throws: SyntaxError.self, "\(text)") { try SyntaxTree.parseKeyPath(text) }
        }
    }

    @Test("Values encode as their canonical text")
    func coding() throws {
        let tree = try SyntaxTree(parsing: "a=1&&b LIKE[c] 'x'")
        #expect(try coded(tree) == tree)
        #expect(try json(tree) == #""a == 1 AND b LIKE[c] \"x\"""#)
        #expect(throws: DecodingError.self) { try decoded(#""a ==""#, as: SyntaxTree.self) }
        #expect(tree.hashValue == (try SyntaxTree(parsing: " a == 1 AND b LIKE[C] \"x\"")).hashValue)
    }
}
