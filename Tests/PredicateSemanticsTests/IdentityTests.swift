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
}
