// Which index would serve patterns, and numbers that are compared under options of texts.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct IndexCandidateDetailTests {
    static let cases: [(predicate: String, candidate: String?)] = [
        // Options of texts make no other index of numbers.
        ("n ==[c] 1", "ordered n"), ("x IN[c] {1, 2}", "ordered x"), ("few BEGINSWITH[c] 'r'", "ordered few[c]"),
        // Three bytes that every match has make an index of parts; a plain beginning makes an order.
        ("t MATCHES '.*text 1'", "trigram t"), ("t LIKE '?text'", "trigram t"), ("t ENDSWITH[d] 'text'", "trigram t"),
        ("t ENDSWITH 'xt'", nil), ("t LIKE '*ex*'", nil), ("few LIKE 'r*'", "ordered few"),
        // Of few distinct texts each is looked at once: parts need no index.
        ("few LIKE '*red'", nil), ("few ENDSWITH 'red'", nil), ("few MATCHES 'red.*'", nil),
        ("few TOKENMATCHES 'red'", "token few"), ("t TOKENMATCHES[p] 'text 1'", "token t"),
    ]

    @Test(arguments: cases.indices) func candidates(_ number: Int) throws {
        let (text, expected) = Self.cases[number]
        let loader = RecordLoader()
        for row in 0..<40 {
            let fields: [String: FieldValue] = [
                "n": .int64(Int64(row)), "x": .double(Double(row) / 4), "t": .string("text \(row)"),
                "few": .string(["red", "green"][row % 2]),
            ]
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        let snapshot = Snapshot(loader.finish())
        let schema = try #require(snapshot.schema(ofType: "T"))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text))
        guard case .comparison(let comparison) = bound.root else {
            Issue.record("\(text) is no comparison")
            return
        }
        let planner = SegmentPlanner(snapshot.segments[0].indexes, keys: snapshot.keys)
        let found = planner.candidate(for: comparison)
        #expect(found.map { "\($0.kind.name) \($0.fieldText)" } == expected, "\(text)")
    }
}
