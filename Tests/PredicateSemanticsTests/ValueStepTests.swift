// Steps that binary data and objects take within SUBQUERY: as many as there is to look at.

import Foundation
import RecordModel
import Testing

@Suite struct ValueStepTests {
    /// Ten pieces of 4096 bytes, a step for every 64; ten objects of one member, a list of a hundred.
    private static let fields = FieldValue.object([
        "blobs": .list((0..<10).map { _ in .data(Data(repeating: 7, count: 4096)) }),
        "objects": .list((0..<10).map { _ in .object(["k": .list((0..<100).map { .int64($0) })]) }), "number": 3,
    ])

    /// Predicates that do not hold, and the steps of each element: one for it, one for the comparison, and its own.
    static let cases: [(text: String, steps: Int)] = [
        ("SUBQUERY(blobs, $x, $x == number).@count > 0", 1 + 1 + 64),
        ("SUBQUERY(objects, $x, $x == number).@count > 0", 1 + 1 + (1 + 100)),
    ]

    @Test(arguments: cases.indices) func stepsOfDataAndObjects(_ number: Int) throws {
        let (text, steps) = Self.cases[number]
        try expectSteps(of: text, on: Self.fields, enough: 10 * steps, tooFew: 10 * steps - 1)
    }

    /// A list that stays the same is read once, and lists are compared as far as the shorter one goes: a thousand steps
    /// and three for each element.
    @Test func stepsOfAListThatStays() throws {
        let value = FieldValue.object([
            "ones": .list((0..<100).map { .list([.int64($0)]) }),
            "big": .list((5_000..<6_000).map { .int64($0) }),
        ])
        let text = "SUBQUERY(ones, $x, $x == big).@count > 0"
        try expectSteps(of: text, on: value, enough: 1000 + 3 * 100, tooFew: 1000)
    }
}
