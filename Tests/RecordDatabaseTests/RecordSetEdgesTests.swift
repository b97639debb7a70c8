// Record sets, references and schemas at their edges: orders of lookups, limits of facets, names that nobody has.

import Foundation
import Geospatial
import PredicateSyntax
import QueryExecution
import RecordModel
import RecordStore
import Testing

@testable import RecordDatabase

@Suite struct RecordSetEdgesTests {
    private static func numbers(_ count: Int) throws -> RecordSet {
        try RecordSet(
            records: (0..<count).map { number in
                record("r\(number)", ["n": .int64(Int64(number % 7)), "m": .int64(Int64(number))])
            })
    }

    /// A prepared query that could look its records up gives them in the order that is asked for.
    @Test func lookupsHaveAnOrder() throws {
        let set = try Self.numbers(300)
        #expect(set.lookup(of: "n == $a") != nil)
        let expected = stride(from: 1, to: 300, by: 7).map { UInt32($0) }
        let backwards = Array(expected.reversed())
        #expect(try set.prepare("n == $a", sortedBy: [.ascending("m")]).ordinals(["a": 1]) == expected)
        #expect(try set.prepare("n == $a", sortedBy: [.descending("m")]).ordinals(["a": 1]) == backwards)
    }

    /// A reference that is a constant leads to its record, as one of a field does.
    @Test func constantReferences() throws {
        let ann = FieldValue.reference(RecordReference("c1"))
        let set = try RecordSet(records: [
            record("c1", ["name": "Ann"]), record("c2", ["name": "Bob"]), record("o1", ["owner": ann]),
            record("o2", ["owner": .reference(RecordReference("c2")), "name": "Ann"]),
        ])
        let cases: [(text: String, arguments: [FieldValue], names: [String], follows: Bool)] = [
            ("%@.name == name", [ann], ["c1", "o2"], true), ("%@.name == 'Bob'", [ann], [], true),
            ("ANY %@.name == name", [.list([ann])], ["c1", "o2"], true),
            ("owner == %@ AND owner.name == %@.name", [ann, ann], ["o1"], true),
            ("%@.k.name == name", [.object(["k": ann])], ["c1", "o2"], true),
            ("SUBQUERY(%@, $x, $x.name == 'Ann').@count == 1 AND owner != nil", [.list([ann])], ["o1", "o2"], true),
            ("%@.recordName == owner.recordName", [ann], ["o1"], false),
            ("ANY %@.recordName == 'c1' AND name == 'Bob'", [.list([ann])], ["c2"], false),
        ]
        for (text, arguments, names, follows) in cases {
            let predicate = try RecordPredicate(format: text, arguments: arguments)
            #expect(try set.records(matching: predicate).map(\.id.recordName) == names, "\(text)")
            #expect(set.followsReferences(predicate, []) == (follows || text.contains("owner.")), "\(text)")
        }
    }

    /// The values that facets give count against the limit of results; those that are left out do not.
    @Test func facetsAreLimited() throws {
        var set = try Self.numbers(20)
        set.limits.resultBytes = 200
        #expect(try set.facets("m", limit: 1).distinctCount == 20)
        let error = #expect(throws: RecordPredicateError.self) { try set.facets("m", limit: 10) }
        #expect(error?.evaluationKind == .resultLimit)
    }

