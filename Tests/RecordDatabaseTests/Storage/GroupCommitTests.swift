// Savers that wait are written together: one write to the log and one wait for the disk.

import Foundation
import RecordModel
import RecordStore
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase
@testable import RecordStorage

/// Keeps everybody from writing a store until it is let go.
private final class HeldWriter: Sendable {
    private let release = DispatchSemaphore(value: 0)

    init(_ container: Container) {
        let (store, release, isHeld) = (container.client.store, release, DispatchSemaphore(value: 0))
        // Whoever saved is told before the queue is done: what writes later is begun by a save of later.
        while store.queue.isWriting { usleep(1000) }
        Thread.detachNewThread {
            store.writer.withLock { _ in
                isHeld.signal()
                release.wait()
            }
        }
        isHeld.wait()
    }

    func letGo() { release.signal() }
}

extension Container {
    /// Returns when so many saves wait behind those that a writer has taken.
    fileprivate func waitForSaves(_ count: Int) async throws {
        while client.store.queue.waitingCount < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Counts the steps in which records were staged.
    fileprivate var version: Int { client.store.databases.reduce(0) { $0 + $1.records.snapshot.version } }

    /// Number of transactions that were written: each waits for the disk once.
    fileprivate func transactions() throws -> UInt64 {
        let journal = try #require(client.store.journal)
        return try journal.environment.read { transaction throws(StorageError) in try transaction.number }
    }

    /// A save whose turn comes when the writer is let go: what is started after it waits in the queue.
    fileprivate func startSaving(_ name: String) async throws -> Task<Record, any Error> {
        let task = Task { try await privateDatabase.save(record(name, ["n": .int64(0)])) }
        while !client.store.queue.isWriting || client.store.queue.waitingCount > 0 { await Task.yield() }
        return task
    }
}

@Suite(.mayDeadlock) struct GroupCommitTests {
    /// Closes a container, and expects the same contents when it is opened again.
    private func expectReopened(_ container: Container, _ folder: TemporaryFolder) throws {
        let contents = container.client.store.contents
        container.close()
        #expect(try Container(identifier: "test", storedAt: folder.url).client.store.contents == contents)
    }

    @Test("Savers share syncs", arguments: [.full, .normal, .off] as [StorageOptions.Durability])
    func saversShareSyncs(_ durability: StorageOptions.Durability) async throws {
        let folder = TemporaryFolder()
        let container = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(durability: durability))
        let database = container.privateDatabase
        let commits = Mutex<[Int64]>([])
        let watcher = container.watchCommits { event in
            commits.withLock { $0 += event.commit.saves.map(\.change) }
        }
        defer { container.endWatching(watcher) }
        let held = HeldWriter(container)
        let first = try await container.startSaving("first")
        let before = try container.transactions()
        let saved = try await withThrowingTaskGroup(of: Record.self) { group in
            for number in 0..<64 {
                group.addTask { try await database.save(record("r\(number)", ["n": .int64(Int64(number))])) }
            }
            try await container.waitForSaves(64)
            held.letGo()
            return try await group.reduce(into: [try await first.value]) { $0.append($1) }
        }
        // One for whoever came first, and one for those that waited.
        #expect(try container.transactions() - before == 2)
        let tags = commits.withLock { $0 }
        #expect(tags.count == 65 && tags == Array((tags.first ?? 0)..<(tags.first ?? 0) + 65))
        #expect(Set(saved.map(\.recordChangeTag)) == Set(tags.map { ChangeTag.text($0) }))
        for record in saved {
            let stored = try await database.record(for: record.id)
            #expect(stored.recordChangeTag == record.recordChangeTag && stored["n"] == record["n"])
        }
        try expectReopened(container, folder)
    }

