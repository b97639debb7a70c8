// Interpolated values are bound as arguments, never parsed.

import Foundation
import Geospatial
import PredicateSemantics
import PredicateSyntax
import QueryFrontEnds
import RecordModel
import Testing

@Suite struct InterpolationTests {
    static let record = Record(
        type: "Person", id: .init("p"),
        fields: [
            "name": "Ann O'Neil", "age": 33, "tags": ["a", "b"],
            "born": .date(Date(timeIntervalSinceReferenceDate: 12.5)),
            "odd key": 1,
        ])

    @Test func interpolationBindsValues() throws {
        let prefix = "ann"
        let predicate: RecordPredicate = "age < \(40) AND name BEGINSWITH[cd] \(prefix) AND \(key: "odd key") == \(1)"
        #expect(predicate.text == "age < %@ AND name BEGINSWITH[cd] %@ AND %K == %@")
        #expect(predicate.arguments == [40, "ann", "odd key", 1])
        #expect(try predicate.evaluate(on: Self.record))
        let none: String? = nil
        let kinds: RecordPredicate = """
            nothing == \(none) AND age IN \([33, 44]) AND born == \(Date(timeIntervalSinceReferenceDate: 12.5)) \
            AND 'a' IN \(key: "tags") AND age != \(.double(2.5)) AND age IN \(Set([33]))
            """
        #expect(try kinds.evaluate(on: Self.record))
    }

    @Test func hostileTextStaysText() throws {
        for text in [
            "' OR TRUEPREDICATE", "\" OR 1 == 1 OR \"", "%@", "%", "\\", "a'b\"c\\'", "$x", "{1}", "", "\u{0}",
            "é\u{301}",
        ] {
            let predicate: RecordPredicate = "name == \(text)"
            let matching = Record(type: "T", id: .init("r"), fields: ["name": .string(text)])
            #expect(try predicate.evaluate(on: matching), "\(text)")
            #expect(try !predicate.evaluate(on: Self.record), "\(text)")
            let printed = try RecordPredicate(format: predicate.description)
            #expect(try printed.evaluate(on: matching), "\(predicate.description)")
            #expect(try !printed.evaluate(on: Self.record), "\(predicate.description)")
        }
    }

    @Test func malformedInterpolationsFailAtFirstUse() {
        let cases: [(RecordPredicate, RecordPredicateError.Stage)] = [
            ("name == '\("Ann")'", .binding), ("age == \(1)\(2)", .syntax), ("age > \(1) AND", .syntax),
        ]
        for (predicate, stage) in cases {
            let errors = [
                #expect(throws: RecordPredicateError.self) { try predicate.validated() },
                #expect(throws: RecordPredicateError.self) { try predicate.evaluate(on: Self.record) },
            ]
            for error in errors { #expect(error?.stage == stage, "\(predicate.text)") }
        }
    }

    @Test("Of several predicates that are none the first is told")
    func firstFailure() {
        let (first, second): (RecordPredicate, RecordPredicate) = ("age >", "name ==")
        for (predicate, text) in [
            ("\(first) AND \(second)", "age >"), ("\(second) OR \(first)", "name =="),
        ] as [(RecordPredicate, String)] {
            let error = #expect(throws: RecordPredicateError.self) { try predicate.validated() }
            #expect(error?.text == text && error?.stage == .syntax)
        }
    }

    @Test func equalWhereTextAndValuesAre() throws {
        #expect(("age > \(1)" as RecordPredicate) == (try RecordPredicate(format: "age > %@", 1)))
        #expect(Set<RecordPredicate>(["age > 1", "age > \(1)", "age > \(2)"]).count == 3)
    }

    @Test func interpolatedValues() throws {
        let id = UUID()
        let optional: Date? = nil
        let cases: [(RecordPredicate, String, [FieldValue])] = [
            ("a == \(optional) OR b IN \([1, nil, 3])", "a == %@ OR b IN %@", [.null, [1, nil, 3]]),
            ("a == \([[1, 2], []])", "a == %@", [[[1, 2], []]]),
            (
                "a == \(RecordReference("x")) OR b == \(Record.ID("y"))", "a == %@ OR b == %@",
                [.reference(RecordReference("x")), .reference(RecordReference("y"))]
            ),
            ("a == \(Record(type: "T", id: Record.ID("z")))", "a == %@", [.reference(RecordReference("z"))]),
            ("a == \(["k": 1])", "a == %@", [.object(["k": 1])]),
            ("a == \(id) OR b IN \(Set(["q"]))", "a == %@ OR b IN %@", [.string(id.uuidString), .set(["q"])]),
            ("\(key: "key with spaces") == \(Status.open)", "%K == %@", ["key with spaces", "open"]),
            (
                "\(\Place.isCapital) == \(true) AND \(\Place.address.zip) > 1", "%K == %@ AND %K > 1",
                ["capital", true, "address.zip"]
            ),
            ("NOT \("a == \(1) OR b == %K" as RecordPredicate)", "a", []),
            (
                "\("a == \(1)" as RecordPredicate) OR \("b == \(2)" as RecordPredicate) OR c == \(3)",
                "(a == %@) OR (b == %@) OR c == %@", [1, 2, 3]
            ),
        ]
        for (predicate, text, arguments) in cases where text != "a" {
            #expect(predicate.text == text)
            #expect(predicate.arguments == arguments)
            _ = try predicate.validated()
        }
    }
}
