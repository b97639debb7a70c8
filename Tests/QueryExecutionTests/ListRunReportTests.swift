// What explanations expect of stretches of an index: a count, unless a row with a list may be in one several times.

import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct ListRunReportTests {
    /// Each of 100 rows has a number of its own, and three neighbours of it in a list.
    @Test(
        arguments: [
            ("n >= 40", true, 60), ("n == 40", true, 1), ("ANY l == 40", true, 3), ("ANY l >= 40", false, 62),
            ("ANY l BETWEEN {40, 41}", false, 4),
        ])
    func stretchesOfLists(_ predicate: String, _ isExact: Bool, _ rows: Int) throws {
        let loader = RecordLoader()
        for row in 0..<100 {
            let neighbours = (0...2).map { FieldValue.int64(Int64(row + $0)) }
            let fields: [String: FieldValue] = ["n": .int64(Int64(row)), "l": .list(neighbours)]
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        let snapshot = Snapshot(loader.finish())
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(usage: .all, context: .unused))
        let report = try #require(try query.report().first)
        #expect(report.rows == rows && report.isExact == isExact, "\(report)")
        #expect(!isExact || report.estimate == rows, "\(report)")
    }
}
