// Orders and groups by what is inside of values and behind references, and by parts of the record beside fields of
// their names.

import Geospatial
import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct PathOrderTests {
    private static func link(_ name: String) -> FieldValue { .reference(RecordReference(name)) }

    private static func place(_ latitude: Double, _ longitude: Double) -> FieldValue {
        .location(Location(latitude: latitude, longitude: longitude))
    }

    private static let records: [Record] = [
        Record(
            type: "T", id: Record.ID("r0"),
            fields: ["o": .object(["a": .object(["b": 3])]), "place": place(5, -20), "owner": link("p1"), "id": "zz"]),
        Record(
            type: "T", id: Record.ID("r1"),
            fields: [
                "o": .object(["a": .object(["b": 1])]), "place": place(-7, 40), "owner": link("p2"), "type": "A",
                "x": .object(["y": 5]),
            ]),
        Record(
            type: "T", id: Record.ID("r2"), fields: ["o": .object(["a": 2]), "owner": link("gone"), "type": "Z"]),
        Record(type: "T", id: Record.ID("r3"), fields: ["x.y": 1]),
        Record(
            type: "P", id: Record.ID("p1"), fields: ["n": 9, "home": place(1, 80), "boss": link("p2")]),
        Record(type: "P", id: Record.ID("p2"), fields: ["n": 4, "home": place(2, -80)]),
    ]

    /// Records that were loaded, with indexes, and those of a store.
    private static func snapshots() throws -> [Snapshot] {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
        let store = RecordStore()
        var batch = RecordBatch()
        for record in records { batch.save(record) }
        try store.commit(batch)
        return [Snapshot(loader.finish()), store.snapshot]
    }

    /// Names of sort keys, what r0 to r3 have of them, and their order.
    static let cases: [(name: String, values: [FieldValue], order: String)] = [
        ("o.a.b", [3, 1, .null, .null], "2310"), ("o.a", [.object(["b": 3]), .object(["b": 1]), 2, .null], "3201"),
        ("o.a.b.c", [.null, .null, .null, .null], "0123"), ("o..b", [.null, .null, .null, .null], "0123"),
        ("place.latitude", [.double(5), .double(-7), .null, .null], "2310"),
        ("place.longitude", [.double(-20), .double(40), .null, .null], "2301"),
        ("place.altitude", [.null, .null, .null, .null], "0123"),
        ("place.latitude.x", [.null, .null, .null, .null], "0123"),
        ("owner.n", [9, 4, .null, .null], "2310"), ("owner.nothing", [.null, .null, .null, .null], "0123"),
        ("owner.home.latitude", [.double(1), .double(2), .null, .null], "2301"),
        ("owner.home.longitude", [.double(80), .double(-80), .null, .null], "2310"),
        ("owner.boss.n", [4, .null, .null, .null], "1230"),
        ("owner.boss.home.latitude", [.double(2), .null, .null, .null], "1230"),
        ("owner.recordName", ["p1", "p2", .null, .null], "2301"),
        ("owner.recordType", ["P", "P", .null, .null], "2301"), ("owner.id", ["p1", "p2", .null, .null], "2301"),
        ("type", ["T", "A", "Z", "T"], "1032"), ("id", ["zz", "r1", "r2", "r3"], "1230"),
        ("recordName", ["r0", "r1", "r2", "r3"], "0123"), ("recordType", ["T", "T", "T", "T"], "0123"),
        ("absent", [.null, .null, .null, .null], "0123"),
    ]

    private static func query(_ snapshot: Snapshot) throws -> SnapshotQuery {
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: "TRUEPREDICATE"))
        return SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused))
    }

    private static func expectOrder(_ order: String, by name: String, in snapshot: Snapshot) throws {
        for limit in [nil, 1, 2, 3, 4] as [Int?] {
            let rows = try query(snapshot).ordered(by: [.ascending(name)], limit: limit).rows
            let expected = order.prefix(limit ?? 4).map { "r\($0)" }
            #expect(rows.map { snapshot.recordID($0).recordName } == expected, "\(name) \(limit ?? 0)")
        }
    }

    @Test(arguments: cases)
    func namesLeadIntoValuesAndRecords(name: String, values: [FieldValue], order: String) throws {
        for snapshot in try Self.snapshots() {
            try Self.expectOrder(order, by: name, in: snapshot)
            let groups = try Self.query(snapshot).groups(by: [name], [])
            let counts = Dictionary(grouping: values) { $0 }.mapValues(\.count)
            #expect(groups.count == counts.count && groups.allSatisfy { counts[$0.keys[0]] == $0.count }, "\(name)")
        }
    }

    /// A field whose name has a dot goes before what a path leads to, record by record.
    @Test func fieldsGoBeforePaths() throws {
        for snapshot in try Self.snapshots() { try Self.expectOrder("0231", by: "x.y", in: snapshot) }
    }
}
