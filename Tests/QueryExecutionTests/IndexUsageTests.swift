// Which indexes of words plans may use, and build.

import QueryPlanning
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

    private static func snapshot(_ fields: [String: FieldValue]) throws -> Snapshot {
        let store = RecordStore()
        var batch = RecordBatch()
        batch.save(Record(type: "T", id: Record.ID("r"), fields: fields))
        try store.commit(batch)
        return store.snapshot
    }
}
