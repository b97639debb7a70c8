// Edits of a predicate's terms: the tree is the one that was meant, and the rest of the text is as it was typed.

import PredicateSyntax
import Testing

@Suite struct ClauseEditingTests {
    /// Predicates that people type, with blanks, parentheses and texts that look like words of the language.
    private static let texts = [
        "a == 1", "  a == 1  ", "a == 1 AND b == 2", "a==1&&b==2 AND  c==3", "a == 1 OR b == 2",
        "(a == 1 OR b == 2)", "((a == 1) AND (b == 2))", "(a == 1 OR b == 2) AND c == 3", "NOT a == 1",
        "NOT (a == 1 AND b == 2)", "a == ' AND ' AND b == '(('", "name == 'é' AND (tag == 'ü' OR x == 1)",
        "a BETWEEN {1, 2} AND b == 3", "SUBQUERY(xs, $x, $x.a == 1 AND $x.b == 2).@count > 0 AND c == 1",
        "ANY tags == 'x'", "TRUEPREDICATE AND a == 1", "FALSEPREDICATE", "(a + 1) * 2 == 4 AND b == 1",
        "TERNARY(a == 1 AND b == 2, 1, 2) == 1 AND c == 1", "(((a == 1)))",
    ]
    private static let conditions = ["z == 9", "z == 9 OR y == 8", "NOT z == 9", "z == ' OR '", "(z == 9 OR y == 8)"]

    /// The terms of a predicate, each without its parentheses.
    private static func terms(_ text: String) throws -> [PredicateNode] {
        try ClauseEditing(text).clauses.map(\.node)
    }

    @Test func clausesAreTheTermsWithTheirParentheses() throws {
        for text in Self.texts {
            let editing = try ClauseEditing(text)
            for clause in editing.clauses {
                #expect(try SyntaxTree(parsing: editing.text(of: clause)).root == clause.node, "\(text)")
            }
        }
        #expect(try ClauseEditing(" \n").clauses.isEmpty)
        let words = try ClauseEditing("(a == 1 OR b == 2) AND ((c == 3))")
        #expect(words.clauses.map { words.text(of: $0) } == ["(a == 1 OR b == 2)", "((c == 3))"])
        #expect(throws: SyntaxError.self) { try ClauseEditing("a ==") }
    }

    @Test func appending() throws {
        for text in Self.texts + ["", "  ", "TRUEPREDICATE"] {
            for condition in Self.conditions {
                var editing = try ClauseEditing(text)
                let before = editing.clauses.map(\.node)
                try editing.append(condition)
                let all = before == [PredicateNode(.constant(true))] ? [] : before
                let meant = all + [try SyntaxTree(parsing: condition).root]
                // A single term that is an AND itself: its parentheses hold the new one, too.
                #expect(try Self.terms(editing.text) == meant, "\(text) + \(condition) = \(editing.text)")
                let kept = text.split(separator: " ").joined(separator: " ")
                let isKept = text == "TRUEPREDICATE" || Self.isSubsequence(kept, editing.text)
                #expect(isKept, "\(text) + \(condition) = \(editing.text)")
            }
        }
    }

    private static func isSubsequence(_ a: String, _ b: String) -> Bool {
        var rest = Substring(b)
        for character in a {
            guard let place = rest.firstIndex(of: character) else { return false }
            rest = rest[rest.index(after: place)...]
        }
        return true
    }

    @Test func removingAndReplacing() throws {
        for text in Self.texts {
            let nodes = try Self.terms(text)
            for index in nodes.indices {
                var editing = try ClauseEditing(text)
                let words = editing.clauses.map { editing.text(of: $0) }
                try editing.removeClause(at: index)
                var rest = nodes
                rest.remove(at: index)
                #expect(try Self.terms(editing.text) == rest, "\(text) - \(index) = \(editing.text)")
                if rest.count > 1 {
                    var kept = words
                    kept.remove(at: index)
                    #expect(editing.clauses.map { editing.text(of: $0) } == kept)
                }
                for condition in Self.conditions {
                    var editing = try ClauseEditing(text)
                    try editing.replaceClause(at: index, by: condition)
                    var meant = nodes
                    meant[index] = try SyntaxTree(parsing: condition).root
                    #expect(try Self.terms(editing.text) == meant, "\(text) \(index) \(condition) = \(editing.text)")
                }
            }
            var editing = try ClauseEditing(text)
            while !editing.clauses.isEmpty { try editing.removeClause(at: editing.clauses.count - 1) }
            #expect(editing.text == "")
        }
    }

