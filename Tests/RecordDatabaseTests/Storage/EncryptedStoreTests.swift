// Encrypted values of stores in folders: where the key is, and what files hold.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct EncryptedStoreTests {
    private let folder = TemporaryFolder()
    private var keyPath: String { folder.path + ".key" }
    private static let secret = "a secret that no file holds"

    private func open() throws -> Container { try Container(identifier: "test", storedAt: folder.url) }

    private func save(_ name: String, in container: Container) async throws {
        var note = record(name, ["title": "plain words"], type: "Note")
        note.encryptedValues["text"] = .string(Self.secret)
        try await container.privateDatabase.save(note)
    }

    private func text(_ name: String, in container: Container) async throws -> String? {
        try await container.privateDatabase.record(for: Record.ID(name)).encryptedValues["text"]
    }

    @Test("The key is beside the store, for its owner alone, and files hold no values") func files() async throws {
        defer { try? FileManager.default.removeItem(atPath: keyPath) }
        let container = try open()
        try await container.privateDatabase.save(record("plain", ["title": "plain words"], type: "Note"))
        #expect(!FileManager.default.fileExists(atPath: keyPath))
        try await save("n", in: container)
        let mode = try FileManager.default.attributesOfItem(atPath: keyPath)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        for round in 0..<2 {
            var found = (secrets: 0, titles: 0)
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
                guard let bytes = FileManager.default.contents(atPath: folder.path + "/" + name) else { continue }
                if bytes.range(of: Data(Self.secret.utf8)) != nil { found.secrets += 1 }
                if bytes.range(of: Data("plain words".utf8)) != nil { found.titles += 1 }
            }
            #expect(found.secrets == 0 && found.titles > 0, "round \(round)")
            if round == 0 { container.close() }
        }
        let again = try open()
        #expect(try await text("n", in: again) == Self.secret)
        try await save("m", in: again)
        #expect(try await text("m", in: again) == Self.secret)
        again.close()
    }

    @Test("A key that is gone, changed, or for all to read") func keys() async throws {
        defer { try? FileManager.default.removeItem(atPath: keyPath) }
        let container = try open()
        try await save("n", in: container)
        let key = try #require(FileManager.default.contents(atPath: keyPath))
        #expect(chmod(keyPath, 0o644) == 0)
        #expect(
            await fails(.permissionFailure) { try await text("n", in: container) as Any }?.hint?.contains("chmod")
                == true)
        #expect(chmod(keyPath, 0o600) == 0)
        for bytes in [Data(), Data("record-database-key 1 00\n".utf8), key.dropLast(3)] {
            try Data(bytes).write(to: URL(filePath: keyPath))
            #expect(chmod(keyPath, 0o600) == 0)
            await fails(.internalError) { try await text("n", in: container) as Any }
        }
        try FileManager.default.removeItem(atPath: keyPath)
        await fails(.permissionFailure) { try await text("n", in: container) as Any }
        await fails(.permissionFailure) { try await save("m", in: container) }
        try KeyFile(path: keyPath).setKey(EncryptionKey(), ofContainer: "test")
        await fails(.permissionFailure) { try await text("n", in: container) as Any }
        try key.write(to: URL(filePath: keyPath))
        #expect(chmod(keyPath, 0o600) == 0)
        #expect(try await text("n", in: container) == Self.secret)
        container.close()
    }

    @Test("A reset survives reopening, from the log and from the state") func reset() async throws {
        defer { try? FileManager.default.removeItem(atPath: keyPath) }
        let zone = RecordZone.ID("Z")
        let container = try open()
        try await container.privateDatabase.save(RecordZone(id: zone))
        var note = record("n", in: zone, type: "Note")
        note.encryptedValues["text"] = "x"
        try await container.privateDatabase.save(note)
        let key = FileManager.default.contents(atPath: keyPath)
        try await container.resetEncryptedData()
        #expect(FileManager.default.contents(atPath: keyPath) != key)
        let reader = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly))
        for reopened in [reader, container] {
            let error = await fails(.zoneNotFound) { try await reopened.privateDatabase.record(for: note.id) }
            #expect(error?.isEncryptedDataReset == true)
        }
        container.close()
        let again = try open()
        #expect(
            await fails(.zoneNotFound) { try await again.privateDatabase.record(for: note.id) }?.isEncryptedDataReset
                == true)
        try await again.privateDatabase.save(RecordZone(id: zone))
        try await again.privateDatabase.save(note)
        #expect(try await again.privateDatabase.record(for: note.id).encryptedValues["text"] == FieldValue("x"))
        again.close()
    }

    @Test("Keys of any but 32 bytes, and what a key shows of itself") func bytes() throws {
        #expect(throws: DatabaseError.self) { try EncryptionKey(bytes: [1, 2, 3]) }
        let key = try EncryptionKey(bytes: Array(0..<32))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "EncryptionKey \(key.name)" && !dumped.contains("31"))
        #expect(EncryptionKey() != EncryptionKey())
    }
}
