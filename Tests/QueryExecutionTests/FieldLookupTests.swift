// Counts and numbers of records by one look-up in an index, without a plan: what they are, and where only a plan tells.

import Geospatial
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct FieldLookupTests {
    private static let count = 1_000

    /// A number of its own for each record, in another order than that of the records.
    private static func number(_ row: Int) -> Int { row * 7 % count }

    private static func record(_ row: Int, type: String = "T", zone: String = "Z") -> Record {
        Record(
            type: type, id: Record.ID("\(type)\(row)", zoneID: RecordZone.ID(zone)),
            fields: [
                "n": .int64(Int64(number(row))), "k": .int64(Int64(row % 2)),
                "name": .string(row % 2 == 0 ? "t\(row % 10)" : "T\(row % 10)"),
            ])
    }

    private static func loaded(_ records: [Record]) throws -> Snapshot {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
        return Snapshot(loader.finish())
    }

    private static func stored(_ records: [Record], deleting deleted: [Record.ID] = []) throws -> Snapshot {
        let store = RecordStore()
        var batch = RecordBatch()
        for record in records { batch.save(record) }
        try store.commit(batch)
        if !deleted.isEmpty {
            var change = RecordBatch()
            for id in deleted { change.delete(id) }
            try store.commit(change)
        }
        return store.snapshot
    }

    private static func lookup(
        _ text: String, _ values: [FieldValue], in snapshot: Snapshot, type: String? = "T",
        usage: SegmentPlanner.IndexUsage = .all
    ) throws -> FieldLookup? {
        let (shape, _) = try #require(try RecordPredicate(format: text, arguments: values).shape())
        let binder = Binder(schema: snapshot.schema(ofType: "T"))
        let template = try #require(ConstraintTemplate(shape, binder: binder))
        return FieldLookup(template, over: snapshot, type: type, usage: usage)
    }

    /// Predicates, and whether the numbers are given: of one value always, of several up to 256 of them.
    static let cases: [(text: String, values: [FieldValue], hasNumbers: Bool, holds: @Sendable (Int) -> Bool)] = [
        ("n == %@", [14], true, { number($0) == 14 }), ("n == %@", [5_000], true, { _ in false }),
        ("n < %@", [0], true, { _ in false }), ("n < %@", [256], true, { number($0) < 256 }),
        ("n < %@", [257], false, { number($0) < 257 }), ("n >= %@", [744], true, { number($0) >= 744 }),
        ("n >= %@", [743], false, { number($0) >= 743 }), ("n <= %@", [.double(2.5)], true, { number($0) <= 2 }),
        ("n > %@ AND n <= %@", [10, 12], true, { number($0) > 10 && number($0) <= 12 }),
        ("n >= %@ AND n < %@", [12, 10], true, { _ in false }), ("k == %@", [1], true, { $0 % 2 == 1 }),
        ("k < %@", [2], false, { _ in true }), ("name == %@", ["t4"], true, { $0 % 10 == 4 }),
        ("name == %@", ["T4"], true, { _ in false }), ("name ==[c] %@", ["T4"], true, { $0 % 10 == 4 }),
    ]

    @Test(arguments: cases.indices) func oneSegmentGivesCountsAndNumbers(_ index: Int) throws {
        let (text, values, hasNumbers, holds) = Self.cases[index]
        let snapshot = try Self.loaded((0..<Self.count).map { Self.record($0) })
        let lookup = try #require(try Self.lookup(text, values, in: snapshot))
        let expected = (0..<Self.count).filter(holds).map { UInt32($0) }
        #expect(lookup.count { values[$0] } == expected.count)
        #expect(lookup.numbers { values[$0] } == (hasNumbers ? expected : nil))
        // Values that are missing, or of another kind, are none that an index has a place for.
        for other in [FieldValue?.none, .some(.null), .some(.bool(true)), .some([1])] {
            #expect(lookup.count { _ in other } == nil && lookup.numbers { _ in other } == nil, "\(text)")
        }
    }

    /// Counts are those of all segments of the type, whose numbers only a plan gives; what has no such field matches
    /// nothing.
    @Test func severalSegmentsGiveCounts() throws {
        let records = (0..<Self.count).map { row in
            Self.record(row, type: row % 5 == 4 ? "U" : "T", zone: row % 2 == 0 ? "Y" : "Z")
        }
        let others = (0..<30).map { Record(type: "V", id: Record.ID("v\($0)"), fields: ["other": 1]) }
        let snapshot = try Self.loaded(records + others)
        #expect(snapshot.segments.count == 5)
        for (type, holds) in [
            ("T", { $0 % 5 != 4 }), ("U", { $0 % 5 == 4 }), (nil, { _ in true }), ("V", { _ in false }),
            ("W", { _ in false }),
        ] as [(String?, (Int) -> Bool)] {
            let lookup = try #require(try Self.lookup("n < %@", [100], in: snapshot, type: type))
            let expected = (0..<Self.count).count { holds($0) && Self.number($0) < 100 }
            #expect(lookup.count { _ in .int64(100) } == expected, "\(type ?? "all")")
            #expect(lookup.numbers { _ in .int64(100) } == nil, "\(type ?? "all")")
        }
    }

    /// A field of another kind in one of the segments, or of lists, is none that one look-up is about.
    @Test func fieldsOfOtherKindsNeedAPlan() throws {
        let own = (0..<20).map { Self.record($0) }
        for (value, isLookedUp) in [
            (1, true), (.double(0.5), true), (.bool(true), true), ("text", false), ([1], false), ([], false),
            (.location(Location(latitude: 1, longitude: 2)), false), (.reference(RecordReference("r")), false),
        ] as [(FieldValue, Bool)] {
            let other = Record(type: "U", id: Record.ID("other"), fields: ["n": value])
            let snapshot = try Self.loaded(own + [other])
            let ofType = try Self.lookup("n == %@", [7], in: snapshot)
            let ofAll = try Self.lookup("n == %@", [7], in: snapshot, type: nil)
            #expect(ofType != nil && (ofAll != nil) == isLookedUp, "\(value)")
        }
    }

    /// Deleted rows, indexes that may not be used or are not there, and segments that are not worth one.
    @Test func whereOnlyAPlanTells() throws {
        let records = (0..<600).map { Self.record($0) }
        func isLookedUp(_ snapshot: Snapshot, _ usage: SegmentPlanner.IndexUsage) throws -> Bool {
            try Self.lookup("n == %@", [7], in: snapshot, usage: usage) != nil
        }
        let snapshot = try Self.stored(records)
        for usage in [SegmentPlanner.IndexUsage.none, .built, .declared(IndexDeclaration(["n": .sortable]))] {
            #expect(try !isLookedUp(snapshot, usage), "\(usage)")
        }
        for usage in [SegmentPlanner.IndexUsage.declared(IndexDeclaration(["n": .queryable])), .all, .built] {
            #expect(try isLookedUp(snapshot, usage), "\(usage)")
        }
        #expect(try !isLookedUp(snapshot, .none))
        // Built or not, an index knows nothing of what was deleted.
        #expect(try !isLookedUp(Self.stored(records, deleting: [records[3].id]), .all))
        for (count, isLarge) in [(511, false), (512, true)] {
            #expect(try isLookedUp(Self.stored(Array(records.prefix(count))), .all) == isLarge, "\(count)")
        }
    }
}
