// Predicates over several lines: what fits on a line stays on it, and nothing goes beyond its end.

import PredicateSyntax
import Testing

@Suite("Layout")
struct LayoutTests {
    static let layouts: [(text: String, width: Int, lines: [String])] = [
        ("a==1", 6, ["a == 1"]), ("a==1", 1, ["a == 1"]),
        // The last column is still within; parentheses take room, too.
        ("a == 1 AND (b == 2 OR c == 3)", 29, ["a == 1 AND (b == 2 OR c == 3)"]),
        ("a == 1 AND (b == 2 OR c == 3)", 28, ["a == 1", "AND (b == 2 OR c == 3)"]),
        ("a == 1 AND (b == 2 OR c == 3)", 22, ["a == 1", "AND (b == 2 OR c == 3)"]),
        ("a == 1 AND (b == 2 OR c == 3)", 21, ["a == 1", "AND (", "  b == 2 OR c == 3", ")"]),
        ("a == 1 AND (b == 2 OR c == 3)", 18, ["a == 1", "AND (", "  b == 2 OR c == 3", ")"]),
        ("a == 1 AND (b == 2 OR c == 3)", 17, ["a == 1", "AND (", "  b == 2", "  OR c == 3", ")"]),
        ("NOT (b == 2 OR c == 3)", 22, ["NOT (b == 2 OR c == 3)"]),
        ("NOT (b == 2 OR c == 3)", 21, ["NOT (", "  b == 2 OR c == 3", ")"]),
        ("NOT a == 1", 3, ["NOT a == 1"]),
        (
            "a == 1 AND (b == 2 OR (c == 3 AND d == 4))", 16,
            ["a == 1", "AND (", "  b == 2", "  OR (", "    c == 3", "    AND d == 4", "  )", ")"]
        ),
        // Lists are filled line by line.
        ("g IN {1, 22, 333}", 17, ["g IN {1, 22, 333}"]), ("g IN {1, 22, 333}", 16, ["g IN {", "  1, 22, 333", "}"]),
        ("g IN {1, 22, 333}", 12, ["g IN {", "  1, 22, 333", "}"]),
        ("g IN {1, 22, 333}", 11, ["g IN {", "  1, 22,", "  333", "}"]),
        ("g IN {1, 22, 333}", 1, ["g IN {", "  1,", "  22,", "  333", "}"]),
        ("a == 1 OR ANY g IN[c] {'é', 'ü'}", 20, ["a == 1", "OR ANY g IN[c] {", "  \"é\", \"ü\"", "}"]),
        // Characters are counted, not bytes.
        ("ж == 1 AND ю == 2", 17, ["ж == 1 AND ю == 2"]), ("ж == 1 AND ю == 2", 16, ["ж == 1", "AND ю == 2"]),
        // A list of one, and other comparisons, are not broken.
        ("g IN {1234567890}", 5, ["g IN {1234567890}"]), ("name == 'a long text'", 5, ["name == \"a long text\""]),
    ]

    @Test(arguments: layouts) func lines(text: String, width: Int, lines: [String]) throws {
        let tree = try SyntaxTree(parsing: text)
        let formatted = tree.formatted(width: width)
        #expect(formatted == lines.joined(separator: "\n"))
        #expect(try SyntaxTree(parsing: formatted) == tree)
    }

    /// Each node with its kind, its detail and its place in characters, below the one that it belongs to.
    @Test func outlines() throws {
        let text = "ANY é.@max.x[FIRST] >=[c] -1.5 AND NOT TERNARY(TRUEPREDICATE, $v, nil) IN {sum(a), 'b', 7d}"
        #expect(
            try SyntaxTree(parsing: text).treeDescription == """
                AND  0–91
                ├─ ANY >=[c]  0–30
                │  ├─ path  4–19
                │  │  ├─ key é  4–5
                │  │  ├─ step @max  6–10
                │  │  ├─ step x  11–12
                │  │  └─ index FIRST  12–19
                │  └─ double -1.5  26–30
                └─ NOT  35–91
                   └─ IN  39–91
                      ├─ TERNARY  39–70
                      │  ├─ TRUEPREDICATE  47–60
                      │  ├─ variable $v  62–64
                      │  └─ nil  66–69
                      └─ list  74–91
                         ├─ function sum:  75–81
                         │  └─ key a  79–80
                         ├─ text "b"  83–86
                         └─ duration 7d  88–90
                """)
    }
}
