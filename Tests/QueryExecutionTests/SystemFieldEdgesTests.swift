// Identifiers and types as fields: of the record itself, of records behind references, and of rows of a table.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct SystemFieldEdgesTests {
    private static let usages: [SegmentPlanner.IndexUsage] = [.none, .built, .all]

    private static func link(_ name: String) -> FieldValue { .reference(RecordReference(name)) }

    /// What a record that a reference leads to has no field for may be its name or type.
    @Test(
        arguments: [
            ("owner.recordType == 'P'", [0]), ("owner.recordType == 'Q'", [1]), ("owner.recordType != 'P'", [1, 2, 3]),
            ("owner.recordType IN {'P', 'Q'}", [0, 1]), ("owner.type == 'P'", [0]), ("owner.type == 'Q'", [1]),
            ("owner.type != 'Q'", [0, 2, 3]), ("owner.id == 'p1'", [0]), ("owner.id == 'q1'", [1]),
            ("owner.id != 'p1'", [1, 2, 3]), ("owner.boss.id == 'q1'", [0]), ("owner.boss.recordType == 'Q'", [0]),
        ] as [(String, [Int])])
    func partsOfRecordsBehindReferences(_ predicate: String, _ expected: [Int]) throws {
        let records = [
            Record(type: "T", id: Record.ID("r0"), fields: ["owner": Self.link("p1")]),
            Record(type: "T", id: Record.ID("r1"), fields: ["owner": Self.link("q1")]),
            Record(type: "T", id: Record.ID("r2"), fields: ["owner": Self.link("gone")]),
            Record(type: "T", id: Record.ID("r3"), fields: ["n": 1]),
            Record(type: "P", id: Record.ID("p1"), fields: ["boss": Self.link("q1")]),
            Record(type: "Q", id: Record.ID("q1"), fields: ["n": 2]),
        ]
        let loader = RecordLoader()
        for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
        let snapshot = Snapshot(loader.finish())
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        for usage in Self.usages {
            let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(usage: usage, context: .unused))
            #expect(try query.rows().map { snapshot.recordID($0).recordName } == expected.map { "r\($0)" }, "\(usage)")
        }
    }

    /// The identifier of a record is that of its zone: a record of the same name in another zone is another one.
    @Test func identifiersAreOfTheirZones() throws {
        let store = RecordStore()
        var batch = RecordBatch()
        let ids = ["Y", "Z"].flatMap { zone in
            ["a", "b"].map { Record.ID($0, zoneID: RecordZone.ID(zone)) }
        }
        for id in ids { batch.save(Record(type: "T", id: id, fields: ["n": 1])) }
        try store.commit(batch)
        let snapshot = store.snapshot
        for id in ids {
            let predicate = try RecordPredicate(
                format: "recordID == %@", arguments: [.reference(RecordReference(recordID: id))])
            let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(predicate)
            for usage in Self.usages {
                let query = SnapshotQuery(
                    bound, over: snapshot, type: "T", settings: .init(usage: usage, context: .unused))
                #expect(try query.rows().map(snapshot.recordID) == [id], "\(usage)")
            }
        }
    }

    /// A column of a table may be called as it likes: a row without a value has none, and not its own name or type.
    @Test(arguments: ["id", "type"]) func columnsOfATableNamedAsParts(_ column: String) throws {
        let rows: [[String: FieldValue]] = [[column: "b", "n": 1], ["n": 2], [column: "a", "n": 3]]
        let loader = RecordLoader(keys: .ofTable)
        for (row, fields) in rows.enumerated() {
            // Both names come behind "a" and "b".
            try loader.append(Record(type: "row", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        let snapshot = Snapshot(loader.finish())
        let bound = try Binder(schema: snapshot.schema(ofType: "row")).bind(RecordPredicate(format: "TRUEPREDICATE"))
        for usage in Self.usages {
            let query = SnapshotQuery(
                bound, over: snapshot, type: "row", settings: .init(usage: usage, context: .unused))
            for limit in [1, 3] {
                let found = try query.ordered(by: [.ascending(column)], limit: limit).rows
                let names = found.map { snapshot.recordID($0).recordName }
                #expect(names == Array(["r1", "r2", "r0"].prefix(limit)), "\(usage)")
            }
        }
    }
}
