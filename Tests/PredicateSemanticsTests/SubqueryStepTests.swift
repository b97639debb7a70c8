// Steps that texts and lists take within SUBQUERY, where one record may be as long a work as any: exactly so many.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

/// Expects that a predicate does not hold, and which numbers of steps are enough to see that and which are too few.
func expectSteps(of predicate: String, on value: FieldValue, enough: Int, tooFew: Int) throws {
    let bound = try Binder().bind(SyntaxTree(parsing: predicate))
    func holds(within steps: Int) throws -> Bool {
        let context = EvaluationContext(now: .distantPast, maximumSteps: steps)
        return try bound.evaluate(onValue: value, context: context)
    }
    #expect(try !holds(within: enough))
    let error = #expect(throws: EvaluationError.self) { try holds(within: tooFew) }
    #expect(error?.kind == .stepLimit)
}

@Suite struct SubqueryStepTests {
    /// Ten numbers, ten texts, ten objects, a text, a list, and a number: a text of 4096 bytes takes a step for every
    /// 64, a list one for each element.
    private static let fields: FieldValue = {
        let long = FieldValue.string(String(repeating: "x", count: 4096))
        let numbers = (0..<10).map { FieldValue.int64($0) }
        let hundred = FieldValue.list((0..<100).map { FieldValue.int64($0) })
        let items = FieldValue.list((0..<100).map { FieldValue.object(["k": .int64($0)]) })
        return .object([
            "numbers": .list(numbers), "texts": .list(numbers.map { _ in long }), "text": long, "number": 3,
            "objects": .list(numbers.map { _ in .object(["k": hundred, "items": items]) }),
            "big": .list((1_000..<2_000).map { FieldValue.int64($0) }),
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
        // What a function or a cast takes is looked at, and so is what it gives.
        ("SUBQUERY(texts, $x, uppercase($x) == text).@count > 0", 1 + (1 + 64) + (1 + 64 + 64)),
        ("SUBQUERY(texts, $x, CAST($x, 'NSString') == 'z').@count > 0", 1 + (1 + 64) + (1 + 64)),
        // Lists count where they are read, and each element that leads to a value behind it.
        ("SUBQUERY(objects, $x, $x.k == 5).@count > 0", 1 + 100 + (1 + 100)),
        ("SUBQUERY(objects, $x, $x.items.k == 5).@count > 0", 1 + 100 + 100 + (1 + 100)),
        // The list of a thousand is read, one of one element is made, both are joined, the result is compared.
        ("SUBQUERY(numbers, $x, (big UNION {$x}) == 5).@count > 0", 1 + 1000 + (1 + 1) + (1000 + 1) + (1 + 1001)),
    ]

    @Test(arguments: cases.indices) func stepsOfTextsAndLists(_ number: Int) throws {
        let (text, steps) = Self.cases[number]
        try expectSteps(of: text, on: Self.fields, enough: 10 * steps, tooFew: 10 * steps - 1)
    }
}
