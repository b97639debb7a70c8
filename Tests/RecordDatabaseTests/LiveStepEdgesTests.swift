// What live queries give where the schema ends them, or brings their type without the fields that they name.

import Testing

@testable import RecordDatabase

@Suite struct LiveStepEdgesTests {
    /// Steps that wait when a query ends with an error are given before it, and the error once.
    @Test func stepsComeBeforeTheError() async throws {
        let world = try await World()
        try await world.mine.put(record("taught", ["a": 1, "b": 0]))
        let reading = world.mine.watch(Query("T", "b == 1"), in: .all)
        #expect(try reading.takeSteps() == [.initial([])])
        try await world.mine.put(record("r", ["a": 1, "b": 1]))
        try await world.alice.migrate([SchemaMigration("1") { $0.dropField("b", of: "T") }])
        let steps = try reading.takeSteps()
        #expect(steps.count == 1)
        if case .inserted(let found, at: 0)? = steps.first {
            #expect(found.id == Record.ID("r"))
        } else {
            Issue.record("expected the record that came")
        }
        await fails(.invalidArguments) { try reading.takeSteps() }
        #expect(try reading.takeSteps() == [])
    }

    /// A query of a type that nobody has saved yet goes on when its first record lacks the field.
    @Test func typesThatComeWithoutTheField() async throws {
        let world = try await World()
        let reading = world.mine.watch(Query("New", "c == 1"), in: .all)
        var mirror = LiveQueryTests.Mirror()
        func follow() throws -> [Record.ID] {
            for step in try reading.takeSteps() { mirror.apply(step) }
            return mirror.records.map(\.id)
        }
        #expect(try follow() == [])
        try await world.mine.put(record("d", ["d": 1], type: "New"))
        #expect(try follow() == [])
        try await world.mine.put(record("c", ["c": 1], type: "New"))
        #expect(try follow() == [Record.ID("c")])
    }
}