    /// A text, what is clicked, and the text behind it.
    private static let toggles: [(text: String, field: String, value: String, isList: Bool, result: String)] = [
        ("", "country", "'CH'", false, "country == 'CH'"),
        ("country == 'CH'", "country", "'CH'", false, ""),
        ("country == 'CH'", "country", "'AT'", false, "country IN {\"CH\", \"AT\"}"),
        ("country IN {'CH', 'AT'}", "country", "'DE'", false, "country IN {\"CH\", \"AT\", \"DE\"}"),
        ("country IN {'CH', 'AT'}", "country", "'CH'", false, "country == \"AT\""),
        ("a > 1 OR b > 2", "country", "'CH'", false, "(a > 1 OR b > 2) AND country == 'CH'"),
        ("a > 1 AND country==\"CH\" AND  b<2", "country", "'CH'", false, "a > 1 AND  b<2"),
        ("tags == 'x'", "tags", "'y'", true, "tags == 'x' AND ANY tags == 'y'"),
        ("ANY tags == 'x'", "tags", "'y'", true, "ANY tags IN {\"x\", \"y\"}"),
        ("country ==[c] 'ch'", "country", "'CH'", false, "country ==[c] 'ch' AND country == 'CH'"),
        ("country != 'CH'", "country", "'AT'", false, "country != 'CH' AND country == 'AT'"),
        ("n == 1", "n", "2", false, "n IN {1, 2}"),
        ("owner.recordName == 'a'", "owner.recordName", "'b'", false, "owner.recordName IN {\"a\", \"b\"}"),
    ]

    @Test func toggling() throws {
        for (text, field, value, isList, result) in Self.toggles {
            var editing = try ClauseEditing(text)
            let had = editing.contains(field, value, isList: isList)
            try editing.toggle(.equal, field, value, isList: isList)
            #expect(editing.text == result, "\(text): \(field) \(value)")
            #expect(editing.contains(field, value, isList: isList) != had, "\(text): \(field) \(value)")
        }
        var editing = try ClauseEditing("a == 1")
        try editing.toggle(.notEqual, "country", "'CH'", isList: false)
        try editing.toggle(.notEqual, "tags", "'x'", isList: true)
        #expect(editing.text == "a == 1 AND country != 'CH' AND NONE tags == 'x'")
        try editing.toggle(.notEqual, "country", "'CH'", isList: false)
        #expect(editing.text == "a == 1 AND NONE tags == 'x'")
        #expect(throws: SyntaxError.self) { try editing.toggle(.equal, "a", "'", isList: false) }
    }

    /// A text, a value of the list beside it, and whether the text chooses that value.
    private static let choices: [(text: String, field: String, value: String, isList: Bool, isChosen: Bool)] = [
        ("n == 1", "n", "1", false, true), ("a == 2 AND n == 1", "n", "1", false, true),
        ("n IN {1, 2}", "n", "2", false, true), ("ANY n IN {1, 2}", "n", "2", true, true),
        ("ANY n == 1", "n", "1", true, true), ("", "n", "1", false, false), ("n != 1", "n", "1", false, false),
        ("n IN {1, 2}", "n", "3", false, false), ("n IN {'1'}", "n", "1", false, false),
        // The bounds of a range are no choices, nor are the elements of a list that the field equals.
        ("n BETWEEN {1, 2}", "n", "1", false, false), ("ANY n BETWEEN {1, 2}", "n", "2", true, false),
        ("n == {1, 2}", "n", "1", false, false), ("n CONTAINS {1, 2}", "n", "1", false, false),
        // Of another field, under another quantifier, or as one of several alternatives.
        ("m IN {1, 2}", "n", "1", false, false), ("ANY n IN {1, 2}", "n", "1", false, false),
        ("n IN[c] {'a', 'b'}", "n", "'a'", false, false), ("n ==[c] 'a'", "n", "'a'", false, false),
        ("n IN {1, 2}", "n", "1", true, false), ("NONE n IN {1, 2}", "n", "1", true, false),
        ("n == 1 OR m == 1", "n", "1", false, false), ("n IN {1, 2}", "n", "'", false, false),
    ]

    @Test func chosenValues() throws {
        for (text, field, value, isList, isChosen) in Self.choices {
            let editing = try ClauseEditing(text)
            #expect(editing.contains(field, value, isList: isList) == isChosen, "\(text): \(value)")
        }
        var editing = try ClauseEditing("n BETWEEN {1, 2}")
        try editing.toggle(.equal, "n", "3", isList: false)
        #expect(editing.text == "n BETWEEN {1, 2} AND n == 3")
    }

    /// Alternatives get parentheses where they have none.
    @Test(arguments: [
        ("a == 1 OR b == 2", "c == 3", "(a == 1 OR b == 2) AND c == 3"),
        ("(a == 1 OR b == 2)", "c == 3", "(a == 1 OR b == 2) AND c == 3"),
        ("((a == 1 OR b == 2))", "c == 3", "((a == 1 OR b == 2)) AND c == 3"),
        ("a == 1", "b == 2 OR c == 3", "a == 1 AND (b == 2 OR c == 3)"),
        ("a == 1", "(b == 2 OR c == 3)", "a == 1 AND (b == 2 OR c == 3)"),
        ("", "b == 2 OR c == 3", "b == 2 OR c == 3"),
    ])
    func appendingAlternatives(text: String, condition: String, result: String) throws {
        var editing = try ClauseEditing(text)
        try editing.append(condition)
        #expect(editing.text == result)
    }

