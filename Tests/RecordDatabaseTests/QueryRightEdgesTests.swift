// Queries where a right, a mark of the schema, a dialect or a place in the result decides what is found.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct QueryRightEdgesTests {
    private static func grant(_ grants: [String: Set<ContainerSchema.Permission>], in world: World) throws {
        var schema = world.alice.schema
        schema.recordTypes["T"]?.grants = grants
        try world.alice.setSchema(schema)
    }

    private static func mark(_ field: String, _ indexes: IndexMarks, in world: World) throws {
        var schema = world.alice.schema
        schema.recordTypes["T"] = ContainerSchema.RecordType(fields: [field: .init(.string, indexes: indexes)])
        try world.alice.setSchema(schema)
    }

    // MARK: Rights

    /// Who may read no more than their own records finds these by a value, too, however often it was asked before.
    @Test func othersRecordsAreNotFoundByValue() async throws {
        let world = try await World()
        let (alice, bob) = (world.everyones, world.bob.publicDatabase)
        try await alice.put(record("a", ["n": 1]))
        try await bob.put(record("b", ["n": 1]))
        for _ in 0..<2 { #expect(try await bob.names("n == 1") == ["a", "b"]) }
        try Self.grant([ContainerSchema.creatorRole: [.read]], in: world)
        for _ in 0..<2 {
            #expect(try await alice.names("n == 1") == ["a"])
            #expect(try await bob.names("n == 1") == ["b"])
            #expect(try await world.nobody.publicDatabase.names("n == 1") == [])
        }
        // Where nobody may read anything, own records are not found either.
        try Self.grant([ContainerSchema.userRole: [.create]], in: world)
        #expect(try await alice.names("n == 1") == [])
        #expect(try await bob.names() == [])
    }

    /// A predicate that does not suit its type is an error, also for those who would find nothing.
    @Test func whoMayReadNothingIsToldOfFaults() async throws {
        let world = try await World()
        try await world.everyones.put(record("a", ["n": 1]))
        try Self.grant([ContainerSchema.creatorRole: [.read]], in: world)
        for database in [world.nobody.publicDatabase, world.bob.publicDatabase] {
            let error = await fails(.invalidArguments) { try await database.names("nope == 1") }
            #expect(error?.reason.contains("nope") == true)
        }
    }

    // MARK: Marks

    /// What was found while a field was marked is not found any more when its mark is taken away.
    @Test func marksThatAreTakenAwayCount() async throws {
        let world = try await World()
        try Self.mark("code", .queryable, in: world)
        try await world.mine.put(record("a", ["code": "x"]))
        let production = try world.client(World.alice) { $0.environment = .production }.privateDatabase
        for _ in 0..<2 { #expect(try await production.names("code == 'x'") == ["a"]) }
        try Self.mark("code", [], in: world)
        let error = await fails(.invalidArguments) { try await production.names("code == 'x'") }
        #expect(error?.reason.contains("field code is not marked queryable") == true)
        #expect(try await world.mine.names("code == 'x'") == ["a"])
    }

    /// Words are looked for in all fields where one of them is marked for that, and not for something else.
    @Test func wordsNeedASearchableField() async throws {
        let world = try await World()
        let production = try world.client(World.alice) { $0.environment = .production }.privateDatabase
        for (marks, isSearchable) in [
            ([.queryable, .sortable], false), (.queryable, false), (.searchable, true),
        ] as [(IndexMarks, Bool)] {
            try Self.mark("text", marks, in: world)
            if isSearchable {
                #expect(try await production.names("self CONTAINS 'a'") == [])
            } else {
                let error = await fails(.invalidArguments) { try await production.names("self CONTAINS 'a'") }
                #expect(error?.reason.contains("no field of T is marked searchable") == true)
            }
        }
    }

    // MARK: Dialects

    /// CloudKit's dialect has no order by what lies below a field, and none by relevance.
    @Test func ordersOfTheFullDialect() async throws {
        let world = try await World()
        try await world.mine.put(
            record("a", ["o": .object(["x": 2]), "s": "word"]), record("b", ["o": .object(["x": 1]), "s": "word"]))
        #expect(try await world.mine.names(sortedBy: [.ascending("o.x")]) == ["b", "a"])
        let strict = try world.client(World.alice) { $0.dialect = .cloudKit }.privateDatabase
        let path = await fails(.invalidArguments) { try await strict.names(sortedBy: [.ascending("o.x")]) }
        #expect(path?.reason == "the order: T has no field o.x")
        let relevance = await fails(.invalidArguments) {
            try await strict.names("self CONTAINS 'word'", sortedBy: [.relevance])
        }
        #expect(relevance?.reason == "the order: relevance is an extension of the full dialect")
    }

    // MARK: Pages

    /// The next page has what lies behind the cursor, also where by then only a record before it is left.
    @Test func nothingIsGivenTwice() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["code": "x"]), record("b", ["code": "x"]), record("c", ["code": "y"]))
        let first = try await world.mine.recordPage(
            matching: Query("T", "code == 'x'"), in: .default, resultsLimit: 1)
        #expect(first.matchResults.map(\.0.recordName) == ["a"])
        let cursor = try #require(first.queryCursor)
        #expect(try await world.mine.recordPage(after: cursor).matchResults.map(\.0.recordName) == ["b"])
        try await world.mine.deleteRecord(withID: Record.ID("b"))
        let second = try await world.mine.recordPage(after: cursor)
        #expect(second.matchResults.isEmpty && second.queryCursor == nil)
    }

    /// A cursor of a form that is not known yet is refused as such.
    @Test(arguments: [3, 4, 100]) func cursorsOfNewerVersions(_ format: Int) async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["n": 1]), record("b", ["n": 2]))
        let page = try await world.mine.recordPage(matching: Query("T"), in: .default, resultsLimit: 1)
        let data = try JSONEncoder().encode(try #require(page.queryCursor))
        var form = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        form["format"] = format
        let newer = try JSONSerialization.data(withJSONObject: form)
        let error = #expect(throws: DatabaseError.self) { try JSONDecoder().decode(Query.Cursor.self, from: newer) }
        #expect(error?.code == .incompatibleVersion)
    }

    // MARK: Live queries

    /// As time goes on, a record suits a live query without being saved again: the next commit tells of it.
    @Test func recordsThatComeWithTime() async throws {
        let world = try await World()
        try await world.mine.put(record("due", ["d": .date(world.clock.now.addingTimeInterval(5))]))
        let reading = world.mine.watch(Query("T", "d < now()"), in: .default)
        #expect(try reading.takeSteps() == [.initial([])])
        world.clock.advance(10)
        try await world.mine.put(record("late", ["d": .date(world.clock.now.addingTimeInterval(1000))]))
        let names = try reading.takeSteps().map { step in
            if case .inserted(let found, 0) = step { found.id.recordName } else { "\(step)" }
        }
        #expect(names == ["due"])
    }
}
