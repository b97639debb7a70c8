// Steps that texts take within SUBQUERY, where one record may be as long a work as any: exactly so many.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct TextStepTests {
    /// Ten numbers, ten texts, a text, and a number: a text of 4096 bytes takes a step for every 64.
    private static let fields: FieldValue = {
        let long = FieldValue.string(String(repeating: "x", count: 4096))
        let numbers = (0..<10).map { FieldValue.int64($0) }
        return .object([
            "numbers": .list(numbers), "texts": .list(numbers.map { _ in long }), "text": long, "number": 3,
        ])
    }()

    /// Predicates that do not hold, and the steps of each element: one for the element, one for the comparison, and
    /// those of the texts that it looks at. Words are sought in the eleven texts of the record.
    static let cases: [(text: String, steps: Int)] = [
        ("SUBQUERY(texts, $x, $x == 'z').@count > 0", 1 + 1 + 64),
        ("SUBQUERY(texts, $x, 'z' == $x).@count > 0", 1 + 1 + 64),
        ("SUBQUERY(texts, $x, $x == number).@count > 0", 1 + 1 + 64),
        ("SUBQUERY(texts, $x, $x != text).@count > 0", 1 + 1 + 64 + 64),
        ("SUBQUERY(texts, $x, NOT ($x ENDSWITH text)).@count > 0", 1 + 1 + 64 + 64),
        ("SUBQUERY(numbers, $x, allTokens TOKENMATCHES 'z').@count > 0", 1 + 1 + 11 * 64),
        ("SUBQUERY(numbers, $x, SELF TOKENMATCHES 'z').@count > 0", 1 + 1 + 11 * 64),
    ]

    @Test(arguments: cases.indices) func stepsOfTexts(_ number: Int) throws {
        let (text, steps) = Self.cases[number]
        let bound = try Binder().bind(SyntaxTree(parsing: text))
        func holds(within steps: Int) throws -> Bool {
            let context = EvaluationContext(now: .distantPast, maximumSteps: steps)
            return try bound.evaluate(onValue: Self.fields, context: context)
        }
        #expect(try !holds(within: 10 * steps))
        let error = #expect(throws: EvaluationError.self) { try holds(within: 10 * steps - 1) }
        #expect(error?.kind == .stepLimit)
    }
}