    @Test func rangesAndCirclesReplaceTheirLike() throws {
        var editing = try ClauseEditing("n BETWEEN {1, 2} AND m BETWEEN {3, 4}")
        try editing.put("m BETWEEN {5, 6}")
        #expect(editing.text == "n BETWEEN {1, 2} AND m BETWEEN {5, 6}")
        try editing.put("distanceToLocation:fromLocation:(place, $a) < 10")
        try editing.put("distanceToLocation:fromLocation:(place, $b) < 20")
        #expect(
            editing.text
                == "n BETWEEN {1, 2} AND m BETWEEN {5, 6} AND distanceToLocation:fromLocation:(place, $b) < 20")
        try editing.put("distance(place, 47.5, -8.5) < 30")
        try editing.put("distance(place, -47.5, 8.5) < 40")
        #expect(
            editing.text == "n BETWEEN {1, 2} AND m BETWEEN {5, 6} AND distance(place, -47.5, 8.5) < 40")
        #expect(editing.clauses.map { ClauseEditing.field(of: $0.node) } == ["n", "m", "place"])
    }

    /// A text, a condition that is put into it, and the text behind it.
    private static let puts: [(text: String, condition: String, result: String)] = [
        ("", "n > 1", "n > 1"), ("n > 1", "n > 2", "n > 2"), ("n > 1", "n >= 2", "n > 1 AND n >= 2"),
        ("n > 1 AND m > 1", "m > 2", "n > 1 AND m > 2"), ("n > 1", "m > 1", "n > 1 AND m > 1"),
        // Another place's circle, and another function of the same field, stay.
        ("distance(a, 1, 2) < 3", "distance(b, 1, 2) < 4", "distance(a, 1, 2) < 3 AND distance(b, 1, 2) < 4"),
        (
            "distance(a, 1, 2) < 3", "distanceToLocation:fromLocation:(b, $c) < 4",
            "distance(a, 1, 2) < 3 AND distanceToLocation:fromLocation:(b, $c) < 4"
        ),
        ("year(t) == 2024", "month(t) == 2", "year(t) == 2024 AND month(t) == 2"),
        ("year(t) == 2024", "year(t) == 2025", "year(t) == 2025"),
        ("year(t) == 2024", "year(u) == 2025", "year(t) == 2024 AND year(u) == 2025"),
        ("t == 2024", "year(t) == 2025", "t == 2024 AND year(t) == 2025"),
        ("n > 1", "NOT n > 1", "n > 1 AND NOT n > 1"), ("n > 1 OR m > 1", "n > 2", "(n > 1 OR m > 1) AND n > 2"),
        ("n > 1", "n > 2 OR m > 2", "n > 1 AND (n > 2 OR m > 2)"), ("TRUEPREDICATE", "n > 1", "n > 1"),
    ]

    @Test func putting() throws {
        for (text, condition, result) in Self.puts {
            var editing = try ClauseEditing(text)
            try editing.put(condition)
            #expect(editing.text == result, "\(text): \(condition)")
        }
    }

    @Test func togglingValuesThatAreNoLiterals() throws {
        var editing = try ClauseEditing("t == CAST(1, 'NSDate')")
        try editing.toggle(.equal, "t", "CAST(2, 'NSDate')", isList: false)
        #expect(editing.text == "t IN {CAST(1, \"NSDate\"), CAST(2, \"NSDate\")}")
        try editing.toggle(.equal, "t", "CAST(1, 'NSDate')", isList: false)
        #expect(editing.text == "t == CAST(2, \"NSDate\")")
        try editing.toggle(.equal, "t", "CAST(2, 'NSDate')", isList: false)
        #expect(editing.text == "" && editing.clauses.isEmpty)
        // Lists of one quantifier are another's not; a list with options is nobody else's.
        for (text, result) in [
            ("t IN {1, 2}", "t IN {1, 2} AND ANY t == 3"), ("NONE t IN {1, 2}", "NONE t IN {1, 2} AND ANY t == 3"),
            ("ANY t IN[c] {1, 2}", "ANY t IN[c] {1, 2} AND ANY t == 3"), ("ANY t IN {1, 2, 3}", "ANY t IN {1, 2}"),
            ("ANY t > 1", "ANY t > 1 AND ANY t == 3"), ("ANY t IN {3}", ""),
        ] {
            var editing = try ClauseEditing(text)
            try editing.toggle(.equal, "t", "3", isList: true)
            #expect(editing.text == result, "\(text)")
        }
        #expect(ClauseEditing.field(of: try SyntaxTree(parsing: "a.b.#size == 1").root) == "a.b.#size")
        #expect(ClauseEditing.field(of: try SyntaxTree(parsing: "ANY length(a.b) == 1").root) == "a.b")
        for text in ["1 == a", "NOT a == 1", "a + 1 == 2", "now() == a"] {
            #expect(ClauseEditing.field(of: try SyntaxTree(parsing: text).root) == nil, "\(text)")
        }
    }

    @Test func clausesThatAreNotThereStayAway() throws {
        var editing = try ClauseEditing("a == 1 AND b == 2")
        for index in [-1, 2, 9] {
            try editing.replaceClause(at: index, by: "c == 3")
            try editing.removeClause(at: index)
            #expect(editing.text == "a == 1 AND b == 2")
        }
    }
}
