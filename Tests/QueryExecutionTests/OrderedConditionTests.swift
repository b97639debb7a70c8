// The first records in the order of an index, under every kind of condition that rows are asked for one by one.

import Geospatial
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct OrderedConditionTests {
    private static let count = 4_000

    /// A number of its own for each row, in another order than that of the rows.
    private static func order(_ row: Int) -> Int { row * 1_237 % count }

    /// What rows without a value hold is a value too: all conditions are asked of gaps.
    private static func record(_ row: Int) -> Record {
        var fields: [String: FieldValue] = ["n": .int64(Int64(order(row)))]
        if row % 3 != 0 { fields["place"] = .location(Location(latitude: Double(row % 37), longitude: 0)) }
        if row % 5 != 4 { fields["few"] = .string(["red", "green", "blue", "red"][row % 5]) }
        if row % 11 != 0 { fields["text"] = .string(row % 4 == 3 ? "1 two x\(row)" : "two \(row % 2) x\(row)") }
        if row % 13 != 0 { fields["i"] = .int64(Int64(row % 100 - 50)) }
        if row % 17 != 0 { fields["x"] = .double(Double(row % 100) / 2 - 20) }
        if row % 19 != 0 { fields["owner"] = .reference(RecordReference("o\(row % 20)")) }
        if row % 23 != 0 { fields["flag"] = .bool(row % 2 == 0) }
        return Record(type: "T", id: Record.ID("r\(row)"), fields: fields)
    }

    private static let records =
        (0..<20).map { Record(type: "O", id: Record.ID("o\($0)"), fields: ["age": .int64(Int64($0))]) }
        + (0..<count).map(record)

    /// One segment of each type, and several.
    private static let snapshots: [Snapshot]? = {
        let loader = RecordLoader()
        let store = RecordStore()
        do {
            for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
            for part in [records[..<2_600], records[2_600...]] {
                var batch = RecordBatch()
                for record in part { batch.save(record) }
                try store.commit(batch)
            }
        } catch { return nil }
        return [Snapshot(loader.finish()), store.snapshot]
    }()

    private static func hasI(_ row: Int) -> Bool { row % 13 != 0 }
    private static func i(_ row: Int) -> Int { row % 100 - 50 }
    /// Within 2930 km of the equator: up to 26 degrees; 27 are 2987 km.
    private static func isNear(_ row: Int) -> Bool { row % 3 != 0 && row % 37 <= 26 }
    private static func holdsR(_ row: Int) -> Bool { [0, 1, 3].contains(row % 5) }

    private static let near = "distanceToLocation:fromLocation:(place, %@) < 2930000"

    static let cases: [(predicate: String, holds: @Sendable (Int) -> Bool)] = [
        ("i >= 20 AND \(near)", { hasI($0) && i($0) >= 20 && isNear($0) }), (near, isNear),
        ("NOT (\(near))", { !isNear($0) }),
        ("NOT (\(near)) AND NOT (i < 20)", { !isNear($0) && (!hasI($0) || i($0) >= 20) }),
        ("NOT (i < 20)", { !hasI($0) || i($0) >= 20 }), ("NOT (x < 5)", { $0 % 17 == 0 || $0 % 100 >= 50 }),
        ("NOT (i BETWEEN {-40, 40})", { !hasI($0) || abs(i($0)) > 40 }),
        ("few CONTAINS 'r'", holdsR), ("NOT (few CONTAINS 'r')", { !holdsR($0) }),
        ("TERNARY(few == nil, 1, 2) == 1", { $0 % 5 == 4 }), ("TERNARY(few == nil, 1, 2) == 2", { $0 % 5 != 4 }),
        ("few CONTAINS 'r' AND text LIKE '*'", { holdsR($0) && $0 % 11 != 0 }),
        ("text TOKENMATCHES[cdp] 'two 1'", { $0 % 4 == 1 && $0 % 11 != 0 }),
        ("NOT (text TOKENMATCHES[cdp] 'two 1')", { $0 % 4 != 1 || $0 % 11 == 0 }),
        ("text LIKE '*'", { $0 % 11 != 0 }), ("NOT (text LIKE '*')", { $0 % 11 == 0 }),
        ("text ENDSWITH '7'", { $0 % 11 != 0 && $0 % 10 == 7 }),
        ("owner.age > 10", { $0 % 19 != 0 && $0 % 20 > 10 }), ("owner.age != 3", { $0 % 19 == 0 || $0 % 20 != 3 }),
        ("i * 2 > x", { hasI($0) && $0 % 17 != 0 && $0 % 100 >= 54 }),
        ("i IN {1, 2, 3, 4, 5, 6, 7, 8}", { hasI($0) && (1...8).contains(i($0)) }),
        ("NOT (i IN {1, 2, 3, 4, 5, 6, 7, 8})", { !hasI($0) || !(1...8).contains(i($0)) }),
        ("i > 40 OR x < -15", { hasI($0) && i($0) > 40 || $0 % 17 != 0 && $0 % 100 < 10 }),
        ("flag == nil", { $0 % 23 == 0 }),
        ("flag == NO AND i > 0", { $0 % 23 != 0 && $0 % 2 == 1 && hasI($0) && i($0) > 0 }),
    ]

    /// All indexes, and that of the order alone: then conditions are looked at row by row.
    private static let usages: [SegmentPlanner.IndexUsage] = [.all, .declared(IndexDeclaration(["n": .sortable]))]

    @Test(arguments: cases.indices, usages) func firstPages(_ number: Int, _ usage: SegmentPlanner.IndexUsage) throws {
        let (text, holds) = Self.cases[number]
        let arguments: [FieldValue] = Array(
            repeating: .location(Location(latitude: 0, longitude: 0)), count: text.contains("%@") ? 1 : 0)
        let matching = (0..<Self.count).filter(holds).sorted { Self.order($0) < Self.order($1) }
        for snapshot in try #require(Self.snapshots) {
            let bound = try Binder(schema: snapshot.schema(ofType: "T"))
                .bind(RecordPredicate(format: text, arguments: arguments))
            let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(usage: usage, context: .unused))
            for isAscending in [true, false] {
                let keys = [SortKey(.field("n"), isAscending: isAscending)]
                var (found, cursor): ([String], PageCursor?) = ([], nil)
                for _ in 0..<3 {
                    let page = try query.page(sortedBy: keys, limit: 5, after: cursor)
                    found += page.rows.map { snapshot.recordID($0).recordName }
                    cursor = page.next
                }
                let expected = (isAscending ? matching : matching.reversed()).prefix(15).map { "r\($0)" }
                #expect(found == expected, "\(snapshot.segments.count) segments, \(isAscending)")
            }
        }
    }
}
