// Which index would serve a comparison, by what its column holds.

import FoundationEssentials
import Geospatial
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct IndexCandidateTests {
    private static func reference(_ name: String, _ zone: String = "Z") -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name, zoneID: RecordZone.ID(zone))))
    }

    /// So many texts that each row has its own; `far` leads to several zones.
    private static func fields(_ row: Int) -> [String: FieldValue] {
        [
            "n": .int64(Int64(row)), "x": .double(Double(row) / 4), "flag": .bool(row % 2 == 0),
            "day": .date(Date(timeIntervalSinceReferenceDate: Double(row))), "t": .string("text \(row)"),
            "few": .string(["red", "green"][row % 2]), "tags": ["a", "b"], "ns": [1, 2],
            "p": .location(Location(latitude: 1, longitude: 2)), "owner": reference("o\(row % 2)"),
            "owners": .list([reference("o1"), reference("o2")]), "far": reference("o", ["Y", "Z"][row % 2]),
        ]
    }

    static let cases: [(predicate: String, arguments: [FieldValue], candidate: String?)] = [
        ("n == 1", [], "ordered n"), ("n != 1", [], "ordered n"), ("1 < n", [], "ordered n"),
        ("n BETWEEN {1, 2}", [], "ordered n"), ("n IN {1, 2}", [], "ordered n"), ("x < 0.5", [], "ordered x"),
        ("flag == YES", [], "ordered flag"),
        ("day > %@", [.date(Date(timeIntervalSinceReferenceDate: 0))], "ordered day"), ("n == nil", [], nil),
        ("n + 1 == 2", [], nil), ("absent == 1", [], nil), ("n == x", [], nil),
        ("t == 'a'", [], "ordered t"), ("t ==[cd] 'a'", [], "ordered t[cd]"), ("t ==[l] 'a'", [], nil),
        ("t BEGINSWITH[c] 'a'", [], "ordered t[c]"), ("t IN[d] {'a', 'b'}", [], "ordered t[d]"),
        ("t >[c] 'a'", [], "ordered t[c]"),
        ("t CONTAINS 'text'", [], "trigram t"), ("t CONTAINS 'a'", [], nil), ("t ENDSWITH 'text'", [], "trigram t"),
        ("t LIKE 'text*'", [], "ordered t"), ("t LIKE[c] 'text*'", [], "ordered t[c]"),
        ("t LIKE '*text*'", [], "trigram t"), ("t LIKE '??'", [], nil), ("t MATCHES '[a-z]+'", [], nil),
        ("few == 'red'", [], "ordered few"), ("few CONTAINS 'text'", [], nil),
        ("ANY tags == 'a'", [], "ordered tags"), ("ANY tags ==[c] 'a'", [], "ordered tags[c]"),
        ("tags CONTAINS 'a'", [], "ordered tags"), ("NONE ns > 1", [], "ordered ns"),
        ("ANY tags CONTAINS 'text'", [], nil), ("tags == {'a', 'b'}", [], nil), ("p.latitude > 1", [], nil),
        (
            "distanceToLocation:fromLocation:(p, %@) < 1000", [.location(Location(latitude: 0, longitude: 0))],
            "spatial p"
        ),
        ("owner == %@", [reference("o1")], "ordered owner"), ("far == %@", [reference("o1")], nil),
        ("ANY owners == %@", [reference("o1")], "ordered owners"), ("owner.name == 'a'", [], nil),
        ("t TOKENMATCHES[cd] 'text'", [], "token t[cd]"), ("tags TOKENMATCHES[cd] 'a'", [], "token tags[cd]"),
        ("allTokens TOKENMATCHES[cd] 'text'", [], "token allTokens[cd]"),
        // Options of texts make no other index of numbers.
        ("n ==[c] 1", [], "ordered n"), ("x IN[c] {1, 2}", [], "ordered x"),
        ("few BEGINSWITH[c] 'r'", [], "ordered few[c]"),
        // Three bytes that every match has make an index of parts; a plain beginning makes an order.
        ("t MATCHES '.*text 1'", [], "trigram t"), ("t LIKE '?text'", [], "trigram t"),
        ("t ENDSWITH[d] 'text'", [], "trigram t"), ("t ENDSWITH 'xt'", [], nil), ("t LIKE '*ex*'", [], nil),
        ("few LIKE 'r*'", [], "ordered few"),
        // Of few distinct texts each is looked at once: parts need no index.
        ("few LIKE '*red'", [], nil), ("few ENDSWITH 'red'", [], nil), ("few MATCHES 'red.*'", [], nil),
        ("few TOKENMATCHES 'red'", [], "token few"), ("t TOKENMATCHES[p] 'text 1'", [], "token t"),
    ]

    @Test(arguments: cases.indices) func candidates(_ number: Int) throws {
        let (text, arguments, expected) = Self.cases[number]
        let loader = RecordLoader()
        for row in 0..<40 {
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: Self.fields(row)), origin: row + 1)
        }
        let snapshot = Snapshot(loader.finish())
        var schema = try #require(snapshot.schema(ofType: "T"))
        schema.define(FieldDefinition(name: "absent", type: .int64))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: arguments))
        guard case .comparison(let comparison) = bound.root else {
            Issue.record("\(text) is no comparison")
            return
        }
        let planner = SegmentPlanner(snapshot.segments[0].indexes, keys: snapshot.keys)
        let found = planner.candidate(for: comparison)
        #expect(found.map { "\($0.kind.name) \($0.fieldText)" } == expected, "\(text)")
    }
}
