// Conditions on flags that no index serves: decided by the three values a flag may have.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordModel
import RecordStore
import Testing

@Suite struct TruthColumnTests {
    /// Predicates over `yes`, `no` and a record without the flag, and who they hold for.
    static let cases: [(predicate: String, names: String)] = [
        ("flag == YES", "yes"), ("flag == NO", "no"), ("flag == nil", "none"), ("flag != YES", "no none"),
        ("TERNARY(flag == nil, 1, 2) == 1", "none"), ("TERNARY(flag == nil, 1, 2) == 2", "no yes"),
        ("TERNARY(flag == YES, 1, 2) == 2", "no none"), ("TERNARY(flag == YES, 1, 2) == 1", "yes"),
        ("flag == flag", "no none yes"), ("flag IN {YES, NO}", "no yes"), ("NOT (flag IN {YES})", "no none"),
        ("flag != 'x'", "no none yes"), ("flag == 'x'", ""), ("flag == 1", "yes"), ("flag != 1", "no none"),
        ("NOT (flag IN {'x', 5})", "no none yes"), ("flag BETWEEN {NO, YES}", "no yes"),
        ("CAST(flag, 'NSString') == '1'", "yes"), ("flag > 0", "yes"), ("NOT (flag > 0)", "no none"),
        ("{flag, 1} == {nil, 1}", "none"),
        // Neither a lookup nor a computed condition: each of the three values is asked about once.
        ("flag + 1 == nil", "none"), ("flag + 1 != nil", "no yes"),
    ]

    @Test(arguments: cases) func flags(predicate: String, names: String) throws {
        let store = RecordStore()
        var batch = RecordBatch()
        for (name, fields) in [("yes", ["flag": true]), ("no", ["flag": false]), ("none", ["other": 1])]
            as [(String, [String: FieldValue])]
        {
            batch.save(Record(type: "T", id: Record.ID(name), fields: fields))
        }
        try store.commit(batch)
        let snapshot = store.snapshot
        let schema = try #require(snapshot.schema(ofType: "T"))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: predicate))
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let query = SnapshotQuery(
                bound, over: snapshot, type: "T", settings: .init(usage: usage, context: .unused))
            let found = try query.rows().map { snapshot.recordID($0).recordName }.sorted()
            #expect(found.joined(separator: " ") == names, "\(usage)")
        }
    }
}
