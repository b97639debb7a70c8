// CloudKit's subset of the language, case by case: what is refused, at which place, and what stands beside it.

import PredicateSyntax
import Testing

@Suite("CloudKit's dialect")
struct DialectTests {
    private static let places = "distanceToLocation:fromLocation:(loc, %@)"

    /// Predicates over a text `name`, a date `born` and other fields; the part that is refused, and why.
    static let refusals: [(text: String, part: String, message: String)] = [
        ("nil == a", "nil", "comparison with nil"), ("a == nil", "nil", "comparison with nil"),
        ("a == other", "other", "only with a constant"),
        ("a ==[c] 'x'", "==[c]", "options not supported"), ("a BEGINSWITH[d] 'x'", "BEGINSWITH[d]", "options not"),
        ("self TOKENMATCHES[cdp] 'x y'", "TOKENMATCHES[cdp]", "phrases not supported"),
        // A text is not searched for a part, whichever side it is on.
        ("name CONTAINS 'x'", "CONTAINS", "substring CONTAINS"), ("'x' IN name", "IN", "substring IN"),
        ("'xyz' CONTAINS a", "CONTAINS", "substring CONTAINS"), ("a IN 'xyz'", "IN", "substring IN"),
        ("a UTI-EQUALS 'x'", "UTI-EQUALS", "UTI-EQUALS not supported"),
        // Nor is a text a date, on either side and in lists.
        ("born > '2024-01-31'", "'2024-01-31'", "not read as a date"),
        ("'2024-01-31' < born", "'2024-01-31'", "not read as a date"),
        ("born IN {%@, '2024-01-31'}", "'2024-01-31'", "not read as a date"),
        ("{'2024-01-31', %@} CONTAINS born", "'2024-01-31'", "not read as a date"),
        ("born BETWEEN {%@, '2024-01-31'}", "'2024-01-31'", "not read as a date"),
        ("t > now() - 7d", "now() - 7d", "durations not"), ("a > 7d", "7d", "durations not"),
        ("-a == 1", "-a", "expression kind"), ("a == 1 + b", "1 + b", "expression kind"),
        ("year(t) == 2024", "year(t)", "function not"), ("distance(loc, 1, 2) < 5", "distance(loc, 1, 2)", "function"),
        ("TERNARY(a == 1, 1, 2) == 3", "TERNARY(a == 1, 1, 2)", "TERNARY"), ("CAST(a, 'NSDate') == 1", "CAST", "CAST"),
        ("SELF == 1", "SELF", "SELF is allowed"), ("a == SELF", "SELF", "SELF is allowed"),
        ("SELF IN {1}", "SELF", "SELF is allowed"), ("$v == 1", "$v", "variables must"),
        ("a.recordName == 'x'", "recordName", "key paths"), ("SELF.a == 1", "a", "key paths"),
        ("_a == 1", "_a", "no CloudKit field"), ("größe == 1", "größe", "no CloudKit field"),
        ("a IN {_b}", "_b", "no CloudKit field"), ("#'a b' == 1", "#'a b'", "no CloudKit field"),
        ("NONE tags == 'x'", "NONE", "NONE qualifier"), ("ALL a IN {1}", "ALL", "ALL qualifier"),
        ("NOT (a == 1 OR b == 2)", "OR", "OR is not"), ("((a == 1)) OR b == 2", "OR", "OR is not"),
        ("a == 1 || b == 2", "||", "OR is not"), ("a == 1 AND (b == 2 OR c == 3)", "OR", "OR is not"),
        ("\(places) > 5", ">", "inside the circle"), ("\(places) == 5", "==", "inside the circle"),
        // The mirror of a distance outside of the circle, too.
        ("5 < \(places)", "<", "inside the circle"), ("5 <= \(places)", "<=", "inside the circle"),
        ("5 > \(places)", ">", "inside the circle"),
        ("NOT (5 < \(places))", "NOT", "NOT with distance"), ("NOT a TOKENMATCHES[cdl] 'x'", "NOT", "NOT with token"),
        ("NOT (ANY tokenize('a', 'cdl') IN allTokens)", "NOT", "NOT with token"),
        ("NOT (NOT (a == 1 AND b == 2))", "NOT (a", "cannot negate AND"),
    ]

    @Test(arguments: refusals) func refused(text: String, part: String, message: String) throws {
        let tree = try SyntaxTree(parsing: text)
        let error = #expect(throws: SyntaxError.self) {
            try tree.validate(for: .cloudKit, stringFields: ["name"], dateFields: ["born"])
        }
        #expect(error?.kind == .dialect && error?.message.contains(message) == true, "\(String(describing: error))")
        let place = error.map { Array(text.utf8)[$0.span.range] } ?? []
        let isThere = String(decoding: place, as: UTF8.self).hasPrefix(part)
        #expect(isThere, "\(String(describing: error?.span))")
        try tree.validate(for: .full)
    }

    @Test(arguments: [
        "born > %@", "born IN {%@, %@}", "born < now()", "a > '2024-01-31'", "name == 'x'", "'x' == name",
        "tags CONTAINS 'x'", "'x' IN tags", "name IN {'x', 'y'}", "name BEGINSWITH 'x'", "{1} CONTAINS a",
        "self CONTAINS 'x y'", "self TOKENMATCHES[cdl] 'x y'", "allTokens TOKENMATCHES[cdl] 'x'", "ANY tags == 'x'",
        "SOME tags == 'x'", "ALL tokenize('a b', 'cdl') IN allTokens", "NOT (a == 1)", "NOT (NOT (a == 1))",
        "NOT (a IN {1})", "a BETWEEN {1, 2}", "a_1 == -5", "\(places) < 5", "\(places) <= 5", "TRUEPREDICATE",
    ])
    func taken(text: String) throws {
        try SyntaxTree(parsing: text).validate(for: .cloudKit, stringFields: ["name"], dateFields: ["born"])
    }
}
