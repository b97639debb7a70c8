// Encrypted values at their edges: bytes of other versions, keys that are lost, and clocks that go back.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct EncryptionEdgeTests {
    private static func note(_ name: String, _ field: String) -> Record {
        var note = record(name, ["title": "a"], type: "Note")
        note.encryptedValues[field] = "secret"
        return note
    }

    /// What a newer version encrypted is told apart from bytes that were changed.
    @Test(
        arguments: [(0, .internalError), (2, .incompatibleVersion), (255, .incompatibleVersion)]
            as [(UInt8, DatabaseError.Code)])
    func formsOfOtherVersions(_ form: UInt8, _ code: DatabaseError.Code) throws {
        let (cipher, id) = (try ValueCipher(EncryptionKey()), Record.ID("n"))
        var sealed = try cipher.seal("secret", "text", of: id)
        #expect(sealed.first == 1)
        #expect(try cipher.open(sealed, "text", of: id) == "secret")
        sealed[sealed.startIndex] = form
        let error = Result { () throws(DatabaseError) in try cipher.open(sealed, "text", of: id) }.failure
        #expect(error?.code == code)
    }

    /// Bytes are those of one field of one record: elsewhere they are rejected.
    @Test(arguments: [("text", "n", true), ("more", "n", false), ("text", "m", false)])
    func bytesOfOtherPlaces(_ field: String, _ name: String, _ isRead: Bool) throws {
        let cipher = try ValueCipher(EncryptionKey())
        let sealed = try cipher.seal("secret", "text", of: Record.ID("n"))
        let id = Record.ID(name)
        let error = Result { () throws(DatabaseError) in try cipher.open(sealed, field, of: id) }.failure
        #expect(error?.code == (isRead ? nil : .internalError))
    }

    /// A value that was taken away is none: another key may be made.
    @Test func valuesThatWereTakenAwayNeedNoKey() async throws {
        let world = try await World()
        var note = try await world.mine.save(Self.note("n", "text"))
        note.encryptedValues["text"] = FieldValue.null
        try await world.mine.save(note)
        let keys = MemoryKeys()
        let other = try world.client(World.alice) { $0.encryptionKeys = keys }.privateDatabase
        try await other.save(Self.note("m", "text"))
        #expect(keys.key(ofContainer: "test") != nil)
    }

    /// As long as any encrypted field of a type has a value, no second key is made.
    @Test(arguments: ["a", "b"]) func anyEncryptedValueNeedsItsKey(_ field: String) async throws {
        let world = try await World()
        let encrypted = ContainerSchema.Field(.string, indexes: [], traits: .encrypted)
        let type = ContainerSchema.RecordType(fields: [
            "title": .init(.string), "a": encrypted, "b": encrypted,
        ])
        try world.alice.setSchema(ContainerSchema(recordTypes: ["Note": type]))
        try await world.mine.save(Self.note("n", field))
        let keys = MemoryKeys()
        let lost = try world.client(World.alice) { $0.encryptionKeys = keys }.privateDatabase
        await fails(.permissionFailure) { try await lost.save(Self.note("m", "a")) }
        #expect(keys.key(ofContainer: "test") == nil)
        try await world.mine.deleteRecord(withID: Record.ID("n"))
        try await lost.save(Self.note("m", "a"))
        #expect(keys.key(ofContainer: "test") != nil)
    }

    /// Each record that loses values is a change, and so is each zone that goes, numbered one after another.
    @Test func changesOfAResetAreNumbered() throws {
        func row(_ name: String, in zone: RecordZone.ID = .default, _ field: String) -> ServerRow {
            let date = Date(timeIntervalSince1970: 1)
            return ServerRow(
                Record.ID(name, zoneID: zone), type: "Note", fields: [field: "x"], parent: nil, made: (date, "u"),
                changed: (date, "u", 3))
        }
        let (y, z) = (RecordZone.ID("Y"), RecordZone.ID("Z"))
        var moment = ServerMoment(schema: ContainerSchema())
        moment.rows = [
            row("n1", "a"), row("plain", "title"), row("n2", "b"), row("n3", in: z, "a"), row("n4", in: z, "b"),
            row("n5", in: y, "b"),
        ]
        let snapshot = try moment.snapshot()
        let origin = DatabaseOrigin(container: "test", scope: .private, user: "u")
        var commit = Commit(origin: origin, client: 1, userName: "u", date: Date(timeIntervalSince1970: 2))
        commit.resetEncryptedValues(of: ["Note": ["a", "b"]], in: snapshot, after: 7)
        #expect(commit.saves.map { $0.id.recordName } == ["n1", "n2"])
        #expect(commit.saves.map { $0.fields.keys.sorted() } == [["a"], ["b"]])
        #expect(commit.deletedZones.map { $0.id } == [y, z])
        #expect(commit.saves.map { $0.change } == [8, 9] && commit.deletedZones.map { $0.change } == [10, 11])
    }

    /// A reset is no earlier than what was saved before, whatever the clock says by then.
    @Test func datesOfResetsDoNotGoBack() async throws {
        let world = try await World()
        let saved = try await world.mine.save(Self.note("n", "text"))
        world.clock.advance(-100)
        try await world.alice.resetEncryptedData()
        let found = try await world.mine.record(for: saved.id)
        #expect(found.encryptedValues.isEmpty && found.recordChangeTag != saved.recordChangeTag)
        #expect(found.modificationDate == saved.modificationDate && found.creationDate == saved.creationDate)
    }
}
