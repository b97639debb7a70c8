// States that are written beside changes, and in the background.

import Foundation
import RecordModel
import Synchronization
import Testing

@testable import RecordDatabase

@Suite struct StateBesideChangesTests {
    private static func open(_ folder: TemporaryFolder, _ options: StorageOptions) throws -> Container {
        try Container(identifier: "test", storedAt: folder.url, options: options)
    }

    /// A state holds the changes before it was begun; those that come while its files are written stay in the log.
    @Test func changesBesideAStateStay() throws {
        for _ in 0..<4 {
            let folder = TemporaryFolder()
            let container = try Self.open(folder, StorageOptions(durability: .off))
            let store = container.client.store
            let saves = (0..<400).map { record("r\($0)", ["n": .int64(Int64($0))], type: "T\($0 % 20)") }
            #expect(try container.privateDatabase.modify(ModifyRequest(saves: saves)).partialErrors.isEmpty)
            let isWritten = Mutex<Bool?>(nil)
            Thread.detachNewThread {
                let isDone = (try? store.checkpoint()) != nil
                isWritten.withLock { $0 = isDone }
            }
            var count = 0
            while isWritten.withLock({ $0 == nil }) {
                try store.setRoles(["role \(count)"], of: "u\(count)")
                count += 1
            }
            #expect(isWritten.withLock { $0 } == true)
            // As a process that is killed leaves it.
            store.journal?.close()
            let again = try Self.open(folder, StorageOptions(mode: .readOnly))
            #expect(again.client.store.contents == store.contents)
            let lost = (0..<count).filter { again.client.store.roles(of: "u\($0)") != ["role \($0)"] }
            #expect(lost == [])
        }
    }

    /// One state after another, each when the log has become long.
    @Test func statesAreWrittenInTheBackgroundEachTime() async throws {
        let folder = TemporaryFolder()
        var options = StorageOptions(durability: .off)
        options.checkpointByteCount = 1_000
        let container = try Self.open(folder, options)
        let store = container.client.store
        let journal = try #require(store.journal)
        let before = container.activity.checkpoints
        for count in 1...3 {
            // More than a state is written for, and less than is waited for.
            try store.setRoles([String(repeating: "r", count: 2_000)], of: "u\(count)")
            let end = ContinuousClock.now + .seconds(20)
            while journal.isCheckpointing.withLock({ $0 }), ContinuousClock.now < end { await Task.yield() }
            #expect(container.activity.checkpoints == before + count)
            #expect(try container.statistics().logChanges == 0)
        }
        container.close()
    }
}
