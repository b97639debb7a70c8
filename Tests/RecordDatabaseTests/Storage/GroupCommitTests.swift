// Savers that wait are written together: one write to the log and one wait for the disk.

import Foundation
import Synchronization
import Testing

@testable import RecordDatabase
@testable import RecordStorage

/// Keeps everybody from writing a store until it is let go.
private final class HeldWriter: Sendable {
    private let release = DispatchSemaphore(value: 0)

    init(_ container: Container) {
        let (store, release, isHeld) = (container.client.store, release, DispatchSemaphore(value: 0))
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

@Suite(.timeLimit(.minutes(2))) struct GroupCommitTests {
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
        let contents = container.client.store.contents
        container.close()
        #expect(try Container(identifier: "test", storedAt: folder.url).client.store.contents == contents)
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
        let contents = container.client.store.contents
        container.close()
        #expect(try Container(identifier: "test", storedAt: folder.url).client.store.contents == contents)
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
}
