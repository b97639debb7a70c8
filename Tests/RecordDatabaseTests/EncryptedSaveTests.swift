// Encrypted values that are saved over others: which of them are sent, and what counts.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct EncryptedSaveTests {
    private static func note(_ values: [String: FieldValue]) -> Record {
        var note = record("n", ["title": "a"], type: "Note")
        for (key, value) in values { note.encryptedValues[key] = value }
        return note
    }

    /// The policies send what they say of encrypted values, too: all that the object has, or what was set.
    @Test(arguments: [
        (SavePolicy.allKeys, ["kept": "one", "set": "new", "theirs": "two"] as [String: FieldValue]),
        (.changedKeys, ["kept": "two", "set": "new", "theirs": "two"]),
    ])
    func policiesSendEncryptedValues(_ policy: SavePolicy, expected: [String: FieldValue]) async throws {
        let world = try await World()
        try await world.mine.save(Self.note(["kept": "one", "set": "one"]))
        var mine = try await world.mine.record(for: Record.ID("n"))
        var theirs = try await world.mine2.record(for: mine.id)
        for key in ["kept", "set", "theirs"] { theirs.encryptedValues[key] = "two" }
        try await world.mine2.save(theirs)
        mine.encryptedValues["set"] = "new"
        let saved = try await world.mine.put(mine, policy: policy)[0]
        #expect(saved.encryptedValues.fields == expected)
        #expect(try await world.mine2.record(for: mine.id).encryptedValues.fields == expected)
    }

    /// A record that is gone is saved again as a whole with its encrypted values.
    @Test func allKeysBringEncryptedValuesBack() async throws {
        let world = try await World()
        try await world.mine.save(Self.note(["text": "one"]))
        var mine = try await world.mine.record(for: Record.ID("n"))
        try await world.mine2.deleteRecord(withID: mine.id)
        mine["title"] = "b"
        try await world.mine.put(mine, policy: .allKeys)
        let found = try await world.mine2.record(for: mine.id)
        #expect(found["title"] == "b" && found.encryptedValues.fields == ["text": "one"])
    }

    /// Values that cannot be shown, as there is another key, stay where a record is saved as a whole.
    @Test func valuesThatCannotBeShownStay() async throws {
        let world = try await World()
        try await world.mine.save(Self.note(["text": "one"]))
        let (id, keys) = (Record.ID("n"), MemoryKeys())
        keys.setKey(EncryptionKey(), ofContainer: "test")
        let other = try world.client(World.alice) { $0.encryptionKeys = keys }.privateDatabase
        let narrow = try await other.records(for: [id], desiredKeys: ["title"])
        var note = try #require(narrow[id]).get()
        note["title"] = "b"
        note = try await other.save(note)
        #expect(note.encryptedValues.isEmpty)
        note["title"] = "c"
        try await other.put(note, policy: .allKeys)
        let found = try await world.mine2.record(for: id)
        #expect(found["title"] == "c" && found.encryptedValues.fields == ["text": "one"])
    }

    /// What is replaced counts no more against the size of a record; what stays does.
    @Test func replacedValuesDoNotCount() async throws {
        let world = try await World()
        let client = try world.client(World.alice) { $0.limits.bytesPerRecord = 200 }.privateDatabase
        func text(_ letter: Character) -> FieldValue { .string(String(repeating: letter, count: 100)) }
        try await client.save(Self.note(["text": text("x")]))
        var note = try await client.record(for: Record.ID("n"))
        note.encryptedValues["text"] = text("y")
        note = try await client.save(note)
        #expect(note.encryptedValues.fields == ["text": text("y")])
        note.encryptedValues["more"] = text("z")
        await fails(.limitExceeded) { [note] in try await client.save(note) }
        note.encryptedValues["text"] = FieldValue.null
        note = try await client.save(note)
        #expect(note.encryptedValues.fields == ["more": text("z")])
    }

    /// What is taken away in the clear may be set encrypted, in one save.
    @Test func aValueIsTakenAwayAndSetEncrypted() async throws {
        let world = try await World()
        var note = Self.note(["text": "one"])
        note["text"] = FieldValue.null
        note = try await world.mine.save(note)
        #expect(note.encryptedValues.fields == ["text": "one"])
        note["text"] = FieldValue.null
        note.encryptedValues["text"] = "two"
        try await world.mine.save(note)
        let found = try await world.mine2.record(for: note.id)
        #expect(found.encryptedValues.fields == ["text": "two"] && found["text"] == FieldValue.null)
    }

    /// Nothing within an encrypted object orders a result.
    @Test func keysOfEncryptedObjectsGiveNoOrder() async throws {
        let world = try await World()
        var note = Self.note(["place": .object(["city": "Kyiv"])])
        note["open"] = .object(["city": "Lviv"])
        try await world.mine.save(note)
        let found = try await world.mine.recordPage(
            matching: Query("Note", "TRUEPREDICATE", sortedBy: [.ascending("open.city")]), in: .all)
        #expect(found.matchResults.count == 1)
        let error = await fails(.invalidArguments) {
            try await world.mine.recordPage(
                matching: Query("Note", "TRUEPREDICATE", sortedBy: [.ascending("place.city")]), in: .all)
        }
        #expect(error?.reason.contains("field place is encrypted") == true)
    }

    /// A new key leaves zones and records alone whose type has an encrypted field, and which have no value of it.
    @Test func whatHasNoEncryptedValueStays() async throws {
        let world = try await World()
        let bare = RecordZone.ID("Bare")
        try await world.mine.save(RecordZone(id: bare))
        var secret = record("s", in: world.zone, ["title": "a"], type: "Note")
        secret.encryptedValues["text"] = "x"
        let plain = [record("p", in: bare, ["title": "b"], type: "Note"), record("d", ["title": "c"], type: "Note")]
        let saved = try await world.mine.put(secret, plain[0], plain[1])
        try await world.alice.resetEncryptedData()
        #expect(try await world.mine.allRecordZones().map(\.id) == [.default, bare])
        for record in saved.dropFirst() { #expect(try await world.mine2.record(for: record.id) == record) }
    }
}
