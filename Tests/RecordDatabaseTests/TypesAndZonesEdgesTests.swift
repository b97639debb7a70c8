// What is told of records by their types, zones, owners and servers: differences, fields without values, values.

import RecordFiles
import RecordModel
import Testing

@testable import RecordDatabase

private struct Item: RecordConvertible, Equatable {
    var recordName: String
    var number: Int
    var rank: Int?
}

@Suite struct TypesAndZonesEdgesTests {
    /// A record in place of one of another type is a new match, and the other one is gone.
    @Test func recordsOfAnotherType() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["n": 1]), record("b", ["n": 1]))
        var changes = ResultChanges()
        func advance() throws -> String {
            let set = try world.mine.snapshot().allRecords()
            let difference = changes.advance(to: try set.ordinals(matching: "n > 0"), of: set)
            let names = difference.ordinals.map { set.recordID(at: $0).recordName }.joined()
            return "\(names): \(difference.text)"
        }
        #expect(try advance() == "ab: 2 new matches")
        try await world.mine.deleteRecord(withID: Record.ID("a"))
        try await world.mine.put(record("a", ["n": 1], type: "U"))
        #expect(try advance() == "a: 1 new match, 1 gone")
    }

    /// A predicate may name a field that the schema has, though no record has a value of it.
    @Test func predicatesOfFieldsWithoutValues() async throws {
        let world = try await World()
        let type = ContainerSchema.RecordType(fields: ["a": .init(.int64), "b": .init(.string)])
        try world.alice.setSchema(ContainerSchema(recordTypes: ["T": type]))
        try await world.mine.put(record("r", ["a": 1]))
        let set = try world.mine.snapshot().allRecords()
        #expect(try set.count(matching: "b == nil") == 1)
        #expect(try set.count(matching: "b == 'x'") == 0)
        #expect(throws: RecordPredicateError.self) { try set.count(matching: "c == nil") }
    }

    /// Values are those of the zones that are named.
    @Test func valuesOfOneZone() async throws {
        let world = try await World()
        for (zone, number) in [(RecordZone.ID.default, 1), (world.zone, 2)] {
            let fields: [String: FieldValue] = ["number": .int64(Int64(number))]
            try await world.mine.put(record("r\(number)", in: zone, fields, type: Item.recordType))
        }
        func numbers(_ zones: QueryZones) async throws -> [Int] {
            try await world.mine.values(of: Item.self, sortedBy: [.ascending("number")], in: zones).map(\.number)
        }
        #expect(try await numbers(.all) == [1, 2])
        #expect(try await numbers(.default) == [1])
        #expect(try await numbers(.zone(world.zone)) == [2])
    }

    /// A property that the schema does not have orders nothing in a snapshot: it is an error.
    @Test func ordersByPropertiesOfNoField() async throws {
        let world = try await World()
        try await world.mine.put(record("r", ["number": 1], type: Item.recordType))
        let snapshot = try world.mine.snapshot()
        #expect(try snapshot.values(of: Item.self, sortedBy: [.ascending(\.number)]).map(\.number) == [1])
        #expect(throws: RecordPredicateError.self) {
            _ = try snapshot.values(of: Item.self, sortedBy: [.ascending(\.rank)])
        }
    }

    /// Who may read no more than their own records gets those of them that match.
    @Test func ownRecordsThatMatch() async throws {
        let world = try await World()
        try await world.bob.publicDatabase.put(record("a", ["n": 1]), record("b", ["n": 2]))
        try await world.everyones.put(record("c", ["n": 2]))
        var schema = world.alice.schema
        schema.recordTypes["T"]?.grants = [ContainerSchema.creatorRole: [.read]]
        try world.alice.setSchema(schema)
        let query = Query("T", "n == 2")
        let page = try await world.bob.publicDatabase.recordPage(matching: query, in: .default)
        #expect(page.matchResults.map(\.0.recordName) == ["b"])
        #expect(try await world.bob.publicDatabase.count(matching: query, in: .default) == 1)
    }

    /// The only node that was read is told with its number.
    @Test(arguments: [nil, 0, 3] as [Int?]) func oneNode(_ number: Int?) throws {
        var node = QueryExplanation.Pushed.Node(
            told: ("c", certain: nil, order: nil, values: []), undecided: [], indexes: [], rows: 2, rechecked: 1)
        node.number = number
        let found = #""indexes":[],"rows":2,"rechecked":1"#
        let nodes = number.map { #","nodes":[{"number":\#($0),\#(found)}]"# } ?? ""
        let json = try JSONReader.tree(#"{"condition":"c",\#(found)\#(nodes)}"#)
        #expect(QueryExplanation.Pushed(node).jsonValue == json)
    }
}
