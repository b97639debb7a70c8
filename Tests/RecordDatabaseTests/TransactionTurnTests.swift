// Transactions that wait: who comes next, and who is cancelled before; and files that the store has no room for.

import Foundation
import Synchronization
import Testing

@testable import Campaigns
@testable import RecordDatabase

@Suite struct TransactionTurnTests {
    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    @Test func firstComeFirstServed() async {
        let (turns, queue) = (TransactionTurns(), OwnQueue())
        defer { withExtendedLifetime(queue) {} }
        let order = Order()
        await turns.begin()
        // Tasks of one queue: each waits for its turn before the next one begins.
        let tasks: [Task<Void, Never>] = (1...3).map { number in
            Task(executorPreference: queue) {
                await turns.begin()
                order.numbers.withLock { $0.append(number) }
                turns.end()
            }
        }
        await Task(executorPreference: queue) { turns.end() }.value
        for task in tasks { await task.value }
        #expect(order.numbers.withLock { $0 } == [1, 2, 3])
    }

    /// A task that is cancelled between its call and its turn changes nothing.
    @Test func cancelledBeforeItsTurn() async throws {
        let (container, script) = try FaultScriptTests.client()
        let database = container.privateDatabase
        script.beforeNext(.modifyRecords) { withUnsafeCurrentTask { (task) -> Void in task?.cancel() } }
        let cancelled = Task { try await database.write { try $0.save(record("r")) } }
        await fails(.operationCancelled) { try await cancelled.value }
        #expect(await !database.has("r"))
        // Its turn is over.
        try await database.write { try $0.save(record("r")) }
        #expect(await database.has("r"))
    }

    /// A record that holds a file and nothing else takes the bytes of the file.
    @Test func filesHaveToFitTheStore() async throws {
        let (world, scratch) = (try await World(), try AssetRules.Scratch())
        let small = try world.client(World.alice) { $0.limits.bytesPerStore = 10_000 }.privateDatabase
        let asset = try Asset(fileURL: scratch.file("large", Data(count: 20_000)))
        let heavy = record("heavy", ["file": .asset(asset)])
        await fails(.quotaExceeded) { try await small.write { try $0.save(heavy) } }
        #expect(await !world.mine.has("heavy"))
    }
}
