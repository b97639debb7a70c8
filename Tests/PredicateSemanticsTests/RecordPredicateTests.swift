// Predicates as users hold them: literals, arguments, printing, coding, combining.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct RecordPredicateTests {
    static let record = Record(
        type: "Person", id: .init("p"),
        fields: [
            "name": "Ann O'Neil", "age": 33, "tags": ["a", "b"],
            "born": .date(Date(timeIntervalSinceReferenceDate: 12.5)),
            "odd key": 1,
        ])

    @Test func malformedLiteralsFailAtFirstUse() throws {
        let cases: [(RecordPredicate, RecordPredicateError.Stage)] = [
            ("age >", .syntax), ("age == %@", .binding), ("age == 5%", .syntax),
            ("name MATCHES '['", .binding),
            (.all(["age > 1", "age >"]), .syntax), (!"age >", .syntax),
        ]
        for (predicate, stage) in cases {
            let errors = [
                #expect(throws: RecordPredicateError.self) { try predicate.validated() },
                #expect(throws: RecordPredicateError.self) { try predicate.evaluate(on: Self.record) },
            ]
            for error in errors { #expect(error?.stage == stage, "\(predicate.text)") }
        }
        #expect(try ("age > 1" as RecordPredicate).validated() == "age > 1")
    }

    @Test func slotsWithoutAValueHaveNone() {
        let predicate = RecordPredicate(lenient: "age > 1", arguments: [4])
        func text(_ slot: SlotSource) -> String? { predicate.value(of: slot, ["a": 2]).map { "\($0)" } }
        #expect(text(.argument(0)) == "4" && text(.variable("a")) == "2")
        #expect(text(.argument(1)) == String?.none && text(.variable("b")) == String?.none)
    }

    @Test func lengthsOfTimeBeyondAllNumbers() {
        let predicate: RecordPredicate = "age + 31556952000000w > 1"
        let error = #expect(throws: RecordPredicateError.self) { try predicate.evaluate(on: Self.record) }
        #expect(error?.hint?.contains("seconds write 1.9") == true, "\(error?.hint ?? "no hint")")
        // A sign before it makes it a value of its own.
        for text in ["age > -31556942010080w", "31556942010080w == age", "now() + - 31556942010080w > age"] {
            let error = #expect(throws: RecordPredicateError.self, "\(text)") {
                try RecordPredicate(format: text).evaluate(on: Self.record)
            }
            #expect(error?.hint?.contains("number of seconds is 1.9") == true, "\(text): \(error?.hint ?? "no hint")")
        }
    }

    @Test func errorsShowTheirPlace() throws {
        let error = #expect(throws: RecordPredicateError.self) {
            try RecordPredicate(format: "name < 5").evaluate(on: Self.record)
        }
        #expect(error?.stage == .evaluation && error?.scalarRange == 7..<8)
        #expect(error?.description.contains("name < 5\n") == true && error?.description.contains("^") == true)
        // Places are told in characters of Unicode, not in bytes.
        let later = #expect(throws: RecordPredicateError.self) {
            try RecordPredicate(format: "'é😀' != name AND name < 5").evaluate(on: Self.record)
        }
        #expect(later?.scalarRange == 24..<25 && later?.span.range == 28..<29)
        #expect(later?.excerpt == "'é😀' != name AND name < 5\n" + String(repeating: " ", count: 25) + "^")
        let unknown = #expect(throws: RecordPredicateError.self) {
            try RecordPredicate(format: "nam == 5").validate(
                for: RecordSchema(recordType: "P", fields: [.init(name: "name", type: .string)]))
        }
        #expect(unknown?.stage == .binding && unknown?.hint == "did you mean name?")
    }

    @Test func filtersRecords() throws {
        let records = (0..<10).map { Record(type: "T", id: .init("\($0)"), fields: ["n": .int64(Int64($0))]) }
        let predicate: RecordPredicate = "n BETWEEN {3, 5}"
        #expect(try predicate.filter(records).map(\.id.recordName) == ["3", "4", "5"])
        #expect(try predicate.filter(records.lazy.filter { _ in true }).count == 3)
        #expect(throws: RecordPredicateError.self) { try ("n < 'x'" as RecordPredicate).filter(records) }
    }

    @Test func substitutes() throws {
        let template = try RecordPredicate(
            format: "age > $min AND name == %@ AND SUBQUERY(tags, $t, $t == $tag).@count > 0", "Ann O'Neil")
        let filled = template.substituting(["min": 30, "tag": "a", "t": "never"])
        #expect(filled.arguments == [30, "Ann O'Neil", "a"])
        #expect(try filled.evaluate(on: Self.record))
        #expect(try !template.substituting(["min": 40, "tag": "a"]).evaluate(on: Self.record))
        #expect(throws: RecordPredicateError.self) { try template.evaluate(on: Self.record) }
        #expect(template.substituting([:]) == template)
        let path = try RecordPredicate(format: "$o.x == 1 AND $o[$k] == 1")
        #expect(try path.substituting(["o": .object(["x": 1]), "k": "x"]).evaluate(on: Self.record))
    }

    @Test func combines() throws {
        let a = try RecordPredicate(format: "age == %@ OR age == %@", 1, 33)
        let b = try RecordPredicate(format: "name BEGINSWITH %@", "Ann")
        let both = RecordPredicate.all([a, b])
        #expect(both.arguments == [1, 33, "Ann"])
        #expect(try both.evaluate(on: Self.record))
        #expect(try !(!both).evaluate(on: Self.record))
        #expect(try RecordPredicate.any([!a, b]).evaluate(on: Self.record))
        #expect(try !RecordPredicate.all([!a, b]).evaluate(on: Self.record))
        #expect(try RecordPredicate.all([]).evaluate(on: Self.record))
        #expect(try !RecordPredicate.any([]).evaluate(on: Self.record))
        #expect(RecordPredicate.all([b]) == b)
        #expect(both.description == "(age == 1 OR age == 33) AND name BEGINSWITH \"Ann\"")
    }

    static let printed: [(String, [FieldValue], String)] = [
        ("a=%@", [nil], "a == nil"), ("%K == %d", ["x.y", 5.0], "x.y == 5"), ("a == %f", [5], "a == 5.0"),
        ("a IN %@", [[1, "b", 2.5, true]], "a IN {1, \"b\", 2.5, TRUE}"), ("a.%K > 1", ["@count"], "a.@count > 1"),
        ("a > %@", [.date(Date(timeIntervalSinceReferenceDate: 0.25))], "a > CAST(0.25, \"NSDate\")"),
        ("a == %@ AND b == %@", [.location(.init(latitude: 1, longitude: 2)), -3], "a == %@ AND b == -3"),
        ("%K == 1", ["odd key"], "#'odd key' == 1"), ("a.%K == 1", ["SELF"], "a == 1"),
    ]

    @Test func prints() throws {
        for (text, arguments, expected) in Self.printed {
            let description = try RecordPredicate(format: text, arguments: arguments).description
            #expect(description == expected, "\(text)")
        }
    }

    @Test func equalityAndCoding() throws {
        let predicates: [RecordPredicate] = [
            "age > 1", try RecordPredicate(format: "age > %@", 1), try RecordPredicate(format: "age > %@", 2),
            try RecordPredicate(format: "a == %@", .set([1, 2])),
            try RecordPredicate(format: "place == %@", .location(.init(latitude: 1.5, longitude: 2))),
            try RecordPredicate(format: "born > %@", .date(Date(timeIntervalSince1970: 1234.5))),
        ]
        #expect(Set(predicates).count == predicates.count)
        #expect(("a=1" as RecordPredicate) == "a  ==  1")
        let decoded = try JSONDecoder().decode([RecordPredicate].self, from: JSONEncoder().encode(predicates))
        #expect(decoded == predicates)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(RecordPredicate.self, from: Data(#"{"format":"a >"}"#.utf8))
        }
    }
}
