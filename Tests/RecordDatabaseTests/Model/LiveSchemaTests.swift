// Live queries and observations where the schema, or the user, changes.

import Foundation
import Synchronization
import Testing
import TextAnalysis
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct LiveSchemaTests {
    private typealias Mirror = LiveQueryTests.Mirror

    private static let queries = [
        Query("T", "a == 1"), Query("T", "b BEGINSWITH 'r'", sortedBy: [.descending("b")]),
        Query("T", "b TOKENMATCHES[c] 'run'"), Query("T", "of.a == 1"), Query("U", "a == 1"), Query("New", "c == 1"),
    ]

    /// What happens to the schema, and which of the queries end.
    private static let changes: [(title: String, ends: Set<Int>, change: @Sendable (Container) async throws -> Void)] =
        [
            (
                "an analyzer", [],
                { container in
                    var schema = container.schema
                    schema.recordTypes["T"]?.define(
                        "b", ContainerSchema.Field(.string, analyzer: TextAnalyzer(language: .english)))
                    try container.setSchema(schema)
                }
            ),
            (
                "an empty field of another type", [],
                { container in
                    var schema = container.schema
                    var type = ContainerSchema.RecordType()
                    type.define("a", ContainerSchema.Field(.int64))
                    schema.recordTypes["U"] = type
                    try container.setSchema(schema)
                }
            ),
            (
                "values that are others", [],
                { container in
                    try await container.migrate([
                        SchemaMigration("1") { $0.updateRecords(ofType: "T") { $0["a"] = $0["a"] == 1 ? 2 : 1 } }
                    ])
                }
            ),
            (
                "a field that goes", [0],
                { try await $0.migrate([SchemaMigration("1") { $0.dropField("a", of: "T") }]) }
            ),
            (
                "a field of another type", [1, 2],
                { container in
                    try await container.migrate([
                        SchemaMigration("1") { $0.retypeField("b", of: "T", to: .int64) { _ in .int64(3) } }
                    ])
                }
            ),
            (
                "a type without records", [4],
                { try await $0.migrate([SchemaMigration("1") { $0.retypeField("a", of: "U", to: .string) }]) }
            ),
            (
                "a type that has a new name", [],
                { try await $0.migrate([SchemaMigration("1") { $0.renameType("T", to: "Other") }]) }
            ),
            (
                "a type that comes", [],
                { try await $0.privateDatabase.save(record("n", ["c": 1], type: "New")) }
            ),
        ]

    @Test(arguments: changes.indices) func queriesFollowTheSchema(_ number: Int) async throws {
        let (title, ends, change) = Self.changes[number]
        let world = try await World()
        let texts = ["run fox", "running", "blue", "red"]
        for place in 0..<4 {
            try await world.mine.put(
                record(
                    "r\(place)",
                    [
                        "a": .int64(Int64(place % 2)), "b": .string(texts[place]),
                        "of": .reference(RecordReference(recordID: .init("r\((place + 1) % 4)"), action: .none)),
                    ]))
        }
        let gone = try await world.mine.put(record("u", ["a": 1, "e": 1], type: "U"))
        try await world.mine.deleteRecord(withID: gone[0].id)
        let readings = Self.queries.map { world.mine.watch($0, in: .all) }
        var mirrors = Self.queries.map { _ in Mirror() }
        func take(_ place: Int) throws { for step in try readings[place].takeSteps() { mirrors[place].apply(step) } }
        for place in Self.queries.indices { try take(place) }
        try await change(world.alice)
        for isLater in [false, true] {
            if isLater, world.alice.schema.recordTypes["T"] != nil {
                var later = try await world.mine.record(for: Record.ID("r2"))
                later["of"] = .null
                try await world.mine2.put(later)
            }
            for (place, query) in Self.queries.enumerated() {
                if ends.contains(place) {
                    if isLater { continue }
                    // Steps that waited come first.
                    #expect(throws: DatabaseError.self, "\(title): \(query.predicate)") {
                        try take(place)
                        try take(place)
                    }
                    continue
                }
                try take(place)
                let expected = try await world.mine.records(matching: query)
                #expect(mirrors[place].records.map(\.id) == expected.map(\.id), "\(title): \(query.predicate)")
                #expect(
                    mirrors[place].records.map(\.fields) == expected.map(\.fields), "\(title): \(query.predicate)")
            }
        }
    }

    @Test func aSequenceFailsWithTheErrorOfItsQuery() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["a": 1, "b": 1]))
        var steps = world.mine.changes(matching: Query("T", "b == 1"), in: .all).makeAsyncIterator()
        _ = try await steps.next()
        try await world.alice.migrate([SchemaMigration("1") { $0.dropField("b", of: "T") }])
        await fails(.invalidArguments) { try await steps.next() as Any }
        #expect(try await steps.next() == nil)
    }

    /// Schemas that change while queries begin: none of them keeps an earlier one.
    @Test func queriesThatBeginBesideSchemasFollowThemToo() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["b": "running"]))
        for number in 0..<40 {
            var schema = world.alice.schema
            let analyzer = number % 2 == 0 ? TextAnalyzer(language: .english) : nil
            schema.recordTypes["T"]?.define("b", ContainerSchema.Field(.string, analyzer: analyzer))
            let wanted = schema
            let reading = world.mine.watch(Query("T", "b TOKENMATCHES[c] 'run'"), in: .all)
            async let started = Task.detached { try reading.takeSteps() }.value
            try world.alice.setSchema(wanted)
            var mirror = Mirror()
            for step in try await started + reading.takeSteps() { mirror.apply(step) }
            #expect(mirror.records.count == (number % 2 == 0 ? 1 : 0))
        }
    }

    @Test func observationsFollowTheUser() async throws {
        let container = try Container(identifier: "test", account: .user("ann"))
        let database = container.privateDatabase
        try await database.save(record("a", ["n": 1]))
        var values = database.observe { try $0.records(ofType: "T").count }.makeAsyncIterator()
        #expect(try await values.next() == 1)
        try container.setAccount(.user("bob"))
        #expect(try await values.next() == 0)
        for number in 1...3 {
            try await database.save(record("b\(number)", ["n": 1]))
            #expect(try await values.next() == number)
        }
        container.close()
        #expect(try await values.next() == nil)
    }

    /// Who was another user meanwhile is told of the commits of their own database again, and of no other.
    @Test func observationsComeBackToAUser() async throws {
        let container = try Container(identifier: "test", account: .user("ann"))
        let (database, store) = (container.privateDatabase, container.client.store)
        try await database.save(record("a", ["n": 1]))
        var values = database.observe { try $0.records(ofType: "T").count }.makeAsyncIterator()
        #expect(try await values.next() == 1)
        for (user, count) in [("bob", 0), ("ann", 1)] {
            try container.setAccount(.user(user))
            #expect(try await values.next() == count)
        }
        try #require(!store.privateDatabase(of: "ann").readers.isEmpty)
        #expect(store.privateDatabase(of: "bob").readers.isEmpty)
        try await database.save(record("b", ["n": 1]))
        #expect(try await values.next() == 2)
        container.close()
    }
}
