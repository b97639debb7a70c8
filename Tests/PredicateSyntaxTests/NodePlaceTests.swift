// Where each node of a tree stands in its text.

import PredicateSyntax
import Testing

@Suite("Places of nodes")
struct NodePlaceTests {
    /// A text, and the nodes of its tree with their places, each before its parts. Parentheses belong to no node.
    static let trees: [(text: String, nodes: String)] = [
        ("-a ** 2 == ~(b)", "== 0–15, - 0–7, ** 1–7, key a 1–2, integer 2 6–7, ~ 11–15, key b 13–14"),
        ("(a).b == (1)", "== 0–12, path 0–5, key a 1–2, step b 4–5, integer 1 10–11"),
        ("((a + b)) * c == 1", "== 0–18, * 0–13, + 2–7, key a 2–3, key b 6–7, key c 12–13, integer 1 17–18"),
        (
            "(a) == 1 AND ( b == 2 )",
            "AND 0–23, == 0–8, key a 1–2, integer 1 7–8, == 15–21, key b 15–16, integer 2 20–21"
        ),
        ("NOT (NOT a == 1)", "NOT 0–16, NOT 5–15, == 9–15, key a 9–10, integer 1 14–15"),
        (
            "((a == 1)) OR b == 2 AND c == 3",
            "OR 0–31, == 2–8, key a 2–3, integer 1 7–8, AND 14–31, == 14–20, key b 14–15, integer 2 19–20, "
                + "== 25–31, key c 25–26, integer 3 30–31"
        ),
        (
            "(a == 1 AND b == 2) OR (c == 3)",
            "OR 0–31, AND 1–18, == 1–7, key a 1–2, integer 1 6–7, == 12–18, key b 12–13, integer 2 17–18, "
                + "== 24–30, key c 24–25, integer 3 29–30"
        ),
        (
            "FUNCTION(d, 'dateByAddingDays:', 2) == d",
            #"== 0–40, CAST 0–35, + 0–35, CAST 0–35, key d 9–10, text "NSNumber" 0–35, * 0–35, integer 2 33–34, "#
                + #"integer 86400 0–35, text "NSDate" 0–35, key d 39–40"#
        ),
        (
            "@sum.x == a.$v",
            "== 0–14, path 0–6, SELF 0–0, step @sum 0–4, step x 5–6, path 10–14, key a 10–11, index 12–14, "
                + "variable $v 12–14"
        ),
        (
            "x[a].y[SIZE] == x[LAST]",
            "== 0–23, path 0–12, key x 0–1, index 1–4, key a 2–3, step y 5–6, index SIZE 6–12, path 16–23, "
                + "key x 16–17, index LAST 17–23"
        ),
        ("x.%K == %@", "== 0–10, path 0–4, key x 0–1, argument %K 2–4, argument 2 %@ 8–10"),
        (
            "x.@type == x.#size",
            "== 0–18, path 0–7, key x 0–1, step @type 2–7, path 11–18, key x 11–12, step size 13–18"
        ),
        ("sum:(1, 2) == now()", "== 0–19, function sum: 0–10, integer 1 5–6, integer 2 8–9, function now 14–19"),
        ("{} == {a, (b)}", "== 0–14, list 0–2, list 6–14, key a 7–8, key b 11–12"),
        (
            "CAST(a, 'T').b == -(1)",
            #"== 0–22, path 0–14, CAST 0–12, key a 5–6, text "T" 8–11, step b 13–14, - 18–22, integer 1 20–21"#
        ),
        (
            "TERNARY(a == 1, (b), c) == SUBQUERY(a, $é, TRUEPREDICATE)",
            "== 0–57, TERNARY 0–23, == 8–14, key a 8–9, integer 1 13–14, key b 17–18, key c 21–22, "
                + "SUBQUERY $é 27–57, key a 36–37, TRUEPREDICATE 43–56"
        ),
        ("SOME (a) ==[dc] NO", "ANY ==[cd] 0–18, key a 6–7, FALSE 16–18"),
        ("ALL a IN FALSE", "ALL IN 0–14, key a 4–5, FALSE 9–14"),
        ("NONE a == nil", "NONE == 0–13, key a 5–6, nil 10–13"),
        ("-5d == 1s", "== 0–9, - 0–3, duration 5d 1–3, duration 1s 7–9"),
        ("- 5 == -5.5", "== 0–11, integer -5 0–3, double -5.5 7–11"),
        ("1m + 2h == 3w", "== 0–13, + 0–7, duration 1m 0–2, duration 2h 5–7, duration 3w 11–13"),
        (
            "-2 ** 2 == (-2) ** 2",
            "== 0–20, - 0–7, ** 1–7, integer 2 1–2, integer 2 6–7, ** 11–20, integer -2 12–14, integer 2 19–20"
        ),
        ("a UNION b MINUS c == SELF", "== 0–25, MINUS 0–17, UNION 0–9, key a 0–1, key b 8–9, key c 16–17, SELF 21–25"),
        ("'é' == #'é b'", #"== 0–13, text "é" 0–3, key é b 7–13"#),
        ("!FALSEPREDICATE", "NOT 0–15, FALSEPREDICATE 1–15"),
        (
            "a << 1 >> 2 == b | c ^ d & e",
            "== 0–28, >> 0–11, << 0–6, key a 0–1, integer 1 5–6, integer 2 10–11, | 15–28, key b 15–16, ^ 19–28, "
                + "key c 19–20, & 23–28, key d 23–24, key e 27–28"
        ),
        (
            "a + 1 - 2 / 3 == 5",
            "== 0–18, - 0–13, + 0–5, key a 0–1, integer 1 4–5, / 8–13, integer 2 8–9, integer 3 12–13, "
                + "integer 5 17–18"
        ),
        (
            "a.b.c == (a.b)[0]",
            "== 0–17, path 0–5, key a 0–1, step b 2–3, step c 4–5, path 9–17, key a 10–11, step b 12–13, "
                + "index 14–17, integer 0 15–16"
        ),
    ]

    @Test(arguments: trees) func nodes(text: String, nodes: String) throws {
        let lines = try SyntaxTree(parsing: text).treeDescription.split(separator: "\n").map { line in
            line.drop { "│├└─ ".contains($0) }.split(separator: "  ").joined(separator: " ")
        }
        #expect(lines.joined(separator: ", ") == nodes)
    }

    /// A comparison, and the parts of its text that are its quantifier and its operator.
    static let comparisons: [(text: String, quantifier: String, comparisonOperator: String)] = [
        ("a == 1", "", "=="), ("(a)=1", "", "="), ("ANY a ==[cd] 1", "ANY", "==[cd]"), ("some a <> 1", "some", "<>"),
        ("ALL (a) IN {1}", "ALL", "IN"), ("NONE a LIKE [c] 'x'", "NONE", "LIKE [c]"), ("(ANY a == 1)", "ANY", "=="),
        ("a UTI-EQUALS 'x'", "", "UTI-EQUALS"), ("'é' TOKENMATCHES[p] a", "", "TOKENMATCHES[p]"),
    ]

    @Test(arguments: comparisons)
    func operators(text: String, quantifier: String, comparisonOperator: String) throws {
        guard case .comparison(let comparison) = try SyntaxTree(parsing: text).root.kind else {
            Issue.record("no comparison")
            return
        }
        func part(_ span: SourceSpan) -> String { String(decoding: Array(text.utf8)[span.range], as: UTF8.self) }
        #expect(part(comparison.quantifierSpan) == quantifier)
        #expect(part(comparison.operatorSpan) == comparisonOperator)
    }
}
