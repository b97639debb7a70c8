// The first records of several segments in one order, by fields of every kind: large segments along their indexes,
// small ones as they are, deleted rows and rows without a value among them.

import FoundationEssentials
import Geospatial
import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct MergedOrderTests {
    private static let count = 1_300

    /// Where a record comes by a field; `nil` where it has none.
    private static func rank(_ field: String, _ number: Int) -> Int? {
        switch field {
        case "flag": number % 5 == 4 ? nil : number % 3 == 0 ? 1 : 0
        case "title", "recordName": number * 7_919 % count
        default: number % 7 == 6 ? nil : number * 37 % 50
        }
    }

    private static func text(_ rank: Int) -> String { String(String(10_000 + rank).dropFirst()) }

    private static func value(_ field: String, _ rank: Int) -> FieldValue {
        switch field {
        case "flag": .bool(rank == 1)
        case "fraction": .double(Double(rank) / 4)
        case "day": .date(Date(timeIntervalSinceReferenceDate: Double(rank)))
        case "few", "title": .string("text \(text(rank))")
        case "link": .reference(RecordReference("r\(text(rank))"))
        case "list": .list([.int64(Int64(rank)), .int64(Int64(99 - rank))])
        case "place": .location(Location(latitude: Double(rank), longitude: 0))
        default: .int64(Int64(rank))
        }
    }

    /// Two large zones whose records mingle, and a small one.
    private static func zone(_ number: Int) -> String { number % 65 == 3 ? "C" : number % 2 == 0 ? "A" : "B" }

    private static func record(_ number: Int) -> Record {
        var fields: [String: FieldValue] = ["serial": .int64(Int64(number))]
        for field in fieldNames where field != "recordName" {
            if let rank = rank(field, number) { fields[field] = value(field, rank) }
        }
        let name = "n" + text(rank("recordName", number) ?? 0)
        return Record(type: "T", id: Record.ID(name, zoneID: RecordZone.ID(zone(number))), fields: fields)
    }

    private static func isDeleted(_ number: Int) -> Bool { number % 17 == 11 }

    static let fieldNames = [
        "whole", "fraction", "flag", "day", "few", "title", "link", "list", "place", "recordName",
    ]

    /// Records that were changed are in a small segment of their zone, and keep their numbers.
    private static let table = Result { () throws -> Snapshot in
        let loader = RecordLoader()
        for number in 0..<count { try loader.append(record(number), origin: number + 1) }
        let store = RecordStore(loader.finish())
        var batch = RecordBatch()
        for number in 0..<count {
            if isDeleted(number) {
                batch.delete(record(number).id)
            } else if number % 130 == 5 {
                batch.change(record(number).id, ["touched": 1])
            }
        }
        try store.commit(batch)
        return store.snapshot
    }

    private static func query(_ text: String, _ snapshot: Snapshot) throws -> SnapshotQuery {
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: text))
        return SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused))
    }

    private static func key(_ field: String, _ isAscending: Bool) -> SortKey {
        SortKey(field == "recordName" ? .recordName : .field(field), isAscending: isAscending)
    }

    /// The numbers from one on in an order; records without a value come first in ascending and last in descending
    /// order.
    private static func numbers(
        from first: Int, by field: String, _ isAscending: Bool, level precedes: (Int, Int) -> Bool
    ) -> [Int] {
        let ranks = (0..<count).map { rank(field, $0) ?? -1 }
        return (first..<count).filter { !isDeleted($0) }.sorted { a, b in
            ranks[a] == ranks[b] ? precedes(a, b) : (ranks[a] < ranks[b]) == isAscending
        }
    }

    @Test(arguments: fieldNames, [true, false])
    func firstRecordsOfSeveralSegments(field: String, isAscending: Bool) throws {
        let snapshot = try Self.table.get()
        #expect(snapshot.segments.count == 4)
        for (text, first) in [("TRUEPREDICATE", 0), ("serial >= 300", 300)] {
            let query = try Self.query(text, snapshot)
            let key = Self.key(field, isAscending)
            for (keys, precedes) in [([key], { $0 < $1 }), ([key, .descending("serial")], { $0 > $1 })]
                as [([SortKey], (Int, Int) -> Bool)]
            {
                let expected = Self.numbers(from: first, by: field, isAscending, level: precedes)
                for limit in [1, 90, 700] {
                    let found = try query.ordered(by: keys, limit: limit).rows.map(\.sequence)
                    #expect(found == Array(expected.prefix(limit)), "\(text), \(keys.count) keys, \(limit)")
                }
            }
        }
    }

    /// Each page goes on behind the one before; records that are level come zone by zone.
    @Test(arguments: fieldNames, [true, false])
    func pagesOfSeveralSegments(field: String, isAscending: Bool) throws {
        let query = try Self.query("serial >= 20", Self.table.get())
        let expected = Self.numbers(from: 20, by: field, isAscending) { a, b in
            (Self.zone(a), a) < (Self.zone(b), b)
        }
        var (found, cursor): ([Int], PageCursor?) = ([], nil)
        for _ in 0..<3 {
            let page = try query.page(sortedBy: [Self.key(field, isAscending)], limit: 150, after: cursor)
            found += page.rows.map(\.sequence)
            cursor = page.next
        }
        #expect(found == Array(expected.prefix(450)) && cursor != nil)
    }

    /// Records are numbered without gaps where some are gone, and numbers ascend, of few records and of many.
    @Test func numbersOfSeveralSegments() throws {
        let snapshot = try Self.table.get()
        let live = (0..<Self.count).filter { !Self.isDeleted($0) }
        for (text, holds) in [
            ("serial < 12", { $0 < 12 }), ("serial >= 1290", { $0 >= 1_290 }), ("serial >= 300", { $0 >= 300 }),
            ("TRUEPREDICATE", { _ in true }), ("serial < 0", { _ in false }),
        ] as [(String, (Int) -> Bool)] {
            let query = try Self.query(text, snapshot)
            let expected = live.indices.filter { holds(live[$0]) }
            #expect(try query.numbers().map { Int($0) } == expected, "\(text)")
            #expect(try query.rows().map(\.sequence) == expected.map { live[$0] }, "\(text)")
            let backwards = try query.ordered(by: [.descending("serial")], limit: 5).rows
            #expect(snapshot.numbers(of: backwards).map { Int($0) } == Array(expected.reversed().prefix(5)), "\(text)")
        }
    }
}
