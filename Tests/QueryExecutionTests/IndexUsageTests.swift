// Which indexes of words plans may use, and build.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct IndexUsageTests {
    typealias Usage = SegmentPlanner.IndexUsage

    private static func declared(_ fields: String...) -> Usage {
        .declared(IndexDeclaration(Dictionary(uniqueKeysWithValues: fields.map { ($0, .searchable) })))
    }

    /// An index of all words needs those of every field that may hold a text, and is built where those may be.
    static let cases: [(usage: Usage, ofAll: Bool?, ofFirst: Bool?)] = [
        (.none, nil, nil), (.built, false, false), (.all, true, true), (declared(), nil, nil),
        (declared("one", "two"), true, true), (declared("one"), nil, true), (declared("two"), nil, nil),
        (declared("one", "n"), nil, true), (declared("one", "two", "n"), true, true),
        (.declared(IndexDeclaration(others: [.queryable, .sortable])), nil, nil),
        (.declared(IndexDeclaration(["two": .queryable], others: .searchable)), nil, true),
    ]

    @Test(arguments: cases.indices) func wordsOfAllFields(_ number: Int) throws {
        let (usage, ofAll, ofFirst) = Self.cases[number]
        let snapshot = try Self.snapshot(["one": "a text", "two": "another", "n": 1])
        let segment = try #require(snapshot.segments.first)
        let planner = SegmentPlanner(segment.indexes, keys: snapshot.keys, usage: usage)
        #expect(planner.buildsWords(of: nil) == ofAll)
        let first = try #require(snapshot.schema(ofType: "T")?.fields.firstIndex { $0.name == "one" })
        #expect(planner.buildsWords(of: first) == ofFirst)
    }

    /// Of no text nothing is missing.
    @Test func wordsOfNoField() throws {
        let snapshot = try Self.snapshot(["n": 1])
        let segment = try #require(snapshot.segments.first)
        for (usage, _, _) in Self.cases {
            let planner = SegmentPlanner(segment.indexes, keys: snapshot.keys, usage: usage)
            #expect(planner.buildsWords(of: nil) == true, "\(usage)")
        }
    }

    /// What an index would help is added up over all segments that lack it.
    @Test func adviceIsAboutAllSegments() throws {
        let loader = RecordLoader()
        for number in 0..<1_500 {
            let record = Record(
                type: ["T", "U", "V"][number % 3], id: Record.ID("r\(number)"),
                fields: ["n": .int64(Int64(number % 10)), "m": 1])
            try loader.append(record, origin: number + 1)
        }
        let snapshot = Snapshot(loader.finish())
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: "n == 3 AND m == 1"))
        let settings = SnapshotQuery.Settings(usage: Self.declared(), context: .unused)
        let query = SnapshotQuery(bound, over: snapshot, type: nil, settings: settings)
        let missing = query.segmentQueries.missingIndexes
        #expect(missing.map(\.index.field) == ["n"])
        #expect(missing.first?.rowsRead == 1_500)
        // A tenth of them, by samples.
        #expect(missing.first.map { (120...180).contains($0.rowsNeeded) } == true)
    }

    private static func store(_ counts: [(type: String, count: Int)]) throws -> Snapshot {
        let store = RecordStore()
        var batch = RecordBatch()
        for (type, count) in counts { for number in 0..<count { batch.save(record(type, number)) } }
        try store.commit(batch)
        return store.snapshot
    }

    private static func record(_ type: String, _ number: Int) -> Record {
        Record(
            type: type, id: Record.ID("\(type)\(number)"),
            fields: [
                "name": .string("name \(number)"), "k": .int64(Int64(number % 2)), "n": .int64(Int64(number % 10)),
                "m": .int64(number % 3 == 0 ? 2 : 1),
            ])
    }

    private static func query(_ text: String, _ snapshot: Snapshot) throws -> SnapshotQuery {
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: text))
        let settings = SnapshotQuery.Settings(usage: declared(), context: .unused)
        return SnapshotQuery(bound, over: snapshot, type: nil, settings: settings)
    }

    /// Of 500 rows: a tenth, exactly half, and more than half, for which an index is no help.
    @Test func theGreatestHelpComesFirst() throws {
        for text in ["k == 1 AND n == 3 AND m == 1", "m == 1 AND n == 3 AND k == 1"] {
            let missing = try Self.query(text, Self.store([("T", 500)])).segmentQueries.missingIndexes
            #expect(missing.map(\.index.field) == ["n", "k"] && missing.map(\.rowsNeeded) == [50, 250])
            #expect(missing.map(\.rowsRead) == [500, 500])
        }
    }

    /// Small segments of a store have no indexes and may be read; what is loaded for good may not, however small.
    @Test func whatIsRejected() throws {
        let text = "n * 2 > 5 OR name == 'x'"
        for count in [1, 511] { #expect(try Self.query(text, Self.store([("T", count)])).scanRejection == nil) }
        let loader = RecordLoader()
        for number in 0..<30 { try loader.append(Self.record("T", number), origin: number + 1) }
        let cases = [
            (try Self.store([("T", 512)]), 512), (try Self.store([("T", 600), ("U", 20)]), 620),
            (Snapshot(loader.finish()), 30),
        ]
        for (snapshot, rows) in cases {
            let query = try Self.query(text, snapshot)
            let rejection = try #require(query.scanRejection, "\(rows)")
            // The part that an index would serve is told, though it is not the first.
            #expect(rejection.rows == rows && rejection.part.index?.field == "name")
            #expect(query.segmentQueries.scannedParts.map { $0.index?.field } == [nil, "name"])
        }
        // As they are written, whatever is tested first.
        let parts = try Self.query("name CONTAINS 'abcd' AND n == 3", Self.store([("T", 600)])).segmentQueries
        #expect(parts.scannedParts.map { $0.index?.field } == ["name", "n"])
        #expect(try Self.query("n >= 0 OR recordType == 'T'", Self.store([("T", 600)])).scanRejection == nil)
    }

    private static func snapshot(_ fields: [String: FieldValue]) throws -> Snapshot {
        let store = RecordStore()
        var batch = RecordBatch()
        batch.save(Record(type: "T", id: Record.ID("r"), fields: fields))
        try store.commit(batch)
        return store.snapshot
    }
}