    @Test("All that wait are one transaction, in the order in which they came")
    func oneTransaction() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let held = HeldWriter(container)
        let first = try await container.startSaving("first")
        let before = try container.transactions()
        var tasks: [Task<Record, any Error>] = []
        for number in 0..<40 {
            // The private and the public database are of one store.
            let database = number.isMultiple(of: 3) ? container.publicDatabase : container.privateDatabase
            tasks.append(Task { try await database.save(record("r\(number)")) })
            try await container.waitForSaves(number + 1)
        }
        held.letGo()
        _ = try await first.value
        var tags: [Bool: [String]] = [:]
        for (number, task) in tasks.enumerated() {
            tags[number.isMultiple(of: 3), default: []].append(try #require(try await task.value.recordChangeTag))
        }
        #expect(try container.transactions() - before == 2)
        for tags in tags.values {
            let numbers = tags.compactMap { Int64($0, radix: 36) }
            #expect(numbers.count == tags.count && zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
        }
    }

    @Test("Who watches is told of commits in their order, whichever database they are of")
    func orderOfEvents() async throws {
        let container = try Container(identifier: "test")
        let told = Mutex<[String]>([])
        let watcher = container.watchCommits { event in
            told.withLock { $0 += event.commit.saves.map(\.id.recordName) }
        }
        defer { container.endWatching(watcher) }
        let held = HeldWriter(container)
        let first = try await container.startSaving("first")
        var tasks: [Task<Record, any Error>] = []
        for number in 0..<9 {
            let database = number.isMultiple(of: 3) ? container.publicDatabase : container.privateDatabase
            tasks.append(Task { try await database.save(record("r\(number)")) })
            try await container.waitForSaves(number + 1)
        }
        held.letGo()
        _ = try await first.value
        for task in tasks { _ = try await task.value }
        #expect(told.withLock { $0 } == ["first"] + (0..<9).map { "r\($0)" })
    }

