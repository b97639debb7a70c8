// Who hears of an operation, and what is kept of long-lived ones until somebody did.

import Foundation
import RecordDatabase
import Testing

@testable import CloudKitCompat

@Suite struct ListenerEdgesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "heard-\(UUID().uuidString)")

    private func open() throws -> Container {
        try Container(identifier: "heard", storedAt: folder, account: .user("_a11ce"))
    }

    private func remove() {
        for ending in ["", ".operations", ".key"] { try? FileManager.default.removeItem(atPath: folder.path + ending) }
    }

    private func wait(for operations: CKOperation...) async throws {
        for operation in operations { while !operation.isFinished { try await Task.sleep(for: .milliseconds(2)) } }
    }

    private func longLived() -> CKFetchRecordsOperation {
        let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
        operation.isLongLived = true
        return operation
    }

    // MARK: Callbacks

    private static let fetches: [@Sendable (CKFetchRecordsOperation) -> Void] = [
        { $0.perRecordProgressBlock = { _, _ in } }, { $0.perRecordResultBlock = { _, _ in } },
        { $0.fetchRecordsResultBlock = { _ in } }, { $0.perRecordCompletionBlock = { _, _, _ in } },
        { $0.fetchRecordsCompletionBlock = { _, _ in } },
    ]
    private static let batches: [@Sendable (CKModifyRecordsOperation) -> Void] = [
        { $0.perRecordProgressBlock = { _, _ in } }, { $0.perRecordSaveBlock = { _, _ in } },
        { $0.perRecordDeleteBlock = { _, _ in } }, { $0.modifyRecordsResultBlock = { _ in } },
        { $0.perRecordCompletionBlock = { _, _ in } }, { $0.modifyRecordsCompletionBlock = { _, _, _ in } },
    ]
    private static let queries: [@Sendable (CKQueryOperation) -> Void] = [
        { $0.recordMatchedBlock = { _, _ in } }, { $0.queryResultBlock = { _ in } },
        { $0.recordFetchedBlock = { _ in } }, { $0.queryCompletionBlock = { _, _ in } },
    ]

    private func hears<Kind: CKOperation>(_ make: () -> Kind, _ listeners: [@Sendable (Kind) -> Void]) -> [Bool] {
        let operations = [make()] + listeners.map { _ in make() }
        for (listen, operation) in zip(listeners, operations.dropFirst()) { listen(operation) }
        return operations.map(\.hasCallback)
    }

    @Test("Each single callback of an operation listens, and nothing else does")
    func singleCallbacks() {
        #expect(hears({ CKFetchRecordsOperation() }, Self.fetches) == [false, true, true, true, true, true])
        #expect(hears({ CKModifyRecordsOperation() }, Self.batches) == [false, true, true, true, true, true, true])
        #expect(hears({ CKQueryOperation() }, Self.queries) == [false, true, true, true, true])
        #expect(CKFetchRecordZonesOperation().hasCallback, "what is not stored needs no listener")
    }

    @Test(
        "A stored operation is dropped when a callback heard of its end, or when it was cancelled",
        .timeLimit(.minutes(5)))
    func ends() async throws {
        defer { remove() }
        let store = try open()
        defer { store.close() }
        let container = CKContainer(store)
        let database = container.privateCloudDatabase
        let (heard, cancelled, unheard) = (longLived(), longLived(), longLived())
        heard.fetchRecordsResultBlock = { _ in }
        database.operationQueue.isSuspended = true
        for operation in [heard, cancelled, unheard] { database.add(operation) }
        #expect(Set(try await container.allLongLivedOperationIDs()).count == 3)
        cancelled.cancel()
        database.operationQueue.isSuspended = false
        try await wait(for: heard, cancelled, unheard)
        let id = unheard.operationID
        #expect(try await container.allLongLivedOperationIDs() == [id])

        // One that was given out and ended unheard again is not given out once more: there is a new one.
        let second = try #require(try await container.longLivedOperation(for: id) as? CKFetchRecordsOperation)
        #expect(second !== unheard && second.recordIDs == unheard.recordIDs)
        database.add(second)
        try await wait(for: second)
        let third = try #require(try await container.longLivedOperation(for: id))
        #expect(third !== second && !third.isFinished)
    }

    @Test("An operation that is added again runs once, is known once, and is gone when it has ended")
    func addedTwice() async throws {
        let container = CKContainer(try Container(identifier: "twice", account: .user("_a11ce")))
        let adds: [(CKFetchRecordsOperation) -> Void] = [
            { container.add($0) }, { container.privateCloudDatabase.add($0) },
        ]
        for add in adds {
            let (operation, log) = (longLived(), Log())
            operation.longLivedOperationWasPersistedBlock = { log.add("persisted") }
            operation.fetchRecordsResultBlock = { _ in log.add("end") }
            add(operation)
            try await wait(for: operation)
            add(operation)
            #expect(log.lines.sorted() == ["end", "persisted"])
            #expect(try await container.allLongLivedOperationIDs().isEmpty)
        }
    }

    @Test("Long-lived operations in memory are listed in the order in which they were added")
    func order() async throws {
        let container = CKContainer(try Container(identifier: "order", account: .user("_a11ce")))
        let database = container.privateCloudDatabase
        database.operationQueue.isSuspended = true
        let operations = (0..<12).map { _ in longLived() }
        for operation in operations { database.add(operation) }
        #expect(try await container.allLongLivedOperationIDs() == operations.map(\.operationID))
        database.operationQueue.isSuspended = false
        for operation in operations { try await wait(for: operation) }
        #expect(try await container.allLongLivedOperationIDs().isEmpty)
    }

    @Test("An operation that is added to a container is stored with its database", .timeLimit(.minutes(5)))
    func scope() async throws {
        defer { remove() }
        let store = try open()
        let first = CKContainer(store)
        first.operationQueue.isSuspended = true
        let operation = longLived()
        operation.database = first.publicCloudDatabase
        first.add(operation)
        store.close()

        let reopened = try open()
        defer { reopened.close() }
        let second = CKContainer(reopened)
        let found = try await second.longLivedOperation(for: operation.operationID) as? CKDatabaseOperation
        #expect(found?.database === second.publicCloudDatabase)
    }

    @Test("Settings and groups around a container hold for what is added to it")
    func aroundContainers() throws {
        let container = CKContainer(try Container(identifier: "around", account: .user("_a11ce")))
        let (settings, group) = (CKOperation.Configuration(), CKOperationGroup())
        settings.timeoutIntervalForRequest = 77
        let operations = (0..<2).map { _ in CKDiscoverAllUserIdentitiesOperation() }
        container.configuredWith(configuration: settings) {
            $0.configuredWith(group: group) { $0.add(operations[0]) }
        }
        container.configuredWith(group: group) {
            $0.configuredWith(configuration: settings) { $0.add(operations[1]) }
        }
        for operation in operations {
            #expect(operation.group === group && operation.resolvedConfiguration.timeoutIntervalForRequest == 77)
        }
    }

    // MARK: Files

    @Test("Numbers that JSON has not are kept in the files of operations")
    func numbers() throws {
        let numbers = [Double.infinity, -.infinity, .nan, 1.5]
        let data = try OperationFolder.encoder.encode(numbers)
        let again = try OperationFolder.decoder.decode([Double].self, from: data)
        #expect(again.map(\.isNaN) == [false, false, true, false])
        #expect([again[0], again[1], again[3]] == [.infinity, -.infinity, 1.5])
    }

    private var file: String { folder.path }
    private var outcome: String { folder.path + ".outcome" }

    private func result(_ record: CKRecord, _ deletes: [(String, DatabaseError?)] = []) -> ModifyResult {
        var result = ModifyResult()
        result.saves = [(record.record.id, .success(record.record))]
        result.deletes = deletes.map { (Record.ID($0), $1.map { .failure($0) } ?? .success(())) }
        return result
    }

    @Test("Encrypted values of a record that was saved are in no file; what was deleted and what was not is")
    func outcomes() throws {
        defer { try? FileManager.default.removeItem(atPath: outcome) }
        let (plain, secret) = (CKRecord(recordType: "T"), CKRecord(recordType: "T"))
        plain["size"] = 7
        secret.encryptedValues["text"] = "secret"
        let first = try StoredOutcome.result(of: file) { result(secret) }
        #expect(first.saves.count == 1 && !FileManager.default.fileExists(atPath: outcome))
        let missing = DatabaseError(.unknownItem, "it is not there", hint: "look elsewhere")
        _ = try StoredOutcome.result(of: file) { result(plain, [("b", missing), ("c", nil)]) }
        #expect(FileManager.default.fileExists(atPath: outcome))
        let again = try StoredOutcome.result(of: file) { () throws(DatabaseError) in
            throw DatabaseError(.internalError, "it was carried out before")
        }
        #expect(try again.saves.map { try $0.result.get()["size"] as Int? } == [7])
        #expect(again.deletes.map(\.id.recordName) == ["b", "c"])
        #expect(throws: missing) { try again.deletes[0].result.get() }
        #expect(throws: Never.self) { try again.deletes[1].result.get() }
    }

    @Test("An error that is told later says that a zone went with its key, and how long to wait")
    func detailsOfErrors() throws {
        defer { try? FileManager.default.removeItem(atPath: outcome) }
        let errors = [
            DatabaseError(ofResetZone: RecordZone.ID.defaultZoneName),
            DatabaseError(.zoneBusy, "it is busy", hint: "wait", retryAfter: .milliseconds(1_500)),
        ]
        var failed = ModifyResult()
        for error in errors {
            failed.saves.append((Record.ID("a"), .failure(error)))
            failed.deletes.append((Record.ID("b"), .failure(error)))
        }
        let sent = failed
        _ = try StoredOutcome.result(of: file) { sent }
        let again = try StoredOutcome.result(of: file) { ModifyResult() }
        try #require(again.saves.count == 2 && again.deletes.count == 2)
        for (number, error) in errors.enumerated() {
            #expect(throws: error) { try again.saves[number].result.get() }
            #expect(throws: error) { try again.deletes[number].result.get() }
        }
        // What has neither is written as older versions have written it.
        try FileManager.default.removeItem(atPath: outcome)
        let (plain, missing) = (CKRecord(recordType: "T"), DatabaseError(.unknownItem, "it is gone"))
        _ = try StoredOutcome.result(of: file) { result(plain, [("c", missing)]) }
        let text = try String(contentsOf: URL(filePath: outcome), encoding: .utf8)
        #expect(text.contains("it is gone") && !text.contains("retryAfter") && !text.contains("isEncryptedDataReset"))
    }

    @Test("A conflict in a file that has not two records is told without any", arguments: [0, 1])
    func cutConflicts(count: Int) throws {
        defer { try? FileManager.default.removeItem(atPath: outcome) }
        let record = Record(type: "T", id: Record.ID("a"))
        var conflict = ModifyResult()
        conflict.saves = [(record.id, .failure(DatabaseError(.init(server: record, client: record, ancestor: nil))))]
        let sent = conflict
        _ = try StoredOutcome.result(of: file) { sent }
        let url = URL(filePath: outcome)
        var content = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
        var saves = try #require(content["saves"] as? [[String: Any]])
        var error = try #require(saves[0]["error"] as? [String: Any])
        let records = try #require(error["conflict"] as? [Any])
        #expect(records.count == 2)
        error["conflict"] = Array(records.prefix(count))
        saves[0]["error"] = error
        content["saves"] = saves
        try JSONSerialization.data(withJSONObject: content).write(to: url)
        let again = try StoredOutcome.result(of: file) { ModifyResult() }
        guard case .failure(let told) = try #require(again.saves.first).result else {
            Issue.record("it was not saved")
            return
        }
        #expect(told.code == .serverRecordChanged && told.serverRecord == nil)
    }
}
