// Orders of texts that are written with marks apart: as if composed, on every page, in every zone, and for found rows.

import Geospatial
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct ComposedOrderEdgesTests {
    /// Composed, the first text comes behind all others: é is a larger scalar than z.
    private static let texts = ["e\u{301}", "f", "z"]

    private static func query(
        _ snapshot: Snapshot, _ usage: SegmentPlanner.IndexUsage = .all
    ) throws -> SnapshotQuery {
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: "TRUEPREDICATE"))
        return SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(usage: usage, context: .unused))
    }

    private static func names(
        _ query: SnapshotQuery, _ keys: [SortKey], limit: Int, atMost most: Int
    ) throws -> [String] {
        var (found, cursor): ([String], PageCursor?) = ([], nil)
        repeat {
            let page = try query.page(sortedBy: keys, limit: limit, after: cursor)
            found += page.rows.map { query.snapshot.recordID($0).recordName }
            cursor = page.next
        } while cursor != nil && found.count <= most
        return found
    }

    private static func loaded(_ values: [[String: FieldValue]]) throws -> Snapshot {
        let loader = RecordLoader()
        for (row, fields) in values.enumerated() {
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        return Snapshot(loader.finish())
    }

    /// A page neither repeats nor leaves out a record whose text, as it is written, has another place.
    @Test(arguments: [1, 2, 9]) func pagesOfTextsWithMarksApart(limit: Int) throws {
        let snapshot = try Self.loaded((Self.texts + ["e\u{301}a"]).map { ["t": .string($0)] })
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let query = try Self.query(snapshot, usage)
            let up = try Self.names(query, [.ascending("t")], limit: limit, atMost: 4)
            #expect(up == ["r1", "r2", "r0", "r3"], "\(usage)")
            let down = try Self.names(query, [.descending("t")], limit: limit, atMost: 4)
            #expect(down == ["r3", "r0", "r2", "r1"], "\(usage)")
        }
    }

    /// Records without a place come last where the nearest are wanted, also where a page ends between them.
    @Test(arguments: [1, 2, 3, 9]) func pagesThatEndAtRecordsWithoutAPlace(limit: Int) throws {
        let snapshot = try Self.loaded([
            ["n": 1], ["p": .location(Location(latitude: 2, longitude: 0))], ["n": 2],
            ["p": .location(Location(latitude: 1, longitude: 0))],
        ])
        let keys: [SortKey] = [.distance("p", Location(latitude: 0, longitude: 0))]
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let found = try Self.names(try Self.query(snapshot, usage), keys, limit: limit, atMost: 4)
            #expect(found == ["r3", "r1", "r0", "r2"], "\(usage)")
        }
    }

    /// The first records of several small zones.
    @Test(arguments: [1, 2, 3]) func firstTextsOfSeveralZones(limit: Int) throws {
        let store = RecordStore()
        var batch = RecordBatch()
        for (number, text) in Self.texts.enumerated() {
            let id = Record.ID("r\(number)", zoneID: RecordZone.ID(number == 0 ? "A" : "B"))
            batch.save(Record(type: "T", id: id, fields: ["t": .string(text)]))
        }
        try store.commit(batch)
        let query = try Self.query(store.snapshot)
        let found = try query.ordered(by: [.ascending("t")], limit: limit).rows
        let names = found.map { query.snapshot.recordID($0).recordName }
        #expect(names == Array(["r1", "r2", "r0"].prefix(limit)))
    }

    /// Rows that somebody else found.
    @Test(arguments: [1, 2, 3]) func foundRowsWithMarksApart(limit: Int) throws {
        let bound = try Binder().bind(RecordPredicate(format: "TRUEPREDICATE"))
        let keys: [SortKey] = [.ascending("t"), SortKey(.recordName)]
        let matches = KnownMatches(of: .bound(bound), type: "T", zoneID: nil, sortedBy: keys)
        var (found, cursor): ([Int], PageCursor?) = ([], nil)
        repeat {
            let page = try matches.page(
                of: 3, limit: limit, after: cursor,
                value: { row, key in .string(key == .recordName ? "r\(row)" : Self.texts[row]) },
                zone: { _ in RecordZone.ID("Z") })
            found += page.rows
            cursor = page.next
        } while cursor != nil && found.count <= 3
        #expect(found == [1, 2, 0])
    }
}
