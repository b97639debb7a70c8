// In which order long-lived operations are listed: those of processes that have ended first, the oldest before others.

import Foundation
import RecordDatabase
import Testing

@testable import CloudKitCompat

@Suite struct StoredOrderTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "order-\(UUID().uuidString)")
    private let seconds = Counter()

    private func open() throws -> Container {
        var configuration = Configuration()
        let seconds = seconds
        configuration.clock = { Date(timeIntervalSinceReferenceDate: 4_000_000_000 + Double(seconds.add(0))) }
        return try Container(
            identifier: "stored order", storedAt: folder, account: .user("_a11ce"), configuration: configuration)
    }

    private func remove() {
        for ending in ["", ".operations", ".key"] { try? FileManager.default.removeItem(atPath: folder.path + ending) }
    }

    /// Adds an operation that does not begin.
    private func add(_ id: String, to container: CKContainer) {
        let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
        operation.operationID = id
        operation.isLongLived = true
        container.privateCloudDatabase.add(operation)
    }

    @Test("Stored operations are listed by date, then by identifier, before those of this process")
    func order() async throws {
        defer { remove() }
        let store = try open()
        let first = CKContainer(store)
        first.privateCloudDatabase.operationQueue.isSuspended = true
        add("order b", to: first)
        seconds.add(10)
        for id in ["order c", "order a"] { add(id, to: first) }
        #expect(try await first.allLongLivedOperationIDs() == ["order b", "order c", "order a"])
        store.close()

        let reopened = try open()
        defer { reopened.close() }
        let second = CKContainer(reopened)
        let stored = ["order b", "order a", "order c"]
        #expect(try await second.allLongLivedOperationIDs() == stored)
        second.privateCloudDatabase.operationQueue.isSuspended = true
        seconds.add(10)
        add("order 0", to: second)
        #expect(try await second.allLongLivedOperationIDs() == stored + ["order 0"])
    }
}
