// Where pages end, which records of several zones follow, and cursors of other queries or with values missing.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Testing

@Suite struct PageEdgeTests {
    private static func record(
        _ type: String, _ name: String, _ zone: String, _ fields: [String: FieldValue]
    ) -> Record {
        Record(type: type, id: Record.ID(name, zoneID: RecordZone.ID(zone)), fields: fields)
    }

    private static func snapshot(_ records: [Record]) throws -> Snapshot {
        let store = RecordStore()
        var batch = RecordBatch()
        for record in records { batch.save(record) }
        try store.commit(batch)
        return store.snapshot
    }

    private static func query(
        _ snapshot: Snapshot, type: String? = "T", zone: String? = nil, _ text: String = "n >= 0"
    ) throws -> SnapshotQuery {
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: text))
        return SnapshotQuery(
            bound, over: snapshot, type: type, zoneID: zone.map { RecordZone.ID($0) },
            settings: .init(context: .unused))
    }

    /// There is no page behind the last record, also where that fills its page.
    @Test(
        arguments: [[], [.ascending("n")], [.descending("m"), .ascending("n")], [SortKey(.recordName)]] as [[SortKey]])
    func fullPagesMayBeTheLast(_ keys: [SortKey]) throws {
        let snapshot = try Self.snapshot(
            (0..<10).map { Self.record("T", "r\($0)", "Z", ["n": .int64(Int64($0)), "m": 1]) })
        let query = try Self.query(snapshot)
        for sizes in [[Int](repeating: 1, count: 10), [3, 3, 3, 1], [5, 5], [10]] {
            let limit = sizes[0]
            var (found, cursor): ([Int], PageCursor?) = ([], nil)
            repeat {
                let page = try query.page(sortedBy: keys, limit: limit, after: cursor)
                found.append(page.rows.count)
                cursor = page.next
            } while cursor != nil && found.count < 12
            #expect(found == sizes, "\(limit)")
        }
        for limit in [0, -1, .min] {
            let page = try query.page(sortedBy: keys, limit: limit)
            #expect(page.rows.isEmpty && page.next == nil, "\(limit)")
        }
    }

    /// The same of rows that somebody else found; the zone is told where there are several.
    @Test func fullPagesOfKnownRows() throws {
        let bound = try Binder().bind(RecordPredicate(format: "TRUEPREDICATE"))
        for zoneID in [nil, RecordZone.ID("Z")] {
            let matches = KnownMatches(of: .bound(bound), type: "T", zoneID: zoneID, sortedBy: [SortKey(.recordName)])
            func page(_ limit: Int, after cursor: PageCursor?) throws -> (rows: [Int], next: PageCursor?) {
                try matches.page(
                    of: 6, limit: limit, after: cursor, value: { row, _ in .string("r\(row * 5 % 6)") },
                    zone: { _ in RecordZone.ID("Z") })
            }
            let first = try page(3, after: nil)
            // The names of the rows are r0, r5, r4, r3, r2, r1.
            #expect(first.rows == [0, 5, 4])
            let cursor = try #require(first.next)
            #expect(cursor.values == ["r2"] && cursor.zoneName == (zoneID == nil ? "Z" : nil))
            let second = try page(3, after: cursor)
            #expect(second.rows == [3, 2, 1] && second.next == nil)
            #expect(try page(6, after: nil).next == nil)
            for limit in [0, -1] {
                let none = try page(limit, after: nil)
                #expect(none.rows.isEmpty && none.next == nil)
            }
        }
    }

    /// What is level comes by the names of zones, then in order of insertion, on one page or on several.
    @Test(arguments: [1, 2, 4, 20]) func levelRecordsOfSeveralZones(limit: Int) throws {
        let snapshot = try Self.snapshot(
            ["b", "c", "a"].flatMap { zone in
                [("y", 2), ("z", 1), ("x", 1), ("w", .null)].map { name, n in
                    Self.record("T", name, zone, ["n": n, "m": 1])
                } as [Record]
            })
        let query = try Self.query(snapshot, "m == 1")
        let orders: [(keys: [SortKey], expected: String)] = [
            ([.ascending("n")], "aw bw cw az ax bz bx cz cx ay by cy"),
            ([.descending("n")], "ay by cy az ax bz bx cz cx aw bw cw"),
            ([.ascending("m")], "ay az ax aw by bz bx bw cy cz cx cw"),
            ([.descending("m"), SortKey(.recordName)], "aw bw cw ax bx cx ay by cy az bz cz"),
            ([SortKey(.recordName, isAscending: false)], "az bz cz ay by cy ax bx cx aw bw cw"),
            ([], "by bz bx bw cy cz cx cw ay az ax aw"),
        ]
        for (keys, expected) in orders {
            var (found, cursor): ([String], PageCursor?) = ([], nil)
            repeat {
                let page = try query.page(sortedBy: keys, limit: limit, after: cursor)
                found += page.rows.map(snapshot.recordID).map { $0.zoneID.zoneName + $0.recordName }
                cursor = page.next
            } while cursor != nil && found.count < 20
            #expect(found.joined(separator: " ") == expected, "\(keys)")
        }
    }

    /// A cursor goes on with the query that made it: with its type, its zone, and its keys.
    @Test func cursorsOfOtherQueries() throws {
        let snapshot = try Self.snapshot(
            ["Y", "Z"].flatMap { zone in
                ["T", "U"].flatMap { type in
                    (0..<4).map { Self.record(type, "\(type)\($0)", zone, ["n": .int64(Int64($0)), "m": 1]) }
                }
            })
        let keys = [SortKey.ascending("n")]
        let cursor = try #require(try Self.query(snapshot, zone: "Z").page(sortedBy: keys, limit: 2).next)
        #expect(try Self.query(snapshot, zone: "Z").page(sortedBy: keys, limit: 9, after: cursor).rows.count == 2)
        let others: [(type: String?, zone: String?, text: String, keys: [SortKey])] = [
            ("U", "Z", "n >= 0", keys), (nil, "Z", "n >= 0", keys), ("T", "Y", "n >= 0", keys),
            ("T", nil, "n >= 0", keys), ("T", "Z", "n >= 0 AND m == 1", keys), ("T", "Z", "n >= 0", [.ascending("m")]),
            ("T", "Z", "n >= 0", [.descending("n")]), ("T", "Z", "n >= 0", [SortKey(.recordName)]),
            ("T", "Z", "n >= 0", [.ascending("n"), .ascending("m")]), ("T", "Z", "n >= 0", []),
        ]
        for (number, other) in others.enumerated() {
            let query = try Self.query(snapshot, type: other.type, zone: other.zone, other.text)
            #expect(throws: PageError.otherQuery, "\(number)") {
                try query.page(sortedBy: other.keys, limit: 5, after: cursor)
            }
        }
    }

    /// A cursor as it is kept.
    private struct KeptCursor: Codable {
        var question: UInt64
        var values: [FieldValue]
        var zoneName: String?
        var sequence: Int
    }

    /// Cursors come from outside: one with fewer or more values than keys is none.
    @Test func cursorsWithValuesMissing() throws {
        let snapshot = try Self.snapshot(
            (0..<6).map { Self.record("T", "r\($0)", "Z", ["n": .int64(Int64($0)), "m": 1]) })
        let query = try Self.query(snapshot)
        let keys = [SortKey.ascending("m"), SortKey(.recordName)]
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: "n >= 0"))
        let known = KnownMatches(of: .bound(bound), type: "T", zoneID: nil, sortedBy: keys)
        let cursor = try #require(try query.page(sortedBy: keys, limit: 2).next)
        let kept = try JSONDecoder().decode(KeptCursor.self, from: JSONEncoder().encode(cursor))
        #expect(kept.values == [1, "r1"])
        for (values, isWhole) in [([1, "r1"], true), ([1], false), ([], false), ([1, "r1", 1], false)]
            as [([FieldValue], Bool)]
        {
            var other = kept
            other.values = values
            let read = try JSONDecoder().decode(PageCursor.self, from: JSONEncoder().encode(other))
            func pages() throws(PageError) -> [Int] {
                let rows = try known.page(
                    of: 6, limit: 9, after: read, value: { row, key in key == .recordName ? .string("r\(row)") : 1 },
                    zone: { _ in RecordZone.ID("Z") }
                ).rows
                return [try query.page(sortedBy: keys, limit: 9, after: read).rows.count, rows.count]
            }
            if isWhole {
                #expect(try pages() == [4, 4])
            } else {
                #expect(throws: PageError.otherQuery) { try query.page(sortedBy: keys, limit: 9, after: read) }
                #expect(throws: PageError.otherQuery) {
                    try known.page(
                        of: 6, limit: 9, after: read, value: { row, _ in .string("r\(row)") },
                        zone: { _ in RecordZone.ID("Z") })
                }
            }
        }
    }

    /// How many match in all is told where all were found, and not where finding them ended at the limit.
    @Test func matchesInAll() throws {
        let snapshot = try Self.snapshot(
            (0..<2_000).map { Self.record("T", "r\($0)", "Z", ["n": .int64(Int64($0 * 7 % 2_000)), "m": 1]) })
        let query = try Self.query(snapshot)
        #expect(try query.ordered(by: [.ascending("n")], limit: 10).matched == nil)
        #expect(try query.ordered(by: [.ascending("n")], limit: 2_001).matched == 2_000)
        #expect(try query.ordered(by: [.ascending("n")], limit: nil).matched == 2_000)
        let some = try query.ordered(by: [], limit: 10)
        #expect(some.matched == 2_000)
        #expect(some.rows.map { snapshot.recordID($0).recordName } == (0..<10).map { "r\($0)" })
    }
}
