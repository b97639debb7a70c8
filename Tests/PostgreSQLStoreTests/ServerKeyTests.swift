// The key of encrypted values that several processes save on one server.

import Campaigns
import Foundation
import PostgreSQLStore
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
        private let refuses = Mutex(false)

        init(_ key: EncryptionKey? = nil) { kept = Mutex(key) }

        var key: EncryptionKey? { kept.withLock { $0 } }
        func key(ofContainer _: String) -> EncryptionKey? { key }
        func refuse(_ refuses: Bool) { self.refuses.withLock { $0 = refuses } }
        func setKey(_ key: EncryptionKey, ofContainer _: String) throws(DatabaseError) {
            if refuses.withLock({ $0 }) { throw DatabaseError(.serviceUnavailable, "no room for a key") }
            kept.withLock { $0 = key }
        }
    }

    private static func container(_ place: ServerPlace, _ keys: OwnKeys) throws -> Container {
        var configuration = Configuration()
        configuration.encryptionKeys = keys
        return try place.open(configuration)
    }

    private static func database(_ place: ServerPlace, _ keys: OwnKeys) throws -> Database {
        try container(place, keys).privateDatabase
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

    @Test("After a reset nobody saves under the old key, and processes with the new one go on")
    func reset() async throws {
        let place = try ServerPlace()
        let (keys, zone) = (OwnKeys(), RecordZone.ID("Notes"))
        let (container, other) = (try Self.container(place, keys), try Self.container(place, keys))
        try await other.privateDatabase.save(RecordZone(id: zone))
        var inZone = Record(type: "Note", id: Record.ID("z", zoneID: zone))
        inZone.encryptedValues["text"] = "z"
        for record in [Self.note("a"), inZone] { try await other.privateDatabase.save(record) }
        let old = try Self.database(place, OwnKeys(keys.key))
        try await old.save(Self.note("b"))
        let before = keys.key
        try await container.resetEncryptedData()
        #expect(keys.key != nil && keys.key != before)
        // One that has met its key before is held back as well as one that never did.
        for database in [old, try Self.database(place, OwnKeys(before))] {
            #expect(await Self.code { try await database.save(Self.note("c")) } == .permissionFailure)
        }
        for name in ["a", "b"] {
            #expect(try await old.record(for: Record.ID(name)).encryptedValues.isEmpty)
        }
        #expect(await Self.code { _ = try await old.record(for: inZone.id) } == .zoneNotFound)
        #expect(try await !old.databaseChanges(since: nil).modifications.contains(zone))
        #expect(try place.number("SELECT count(*) FROM dropped_zone") == 1)
        try await other.privateDatabase.save(Self.note("c"))
        #expect(
            try await container.privateDatabase.record(for: Record.ID("c")).encryptedValues["text"]
                == FieldValue("c"))
    }

    @Test("A reset whose key could not be kept is made again, as the errors of saves say")
    func resetWithoutItsKey() async throws {
        let (place, keys) = (try ServerPlace(), OwnKeys())
        let container = try Self.container(place, keys)
        let database = container.privateDatabase
        try await database.save(Self.note("a"))
        keys.refuse(true)
        #expect(await Self.code { try await container.resetEncryptedData() } == .serviceUnavailable)
        keys.refuse(false)
        let error = await #expect(throws: DatabaseError.self) { try await database.save(Self.note("b")) }
        #expect(error?.code == .permissionFailure && error?.hint?.contains("reset the encrypted data again") == true)
        try await container.resetEncryptedData()
        try await database.save(Self.note("b"))
        #expect(try await database.record(for: Record.ID("b")).encryptedValues["text"] == FieldValue("b"))
    }

    @Test("Values that are saved while the key is reset are under the new key, or gone")
    func resetAmongSavers() async throws {
        let (place, keys) = (try ServerPlace(), OwnKeys())
        let container = try Self.container(place, keys)
        let database = try Self.database(place, keys)
        try await database.save(Self.note("first"))
        await withTaskGroup(of: Void.self) { group in
            for saver in 0..<3 {
                group.addTask {
                    for number in 0..<15 {
                        _ = await Self.code { try await database.save(Self.note("\(saver) \(number)")) }
                    }
                }
            }
            group.addTask {
                for _ in 0..<3 { _ = await Self.code { try await container.resetEncryptedData() } }
            }
        }
        try await database.save(Self.note("last"))
        // A value under another key would be an error.
        let found = try await database.records(matching: Query("Note"), in: .default)
        #expect(found.contains { $0.encryptedValues["text"] == FieldValue("last") })
    }

    @Test("A commit that has a table made first, and is not made again then, notes no key")
    func keyOfACommitThatIsGivenUp() throws {
        let place = try ServerPlace()
        let server = try PostgreSQLContainer(identifier: place.identifier, connectingTo: place.server.address)
        defer { server.close() }
        let origin = DatabaseOrigin(container: place.identifier, scope: .private, user: "u")
        var runs = 0
        /// Makes a commit of a new type, and of the zone `Z`; its body fails when it runs for that time.
        func write(failingAt failing: Int?) throws(DatabaseError) {
            runs = 0
            try server.write(origin, ServerNeed()) { moment, _ throws(DatabaseError) in
                runs += 1
                if runs == failing { throw DatabaseError(.invalidArguments, "given up") }
                var commit = ServerCommit(
                    userName: "u", client: 0, date: Date(timeIntervalSinceReferenceDate: 0), after: moment.lastChange,
                    deletionsKept: 100)
                commit.schema = EdgeCommits.schema
                commit.keyName = "key"
                commit.madeZones = [("Z", 1)]
                commit.lastChange = 1
                return (commit, ())
            }
        }
        #expect(throws: DatabaseError.self) { try write(failingAt: 2) }
        #expect(runs == 2)
        #expect(try place.number("SELECT count(*) FROM encryption_key") == 0)
        try write(failingAt: nil)
        #expect(try place.number("SELECT count(*) FROM encryption_key") == 1)
    }

    @Test("On several nodes all are reset")
    func resetNodes() async throws {
        let (place, keys) = (try NodePlace(), OwnKeys())
        var configuration = Configuration()
        configuration.encryptionKeys = keys
        let container = try place.open(configuration)
        let database = container.privateDatabase
        let zones = try place.fill(container)
        for zone in zones.values {
            var note = Record(type: "Note", id: Record.ID("n", zoneID: zone))
            note.encryptedValues["text"] = "one"
            try await database.save(note)
        }
        let names = (0..<12).map { "d\($0)" }
        for name in names { try await database.save(Self.note(name)) }
        let old = OwnKeys(keys.key)
        try await container.resetEncryptedData()
        #expect(try Set(await database.databaseChanges(since: nil).modifications).isDisjoint(with: zones.values))
        for name in names { #expect(try await database.record(for: Record.ID(name)).encryptedValues.isEmpty) }
        configuration.encryptionKeys = old
        let late = try place.open(configuration).privateDatabase
        for zone in zones.values {
            #expect(
                await fails { try await database.recordZone(for: zone) }?.isEncryptedDataReset == true)
            try await database.deleteRecordZone(withID: zone)
            try await database.save(RecordZone(id: zone))
            var note = Record(type: "Note", id: Record.ID("n", zoneID: zone))
            note.encryptedValues["text"] = "two"
            #expect(await Self.code { try await late.save(note) } == .permissionFailure)
            try await database.save(note)
        }
    }

    private func fails(_ body: () async throws -> RecordZone) async -> DatabaseError? {
        do { _ = try await body() } catch { return error as? DatabaseError }
        return nil
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
