// Queries that do not suit their type or their client, where an index or an earlier query would have a result for them.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct QueryEdgeTests {
    /// An order by relevance needs words, though an index may tell the one match of a value at once.
    @Test func withoutWordsDatabasesHaveNoRelevance() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["code": "x"]), record("b", ["code": "y"]))
        let predicates: [RecordPredicate] = ["code == 'x'", "code == \("y")", "code == 'none'", "code != 'x'"]
        for predicate in predicates {
            await fails(.invalidArguments) { try await world.mine.names(predicate, sortedBy: [.relevance]) }
            let reading = world.mine.watch(Query("T", predicate, sortedBy: [.relevance]), in: .default)
            let error = #expect(throws: DatabaseError.self) { try reading.takeSteps() }
            #expect(error?.code == .invalidArguments)
        }
        #expect(try await world.mine.names("code == 'x'") == ["a"])
    }

    /// What was bound for a client that may query all fields is not taken for one that may not.
    @Test func predicatesAreBoundForEachEnvironment() async throws {
        let world = try await World()
        var schema = world.alice.schema
        schema.recordTypes["T"] = ContainerSchema.RecordType(fields: ["code": .init(.string, indexes: [])])
        try world.alice.setSchema(schema)
        try await world.mine.put(record("a", ["code": "x"]))
        let production = try world.client(World.alice) { $0.environment = .production }.privateDatabase
        for _ in 0..<2 {
            #expect(try await world.mine.names("code == 'x'") == ["a"])
            let error = await fails(.invalidArguments) { try await production.names("code == 'x'") }
            #expect(error?.reason.contains("not marked queryable") == true)
        }
    }
}
