// Limits on what a query gives and on the steps of a record hold on every way to a result.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ResultLimitTests {
    private static func set(_ count: Int, names: Int = 1) throws -> RecordSet {
        try RecordSet(
            records: (0..<count).map { number in
                record("r\(number)", ["n": .int64(Int64(number)), "name": .string("n\(number % names)")])
            })
    }

    /// Prepared queries that look values up directly are held to the limit, too; counting them costs no memory.
    @Test(arguments: [(80, true), (79, false), (8, false)])
    func resultsOfLookups(_ bytes: Int, _ fits: Bool) throws {
        var set = try Self.set(300, names: 30)
        set.limits.resultBytes = bytes
        let prepared = try set.prepare("name == $x")
        #expect(try prepared.count(["x": "n3"]) == 10)
        if fits {
            #expect(try prepared.ordinals(["x": "n3"]).count == 10)
        } else {
            let error = #expect(throws: RecordPredicateError.self) { try prepared.ordinals(["x": "n3"]) }
            #expect(error?.evaluationKind == .resultLimit)
        }
    }

    /// Of many matches those count that a limit leaves.
    @Test func resultsThatAreCut() throws {
        var set = try Self.set(1000)
        set.limits.resultBytes = 100
        for limit in [1, 12] {
            #expect(try set.ordinals(matching: "n >= 0", limit: limit) == Array(0..<limit))
            #expect(try set.prepare("n >= 0", limit: limit).ordinals().count == limit)
        }
        for limit in [13, nil] as [Int?] {
            let error = #expect(throws: RecordPredicateError.self) {
                try set.ordinals(matching: "n >= 0", limit: limit)
            }
            #expect(error?.evaluationKind == .resultLimit)
        }
    }

    /// Chance beside a long list does not lift the limit on steps.
    @Test func stepsBesideChance() throws {
        let list = FieldValue.list((0..<640).map { .int64(Int64($0)) })
        var set = try RecordSet(records: [record("r", ["a": list, "n": 1])])
        let predicate: RecordPredicate = "random() >= 0 AND SUBQUERY(a, $x, ANY {$x, $x} < n - 1000).@count > 0"
        #expect(try set.count(matching: predicate) == 0)
        set.limits.stepsPerRecord = 640
        let counted = #expect(throws: RecordPredicateError.self) { try set.count(matching: predicate) }
        let prepared = #expect(throws: RecordPredicateError.self) { try set.prepare(predicate).count() }
        for error in [counted, prepared] {
            #expect(error?.evaluationKind == .stepLimit)
            #expect(error?.description.contains("640 steps") == true)
        }
    }
}
