// What the simplifier makes of predicates, as text.

import PredicateSemantics
import RecordModel
import Testing

@testable import QueryPlanning

@Suite struct SimplifierTests {
    private static let fields: [(name: String, type: FieldType)] = [
        ("a", .int64), ("b", .double), ("s", .string), ("t", .string), ("d", .date), ("p", .location),
        ("tags", .list(.string)), ("ns", .list(.int64)), ("x", .any),
    ]
    private static let schema = RecordSchema(
        recordType: "T", fields: fields.map { FieldDefinition(name: $0.name, type: $0.type) })

    /// Predicates and what is left of them; `nil` where nothing is to be simplified.
    private static let cases: [(text: String, simplified: String?)] = [
        // Nothing to do.
        ("a == 1", nil), ("a > 1 AND b < 2", nil), ("a > 1 AND a < 3", nil), ("a == 1 OR b == 1", nil),
        ("NOT (a < 3)", nil), ("NOT (a == 1 AND b == 2)", nil), ("a < 3 OR a > 5", nil),
        ("s == 'x' AND t == 'x'", nil), ("ANY tags == 'a' AND ANY tags == 'b'", nil),
        // A phrase is not its words.
        ("s TOKENMATCHES[p] 'x y' OR s TOKENMATCHES 'x y'", nil),
        ("s TOKENMATCHES 'x y' AND s TOKENMATCHES[p] 'x y'", nil),
        // NOT where it costs nothing.
        ("NOT (a == 1)", "a != 1"), ("NOT (a != 1)", "a == 1"), ("NOT NOT a < 3", "a < 3"),
        ("NOT (ANY tags == 'a')", "NONE tags == \"a\""), ("NOT (NONE ns > 3)", "ANY ns > 3"),
        ("ALL tags != 'a'", "NONE tags == \"a\""), ("NOT (ALL ns == 3)", "ANY ns != 3"),
        ("NOT (a != 1 AND NOT (b < 2))", "a == 1 OR b < 2"),
        ("b > 0 AND NOT (a < 1 OR s == 'x')", "b > 0 AND NOT a < 1 AND s != \"x\""),
        // Groups in groups, repetitions, absorption, opposites.
        ("a > 1 AND (b > 1 AND (s == 'x'))", "a > 1 AND b > 1 AND s == \"x\""),
        ("a > 1 AND b > 1 AND a > 1", "a > 1 AND b > 1"), ("a > 1 AND (b > 1 OR a > 1)", "a > 1"),
        ("a > b AND a > b AND a > b", "a > b"), ("a > b OR s == t OR a > b OR s == t", "a > b OR s == t"),
        ("a > 1 OR (a > 1 AND b > 1)", "a > 1"), ("a > 1 AND NOT (a > 1)", "FALSEPREDICATE"),
        ("a > 1 OR NOT (a > 1)", "TRUEPREDICATE"),
        // Ranges.
        ("a >= 1 AND a <= 3", "a BETWEEN {1, 3}"), ("a > 1 AND a > 3", "a > 3"), ("a > 3 AND a >= 3", "a > 3"),
        ("a BETWEEN {1, 10} AND a < 5", "a >= 1 AND a < 5"),
        ("a BETWEEN {9, 1} AND a BETWEEN {5, 20}", "a BETWEEN {5, 9}"),
        ("a < 3 AND a > 5", "FALSEPREDICATE"), ("a < 3 AND a >= 3", "FALSEPREDICATE"),
        ("3 < a AND 5 < a AND b > 0", "a > 5 AND b > 0"), ("s > 'b' AND s < 'a'", "FALSEPREDICATE"),
        // Options of texts keep ranges apart.
        ("s > 'b' AND s <[c] 'a'", nil),
        // Values.
        ("a == 1 AND a == 2", "FALSEPREDICATE"), ("a == 1 OR a == 2", "a IN {1, 2}"),
        ("a == 1 OR b == 2 OR a IN {3, 4}", "a IN {1, 3, 4} OR b == 2"),
        ("a IN {1, 2, 3} AND a IN {2, 3, 4}", "a IN {2, 3}"),
        ("a IN {1, 2, 3} AND a > 1 AND a != 3", "a == 2"), ("a != 1 AND a != 2", "NOT a IN {1, 2}"),
        ("a != 1 OR a != 2", "TRUEPREDICATE"), ("NOT (a IN {1, 2}) OR a != 2", "a != 2"), ("a IN {}", "FALSEPREDICATE"),
        ("a IN {7}", "a == 7"), ("s == 'A' AND s ==[c] 'a'", "s == \"A\""), ("s ==[c] 'a' AND s == 'A'", "s == \"A\""),
        ("s ==[c] 'a' AND s == 'b'", "FALSEPREDICATE"), ("s ==[d] 'a' AND s ==[c] 'A'", nil),
        ("ANY tags == 'a' OR ANY tags == 'b'", "ANY tags IN {\"a\", \"b\"}"),
        ("NONE tags == 'a' AND NONE tags == 'b'", "NONE tags IN {\"a\", \"b\"}"), ("a == 1 AND a == 1.0", "a == 1"),
        // Parts of a field are other subjects than the field, and two of them are not told by one value.
        ("p.latitude == 1 AND p.latitude IN {1, 2}", nil), ("NOT (p.latitude IN {1, 2}) OR p.latitude != 2", nil),
        // More than eight terms, of which the first and the last are about one field.
        (
            "a == 1 OR b == nil OR s == nil OR t == nil OR d == nil OR p == nil OR x == nil OR ns == nil OR a == 2",
            "a IN {1, 2} OR b == nil OR s == nil OR t == nil OR d == nil OR p == nil OR x == nil OR ns == nil"
        ),
        (
            "a == 1 OR b == nil OR s == nil OR t == nil OR d == nil OR p == nil OR x == nil OR ns == nil OR tags == nil",
            nil
        ),
        // Nil.
        ("a != nil AND a > 3", "a > 3"), ("a == nil AND a > 3", "FALSEPREDICATE"), ("a == nil AND a != 3", "a == nil"),
        ("a == nil OR a != 3", "a != 3"), ("a == nil OR a != nil", "TRUEPREDICATE"), ("a != nil OR a == 3", "a != nil"),
        ("a < nil", "FALSEPREDICATE"), ("s BEGINSWITH ''", "FALSEPREDICATE"),
        // An empty text is in no text, and may be in a list of them.
        ("s CONTAINS ''", "FALSEPREDICATE"), ("tags CONTAINS ''", nil), ("'' IN tags", nil),
        ("NONE tags BEGINSWITH ''", "TRUEPREDICATE"),
        // What may fail keeps its place, and so does all behind it.
        ("a == 1 AND x > 2 AND a == 2", nil), ("x > 2 AND a == 1 AND a == 2", nil),
        ("a == 1 OR x > 2 OR a == 2", nil),
        ("a == 1 AND (1 / b == 5 OR a == 1)", nil), ("a == 1 OR (1 / b == 5 AND a == 1)", nil),
        ("x > 2 AND a > 1 AND NOT (a > 1)", nil), ("x > 2 OR a > 1 OR NOT (a > 1)", nil),
        ("x > 2 AND NOT (x > 2)", nil), ("NOT (x > 2) OR x > 2", nil),
        ("a > 1 AND NOT (a > 1) AND x > 2", "FALSEPREDICATE"),
        ("a == 1 AND a == 2 AND x > 2", "FALSEPREDICATE"), ("x > 2 AND a > 1 AND x > 2", "x > 2 AND a > 1"),
    ]

