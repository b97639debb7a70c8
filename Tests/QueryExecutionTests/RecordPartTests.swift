// Names and types of records where fields may have the same names, and zones that are told apart by their owners.

import Geospatial
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct RecordPartTests {
    private static func table(_ records: [(name: String, fields: [String: FieldValue])]) throws -> Snapshot {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() {
            try loader.append(Record(type: "M", id: Record.ID(record.name), fields: record.fields), origin: line + 1)
        }
        return Snapshot(loader.finish())
    }

    private static func query(
        _ text: String, _ snapshot: Snapshot, usage: SegmentPlanner.IndexUsage = .all, zoneID: RecordZone.ID? = nil
    ) throws -> SnapshotQuery {
        let bound = try Binder(schema: snapshot.schema(ofType: "M")).bind(RecordPredicate(format: text))
        return SnapshotQuery(
            bound, over: snapshot, type: "M", zoneID: zoneID, settings: .init(usage: usage, context: .unused))
    }

    /// Where a record lacks the field, its own part of that name is what it is sorted by.
    @Test(arguments: ["type", "recordType", "id", "recordName", "a.b"]) func fieldsNamedAsParts(_ field: String) throws
    {
        let snapshot = try Self.table([
            ("M", [field: "Z"]), ("M1", ["a": .object(["b": "M"])]), ("M2", [field: "A"]), ("M3", [field: "B"]),
        ])
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let query = try Self.query("TRUEPREDICATE", snapshot, usage: usage)
            for limit in [1, 2, 3, 4] {
                for (isAscending, names) in [(true, ["M2", "M3", "M1", "M"]), (false, ["M", "M1", "M3", "M2"])] {
                    let page = try query.page(
                        sortedBy: [SortKey(.field(field), isAscending: isAscending)], limit: limit)
                    let found = page.rows.map { snapshot.recordID($0).recordName }
                    #expect(found == Array(names.prefix(limit)), "\(usage), \(limit)")
                }
            }
        }
    }

    /// What is asked of a field is asked of the field, though a part of the record has its name.
    @Test(
        arguments: [
            ("recordType == 'M'", "b"), ("recordType == 'A'", "a"), ("recordType == nil", "c"),
            ("recordType IN {'A', 'M'}", "a b"), ("recordType != 'M'", "a c"), ("recordName == 'a'", "b"),
            ("recordName == 'z'", "a"), ("recordName == nil", "c"), ("recordName BEGINSWITH 'a'", "b"),
        ] as [(String, String)])
    func conditionsOnFieldsNamedAsParts(_ predicate: String, _ names: String) throws {
        let snapshot = try Self.table([
            ("a", ["recordType": "A", "recordName": "z"]), ("b", ["recordType": "M", "recordName": "a"]),
            ("c", ["n": 1]),
        ])
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let found = try Self.query(predicate, snapshot, usage: usage).rows()
            #expect(found.map { snapshot.recordID($0).recordName }.joined(separator: " ") == names, "\(usage)")
        }
    }

    /// CloudKit's names are those of the record's parts, too, where others stand for identifier and type.
    @Test(
        arguments: [
            ("recordType == kind", ["a"]), ("recordType != kind", ["b", "c"]), ("recordName == kind", ["b"]),
        ] as [(String, [String])])
    func partsBesideFields(_ predicate: String, _ names: [String]) throws {
        let snapshot = try Self.table([("a", ["kind": "M"]), ("b", ["kind": "b"]), ("c", ["n": 1])])
        #expect(snapshot.keys == RecordKeys(id: "id", type: "type"))
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let found = try Self.query(predicate, snapshot, usage: usage).rows()
            #expect(found.map { snapshot.recordID($0).recordName } == names, "\(usage)")
        }
    }

    /// Values inside values, and those of records that references lead to; what has none comes first.
    @Test(
        arguments: [
            ("place.latitude", "d c b a"), ("place.longitude", "d a c b"), ("deep.in.n", "b c d a"),
            ("owner.place.longitude", "b a c d"), ("owner.deep.in.n", "b a d c"),
            ("owner.owner.place.latitude", "c b a d"), ("owner.recordName", "b a c d"),
            ("place.altitude", "d c b a"),
        ] as [(String, String)])
    func orderedByPaths(_ path: String, _ names: String) throws {
        func place(_ latitude: Double, _ longitude: Double) -> FieldValue {
            .location(Location(latitude: latitude, longitude: longitude))
        }
        func deep(_ number: Int64) -> FieldValue { .object(["in": .object(["n": .int64(number)]), "n": 0]) }
        func owner(_ name: String) -> FieldValue { .reference(RecordReference(name)) }
        let snapshot = try Self.table([
            ("d", ["deep": deep(5), "owner": owner("c")]),
            ("c", ["place": place(2, 5), "deep": deep(2), "owner": owner("a")]),
            ("b", ["place": place(3, 8), "owner": owner("gone")]),
            ("a", ["place": place(4, 1), "deep": deep(9)]),
        ])
        let query = try Self.query("TRUEPREDICATE", snapshot)
        for limit in [2, 4] {
            let found = try query.page(sortedBy: [.ascending(path)], limit: limit).rows
            let expected = names.split(separator: " ").prefix(limit).map(String.init)
            #expect(found.map { snapshot.recordID($0).recordName } == expected)
        }
    }

    /// Long names in order of their scalars when composed, also behind their first sixteen bytes.
    @Test func longNamesInOrder() throws {
        let start = "sixteen-and-more-"
        let names = ["", "a", "aa", "b", "e", "z", "e\u{301}"].map { start + $0 }
        let snapshot = try Self.table([4, 6, 0, 5, 2, 1, 3].map { (names[$0], [:]) })
        let query = try Self.query("TRUEPREDICATE", snapshot, usage: .none)
        for (isAscending, expected) in [(true, names), (false, names.reversed())] {
            let page = try query.page(sortedBy: [SortKey(.recordName, isAscending: isAscending)], limit: 10)
            #expect(page.rows.map { snapshot.recordID($0).recordName } == expected)
        }
    }

    /// Names are equal as texts are, however they are written.
    @Test func namesThatAreWrittenInOtherWays() throws {
        let snapshot = try Self.table([
            ("caf\u{E9}", ["n": 1]), ("cafe", ["n": 2]), ("K", ["n": 3]), ("x\u{212A}", ["n": 4]), ("a;", ["n": 5]),
        ])
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            for (text, count) in [
                ("recordName == 'cafe\u{301}'", 1), ("recordName == 'caf\u{E9}'", 1), ("recordName == 'cafe'", 1),
                ("recordName == '\u{212A}'", 1), ("recordName == 'k'", 0), ("recordName == 'xK'", 1),
                ("recordName == 'x\u{212A}'", 1), ("recordName == 'x'", 0), ("recordName == 'a\u{37E}'", 1),
            ] {
                #expect(try Self.query(text, snapshot, usage: usage).count() == count, "\(text), \(usage)")
            }
        }
    }

    /// Rows that a server found, level by all keys, come by the names of their zones, on one page or on several.
    @Test(arguments: [1, 2, 5]) func foundRowsOfOneNameComeByTheirZones(limit: Int) throws {
        let bound = try Binder().bind(RecordPredicate(format: "TRUEPREDICATE"))
        let rows = [("b", "x"), ("c", "x"), ("a", "y"), ("a", "x"), ("c", "w")]
        let matches = KnownMatches(of: .bound(bound), type: "M", zoneID: nil, sortedBy: [SortKey(.recordName)])
        var (found, cursor): ([Int], PageCursor?) = ([], nil)
        repeat {
            let page = try matches.page(
                of: rows.count, limit: limit, after: cursor, value: { row, _ in .string(rows[row].1) },
                zone: { RecordZone.ID(rows[$0].0) })
            found += page.rows
            cursor = page.next
        } while cursor != nil && found.count < 10
        #expect(found == [4, 3, 0, 1, 2])
    }

    /// A cursor of one owner's zone is none of another's, though the zones have one name.
    @Test func cursorsKnowTheOwnerOfTheirZone() throws {
        let store = RecordStore()
        var batch = RecordBatch()
        let zones = ["_a", "_b"].map { RecordZone.ID("Z", ownerName: $0) }
        for zoneID in zones {
            for number in 0..<3 {
                batch.save(
                    Record(type: "M", id: Record.ID("r\(number)", zoneID: zoneID), fields: ["n": .int64(Int64(number))])
                )
            }
        }
        try store.commit(batch)
        let queries = try zones.map { try Self.query("n >= 0", store.snapshot, zoneID: $0) }
        let keys = [SortKey.ascending("n")]
        let cursor = try #require(try queries[0].page(sortedBy: keys, limit: 1).next)
        #expect(try queries[0].page(sortedBy: keys, limit: 5, after: cursor).rows.count == 2)
        #expect(throws: PageError.otherQuery) { try queries[1].page(sortedBy: keys, limit: 5, after: cursor) }
    }
}
