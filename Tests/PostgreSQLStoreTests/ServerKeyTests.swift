// The key of encrypted values that several processes save on one server.

import Campaigns
import Foundation
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

@Suite(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ServerKeyTests {
    /// Keys of one process.
    private final class OwnKeys: EncryptionKeyProvider {
        private let kept: Mutex<EncryptionKey?>

        init(_ key: EncryptionKey? = nil) { kept = Mutex(key) }

        var key: EncryptionKey? { kept.withLock { $0 } }
        func key(ofContainer _: String) -> EncryptionKey? { key }
        func setKey(_ key: EncryptionKey, ofContainer _: String) { kept.withLock { $0 = key } }
    }

    private static func database(_ place: ServerPlace, _ keys: OwnKeys) throws -> Database {
        var configuration = Configuration()
        configuration.encryptionKeys = keys
        return try place.open(configuration).privateDatabase
    }

    private static func note(_ name: String) -> Record {
        var note = Record(type: "Note", id: Record.ID(name))
        note.encryptedValues["text"] = .string(name)
        return note
    }

    private static func code(_ body: () async throws -> Void) async -> DatabaseError.Code? {
        do { try await body() } catch { return (error as? DatabaseError)?.code }
        return nil
    }

    @Test("No container gets values under two keys: who has another one, or none, saves nothing")
    func oneKey() async throws {
        let place = try ServerPlace()
        let first = OwnKeys()
        // Fields may be encrypted, and a key be made, before there is a value.
        let early = OwnKeys()
        let waiting = try Self.database(place, early)
        try await waiting.save(Record(type: "Note", id: Record.ID("plain")))
        #expect(early.key == nil)
        let database = try Self.database(place, first)
        try await database.save(Self.note("a"))
        let key = try #require(first.key)
        for keys in [early, OwnKeys(), OwnKeys(EncryptionKey())] {
            let (other, before) = (try Self.database(place, keys), keys.key)
            #expect(await Self.code { try await other.save(Self.note("b")) } == .permissionFailure)
            #expect(await Self.code { _ = try await other.record(for: Record.ID("a")) } == .permissionFailure)
            // No key is made that would be of no use.
            #expect(keys.key == before)
        }
        #expect(await Self.code { _ = try await database.record(for: Record.ID("b")) } == .unknownItem)
        let again = try Self.database(place, OwnKeys(key))
        try await again.save(Self.note("c"))
        #expect(try await database.record(for: Record.ID("c")).encryptedValues["text"] == FieldValue("c"))
        #expect(try place.number("SELECT count(*) FROM encryption_key") == 1)
    }

    @Test("Of processes that make a key at a time one succeeds, and all values are under its key")
    func race() async throws {
        let place = try ServerPlace()
        let keys = (0..<6).map { _ in OwnKeys() }
        let databases = try keys.map { try Self.database(place, $0) }
        let saved = await withTaskGroup(of: (Int, Bool).self) { group in
            for (number, database) in databases.enumerated() {
                group.addTask {
                    (number, await Self.code { try await database.save(Self.note("n\(number)")) } == nil)
                }
            }
            var saved: Set<Int> = []
            for await (number, isSaved) in group where isSaved { saved.insert(number) }
            return saved
        }
        #expect(saved.count == 1)
        let winner = try #require(saved.first)
        #expect(
            try await databases[winner].record(for: Record.ID("n\(winner)")).encryptedValues["text"]
                == .string("n\(winner)"))
    }
}
