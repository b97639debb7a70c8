// Paths through lists of many references to few records: those are looked up one by one.

import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import QueryExecution

@Suite struct LargeJoinTests {
    private static let trackCount = 600
    private static let listCount = 900

    /// The tracks of a list: three that follow one another, none for every 50th, and one that is not there for some.
    private static func tracks(_ list: Int) -> [Int] {
        if list % 50 == 49 { return [] }
        let first = list * 7 % trackCount
        return [first, (first + 1) % trackCount, list % 90 == 4 ? trackCount + 5 : (first + 2) % trackCount]
    }

    /// The title of a track; every 100th has none, nor has one that is not there.
    private static func title(_ track: Int) -> String? {
        track < trackCount && track % 100 != 42 ? "t\(track)" : nil
    }

    private static func reference(_ track: Int) -> FieldValue { .reference(RecordReference("k\(track)")) }

    private static let table: Snapshot? = {
        let loader = RecordLoader()
        var line = 0
        func add(_ type: String, _ name: String, _ fields: [String: FieldValue]) throws {
            line += 1
            try loader.append(Record(type: type, id: Record.ID(name), fields: fields), origin: line)
        }
        do {
            for track in 0..<trackCount {
                var fields: [String: FieldValue] = ["n": .int64(Int64(track))]
                if let title = title(track) { fields["title"] = .string(title) }
                try add("Track", "k\(track)", fields)
            }
            for list in 0..<listCount {
                let tracks = tracks(list)
                try add(
                    "List", "l\(list)",
                    [
                        "tracks": .list(tracks.map(reference)), "lead": tracks.first.map(reference) ?? .null,
                        "number": .int64(Int64(list)),
                    ])
            }
        } catch { return nil }
        return Snapshot(loader.finish())
    }()

    private static func titles(_ list: Int) -> [String?] { tracks(list).map(title) }

    static let cases: [(predicate: String, holds: @Sendable (Int) -> Bool)] = [
        ("ANY tracks.title == 't77'", { titles($0).contains("t77") }),
        ("ANY tracks.title IN {'t5', 't6', 't400'}", { titles($0).contains { ["t5", "t6", "t400"].contains($0) } }),
        ("ANY tracks.title == nil", { titles($0).contains(nil) }),
        ("ANY tracks.title != 't77'", { titles($0).contains { $0 != "t77" } }),
        ("ALL tracks.title != 't77'", { !titles($0).contains("t77") }),
        ("NONE tracks.title == 't77'", { !titles($0).contains("t77") }),
        ("ALL tracks.title == 't77'", { titles($0).allSatisfy { $0 == "t77" } }),
        ("ALL tracks.title != nil", { !titles($0).contains(nil) }),
        ("ANY tracks.n < 2", { tracks($0).contains { $0 < 2 } }),
        ("ALL tracks.n >= 2", { tracks($0).allSatisfy { $0 >= 2 && $0 < trackCount } }),
        // None is the list of all.
        ("ANY tracks.n == tracks.n", { _ in false }), ("NONE tracks.n == tracks.n", { _ in true }),
        ("ANY tracks.title == 't77' AND number > 100", { titles($0).contains("t77") && $0 > 100 }),
        ("lead.title == 't77'", { tracks($0).first == 77 }), ("lead.title != 't77'", { tracks($0).first != 77 }),
        ("lead.title == nil", { tracks($0).first.flatMap(title) == nil }),
        ("lead.n IN {7, 14}", { [7, 14].contains(tracks($0).first) }),
    ]

    /// A join is a full scan while it is not made and looks at all records that references may lead to.
    @Test(arguments: [
        ("lead.title CONTAINS '7'", true), ("lead.title CONTAINS '7' AND number == 3", false), ("number == 3", false),
        ("lead.nothing == 'x'", false),
    ])
    func whatScans(_ predicate: String, isFullScan: Bool) throws {
        let table = try #require(Self.table)
        let schema = try #require(table.schema(ofType: "List"))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: predicate))
        _ = try SnapshotQuery(
            Binder(schema: schema).bind("number == 0" as RecordPredicate), over: table, type: "List",
            settings: .init(usage: .all, context: .unused)
        ).rows()
        let query = SnapshotQuery(bound, over: table, type: "List", settings: .init(usage: .built, context: .unused))
        #expect(query.parts.contains { $0.query.plan.isFullScan } == isFullScan)
    }

    @Test(arguments: cases.indices) func fewOfMany(_ number: Int) throws {
        let (predicate, holds) = Self.cases[number]
        let table = try #require(Self.table)
        let schema = try #require(table.schema(ofType: "List"))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: predicate))
        let expected = (0..<Self.listCount).filter(holds).map { "l\($0)" }
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let query = SnapshotQuery(bound, over: table, type: "List", settings: .init(usage: usage, context: .unused))
            let found = try query.rows().map { table.recordID($0).recordName }
            #expect(found == expected, "\(usage)")
        }
    }
}