    @Test("Subscribers are told by what a commit left, not by later ones of its group")
    func subscribersOfAGroup() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        try await database.save(record("target", ["name": .string("old")], type: "Owner"))
        let target = RecordReference(recordID: Record.ID("target"))
        try await database.save(record("other", ["owner": .reference(target)]))
        try await database.save(Subscription(recordType: "T", predicate: "owner.name == 'new'", id: "s"))
        let user = try await container.userRecordID().recordName
        let reading = try Container(sharing: container, account: .user(user)).readNotifications()
        let held = HeldWriter(container)
        let first = try await container.startSaving("first")
        var tasks: [Task<Record, any Error>] = []
        let saves = [
            record("early", ["owner": .reference(target)]), record("target", ["name": .string("new")], type: "Owner"),
            record("late", ["owner": .reference(target)]),
        ]
        for (number, save) in saves.enumerated() {
            tasks.append(
                Task {
                    let (saved, _) = try await database.modifyRecords(
                        saving: [save], deleting: [], savePolicy: .allKeys)
                    return try #require(saved[save.id]).get()
                })
            try await container.waitForSaves(number + 1)
        }
        held.letGo()
        _ = try await first.value
        for task in tasks { _ = try await task.value }
        container.client.store.events.deliver()
        #expect(reading.takeWaiting().map { $0.recordID?.recordName } == ["late"])
    }

    @Test("A save that fails does not hurt the others of its group, which see what came before them")
    func oneFails() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let database = container.privateDatabase
        try await database.save(RecordZone(id: RecordZone.ID("Z")))
        try await database.put(record("old"))
        let held = HeldWriter(container)
        let first = try await container.startSaving("first")
        let outcomes: [@Sendable () async throws -> Void] = [
            { try await database.put(record("a", ["n": .int64(1)])) },
            // A conflict with the one before it.
            { await fails(.serverRecordChanged) { try await database.save(record("a", ["n": .int64(2)])) } },
            // The one before it fixed the type of the field.
            { await fails(.invalidArguments) { try await database.save(record("b", ["n": .string("x")])) } },
            { await fails(.zoneNotFound) { try await database.save(record("c", in: RecordZone.ID("none"))) } },
            { try await database.deleteRecord(withID: Record.ID("old")) },
            { try await database.put(record("old", ["n": .int64(3)])) },
            { try await database.put(record("z", in: RecordZone.ID("Z"), ["n": .int64(4)])) },
        ]
        var tasks: [Task<Void, any Error>] = []
        for outcome in outcomes {
            tasks.append(Task { try await outcome() })
            try await container.waitForSaves(tasks.count)
        }
        let before = try container.transactions()
        held.letGo()
        _ = try await first.value
        for task in tasks { try await task.value }
        #expect(try container.transactions() - before == 2)
        #expect(try await database.record(for: Record.ID("a"))["n"] == .int64(1))
        #expect(try await database.record(for: Record.ID("old"))["n"] == .int64(3))
        #expect(!(await database.has("b")))
        try expectReopened(container, folder)
    }

    @Test("Saves that name none of each other's records are staged together, and have events of their own")
    func runs() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let database = container.privateDatabase
        try await database.put(record("old", ["n": .int64(-1)]))
        let old = try await database.record(for: Record.ID("old"))
        let held = HeldWriter(container)
        let first = try await container.startSaving("first")
        var changed = (0..<10).map { record("r\($0)", ["n": .int64(Int64($0))]) } + [old]
        changed[10]["n"] = .int64(10)
        // It refers to a record of the group, which has to be there by then.
        let owner = RecordReference(recordID: Record.ID("r3"), action: .deleteSelf)
        changed += [record("held", ["n": .int64(11), "owner": .reference(owner)]), record("r12", ["n": .int64(12)])]
        let seen = Mutex<[[FieldValue]]>([])
        let watcher = container.watchCommits { event in
            let values = event.commit.saves.map { save in
                [event.saved(save), event.previous(save)].map { $0?.fields["n"] ?? .null }
            }
            seen.withLock { $0 += values }
        }
        defer { container.endWatching(watcher) }
        var tasks: [Task<Record, any Error>] = []
        for record in changed {
            tasks.append(Task { try await database.save(record) })
            try await container.waitForSaves(tasks.count)
        }
        let before = container.version
        held.letGo()
        _ = try await first.value
        for task in tasks { _ = try await task.value }
        // The first save, those before the reference, and the others.
        #expect(container.version - before == 3)
        let expected = (0...12).map { number -> [FieldValue] in
            [.int64(Int64(number)), number == 10 ? .int64(-1) : .null]
        }
        #expect(seen.withLock { Array($0.dropFirst()) } == expected)
        try await database.deleteRecord(withID: Record.ID("r3"))
        #expect(!(await database.has("held")))
        try expectReopened(container, folder)
    }

    @Test("A save that does not fit the store fails by itself")
    func oneDoesNotFit() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let database = container.privateDatabase
        // A kind of values that the schema does not know of.
        let stored = try #require(container.client.store.databases.last)
        var batch = RecordBatch()
        batch.save(Record(type: "T", id: Record.ID("hidden"), fields: ["odd": .string("text")]))
        try stored.records.commit(batch)
        let held = HeldWriter(container)
        let first = try await container.startSaving("first")
        let saves: [@Sendable () async throws -> Void] = [
            { try await database.put(record("a", ["n": .int64(1)])) },
            { await fails(.internalError) { try await database.save(record("b", ["odd": .int64(1)])) } },
            { try await database.put(record("c", ["n": .int64(2)])) },
        ]
        var tasks: [Task<Void, any Error>] = []
        for save in saves {
            tasks.append(Task { try await save() })
            try await container.waitForSaves(tasks.count)
        }
        held.letGo()
        _ = try await first.value
        for task in tasks { try await task.value }
        #expect(try await database.record(for: Record.ID("a"))["n"] == .int64(1))
        #expect(try await database.record(for: Record.ID("c"))["n"] == .int64(2))
        #expect(!(await database.has("b")))
    }

    @Test("A log that cannot be written fails the whole group, and leaves nothing of it")
    func theLogFails() async throws {
        let folder = TemporaryFolder()
        let away = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let database = container.privateDatabase
        let zone = RecordZone.ID("Z")
        try await database.save(RecordZone(id: zone))
        try await database.put(record("parent", in: zone), record("gone", in: zone))
        var child = record("child", in: zone)
        child.setParent(Record.ID("parent", zoneID: zone))
        let contents = container.client.store.contents
        let held = HeldWriter(container)
        let first = Task { _ = await fails(.serviceUnavailable) { try await database.save(record("first")) } }
        while !container.client.store.queue.isWriting || container.client.store.queue.waitingCount > 0 {
            await Task.yield()
        }
        var tasks: [Task<Void, Never>] = []
        let sent = child
        let saves: [@Sendable () async -> Void] = [
            { await fails(.serviceUnavailable) { try await database.save(sent) } },
            { await fails(.serviceUnavailable) { try await database.save(record("n", ["new": .int64(1)])) } },
            { await fails(.serviceUnavailable) { try await database.save(record("o", ["new": .int64(2)])) } },
            { await fails(.serverRecordChanged) { try await database.save(record("parent", in: zone)) } },
            {
                await fails(.serviceUnavailable) {
                    try await database.deleteRecord(withID: Record.ID("gone", zoneID: zone))
                }
            },
        ]
        for save in saves {
            tasks.append(Task { await save() })
            try await container.waitForSaves(tasks.count)
        }
        try FileManager.default.moveItem(at: folder.url, to: away.url)
        held.letGo()
        await first.value
        for task in tasks { await task.value }
        #expect(container.client.store.contents == contents)
        try FileManager.default.moveItem(at: away.url, to: folder.url)
        // Neither the type of the field, nor the numbers, nor the parent's child were kept.
        let saved = try await database.save(record("p", ["new": .string("text")]))
        #expect(saved.recordChangeTag.flatMap { Int64($0, radix: 36) } == 5)
        try await database.deleteRecord(withID: Record.ID("parent", zoneID: zone))
        #expect(!(await database.has("parent", in: zone)))
        let after = container.client.store.contents
        container.close()
        #expect(try Container(identifier: "test", storedAt: folder.url).client.store.contents == after)
    }

    @Test("A save that waits can be cancelled; one that is being written goes through")
    func cancellation() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let database = container.privateDatabase
        let held = HeldWriter(container)
        let first = try await container.startSaving("first")
        let second = Task { _ = await fails(.operationCancelled) { try await database.save(record("second")) } }
        let third = Task { try await database.save(record("third")) }
        try await container.waitForSaves(2)
        first.cancel()
        second.cancel()
        // The writer is still held.
        await second.value
        held.letGo()
        _ = try await first.value
        _ = try await third.value
        #expect(await database.has("first"))
        #expect(!(await database.has("second")))
        #expect(await database.has("third"))
    }

    @Test("Saves that wait when a container is closed are stored")
    func closing() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let other = try Container(identifier: "other")
        let held = HeldWriter(container)
        let first = try await container.startSaving("first")
        let tasks = (0..<8).map { number in
            Task { try await container.privateDatabase.save(record("r\(number)")) }
        }
        try await container.waitForSaves(8)
        // Another store of the process does not wait.
        try await other.privateDatabase.put(record("a"))
        let closing = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            container.close()
            closing.signal()
        }
        while (try? container.client.begin(DatabaseCall(kind: .query, scope: .private, itemCount: 0), needsUser: false))
            != nil
        { try await Task.sleep(for: .milliseconds(1)) }
        held.letGo()
        for task in tasks + [first] { _ = try await task.value }
        await fails(.badContainer) { try await container.privateDatabase.save(record("late")) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                closing.wait()
                continuation.resume()
            }
        }
        let again = try Container(identifier: "test", storedAt: folder.url)
        for number in 0..<8 { #expect(await again.privateDatabase.has("r\(number)")) }
    }

    /// What a participant is told once is told once also of saves that are written together.
    @Test func whatIsToldOnceIsToldOnce() async throws {
        let world = try await World()
        try await world.acceptList()
        let reading = try world.client(World.bob) { _ in }.readNotifications()
        try await world.bobs.save(SubscriptionRules.subscription("once", "name == 'tea'", [.all, .firesOnce]))
        let held = HeldWriter(world.alice)
        var tasks = [try await world.alice.startSaving("first")]
        for name in ["a", "b", "c"] {
            var tea = record(name, in: world.zone, ["name": "tea"])
            tea.setParent(world.own("list"))
            tasks.append(Task { [tea] in try await world.mine.save(tea) })
        }
        try await world.alice.waitForSaves(3)
        held.letGo()
        for task in tasks { _ = try await task.value }
        #expect(reading.takeWaiting().map(\.subscriptionID) == ["once"])
        #expect(try await world.bobs.allSubscriptions().isEmpty)
    }
}
