// Who waits for whom: readers for nobody, and nobody for ever.

import Foundation
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct LockTests {
    @Test("Records are fetched, asked for and explained while a commit is under way")
    func readersDoNotWait() async throws {
        let isArmed = Mutex(false)
        let reading = Mutex<(@Sendable () -> Void)?>(nil)
        let readings = Mutex(0)
        var configuration = Configuration()
        // The clock is asked in the middle of a save, when all that a commit locks is locked.
        configuration.clock = {
            let isNow = isArmed.withLock { isArmed in
                defer { isArmed = false }
                return isArmed
            }
            if isNow, let read = reading.withLock({ $0 }) {
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    read()
                    done.signal()
                }
                if done.waitUnlessDeadlocked() { readings.withLock { $0 += 1 } }
            }
            return Date()
        }
        let container = try Container(identifier: "test", configuration: configuration)
        let database = container.privateDatabase
        try await database.put(record("a", ["n": .int64(1)]))
        reading.withLock {
            $0 = {
                let fetched = try? database.fetch([Record.ID("a")])
                let found = try? database.find(Query(recordType: "T", predicate: "n == \(1)"), in: .default)
                #expect(fetched?.count == 1 && found?.matches.count == 1)
            }
        }
        isArmed.withLock { $0 = true }
        try await database.put(record("b", ["n": .int64(1)]))
        #expect(readings.withLock { $0 } == 1)
    }

    @Test("Saves that tell subscribers, checkpoints and roles do not wait for one another in a circle")
    func locksHaveAnOrder() async throws {
        let folder = TemporaryFolder()
        let container = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(durability: .off))
        let database = container.publicDatabase
        try await database.put(record("a", ["n": .int64(0)]))
        try await database.save(Subscription(recordType: "T", predicate: "n >= 0", id: "s"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<300 { try await database.put(record("r\(number)", ["n": .int64(1)])) }
            }
            group.addTask { for _ in 0..<60 { try await container.checkpoint() } }
            group.addTask {
                for number in 0..<100 { try container.setRoles(["role\(number)"], ofUser: "_b") }
            }
            try await group.waitForAll()
        }
        #expect(await database.has("r299"))
        container.close()
        let again = try Container(identifier: "test", storedAt: folder.url)
        #expect(await again.publicDatabase.has("r299"))
    }
}
