// Which parts of a predicate say the same: what a simplifier may take for a repetition.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct RepetitionTests {
    /// Predicates that say the same when they are repeated, each with others that do not say it.
    private static let cases: [(text: String, others: [String])] = [
        ("a == 1", ["b == 1", "a != 1", "a == 2", "ANY a == 1", "NOT a == 1", "(a == 1 OR a == 1)"]),
        ("ANY a == 1", ["NONE a == 1", "ALL a == 1", "ANY a == 2", "ANY b == 1"]),
        ("a ==[c] 'x'", ["a == 'x'", "a ==[d] 'x'", "a ==[cd] 'x'", "a ==[c] 'X'"]),
        ("a == 0.0", ["a == -0.0", "a == 1.0"]), ("a == 'é'", ["a == 'e\u{301}'"]),
        ("a TOKENMATCHES 'x y'", ["a TOKENMATCHES[p] 'x y'", "a TOKENMATCHES[c] 'x y'", "b TOKENMATCHES 'x y'"]),
        ("a TOKENMATCHES[cp] 'x y'", ["a TOKENMATCHES[c] 'x y'"]),
        ("allTokens TOKENMATCHES 'x'", ["allTokens TOKENMATCHES[c] 'x'", "self TOKENMATCHES 'x'"]),
        ("a IN {1, 2}", ["a IN {2, 1}", "a IN {1}", "a IN {1, 2, 3}", "a IN {1, b}"]),
        ("a IN {1, b}", ["a IN {1, c}", "a IN {b, 1}", "a IN {1, b, b}"]),
        ("a.x == 1", ["a.y == 1", "a.x.y == 1", "b.x == 1", "a[0] == 1"]), ("a.x.y == 1", ["a.x == 1", "a.y.x == 1"]),
        ("a[b] == 1", ["a[c] == 1", "a[0] == 1", "c[b] == 1"]), ("a[0] == 1", ["a[1] == 1", "a[FIRST] == 1"]),
        ("a[FIRST] == 1", ["a[LAST] == 1", "a[SIZE] == 1"]), ("a[SIZE] == 1", ["b[SIZE] == 1", "a[LAST] == 1"]),
        ("a[LAST] == 1", ["b[LAST] == 1"]),
        ("a.@sum.x == 1", ["a.@avg.x == 1", "a.@sum.y == 1", "a.@sum.x.y == 1", "b.@sum.x == 1"]),
        ("a + b == 2", ["b + a == 2", "a - b == 2", "a + c == 2", "a + b == 3"]),
        ("-a == 1", ["~a == 1", "-b == 1"]),
        ("a + 1d > b", ["a + 2d > b", "a - 1d > b", "c + 1d > b"]),
        ("abs(a) == 1", ["sqrt(a) == 1", "abs(b) == 1"]), ("sum(a, b) == 1", ["sum(b, a) == 1", "sum(a, b, c) == 1"]),
        ("CAST(a, 'NSNumber') == 1", ["CAST(a, 'NSString') == 1", "CAST(b, 'NSNumber') == 1"]),
        (
            "TERNARY(a == 1, b, c) == 1",
            ["TERNARY(a == 2, b, c) == 1", "TERNARY(a == 1, c, b) == 1", "TERNARY(a == 1, b, b) == 1"]
        ),
        (
            "SUBQUERY(a, $x, $x == 1).@count == 1",
            ["SUBQUERY(a, $x, $x == 2).@count == 1", "SUBQUERY(b, $x, $x == 1).@count == 1"]
        ),
        ("$v == a", ["$w == a", "$v == b"]), ("NOT a == 1", ["NOT a == 2", "NOT b == 1"]),
        ("(a == 1 OR b == 2)", ["(b == 2 OR a == 1)", "(a == 1 OR b == 2 OR c == 3)", "(a == 1 OR b == 3)"]),
    ]

    private static func isSame(_ text: String, _ other: String) throws -> Bool? {
        let root = try Binder().bind(SyntaxTree(parsing: "\(text) AND \(other)")).root
        guard case .and(let terms) = root, terms.count == 2 else { return nil }
        let isSame = terms[0].isSame(as: terms[1])
        // Either way round.
        return terms[1].isSame(as: terms[0]) == isSame ? isSame : nil
    }

    @Test(arguments: cases) func repetitions(text: String, others: [String]) throws {
        #expect(try Self.isSame(text, text) == true)
        for other in others { #expect(try Self.isSame(text, other) == false, "\(other)") }
    }

    /// The name of a variable of SUBQUERY says nothing; sets and objects are never taken for the same.
    @Test func values() throws {
        let (one, two) = ("SUBQUERY(a, $x, $x == 1).@count == 1", "SUBQUERY(a, $y, $y == 1).@count == 1")
        #expect(try Self.isSame(one, two) == true)
        for (value, expected) in [(.set([1]), false), (.object(["x": 1]), false), ([1], true)] as [(FieldValue, Bool)] {
            let tree = try SyntaxTree(parsing: "a == %@ AND a == %@")
            guard case .and(let terms) = try Binder().bind(tree, arguments: [value, value]).root else {
                Issue.record("\(value)")
                continue
            }
            #expect(terms[0].isSame(as: terms[1]) == expected, "\(value)")
        }
    }

    /// By their bounds: spans as such are all equal.
    @Test(arguments: [
        (1..<3, 5..<8, 1..<8), (1..<3, 0..<9, 0..<9), (2..<5, 1..<4, 1..<5), (0..<0, 5..<8, 5..<8),
        (4..<4, 5..<8, 5..<8),
    ]) func spansAreJoined(_ a: Range<Int>, _ b: Range<Int>, _ both: Range<Int>) {
        let (first, second) = (SourceSpan(a.lowerBound, a.upperBound), SourceSpan(b.lowerBound, b.upperBound))
        #expect(first.union(second).range == both && second.union(first).range == both)
    }
}