    @Test(arguments: cases.indices) func simplifies(_ number: Int) throws {
        let (text, expected) = Self.cases[number]
        let bound = try Binder(schema: Self.schema).bind(try RecordPredicate(format: text))
        let simplified = Simplifier.simplified(bound.root)
        #expect(simplified?.description == expected, "\(text)")
        // Once is enough.
        if let simplified { #expect(Simplifier.simplified(simplified)?.description == nil, "\(text)") }
    }

    @Test func distancesFromTwoCentresStayTwo() throws {
        let centers = [50, 51].map { FieldValue.location(.init(latitude: $0, longitude: 30)) }
        let call = "distanceToLocation:fromLocation:(p, %@)"
        for text in ["\(call) < 5000 AND \(call) < 200000", "\(call) < 5000 AND \(call) > 5000"] {
            let bound = try Binder(schema: Self.schema).bind(RecordPredicate(format: text, arguments: centers))
            #expect(Simplifier.simplified(bound.root)?.description == nil, "\(text)")
        }
        let three = "\(call) < 5000 AND \(call) < 200000 AND \(call) < 100"
        let bound = try Binder(schema: Self.schema)
            .bind(RecordPredicate(format: three, arguments: centers + [centers[0]]))
        let simplified = try #require(Simplifier.simplified(bound.root)?.description)
        #expect(simplified.contains("< 100") && simplified.contains("< 200000") && !simplified.contains("< 5000"))
    }

    @Test func distancesFromOneCentreAreOneRing() throws {
        let center = FieldValue.location(.init(latitude: 50, longitude: 30))
        let call = "distanceToLocation:fromLocation:(p, %@)"
        for (text, count, expected) in [
            ("\(call) < 5000 AND \(call) < 100", 2, "< 100"), ("\(call) < 5000 AND \(call) >= 5000", 2, "FALSE"),
            ("\(call) <= 5000 AND \(call) >= 100 AND a > 1", 2, "BETWEEN {100.0, 5000.0} AND a > 1"),
        ] {
            let predicate = try RecordPredicate(format: text, arguments: Array(repeating: center, count: count))
            let bound = try Binder(schema: Self.schema).bind(predicate)
            let simplified = try #require(Simplifier.simplified(bound.root)?.description, "\(text)")
            #expect(simplified.contains(expected), "\(text): \(simplified)")
        }
    }
}
