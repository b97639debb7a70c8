// The one record that has a value: in its type and zone, while it is there, and where no other has it.

import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Testing

@Suite struct OnlyRecordTests {
    private static func record(_ type: String, _ name: String, _ zone: String, _ value: String) -> Record {
        Record(type: type, id: Record.ID(name, zoneID: RecordZone.ID(zone)), fields: ["u": .string(value)])
    }

    private static let records =
        [
            record("T", "a1", "A", "k1"), record("T", "b1", "B", "k1"), record("U", "a2", "A", "k2"),
            record("T", "a3", "A", "k2"), record("T", "a4", "A", "gone"), record("T", "a5", "A", "twice"),
            record("T", "a6", "A", "twice"), record("T", "b2", "B", "k3"), record("U", "b3", "B", "k4"),
            record("T", "a7", "A", "left"), record("T", "a8", "A", "left"),
        ]

    /// Values, types and zones, and the names of the records; `nil` where only a plan tells.
    private static let cases: [(value: String, type: String?, zone: String?, names: [String]?)] = [
        ("k1", "T", "A", ["a1"]), ("k1", "T", "B", ["b1"]), ("k1", "T", nil, nil), ("k1", nil, nil, nil),
        ("k1", "U", nil, []), ("k2", "T", nil, ["a3"]), ("k2", "U", nil, ["a2"]), ("k2", nil, "A", nil),
        ("k2", "U", "B", []), ("k3", "T", "A", []), ("k3", "T", "B", ["b2"]), ("k3", nil, nil, ["b2"]),
        ("k4", "T", nil, []), ("k4", nil, "B", ["b3"]), ("gone", "T", "A", []), ("gone", nil, nil, []),
        ("twice", "T", "A", nil), ("left", "T", "A", ["a8"]), ("absent", nil, nil, []),
    ]

    /// In small segments, whose columns are read, and in large ones with an index.
    @Test(arguments: [0, 600]) func onlyRecords(others: Int) throws {
        let store = RecordStore()
        var batch = RecordBatch()
        for record in Self.records { batch.save(record) }
        for number in 0..<others {
            for (type, zone) in [("T", "A"), ("T", "B"), ("U", "A"), ("U", "B")] {
                batch.save(Self.record(type, "\(type)\(number)", zone, "\(type)\(zone)\(number)"))
            }
        }
        try store.commit(batch)
        let schema = store.snapshot.schema(ofType: "T")
        func predicate(_ value: String) throws -> QueryPredicate {
            let (shape, values) = try #require(
                try RecordPredicate(format: "u == %@", arguments: [.string(value)]).shape())
            let template = try #require(ConstraintTemplate(shape, binder: Binder(schema: schema)))
            return .template(try #require(FilledTemplate(template, values)))
        }
        // Where there are indexes, these are built before anything is deleted.
        let settings = SnapshotQuery.Settings(context: .unused)
        #expect(
            try SnapshotQuery(predicate("k1"), over: store.snapshot, type: nil, settings: settings).count() == 2)
        var change = RecordBatch()
        for name in ["a4", "a7"] { change.delete(Record.ID(name, zoneID: RecordZone.ID("A"))) }
        try store.commit(change)
        let snapshot = store.snapshot
        for (value, type, zone, names) in Self.cases {
            let zoneID = zone.map { RecordZone.ID($0) }
            let found = snapshot.onlyRow(of: try predicate(value), type: type, zoneID: zoneID, usage: .all)
            #expect(found?.map { snapshot.recordID($0).recordName } == names, "\(value) \(type ?? "") \(zone ?? "")")
            // The query itself finds them all.
            let query = SnapshotQuery(
                try predicate(value), over: snapshot, type: type, zoneID: zoneID, settings: settings)
            if let names { #expect(try query.rows().map { snapshot.recordID($0).recordName } == names) }
            #expect(try names != nil || query.count() == 2, "\(value)")
        }
        #expect(snapshot.onlyRow(of: try predicate("k3"), type: nil, zoneID: nil, usage: .none) == nil)
    }
}
