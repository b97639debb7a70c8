// What is decided for the rows that other conditions have left, and for those alone.

import Geospatial
import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import QueryExecution

@Suite struct NarrowedRowTests {
    private static func table(_ records: [Record]) throws -> Snapshot {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
        return Snapshot(loader.finish())
    }

    private static func rows(_ count: Int, _ fields: (Int) -> [String: FieldValue]) throws -> Snapshot {
        try table((0..<count).map { Record(type: "T", id: Record.ID("r\($0)"), fields: fields($0)) })
    }

    /// A record without a place is nowhere, whichever way leads to it.
    @Test(arguments: [
        ("n IN {3, 4, 5} AND distanceToLocation:fromLocation:(p, location(0, 0)) < 1000", [3]),
        ("n IN {3, 4, 5} AND distanceToLocation:fromLocation:(p, location(0, 0)) >= 1000", [5]),
        ("n < 6 AND distanceToLocation:fromLocation:(p, location(0, 0)) < 1000", [0, 1, 2, 3]),
        ("n == 4 AND distanceToLocation:fromLocation:(p, location(0, 0)) < 1000", []),
    ])
    func recordsWithoutAPlaceAreNowhere(_ predicate: String, _ expected: [Int]) throws {
        // So many lie at the origin that few numbers are the shorter way.
        let table = try Self.rows(600) { row in
            var fields: [String: FieldValue] = ["n": .int64(Int64(row))]
            if row != 4 { fields["p"] = .location(Location(latitude: row == 5 ? 40 : 0, longitude: 0)) }
            return fields
        }
        try table.expectRows(of: predicate, are: expected)
    }

    /// Beside a character beyond ASCII a text is looked at closely: among the rows that are left, most of all.
    @Test func textsInDoubtAreLookedAtAmongTheRowsThatAreLeft() throws {
        let table = try Self.rows(400) { row in
            let text = row % 5 == 0 ? "a needle\u{2014} \(row)" : row % 5 == 1 ? "a needle\u{301} \(row)" : "hay \(row)"
            return ["n": .int64(Int64(row)), "t": .string(text)]
        }
        let expected = (0..<300).filter { $0 % 5 == 0 }
        try table.expectRows(of: "n < 300 AND t CONTAINS 'needle'", are: expected)
        try table.expectRows(of: "n < 300 AND t CONTAINS[c] 'NEEDLE'", are: expected)
        try table.expectRows(of: "n < 300 AND t CONTAINS[cd] 'NEEDLE'", are: (0..<300).filter { $0 % 5 < 2 })
    }

    /// Nothing lies below the least whole number, and nothing above the largest, also by a bound with a fraction's form.
    @Test(
        arguments: [
            ("n < -9223372036854775808.0", []), ("n <= -9223372036854775808.0", [0]),
            ("n < -9223372036854775808.0 AND k > 0", []), ("n > -9223372036854775808.0", [1, 2]),
            ("n >= 9223372036854775808.0", []), ("n < 9223372036854775808.0", [0, 1, 2]), ("n <= -1e300", []),
        ] as [(String, [Int])])
    func boundsAtTheEndsOfWholeNumbers(_ predicate: String, _ expected: [Int]) throws {
        let numbers: [Int64] = [.min, 0, .max]
        try Self.rows(3) { ["n": .int64(numbers[$0]), "k": 1] }.expectRows(of: predicate, are: expected)
    }

    /// Two bounds of a text that has no index of its own, each of which leaves something out.
    @Test func bothBoundsOfTextsCount() throws {
        let table = try Self.rows(200) { ["t": .string("\($0 % 4) of \($0)"), "n": .int64(Int64($0))] }
        try table.expectRows(
            of: "t >[c] '1' AND t <[c] '3' AND n < 20", are: (0..<20).filter { $0 % 4 == 1 || $0 % 4 == 2 })
    }

    // MARK: References

    private static func reference(_ name: String) -> FieldValue { .reference(RecordReference(name)) }

    /// A list may hold nil beside references: that is an end of the path without a value.
    @Test(
        arguments: [
            ("ANY refs.title == 'x'", ["a"]), ("ANY refs.title == nil", ["b"]), ("ALL refs.title != 'x'", ["b", "c"]),
            ("NONE refs.title == 'x'", ["b", "c"]), ("ANY refs.title == 'y'", ["b", "c"]),
            ("ALL refs.title == 'y'", ["c"]),
        ] as [(String, [String])])
    func nilAmongReferences(_ predicate: String, _ expected: [String]) throws {
        let table = try Self.table([
            Record(type: "K", id: Record.ID("k0"), fields: ["title": "x"]),
            Record(type: "K", id: Record.ID("k1"), fields: ["title": "y"]),
            Record(type: "T", id: Record.ID("a"), fields: ["refs": .list([Self.reference("k0")])]),
            Record(type: "T", id: Record.ID("b"), fields: ["refs": .list([.null, Self.reference("k1")])]),
            Record(type: "T", id: Record.ID("c"), fields: ["refs": .list([Self.reference("k1")])]),
        ])
        let bound = try Binder(schema: table.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let query = SnapshotQuery(bound, over: table, type: "T", settings: .init(usage: usage, context: .unused))
            #expect(try query.rows().map { table.recordID($0).recordName } == expected, "\(usage)")
        }
    }

    /// A condition that also holds where nothing is referred to, for so few rows that each reference is followed.
    @Test(
        arguments: [
            ("n == 11 AND k.title !=[cd] 'T77'", []), ("n == 12 AND k.title !=[cd] 'T77'", ["l12"]),
            ("n == 20 AND k.title !=[cd] 'T77'", ["l20"]), ("n == 21 AND k.title !=[cd] 'T77'", ["l21"]),
            ("n IN {11, 12, 20} AND k.title !=[cd] 'T77'", ["l12", "l20"]),
            ("n == 11 AND NOT (k.title !=[cd] 'T77')", ["l11"]),
        ] as [(String, [String])])
    func fewReferencesThatMayLeadNowhere(_ predicate: String, _ expected: [String]) throws {
        var records = (0..<600).map { number in
            Record(type: "K", id: Record.ID("k\(number)"), fields: ["title": .string("t\(number)")])
        }
        records += (0..<600).map { number in
            var fields: [String: FieldValue] = ["n": .int64(Int64(number))]
            // One leads nowhere, and one record has none.
            if number != 20 { fields["k"] = Self.reference(number == 21 ? "gone" : "k\(number * 7 % 600)") }
            return Record(type: "T", id: Record.ID("l\(number)"), fields: fields)
        }
        let table = try Self.table(records)
        let bound = try Binder(schema: table.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        for usage in [SegmentPlanner.IndexUsage.built, .none, .all] {
            let query = SnapshotQuery(bound, over: table, type: "T", settings: .init(usage: usage, context: .unused))
            #expect(try query.rows().map { table.recordID($0).recordName } == expected, "\(usage)")
        }
    }
}
