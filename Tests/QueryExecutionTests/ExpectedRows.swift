// What a query has to find, by every way to find it.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordModel
import RecordStore
import Testing

extension Snapshot {
    /// Expects the rows that match among those of type `T`, which are named `r0`, `r1` … in their order: without indexes,
    /// with those that are there, and with all; as numbers, counted, and as records.
    func expectRows(of predicate: String, _ arguments: FieldValue..., are expected: [Int]) throws {
        let schema = try #require(self.schema(ofType: "T"))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: predicate, arguments: arguments))
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let query = SnapshotQuery(bound, over: self, type: "T", settings: .init(usage: usage, context: .unused))
            #expect(try query.numbers().map { Int($0) } == expected, "\(predicate), \(usage)")
            #expect(try query.count() == expected.count, "\(predicate), \(usage)")
            #expect(
                try query.rows().map { recordID($0).recordName } == expected.map { "r\($0)" }, "\(predicate), \(usage)")
        }
    }
}
