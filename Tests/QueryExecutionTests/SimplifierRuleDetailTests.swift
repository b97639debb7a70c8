// Rules of the simplifier at their edges: which bound is the narrower, what rows without a value keep, what may fail.

import PredicateSemantics
import RecordModel
import Testing

@testable import QueryPlanning

@Suite struct SimplifierRuleDetailTests {
    private static let fields: [(name: String, type: FieldType)] = [
        ("a", .int64), ("b", .double), ("s", .string), ("tags", .list(.string)), ("ns", .list(.int64)), ("x", .any),
    ]
    private static let schema = RecordSchema(
        recordType: "T", fields: fields.map { FieldDefinition(name: $0.name, type: $0.type) })

    /// Predicates and what is left of them; `nil` where nothing is to be simplified.
    private static let cases: [(text: String, simplified: String?)] = [
        // Of two bounds at one value the open one is the narrower, whichever comes first.
        ("a >= 3 AND a > 3", "a > 3"), ("a <= 3 AND a < 3", "a < 3"), ("a < 3 AND a <= 3", "a < 3"),
        ("a > 3 AND a <= 3", "FALSEPREDICATE"), ("a >= 3 AND a <= 3", "a BETWEEN {3, 3}"),
        // Three bounds become two; a closed range that loses an end becomes two.
        ("a > 1 AND a < 9 AND a > 3", "a > 3 AND a < 9"), ("a > 1 AND a BETWEEN {0, 5}", "a > 1 AND a <= 5"),
        ("s > 'b' AND s BETWEEN {'a', 'c'}", "s > \"b\" AND s <= \"c\""),
        ("s BETWEEN {'a', 'c'} AND s BETWEEN {'b', 'd'}", "s BETWEEN {\"b\", \"c\"}"),
        ("a > 1 AND a > 1.5", "a > 1.5"),
        ("a > 9007199254740993 AND a > 9007199254740992.0", "a > 9007199254740993"),
        ("a > 1 AND a >= 2 AND s > 'a' AND s >= 'b'", "a >= 2 AND s >= \"b\""),
        // Options of texts keep texts apart, not numbers.
        ("a >[c] 1 AND a > 3", "a >[c] 3"), ("s <[c] 'b' AND s < 'a'", nil), ("s >[c] 'b' AND s > 'a'", nil),
        ("s >[c] 'b' AND s >[c] 'c'", "s >[c] \"c\""), ("a ==[c] 1 OR a == 2", "a IN[c] {1, 2}"),
        ("a == 2 OR a ==[c] 1", "a IN {2, 1}"), ("s ==[c] 'a' OR s == 'b'", nil),
        ("s ==[c] 'a' OR s ==[c] 'b'", "s IN[c] {\"a\", \"b\"}"), ("ANY tags ==[c] 'a' OR ANY tags == 'b'", nil),
        ("s >[c] 'a' AND s IN {'b', 'A', '0'}", "s == \"b\""), ("s > 'b' AND s IN[c] {'b', 'A', 'c'}", nil),
        ("s ==[n] 'a' AND s ==[c] 'a'", nil), ("x == 'a' OR x == 1", nil),
        // Patterns are no values.
        ("s LIKE 'a' OR s == 'b'", nil), ("s LIKE 'a' OR s LIKE 'b'", nil),
        // A row without a value meets what is negated.
        ("a != nil AND a != 3", nil), ("a != nil OR a != 3", nil), ("a != nil AND NOT (a < 3)", nil),
        ("NOT (a < 3) AND a > 1", nil), ("a == 5 OR NOT (a < 2)", nil), ("a == nil OR a == 1", nil),
        ("a IN {1, 2} AND NOT (a < 2)", nil), ("a != nil AND a == nil", "FALSEPREDICATE"),
        ("s == nil AND s BEGINSWITH 'a'", "FALSEPREDICATE"), ("s != nil OR s BEGINSWITH 'a'", "s != nil"),
        ("s == nil OR NOT (s BEGINSWITH 'a')", "NOT s BEGINSWITH \"a\""),
        ("s == nil AND NOT (s BEGINSWITH 'a')", "s == nil"),
        // Listed values keep the order of the shorter list.
        ("a IN {1, 2, 3} AND a IN {9, 3, 2, 8}", "a IN {2, 3}"),
        ("a IN {9, 3, 2, 8} AND a IN {1, 2, 3}", "a IN {2, 3}"), ("a IN {1, 2} AND a < 5", "a IN {1, 2}"),
        ("a IN {1, 2, 5} AND a > 1 AND a < 5", "a == 2"),
        // Numbers are alike under any options of texts.
        ("x IN[c] {'a', 1, 2} AND x IN {2, 1, 3, 4}", "x IN[c] {1, 2}"),
        ("a IN {1, 2} AND s IN {'x', 'y'} AND a != 1", "a == 2 AND s IN {\"x\", \"y\"}"),
        ("(a == 1 OR a == 2) AND (a == 2 OR a == 3)", "a == 2"),
        ("NOT (a IN {1, 2}) AND a != 3", "NOT a IN {1, 2, 3}"), ("NOT (a IN {1, 2}) AND a == 3", "a == 3"),
        ("NOT a IN {1, 2} OR NOT a IN {2, 3, 1}", "NOT a IN {1, 2}"), ("a != 1 OR a != 1.0", "a != 1"),
        // Elements, and lists as a whole.
        ("ns CONTAINS 1 OR ns CONTAINS 2", nil), ("tags CONTAINS 'a' OR tags CONTAINS 'b'", nil),
        ("tags == {'a'} OR tags == {'b'}", nil), ("tags != {'a'} AND tags != {'b'}", nil),
        ("ANY tags != 'a' OR ANY tags != 'b'", nil), ("ANY tags != 'a' AND ANY tags != 'b'", nil),
        ("ANY tags == 'a' OR NONE tags == 'b'", nil), ("NONE ns == 5 OR NONE ns == 1", nil),
        ("ANY ns > 1 AND ANY ns < 5", nil), ("ns != nil AND ANY ns > 3", nil),
        ("tags == nil AND ANY tags == 'a'", nil),
        ("ALL tags != 'a' AND ALL tags != 'b'", "NONE tags IN {\"a\", \"b\"}"),
        ("NONE tags IN {'a', 'b'} AND NONE tags == 'c'", "NONE tags IN {\"a\", \"b\", \"c\"}"),
        ("ALL ns == 3", nil), ("ALL ns > 3", nil), ("ANY tags IN {'a'}", "ANY tags == \"a\""),
        ("NONE tags IN {'a'}", "NONE tags == \"a\""), ("ALL tags IN {'a'}", nil), ("tags IN {{'a'}}", nil),
        ("s IN[c] {'a'}", "s ==[c] \"a\""), ("a IN {nil}", "FALSEPREDICATE"), ("x IN {1}", "x == 1"),
        // The value on the left.
        ("1 == a OR 2 == a", nil), ("1 == a OR a == 2", nil), ("a > b AND a > 1", nil),
        // NOT, where it costs nothing.
        ("NOT (ANY ns != 1 AND a != 1)", nil), ("NOT (NONE ns == 1 AND a != 1)", "ANY ns == 1 OR a == 1"),
        ("NOT (a != 1 OR b != 2)", "a == 1 AND b == 2"), ("NOT (a < 3 OR b != 2)", nil), ("NOT (x > 2)", nil),
        ("NOT (x == 2)", "x != 2"), ("NOT (1 / a == 2)", nil), ("NOT (a > 1) AND a > 1", "FALSEPREDICATE"),
        ("NOT (a > 1) OR a > 1", "TRUEPREDICATE"),
        ("a > 1 OR (b > 1 OR s == 'x')", "a > 1 OR b > 1 OR s == \"x\""), ("a > 1 OR (b > 1 AND s == 'x')", nil),
        // What decides stands behind what may fail, and nothing behind it.
        ("a < nil AND b > 1", "FALSEPREDICATE"), ("1 / a == 5 AND a < nil AND b > 1", "1 / a == 5 AND FALSEPREDICATE"),
        ("1 / a == 5 AND b > 1 AND a < nil", "1 / a == 5 AND b > 1 AND FALSEPREDICATE"),
        ("1 / a == 5 OR NOT (a < nil) OR b > 1", "1 / a == 5 OR TRUEPREDICATE"),
        ("b > 1 OR 1 / a == 5 OR a < nil", "b > 1 OR 1 / a == 5"),
        ("1 / a == 5 AND (a > 1 AND a > 3)", "1 / a == 5 AND a > 3"),
        ("a > 1 AND a > 3 AND 1 / a == 5", "a > 3 AND 1 / a == 5"),
    ]

    @Test(arguments: cases.indices) func simplifies(_ number: Int) throws {
        let (text, expected) = Self.cases[number]
        let bound = try Binder(schema: Self.schema).bind(try RecordPredicate(format: text))
        #expect(Simplifier.simplified(bound.root)?.description == expected, "\(text)")
    }
}
