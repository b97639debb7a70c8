// Encrypted values where none may be, which fail the zone of their record, and values that are gone before a reset.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct MalformedItemEdgesTests {
    private static func note(_ fields: [String: FieldValue] = [:]) -> Record {
        var note = record("note", fields, type: "Note")
        note.encryptedValues["text"] = "secret"
        return note
    }

    /// Of the public database, which takes none.
    @Test func encryptedValuesOfThePublicDatabase() async throws {
        let world = try await World()
        let outcomes = try world.everyones.outcomes(saving: [record("good"), Self.note()], atomically: true)
        #expect(outcomes == ["good": .batchRequestFailed, "note": .invalidArguments])
        #expect(!(await world.everyones.has("good")))
    }

    /// Of a field that is set in the clear as well.
    @Test func valuesThatAreEncryptedAndNot() async throws {
        let world = try await World()
        let note = Self.note(["text": "in the clear"])
        let outcomes = try world.mine.outcomes(saving: [record("good"), note], atomically: true)
        #expect(outcomes == ["good": .batchRequestFailed, "note": .invalidArguments])
        #expect(!(await world.mine.has("good")))
    }

    /// A reset of the key takes zones of records that have encrypted values, and none where they were deleted.
    @Test func zonesWhoseEncryptedValuesAreGoneStay() async throws {
        let world = try await World()
        let zone = RecordZone.ID("Kept")
        try await world.mine.save(RecordZone(id: zone))
        var secret = record("secret", in: zone, ["title": "a"], type: "Note")
        secret.encryptedValues["text"] = "x"
        let plain = record("plain", in: zone, ["title": "b"], type: "Note")
        let saved = try await world.mine.put(secret, plain)
        try await world.mine.deleteRecord(withID: secret.id)
        try await world.alice.resetEncryptedData()
        #expect(try await world.mine.allRecordZones().map(\.id).contains(zone))
        #expect(try await world.mine2.record(for: plain.id) == saved[1])
    }
}
