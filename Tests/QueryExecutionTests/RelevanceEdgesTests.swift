// The order of relevance where records are level, and where words are sought as they are written and folded.

import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct RelevanceEdgesTests {
    private static func query(_ predicate: String, _ snapshot: Snapshot) throws -> SnapshotQuery {
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        return SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused))
    }

    /// Records of one score come by the names of their zones, then in order of insertion, on one page or on several.
    @Test(arguments: [1, 2, 9]) func levelRecordsOfSeveralZones(limit: Int) throws {
        let store = RecordStore()
        var batch = RecordBatch()
        for zone in ["b", "a"] {
            for (name, text) in [("y", "x o"), ("z", "x o"), ("w", zone == "b" ? "x x" : "o o")] {
                let id = Record.ID(name, zoneID: RecordZone.ID(zone))
                batch.save(Record(type: "T", id: id, fields: ["t": .string(text)]))
            }
        }
        try store.commit(batch)
        let snapshot = store.snapshot
        let query = try Self.query("t TOKENMATCHES[cd] 'x'", snapshot)
        var (found, cursor): ([String], PageCursor?) = ([], nil)
        repeat {
            let page = try query.page(sortedBy: [.relevance], limit: limit, after: cursor)
            found += page.rows.map(snapshot.recordID).map { $0.zoneID.zoneName + $0.recordName }
            cursor = page.next
        } while cursor != nil && found.count < 10
        #expect(found == ["bw", "ay", "az", "by", "bz"])
    }

    /// Each word is counted under the folding of its own search: of small letters here none is a capital.
    @Test func searchesOfOneFieldUnderSeveralFoldings() throws {
        let loader = RecordLoader()
        for (row, text) in ["x A a a", "x A A b"].enumerated() {
            let record = Record(type: "T", id: Record.ID("r\(row)"), fields: ["t": .string(text)])
            try loader.append(record, origin: row + 1)
        }
        let snapshot = Snapshot(loader.finish())
        let query = try Self.query("t TOKENMATCHES[cd] 'x' AND t TOKENMATCHES 'A'", snapshot)
        let found = try query.ordered(by: [.relevance], limit: nil, relevance: query.relevance())
        #expect(found.rows.map { snapshot.recordID($0).recordName } == ["r1", "r0"])
        let scores = try #require(found.scores)
        #expect(scores.count == 2 && scores[0] > scores[1])
    }
}