    @Test(arguments: [-Double.infinity...0, 0...Double.infinity, -Double.infinity...Double.infinity])
    func edgesOfHistogramsAreFinite(_ range: ClosedRange<Double>) throws {
        let set = try Self.numbers(20)
        let error = #expect(throws: RecordPredicateError.self) {
            try set.histogram(of: "m", bins: 4, within: range)
        }
        #expect(error?.message == "the edges of a histogram are finite numbers")
    }

    /// A map of a field that no record has is a slip.
    @Test func cellsNeedAField() throws {
        let place = FieldValue.location(Location(latitude: 1, longitude: 2))
        let set = try RecordSet(records: [record("r", ["place": place])])
        let grid = try #require(PlaceGrid(south: -90, west: -180, north: 90, east: 180, columns: 2, rows: 2))
        let rows = try set.matchingRows(of: "TRUEPREDICATE")
        #expect(try set.cells(of: "place", at: rows, in: grid).map(\.count) == [1])
        let error = #expect(throws: RecordPredicateError.self) { try set.cells(of: "plce", at: rows, in: grid) }
        #expect(error?.message == "no record has a field plce")
    }

    /// A field that the schema has is none that nobody has, though no record has a value of it.
    @Test func declaredFieldsWithoutValues() async throws {
        let world = try await World()
        let type = ContainerSchema.RecordType(fields: ["a": .init(.int64), "b": .init(.string)])
        try world.alice.setSchema(ContainerSchema(recordTypes: ["T": type]))
        try await world.mine.put(record("r", ["a": 1]))
        let set = try world.mine.snapshot().allRecords()
        #expect(try set.facets("a").distinctCount == 1)
        #expect(try set.facets("b").distinctCount == 0)
        #expect(throws: RecordPredicateError.self) { try set.facets("c") }
    }

    /// Rows of a later piece of a table go on with its numbers.
    @Test func rowsOfLaterPiecesHaveLaterNames() throws {
        let table = RecordTable(name: "t", fields: [FieldDefinition(name: "n", type: .int64)], key: nil)
        let loader = RecordTableLoader(table, columns: ["n"], after: 5, moment: nil)
        for number in [10, 20] as [Int64] { try loader.append([.int64(number)]) }
        let set = loader.finish()
        #expect(set.count == 2 && set.recordName(at: 0) == "6" && set.recordName(at: 1) == "7")
    }

    // MARK: References

    /// What cannot be looked for is an error, and no record that is gone.
    @Test func targetsInMissingZonesAreErrors() async throws {
        let database = try Container(identifier: "test").privateDatabase
        let target = Record.ID("x", zoneID: RecordZone.ID("None"))
        let start = record("s", ["to": .reference(RecordReference(recordID: target))])
        await fails(.zoneNotFound) { try await database.related(to: [start], along: "to") }
    }

    /// References of rows that are gone hold nothing: their records may be there again without them.
    @Test func rowsThatAreGoneHoldNothing() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.put(record("t"))
        let of = FieldValue.reference(RecordReference("t", action: .deleteSelf))
        let records = (0..<12).map { record("r\($0)", ["of": of]) }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        try await database.deleteRecord(withID: Record.ID("r0"))
        var free = try await database.record(for: Record.ID("r1"))
        free["of"] = .null
        try await database.put(free)
        let snapshot = try #require(try database.snapshot().records)
        let graph = ReferenceGraph(of: snapshot, container.schema)
        let holders = graph.holders.values.flatMap { $0.map(\.recordName) }
        let expected = (2..<12).map { "r\($0)" }
        #expect(graph.holders.keys.map(\.recordName) == ["t"])
        #expect(Set(holders) == Set(expected) && holders.count == expected.count)
        #expect(graph.children.isEmpty)
    }

    // MARK: Schemas

    private static func removing(_ keys: Set<String>, from value: Any) -> Any {
        if let object = value as? [String: Any] {
            return object.filter { !keys.contains($0.key) }.mapValues { removing(keys, from: $0) }
        }
        if let list = value as? [Any] { return list.map { removing(keys, from: $0) } }
        return value
    }

    /// A schema that was written before there were roles, traits and the like is read as one without them.
    @Test(arguments: ["roles", "migrations", "traits", "uniqueTogether"])
    func schemasOfEarlierVersions(_ key: String) throws {
        let type = ContainerSchema.RecordType(fields: ["a": .init(.int64), "b": .init(.string, indexes: .queryable)])
        let schema = ContainerSchema(recordTypes: ["T": type])
        let form = try JSONSerialization.jsonObject(with: JSONEncoder().encode(schema))
        let earlier = try JSONSerialization.data(withJSONObject: Self.removing([key], from: form))
        #expect(try JSONDecoder().decode(ContainerSchema.self, from: earlier) == schema)
    }

    /// Names that no type may have are refused where they stand.
    @Test func namesOfTypesAreChecked() {
        let text = "DEFINE SCHEMA RECORD TYPE \"1\" ();"
        let error = #expect(throws: SyntaxError.self) { try ContainerSchema(text: text) }
        #expect(error?.span.range == 26..<29)
    }

    /// Production says what it lacks: the type, where nobody knows that, else the field.
    @Test func productionNamesWhatItLacks() async throws {
        let world = try await World()
        try await world.mine.put(record("r", ["a": 1]))
        let production = try world.client(World.alice) { $0.environment = .production }.privateDatabase
        let type = await fails(.invalidArguments) { try await production.save(record("s", ["a": 2], type: "New")) }
        #expect(type?.reason.contains("the production schema has no record type New") == true)
        let field = await fails(.invalidArguments) { try await production.save(record("s", ["a": 2, "b": 1])) }
        #expect(field?.reason.contains("the production schema has no field b") == true)
    }

    /// A field that is taken from a record of a set while it is saved stays away.
    @Test func whatIsTakenAwayDuringASaveStaysAway() async throws {
        let record = Record(type: "T", id: Record.ID("r"), fields: ["a": 1, "b": 2])
        let sent = try #require(try RecordSet(records: [record]).prepare("TRUEPREDICATE").records().first)
        let stored = try await Container(identifier: "set").privateDatabase.save(sent)
        #expect(sent.saved(as: stored, sent: sent).changedKeys() == [])
        var now = sent
        now["a"] = FieldValue.null
        let saved = now.saved(as: stored, sent: sent)
        #expect(saved.changedKeys() == ["a"] && saved.allKeys() == ["b"])
    }
}
