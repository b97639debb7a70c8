<<<<<<< HEAD
// Which parts of predicates say the same: only those that nothing could tell apart.

import PredicateSemantics
import PredicateSyntax
import Testing

@Suite struct IdentityTests {
    /// Whether two conditions of one predicate are the same.
    private static func areSame(_ a: String, _ b: String) throws -> Bool {
        let root = try Binder().bind(SyntaxTree(parsing: "(\(a)) OR (\(b))")).root
        guard case .or(let nodes) = root, nodes.count == 2 else {
            Issue.record("\(root)")
            return false
        }
        #expect(nodes[0].isSame(as: nodes[0]) && nodes[1].isSame(as: nodes[1]), "\(a)")
        #expect(nodes[1].isSame(as: nodes[0]) == nodes[0].isSame(as: nodes[1]), "\(a)")
        return nodes[0].isSame(as: nodes[1])
    }

    @Test(arguments: [
        ("n == 1", "n = 1"), ("n + 1 > 2", "n+1 > 2"), ("s ==[cd] 'x'", "s ==[dc] 'x'"), ("ANY t == 1", "SOME t == 1"),
        ("a.b[FIRST] == 1", "a.b[FIRST] == 1"), ("a.@max.b == 1", "a.@max.b == 1"), ("d + 1d > d", "d + 1d > d"),
        ("CAST(n, 'NSNumber') == 1", "CAST(n, 'NSNumber') == 1"), ("$v == n", "$v == n"), ("-n == 1", "-n == 1"),
        ("TERNARY(n == 1, 2, 3) == n", "TERNARY(n == 1, 2, 3) == n"), ("s IN {'a', 'b'}", "s IN {'a', 'b'}"),
        ("NOT (n == 1 AND s == 'x')", "NOT (n == 1 AND s == 'x')"), ("length(s) == 1", "length(s) == 1"),
        ("SELF CONTAINS $v", "SELF CONTAINS $v"), ("allTokens == {m}", "allTokens == {m}"), ("t[m] == 1", "t[m] == 1"),
        // What elements are called says nothing.
        ("SUBQUERY(t, $x, $x > 1).@count > 0", "SUBQUERY(t, $y, $y > 1).@count > 0"),
    ])
    func same(a: String, b: String) throws { #expect(try Self.areSame(a, b)) }

    @Test(arguments: [
        // Zeros of two signs, and texts of other code units.
        ("n / 0.0 > 1", "n / -0.0 > 1"), ("n == 0.0", "n == -0.0"), ("s == 'é'", "s == 'e\u{301}'"),
        ("n IN {0.0, 1}", "n IN {-0.0, 1}"), ("s == 'x'", "s == 'X'"), ("n == 1", "n == 2"), ("n == 1", "n == '1'"),
        ("s == 'x'", "s ==[c] 'x'"), ("n == 1", "m == 1"), ("n == 1", "n != 1"), ("n == m", "m == n"),
        ("ANY t == 1", "NONE t == 1"), ("ANY t == 1", "t == 1"), ("NOT n == 1", "n == 1"), ("n > 1", "n >= 1"),
        ("t[FIRST] == 1", "t[LAST] == 1"), ("t[0] == 1", "t[1] == 1"), ("t[SIZE] == 1", "t[FIRST] == 1"),
        ("t[0] == 1", "t[FIRST] == 1"), ("t[n] == 1", "t[m] == 1"), ("a.b == 1", "a.c == 1"), ("a.b == 1", "c.b == 1"),
        ("a.b == 1", "a.b.c == 1"), ("a.@max.b == 1", "a.@min.b == 1"), ("a.@max.b == 1", "a.@max.c == 1"),
        ("n + 1 > 2", "n - 1 > 2"), ("n + m > 2", "m + n > 2"), ("-n == 1", "~n == 1"), ("-n == 1", "-m == 1"),
        ("d + 1d > d", "d - 1d > d"), ("d + 1d > d", "d + 2d > d"), ("d + 1d > d", "e + 1d > d"),
        ("length(s) == 1", "count(s) == 1"), ("sum(n, m) == 1", "sum(m, n) == 1"),
        ("sum(n, m) == 1", "sum(n, m, n) == 1"), ("n IN {m, 1}", "n IN {1, m}"), ("s IN {'a', 'b'}", "s IN {'b', 'a'}"),
        ("s IN {'a'}", "s IN {'a', 'b'}"), ("$v == n", "$w == n"), ("$v == n", "v == n"),
        ("SUBQUERY(t, $x, $x > 1).@count > 0", "SUBQUERY(t, $x, $x > 2).@count > 0"),
        ("SUBQUERY(t, $x, $x > 1).@count > 0", "SUBQUERY(a, $x, $x > 1).@count > 0"),
        (
            "SUBQUERY(t, $x, SUBQUERY(a, $y, $x > 1) != nil) != nil",
            "SUBQUERY(t, $x, SUBQUERY(a, $y, $y > 1) != nil) != nil"
        ),
        ("TERNARY(n == 1, 2, 3) == n", "TERNARY(n == 2, 2, 3) == n"),
        ("TERNARY(n == 1, 2, 3) == n", "TERNARY(n == 1, 4, 3) == n"),
        ("TERNARY(n == 1, 2, 3) == n", "TERNARY(n == 1, 2, 4) == n"),
        ("CAST(n, 'NSNumber') == 1", "CAST(n, 'NSString') == 1"),
        ("CAST(n, 'NSNumber') == 1", "CAST(m, 'NSNumber') == 1"),
        ("n == 1 AND m == 2", "m == 2 AND n == 1"), ("n == 1 AND m == 2", "n == 1 AND m == 2 AND s == 'x'"),
        ("n == 1 AND m == 2", "NOT (n == 1 AND m == 2)"), ("ANY allTokens ==[c] 'a'", "ANY allTokens == 'a'"),
    ])
    func different(a: String, b: String) throws { #expect(try !Self.areSame(a, b)) }
=======
// Which parts of a predicate say the same: what a simplifier may take for a repetition.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct IdentityTests {
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

    @Test func spans() {
        let (low, high, empty) = (SourceSpan(1, 3), SourceSpan(5, 8), SourceSpan(0, 0))
        #expect(low.union(high) == SourceSpan(1, 8) && high.union(low) == SourceSpan(1, 8))
        #expect(low.union(SourceSpan(0, 9)) == SourceSpan(0, 9) && SourceSpan(0, 9).union(low) == SourceSpan(0, 9))
        #expect(empty.union(high) == high && high.union(empty) == high)
    }
>>>>>>> 3f91cb56 (TOKENMATCHES[p] and TOKENMATCHES of the same words are two conditions)
}
