// Whether the first records are found along an index or among all matches: where it is all of them, their number is
// told.

import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct WalkChoiceTests {
    private static let count = 2_000

    private static func name(_ number: Int) -> String { "text \(number * 7 % count)" }

    private static func snapshot(zones: [String]) throws -> Snapshot {
        let loader = RecordLoader()
        for number in 0..<count {
            let id = Record.ID("r\(number)", zoneID: RecordZone.ID(zones[number / 3 % zones.count]))
            let fields: [String: FieldValue] = [
                "n": .int64(Int64(number)), "m": .int64(Int64(number % 100)), "t": .string(name(number)),
            ]
            try loader.append(Record(type: "T", id: id, fields: fields), origin: number + 1)
        }
        return Snapshot(loader.finish())
    }

    /// Of 2,000 records 100 are expected to match, or 120 where two conditions are looked up by themselves; a step
    /// along the index costs a tenth of a match where rows are passed in blocks, and as much where the conditions are
    /// two. So the index is the shorter way to 51 (51 · 2,000 / 101 / 10 < 101), or to 7 (7 · 2,000 / 121 < 121).
    private static let cases: [(predicate: String, most: Int, holds: @Sendable (Int) -> Bool)] = [
        ("n < 100", 51, { $0 < 100 }), ("n < 100 OR m == 7", 7, { $0 < 100 || $0 % 100 == 7 }),
    ]

    @Test(arguments: cases.indices, [["Y"], ["Y", "Z"]])
    func theShorterWayIsTaken(_ index: Int, zones: [String]) throws {
        let (predicate, most, holds) = Self.cases[index]
        let snapshot = try Self.snapshot(zones: zones)
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused))
        let matching = (0..<Self.count).filter(holds)
        for isAscending in [true, false] {
            let sorted = matching.sorted { (Self.name($0) < Self.name($1)) == isAscending }
            for limit in [1, most, most + 1, matching.count + 1] {
                let key = SortKey(.field("t"), isAscending: isAscending)
                let found = try query.ordered(by: [key], limit: limit)
                #expect(found.rows.map(\.sequence) == Array(sorted.prefix(limit)), "\(limit)")
                #expect(found.matched == (limit <= most ? nil : matching.count), "\(limit)")
            }
        }
    }

    /// A walk along the index that has the condition's stretch passes the matches alone: it is never the longer way.
    @Test(arguments: [["Y"], ["Y", "Z"]]) func aStretchOfTheIndexIsTaken(zones: [String]) throws {
        let snapshot = try Self.snapshot(zones: zones)
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(
            RecordPredicate(format: "n >= 1500 AND n < 1600"))
        let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused))
        for isAscending in [true, false] {
            let sorted = isAscending ? Array(1500..<1600) : (1500..<1600).reversed()
            for limit in [1, 51, 52, 100, 101] {
                let found = try query.ordered(by: [SortKey(.field("n"), isAscending: isAscending)], limit: limit)
                #expect(found.rows.map(\.sequence) == Array(sorted.prefix(limit)), "\(limit)")
                #expect(found.matched == (limit <= 100 ? nil : 100), "\(limit)")
            }
        }
    }
}
