// Operators on texts with options: the same whether a side is a constant, a field, or a member of a list.

import PredicateSemantics
import RecordModel
import Testing

@Suite struct TextOperandEdgesTests {
    private static let object = FieldValue.object([
        "name": "ABC", "start": "ab", "middle": "b", "end": "bc", "pattern": "a?c", "expression": "a.c",
        "soft": "soft\u{AD}hyphen",
    ])

    /// Comparisons of two fields, and what they come to with `[c]` and without it.
    static let cases: [(text: String, folded: String, plain: String)] = [
        ("name BEGINSWITH? start", "T", "F"), ("name CONTAINS? middle", "T", "F"), ("middle IN? name", "T", "F"),
        ("name ENDSWITH? end", "T", "F"), ("name ENDSWITH? start", "F", "F"), ("name LIKE? pattern", "T", "F"),
        ("name MATCHES? expression", "T", "F"),
    ]

    @Test(arguments: cases) func sidesThatAreFields(text: String, folded: String, plain: String) {
        #expect(outcome(text.replacing("?", with: "[c]"), of: Self.object) == folded)
        #expect(outcome(text.replacing("?", with: ""), of: Self.object) == plain)
    }

    /// A collation knows no soft hyphen, and members of lists are equal by it as well.
    @Test(arguments: [
        ("soft ==[l] 'softhyphen'", "T"), ("soft == 'softhyphen'", "F"), ("soft IN[l] {'x', 'softhyphen'}", "T"),
        ("soft IN {'x', 'softhyphen'}", "F"), ("{'x', 'softhyphen'} CONTAINS[l] soft", "T"),
        ("soft IN[ln] {'x', 'softhyphen'}", "F"), ("soft IN[l] {'x', 'Softhyphen'}", "F"),
        ("soft IN[cl] {'x', 'Softhyphen'}", "T"),
    ])
    func membersByCollation(text: String, expected: String) {
        #expect(outcome(text, of: Self.object) == expected)
    }
}
