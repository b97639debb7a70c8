// What errors say as a whole: those of time, of figures of groups, of areas given as objects, of searches for words.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct ErrorWordingTests {
    @Test func theHintFollowsTheMessage() {
        let plain = EvaluationError(kind: .typeMismatch, span: .none, message: "no such thing")
        #expect(plain.description == "no such thing")
        let hinted = EvaluationError(kind: .typeMismatch, span: .none, message: "no such thing", hint: "write another")
        #expect(hinted.description == "no such thing (write another)")
    }

    @Test func aQueryThatTakesTooLong() throws {
        let bound = try Binder().bind(SyntaxTree(parsing: "ANY a < 0"))
        let value = FieldValue.object(["a": .list((0..<640).map { .int64($0) })])
        let error = #expect(throws: EvaluationError.self) {
            try QueryDeadline.run(within: .zero) { () throws(EvaluationError) in try bound.evaluate(onValue: value) }
        }
        #expect(error?.kind == .timeLimit && error?.message == "the query took longer than it may")
        #expect(error?.hint == "an index serves comparisons of a field with a constant")
    }

    /// Figures, the kind of values, and what is wrong with these; nil where nothing is.
    static let figures: [(figure: Aggregate, type: OperandType, message: String?)] = [
        (.sum("n"), .string, "sum(n) needs numbers, not text"), (.sum("n"), .number, nil), (.sum("n"), .any, nil),
        (.average("n"), .date, "average(n) needs numbers, not a date"), (.minimum("p"), .date, nil),
        (.minimum("p"), .location, "minimum(p) needs numbers, dates or texts, not a location"),
        (.maximum("p"), .object, "maximum(p) needs numbers, dates or texts, not an object"),
        (.maximum("p"), .string, nil), (.count, .object, nil), (.distinct("p"), .location, nil),
    ]

    @Test(arguments: figures.indices) func figuresOfGroups(_ number: Int) {
        let (figure, type, message) = Self.figures[number]
        let fault = figure.fault(of: type)
        #expect(fault?.message == message)
        #expect(fault?.hint == message.map { _ in "count and distinct take values of any kind" })
        let overflow = figure.overflow
        #expect(overflow.message == "\(figure) does not fit a whole number of 64 bits")
        #expect(overflow.hint == "the average is a double, which has no such bound")
    }

    /// Objects that are no areas, and the place in them that is at fault.
    static let areas: [(type: FieldValue, coordinates: FieldValue, message: String)] = [
        (
            "Polygon", [[[0, 0], [1, "x"], [1, 1], [0, 0]]], "coordinates[0][1][1]: a number is expected, not text"
        ),
        ("Polygon", [[[0, 0], [1, 0], 7, [0, 0]]], "coordinates[0][2]: a list is expected, not a number"),
        (
            "MultiPolygon", [[[[0, 0], [1, 0], [1, 1], [0, 0]]], [5]],
            "coordinates[1][0]: a list is expected, not a number"
        ),
        ("MultiPolygon", 5, "coordinates: a list is expected, not a number"), (5, [], "type: text is expected"),
    ]

    @Test(arguments: areas.indices) func areasGivenAsObjects(_ number: Int) throws {
        let (type, coordinates, message) = Self.areas[number]
        let value = FieldValue.object([
            "p": .location(.init(latitude: 1, longitude: 2)),
            "area": .object(["type": type, "coordinates": coordinates]),
        ])
        let error = #expect(throws: RecordPredicateError.self) {
            try RecordPredicate(format: "inPolygon(p, area) == TRUE").evaluate(onValue: value)
        }
        #expect(error?.message == message)
        #expect(error?.evaluationKind == .invalidArgument)
    }

    /// What is searched for in the words of a record is text.
    @Test(arguments: ["SELF TOKENMATCHES $w", "allTokens TOKENMATCHES $w"])
    func searchesForWhatIsNoText(text: String) throws {
        let record = Record(type: "T", id: Record.ID("r"), fields: ["title": "New York"])
        let bound = try Binder().bind(SyntaxTree(parsing: text))
        let context = EvaluationContext(now: .distantPast, variables: ["w": 12])
        let error = #expect(throws: EvaluationError.self) { try bound.evaluate(on: record, context: context) }
        #expect(error?.kind == .typeMismatch && error?.message == "a token search needs text, not a number")
        #expect(error.map { String(decoding: Array(text.utf8)[$0.span.range], as: UTF8.self) } == "$w")
    }
}
