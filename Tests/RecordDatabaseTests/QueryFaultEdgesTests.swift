// Where queries of databases say that a fault is: in evaluations, in marks that are missing, in names of types, and in
// cursors whose fields became others.

import Testing

@testable import RecordDatabase

@Suite struct QueryFaultEdgesTests {
    /// A predicate that fails on a record is shown with the error, by whichever call it runs.
    @Test func evaluationsThatFail() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["n": 0]))
        let query = Query("T", "6 / n == 3")
        let page = await fails(.invalidArguments) { try await world.mine.recordPage(matching: query, in: .default) }
        let count = await fails(.invalidArguments) { try await world.mine.count(matching: query, in: .default) }
        let reading = world.mine.watch(query, in: .default)
        let live = await fails(.invalidArguments) { try reading.takeSteps() }
        for error in [page, count, live] { #expect(error?.place?.text == "6 / n == 3") }
    }

    /// Production shows the field that lacks its mark; of a predicate without fields all of it.
    @Test(arguments: [("n == 1 AND code == 'x'", "code", 11), ("TRUEPREDICATE", "recordID", 0)])
    func marksThatAreMissing(_ text: String, _ field: String, _ start: Int) async throws {
        let world = try await World()
        var type = ContainerSchema.RecordType(metadataIndexes: [:])
        type.define("n", .init(.int64, indexes: .queryable))
        type.define("code", .init(.string, indexes: []))
        var schema = world.alice.schema
        schema.recordTypes["T"] = type
        try world.alice.setSchema(schema)
        let production = try world.client(World.alice) { $0.environment = .production }.privateDatabase
        let query = Query("T", try RecordPredicate(format: text))
        let error = await fails(.invalidArguments) { try await production.recordPage(matching: query, in: .default) }
        #expect(error?.reason.contains("field \(field) is not marked queryable") == true)
        #expect(error?.place?.text == text)
        #expect(error?.place?.range.lowerBound == start)
        #expect(error?.place?.range.isEmpty == false)
    }

    /// Names that no type may have are faults, and no types of which there are no records yet.
    @Test(arguments: ["", "no name", "1st"]) func namesOfNoType(_ name: String) async throws {
        let world = try await World()
        await fails(.invalidArguments) { try await world.mine.recordPage(matching: Query(name), in: .default) }
        await fails(.invalidArguments) { try await world.mine.count(matching: Query(name), in: .default) }
        #expect(try await world.mine.count(matching: Query("New"), in: .default) == 0)
    }

    /// A cursor does not go on when the values that it is behind are of another type by now.
    @Test func fieldsThatBecameOthers() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["n": 1]), record("b", ["n": 2]))
        let query = Query("T", sortedBy: [.ascending("n")])
        let page = try await world.mine.recordPage(matching: query, in: .default, resultsLimit: 1)
        let cursor = try #require(page.queryCursor)
        try await world.alice.migrate([
            SchemaMigration("1") { $0.retypeField("n", of: "T", to: .string) { _ in .string("x") } }
        ])
        let error = await fails(.invalidArguments) { try await world.mine.recordPage(after: cursor) }
        #expect(error?.reason == "the cursor does not go on with this query")
    }
}
