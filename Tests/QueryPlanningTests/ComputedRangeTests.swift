// Ranges of computed numbers: whole columns are compared with both bounds, row by row nothing is evaluated.

import PredicateSemantics
import RecordDatabase
import RecordModel
import Testing

@Suite struct ComputedRangeTests {
    private static let set = Result {
        try RecordSet(
            records: (0..<1_000).map { number in
                Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number))])
            })
    }

    /// Of 0 to 999: 5 to 10 in both orders of the bounds, and 1.5 with 2.5.
    @Test(arguments: [("n * 2 BETWEEN {10, 20}", 6), ("n * 2 BETWEEN {20, 10}", 6), ("n + 0.5 BETWEEN {1.0, 2.5}", 2)])
    func rangesAreComputed(_ predicate: String, _ count: Int) throws {
        let explanation = try Self.set.get().explain(RecordPredicate(format: predicate))
        let step = try #require(explanation.plans.first).step
        #expect(step.name == "full scan" && step.detail.hasPrefix("compute n "), "\(step.detail)")
        #expect(step.rows == count)
    }
}
