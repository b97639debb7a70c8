// What happens while something is saved: the key is replaced, somebody begins to watch, the state is written.

import Foundation
import RecordModel
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

/// Keeps the state of a store from being written until it is let go.
private final class HeldCheckpoint: Sendable {
    private let release = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)
    private let isLetGo = Mutex(false)

    init(_ journal: Journal) {
        let isHeld = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            journal.checkpointing.withLock { _ in
                isHeld.signal()
                let isLetGo = self.release.waitUnlessDeadlocked()
                self.isLetGo.withLock { $0 = isLetGo }
            }
            self.end.signal()
        }
        isHeld.wait()
    }

    /// Whether it was held until now, rather than given up as everybody waited.
    func letGo() -> Bool {
        release.signal()
        end.wait()
        return isLetGo.withLock { $0 }
    }
}

@Suite(.mayDeadlock) struct MeanwhileTests {
    private static func note(_ name: String) -> Record {
        var note = record(name, ["title": "a"], type: "Note")
        note.encryptedValues["text"] = "secret"
        return note
    }

    // MARK: Keys

    /// A batch that was looked at before a reset is encrypted with the key that is there after it.
    @Test func aBatchFromBeforeAReset() async throws {
        let world = try await World()
        try await world.mine.save(Self.note("before"))
        let client = world.alice.client
        let call = DatabaseCall(kind: .modifyRecords, scope: .private, itemCount: 1)
        let caller = try client.begin(call, needsUser: true)
        let stored = try client.stored(.private, caller)
        let request = ModifyRequest(saves: [Self.note("n")], clientToken: Data("1".utf8))
        let plan = BatchPlan(request, caller, origin: stored.origin, assets: client.store.assets)
        try await world.alice.resetEncryptedData()
        let result = try await client.store.saveSuspending(plan, to: stored)
        #expect(result.partialErrors.isEmpty)
        let found = try await world.mine2.record(for: Record.ID("n"))
        #expect(found.encryptedValues.fields == ["text": "secret"])
    }

    // MARK: Watchers

    /// Who begins to watch in the middle of a save is told of it before it is done.
    @Test func whoBeginsToWatchIsTold() async throws {
        let coming = Mutex<(@Sendable () -> Void)?>(nil)
        let told = Mutex<[[String]]>([])
        var configuration = Configuration()
        // The clock is asked when the save has looked for watchers, and has the lock.
        configuration.clock = {
            let come = coming.withLock { coming -> (@Sendable () -> Void)? in
                defer { coming = nil }
                return coming
            }
            come?()
            return Date()
        }
        let container = try Container(identifier: "test", configuration: configuration)
        try await container.privateDatabase.put(record("a", ["n": 1]))
        let observer: @Sendable (CommitEvent) -> Void = { event in
            told.withLock { $0.append(event.commit.saves.map(\.id.recordName)) }
        }
        coming.withLock { $0 = { _ = container.watchCommits(observer) } }
        try await container.privateDatabase.put(record("b", ["n": 1]))
        #expect(told.withLock { $0 } == [["b"]])
    }

    // MARK: Checkpoints

    private static func container(_ folder: TemporaryFolder, bytes: Int) throws -> Container {
        var configuration = Configuration()
        configuration.limits.bytesPerStore = bytes
        return try Container(identifier: "test", storedAt: folder.url, configuration: configuration)
    }

    /// A transaction in a full store does not wait for a state that is written, and has room made when none is.
    @Test func transactionsInAFullStore() async throws {
        let (folder, scratch) = (TemporaryFolder(), try AssetRules.Scratch())
        let container = try Self.container(folder, bytes: 30_000)
        let (database, journal) = (container.privateDatabase, try #require(container.client.store.journal))
        let asset = try Asset(fileURL: scratch.file("large", Data(count: 20_000)))
        try await database.save(record("old", ["file": .asset(asset)]))
        try await database.deleteRecord(withID: Record.ID("old"))
        let new = record("new", ["d": .data(Data(count: 20_000))])
        let held = HeldCheckpoint(journal)
        await fails(.quotaExceeded) { try await database.write { try $0.save(new) } }
        #expect(held.letGo())
        #expect(await !database.has("new"))
        try await database.write { try $0.save(new) }
        #expect(await database.has("new"))
        container.close()
    }

    /// The same of a transaction of a participant.
    @Test func sharedTransactionsInAFullStore() async throws {
        let folder = TemporaryFolder()
        let world = try await World(storedAt: folder.url)
        try await world.acceptList()
        let small = try world.client(World.bob) { $0.limits.bytesPerStore = 50_000 }.sharedDatabase
        var bread = try await small.record(for: world.theirs("bread"))
        bread["d"] = FieldValue.data(Data(count: 60_000))
        let held = HeldCheckpoint(try #require(world.alice.client.store.journal))
        await fails(.quotaExceeded) { [bread] in try await small.write { try $0.save(bread) } }
        #expect(held.letGo())
    }

    /// The same of a migration.
    @Test func migrationsOfAFullStore() async throws {
        let (folder, scratch) = (TemporaryFolder(), try AssetRules.Scratch())
        let container = try Self.container(folder, bytes: 100_000)
        try await container.privateDatabase.save(record("r", ["n": 1]))
        let path = try scratch.file("large", Data(count: 200_000)).path
        let migration = SchemaMigration("file") { change in
            change.addField("file", ContainerSchema.Field(.asset), to: "T")
            change.updateRecords(ofType: "T") { $0["file"] = .asset(Asset(path: path, size: 4)) }
        }
        let held = HeldCheckpoint(try #require(container.client.store.journal))
        await fails(.quotaExceeded) { try await container.migrate([migration]) }
        #expect(held.letGo())
        container.close()
    }
}
