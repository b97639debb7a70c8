// Deletions in a store behind many that are forgotten, why zones went, and the name of a container.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct StoredDeletionEdgesTests {
    /// Deletions are stored in parts by their numbers, those that are forgotten among them: the first part that is left
    /// is not the first that there was. Of 1,026 those from 1020 on are left, and a part ends behind 1023.
    @Test(arguments: [(1200, 300), (1026, 171)])
    func deletionsBehindManyForgottenOnesAreRead(count: Int, step: Int) async throws {
        let folder = TemporaryFolder()
        let world = try await World(storedAt: folder.url) { $0.limits.deletionsPerZone = 5 }
        for start in stride(from: 0, to: count, by: step) {
            let names = (start..<start + step).map { "r\($0)" }
            let saved = try world.mine.modify(ModifyRequest(saves: names.map { record($0, in: world.zone) }))
            let deleted = try world.mine.modify(ModifyRequest(deletes: names.map { world.own($0) }))
            #expect(saved.partialErrors.isEmpty && deleted.partialErrors.isEmpty)
        }
        let contents = world.alice.client.store.contents
        try await world.alice.checkpoint()
        let reader = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly), account: .none)
        #expect(reader.client.store.contents == contents)
        for container in [world.alice, world.alice2, world.bob, world.nobody] { container.close() }
        #expect(try Container.verify(storedAt: folder.url) == [])
    }

    /// Of zones that went, those that a user deleted are told from others also where a state tells of them.
    @Test func purgedZonesAreStoredAsSuch() async throws {
        let (folder, other) = (TemporaryFolder(), RecordZone.ID("Y"))
        let world = try await World(storedAt: folder.url)
        try await world.mine.save(RecordZone(id: other))
        try await world.mine.purgeRecordZone(withID: world.zone)
        try await world.mine.deleteRecordZone(withID: other)
        try await world.alice.checkpoint()
        let reader = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly),
            account: .user(World.alice))
        await fails(.userDeletedZone) { try await reader.privateDatabase.recordZone(for: world.zone) }
        await fails(.zoneNotFound) { try await reader.privateDatabase.recordZone(for: other) }
        for container in [world.alice, world.alice2, world.bob, world.nobody] { container.close() }
    }

    /// A store is of a container with a name; without one it is that of whichever it is.
    @Test func aContainerHasAName() async throws {
        let folder = TemporaryFolder()
        await fails(.invalidArguments) { try Container(identifier: "", storedAt: folder.url) }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        let new = try Container(identifier: nil, storedAt: folder.url)
        #expect(new.identifier == "local")
        new.close()
        await fails(.invalidArguments) { try Container(identifier: "test", storedAt: folder.url) }
    }
}
