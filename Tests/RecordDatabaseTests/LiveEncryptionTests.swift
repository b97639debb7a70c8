// Encrypted values in live queries whose type, or whose key, was another one when they began.

import Testing

@testable import RecordDatabase

@Suite struct LiveEncryptionTests {
    private static func note(_ name: String, _ text: String, _ fields: [String: FieldValue] = [:]) -> Record {
        var note = record(name, fields, type: "Note")
        note.encryptedValues["diary"] = text
        return note
    }

    /// The encrypted values that a list holds after the steps that wait; nothing of them is a field.
    private static func diaries(_ reading: LiveReading, _ mirror: inout LiveQueryTests.Mirror) throws -> [FieldValue] {
        for step in try reading.takeSteps() {
            mirror.apply(step)
            #expect(mirror.records.allSatisfy { $0["diary"] == FieldValue.null })
        }
        return mirror.records.map { $0.encryptedValues["diary"] }
    }

    /// The first record with encrypted values, of a new type or a known one, is shown as all later ones are; so it is
    /// where the query runs again after each commit.
    @Test(arguments: [(false, false), (true, false), (true, true)])
    func theFirstEncryptedValues(isKnown: Bool, runsAgain: Bool) async throws {
        let world = try await World()
        let near = FieldValue.reference(RecordReference(recordID: Record.ID("taught")))
        if isKnown {
            try await world.mine.put(record("taught", ["title": "a"], type: "Note"))
            try await world.mine.put(record("by", ["near": near], type: "Note"))
        }
        let query = runsAgain ? Query("Note", "near.title == 'a'") : Query("Note", "title == 'b'")
        let reading = world.mine.watch(query, in: .all)
        var mirror = LiveQueryTests.Mirror()
        let before: [FieldValue] = runsAgain ? [.null] : []
        #expect(try Self.diaries(reading, &mirror) == before)
        let fields: [String: FieldValue] = isKnown ? ["title": "b", "near": near] : ["title": "b"]
        try await world.mine2.save(Self.note("n1", "one", fields))
        #expect(try Self.diaries(reading, &mirror) == before + ["one"])
        try await world.mine2.save(Self.note("n2", "two", fields))
        #expect(try Self.diaries(reading, &mirror) == before + ["one", "two"])
    }

    /// Values that are saved after a reset are shown, with the key that there is by then.
    @Test func valuesAfterAReset() async throws {
        let world = try await World()
        try await world.mine.save(Self.note("n", "old"))
        let reading = world.mine.watch(Query("Note"), in: .all)
        var mirror = LiveQueryTests.Mirror()
        #expect(try Self.diaries(reading, &mirror) == ["old"])
        // The key is known now.
        try await world.mine2.save(Self.note("m", "older"))
        #expect(try Self.diaries(reading, &mirror) == ["older", "old"])
        try await world.alice.resetEncryptedData()
        #expect(try Self.diaries(reading, &mirror) == [.null, .null])
        var changed = try await world.mine2.record(for: Record.ID("n"))
        changed.encryptedValues["diary"] = "new"
        try await world.mine2.save(changed)
        try await world.mine2.save(Self.note("o", "newer"))
        #expect(try Self.diaries(reading, &mirror) == [.null, "new", "newer"])
    }

    /// A key that comes late shows values with the next result, though no record was changed.
    @Test func aKeyThatComesLate() async throws {
        let world = try await World()
        try await world.mine.save(Self.note("n", "one"))
        let keys = MemoryKeys()
        let lost = try world.client(World.alice) { $0.encryptionKeys = keys }.privateDatabase
        let reading = lost.watch(Query("Note"), in: .all)
        var mirror = LiveQueryTests.Mirror()
        #expect(try Self.diaries(reading, &mirror) == [.null])
        let key = try #require(try world.alice.client.store.keys.key(ofContainer: "test"))
        keys.setKey(key, ofContainer: "test")
        var schema = world.alice.schema
        schema.recordTypes["Note"]?.define("more", ContainerSchema.Field(.string))
        try world.alice.setSchema(schema)
        #expect(try Self.diaries(reading, &mirror) == ["one"])
    }
}
