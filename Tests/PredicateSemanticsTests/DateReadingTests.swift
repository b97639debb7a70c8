// Texts that meet dates: read on either side, as members and bounds, where only the record tells that there is a date.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct DateReadingTests {
    private static func moment(_ text: String) -> FieldValue { RFC3339.date(text).map { .date($0) } ?? .null }

    private static let object = FieldValue.object([
        "t": moment("2024-02-01T00:00:00Z"), "u": moment("2024-03-01T00:00:00Z"), "n": 3, "s": "2024-02-01",
        "ts": [moment("2024-02-01T00:00:00Z"), moment("2024-03-01T00:00:00Z")],
        "mixed": ["2024-02-01", moment("2024-03-01T00:00:00Z"), "x"],
    ])

    static let cases: [(text: String, outcome: String)] = [
        ("'2024-02-29' BETWEEN ts", "T"), ("'2024-03-02' BETWEEN ts", "F"), ("'2024-01-31' BETWEEN ts", "F"),
        ("'2024-02-01' BETWEEN ts", "T"), ("'2024-03-01' BETWEEN ts", "T"), ("'x' BETWEEN ts", "evaluation error"),
        ("t BETWEEN {u, '2024-01-01'}", "T"), ("t BETWEEN {'2024-02-02', u}", "F"),
        ("'2024-02-01' IN ts", "T"), ("'2024-02-02' IN ts", "F"), ("ts CONTAINS '2024-03-01'", "T"),
        ("'x' IN ts", "F"), ("'2024-02-01' IN mixed", "T"), ("'2024-03-01' IN mixed", "T"), ("'x' IN mixed", "T"),
        ("mixed CONTAINS '2024-03-01'", "T"), ("mixed CONTAINS 'x'", "T"), ("mixed CONTAINS 'y'", "F"),
        ("mixed CONTAINS '2024-02-01'", "T"), ("mixed CONTAINS '2024-02-02'", "F"),
        ("t IN {'x', '2024-02-01'}", "T"), ("t IN {n, '2024-02-01'}", "T"), ("t IN {'2024-02-01', n}", "T"),
        ("t IN {n, '2024-02-02'}", "F"), ("{'2024-02-01', n} CONTAINS t", "T"), ("s IN {'2024-02-01', n}", "T"),
        ("t == '2024-02-01'", "T"), ("'2024-02-01' == t", "T"), ("s == '2024-02-01'", "T"), ("t == s", "F"),
        ("t != '2024-02-01'", "F"), ("t < '2024-02-02'", "T"), ("'2024-02-02' < t", "F"), ("'2024-01-31' < t", "T"),
        ("t > 'x'", "evaluation error"), ("'x' < t", "evaluation error"), ("t == 'x'", "F"), ("t != 'x'", "T"),
        ("ANY ts == '2024-03-01'", "T"), ("ALL ts >= '2024-02-01'", "T"), ("NONE ts > '2024-03-01'", "T"),
        ("ANY {'x', '2024-02-01'} == t", "T"), ("'2024-01-31' + 1d == t", "T"), ("t - 1d == '2024-01-31'", "T"),
    ]

    @Test(arguments: cases) func read(text: String, outcome expected: String) {
        #expect(outcome(text, of: Self.object) == expected)
    }

    /// A variable's text is read when there is one, alone and where a length of time moves it.
    @Test func variables() throws {
        let cases: [(text: String, day: FieldValue, expected: Bool?)] = [
            ("t == $day", "2024-02-01", true), ("$day == t", "2024-02-01", true), ("t < $day", "2024-02-02", true),
            ("$day + 1d == t", "2024-01-31", true), ("$day - 1d == t", "2024-02-02", true),
            ("t == 1d + $day", "2024-01-31", true), ("$day + 1d == t", Self.moment("2024-01-31T00:00:00Z"), true),
            ("$day + 1d == t", "2024-02-01", false), ("$day + 1d == t", "x", nil), ("$day + 1d == t", 5, nil),
            ("$day + 1d == nil", nil, true), ("t IN {$day, 'x'}", "2024-02-01", true),
            ("t IN {'x', $day}", "2024-02-02", false), ("t BETWEEN {$day, '2024-02-02'}", "2024-01-31", true),
            ("t == $day", "x", false),
            ("t IN $day", ["2024-02-01"], true), ("t BETWEEN $day", ["2024-03-01", "2024-01-01"], true),
        ]
        let schema = RecordSchema(recordType: "T", fields: [.init(name: "t", type: .date)])
        for (text, day, expected) in cases {
            let bound = try Binder().bind(SyntaxTree(parsing: text))
            let late = EvaluationContext(now: .distantPast, variables: ["day": day])
            let found = try? bound.evaluate(onValue: Self.object, context: late)
            #expect(found == expected, "\(text) \(day)")
            let declared = try Binder(schema: schema).bind(SyntaxTree(parsing: text))
            let same = try? declared.evaluate(onValue: Self.object, context: late)
            #expect(same == expected, "\(text) \(day) declared")
            // The same as if the value had been known before.
            let early = try? Binder().bind(SyntaxTree(parsing: text), variables: ["day": day])
            #expect((try? early?.evaluate(onValue: Self.object)) == expected, "\(text) \(day) bound")
        }
    }

    /// What is said of a text beside a field of dates that is none.
    @Test(arguments: [
        ("'2024'", "'2024-01-01' is its first day"), ("'2024-02'", "'2024-02-01' is its first day"),
        ("'20x4'", "a date is written"), ("'2024-13'", "a date is written"), ("'2024-02-30'", "a date is written"),
        ("''", "a date is written"), ("'yesterday'", "a date is written"),
    ])
    func hints(text: String, hint: String) {
        let schema = RecordSchema(recordType: "T", fields: [.init(name: "born", type: .date)])
        for (predicate, part) in [
            ("born > \(text)", text), ("\(text) <= born", text), ("born BETWEEN {'2024-01-01', \(text)}", "{"),
        ] {
            let error = #expect(throws: BindingError.self) {
                try Binder(schema: schema).bind(SyntaxTree(parsing: predicate))
            }
            #expect(error?.hint?.hasPrefix(hint) == true, "\(predicate): \(String(describing: error))")
            let place = error.map { String(decoding: Array(predicate.utf8)[$0.span.range], as: UTF8.self) }
            #expect(place?.hasPrefix(part) == true, "\(predicate): \(place ?? "")")
            #expect(error?.kind == .typeMismatch)
        }
        // Equality needs no order: a text that is no date is another value.
        #expect(throws: Never.self) { try Binder(schema: schema).bind(SyntaxTree(parsing: "born == \(text)")) }
    }
}
