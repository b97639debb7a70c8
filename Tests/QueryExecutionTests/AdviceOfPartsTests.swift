// Advice where several parts of a predicate miss one index: each part tells for itself whether the index helps.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct AdviceOfPartsTests {
    /// Of as many records as a sample has, numbers from 0, eleven are above 500; all but one are other than 505, for
    /// which the index is no help.
    @Test(arguments: ["n > 500 AND n != 505", "n != 505 AND n > 500"])
    func partsOfOneFieldAreNotAddedUp(_ predicate: String) throws {
        let loader = RecordLoader()
        for number in 0..<512 {
            let record = Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number))])
            try loader.append(record, origin: number + 1)
        }
        let snapshot = Snapshot(loader.finish())
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        let usage = SegmentPlanner.IndexUsage.declared(IndexDeclaration(["m": .queryable]))
        let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(usage: usage, context: .unused))
        let missing = query.segmentQueries.missingIndexes
        #expect(missing.map(\.index.field) == ["n"] && missing.map { "\($0.part)" } == ["n > 500"])
        #expect(missing.map(\.rowsRead) == [512] && missing.map(\.rowsNeeded) == [11])
    }
}
