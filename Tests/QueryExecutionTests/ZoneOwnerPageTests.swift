// Pages over zones of one name that are several users': each record comes once, on whichever page.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Testing

@Suite struct ZoneOwnerPageTests {
    /// Three records of each zone, as the zones were made: `Z` of `_b`, `Z` of `_a`, `A` of `_c`.
    private static let records = [("Z", "_b"), ("Z", "_a"), ("A", "_c")].flatMap { zone, owner in
        ["r1", "r0", "r2"].map {
            Record(type: "T", id: Record.ID($0, zoneID: RecordZone.ID(zone, ownerName: owner)), fields: ["m": 1])
        }
    }

    private static let orders: [(keys: [SortKey], expected: String)] = [
        ([.ascending("m")], "c1 c0 c2 a1 a0 a2 b1 b0 b2"), ([.descending("m")], "c1 c0 c2 a1 a0 a2 b1 b0 b2"),
        ([SortKey(.recordName)], "c0 a0 b0 c1 a1 b1 c2 a2 b2"),
        ([.ascending("m"), SortKey(.recordName, isAscending: false)], "c2 a2 b2 c1 a1 b1 c0 a0 b0"),
        ([], "b1 b0 b2 a1 a0 a2 c1 c0 c2"),
    ]

    private static func query() throws -> SnapshotQuery {
        let store = RecordStore()
        var batch = RecordBatch()
        for record in records { batch.save(record) }
        try store.commit(batch)
        let bound = try Binder(schema: store.snapshot.schema(ofType: "T")).bind(RecordPredicate(format: "m == 1"))
        return SnapshotQuery(bound, over: store.snapshot, type: "T", settings: .init(context: .unused))
    }

    /// `a0` for `r0` of the zone of `_a`.
    private static func word(_ id: Record.ID) -> String {
        String(id.zoneID.ownerName.suffix(1)) + String(id.recordName.suffix(1))
    }

    @Test(arguments: [1, 2, 3, 4, 20]) func everyRecordComesOnce(limit: Int) throws {
        let query = try Self.query()
        for (keys, expected) in Self.orders {
            var (found, cursor): ([String], PageCursor?) = ([], nil)
            repeat {
                let page = try query.page(sortedBy: keys, limit: limit, after: cursor)
                found += page.rows.map(query.snapshot.recordID).map(Self.word)
                cursor = try page.next.map { try Self.kept($0) }
            } while cursor != nil && found.count < 20
            #expect(found.joined(separator: " ") == expected, "\(keys)")
        }
    }

    /// The same of rows that somebody else found, whose order has the names of records.
    @Test(arguments: [1, 2, 4, 20]) func everyKnownRowComesOnce(limit: Int) throws {
        let bound = try Binder().bind(RecordPredicate(format: "m == 1"))
        for (keys, expected) in Self.orders where keys.contains(where: { $0.criterion == .recordName }) {
            let matches = KnownMatches(of: .bound(bound), type: "T", zoneID: nil, sortedBy: keys)
            var (found, cursor): ([String], PageCursor?) = ([], nil)
            repeat {
                let page = try matches.page(
                    of: Self.records.count, limit: limit, after: cursor,
                    value: { $1 == .recordName ? .string(Self.records[$0].id.recordName) : 1 },
                    zone: { Self.records[$0].id.zoneID })
                found += page.rows.map { Self.word(Self.records[$0].id) }
                cursor = try page.next.map { try Self.kept($0) }
            } while cursor != nil && found.count < 20
            #expect(found.joined(separator: " ") == expected, "\(keys)")
        }
    }

    /// Cursors that applications kept before they told the owner go on by the names of zones.
    @Test func cursorsWithoutAnOwner() throws {
        let query = try Self.query()
        let keys = [SortKey.ascending("m")]
        let cursor = try #require(try query.page(sortedBy: keys, limit: 2).next)
        var fields = try JSONDecoder().decode([String: Part].self, from: JSONEncoder().encode(cursor))
        #expect(fields["zoneName"]?.text == "A" && fields["zoneOwner"]?.text == "_c")
        fields["zoneOwner"] = nil
        let old = try JSONDecoder().decode(PageCursor.self, from: JSONEncoder().encode(fields))
        let rest = try query.page(sortedBy: keys, limit: 9, after: old).rows.map(query.snapshot.recordID)
        #expect(rest.map(Self.word) == ["c2", "a1", "a0", "a2", "b1", "b0", "b2"])
    }

    /// A cursor as an application keeps it.
    private static func kept(_ cursor: PageCursor) throws -> PageCursor {
        try JSONDecoder().decode(PageCursor.self, from: JSONEncoder().encode(cursor))
    }

    /// A part of a kept cursor, whatever it is.
    private enum Part: Codable {
        case text(String)
        case number(UInt64)
        case values([FieldValue])

        var text: String? { if case .text(let text) = self { text } else { nil } }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(UInt64.self) {
                self = .number(number)
            } else {
                self = .values(try container.decode([FieldValue].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .values(let values): try container.encode(values)
            }
        }
    }
}
