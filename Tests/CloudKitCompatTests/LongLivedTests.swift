// Operations of containers: long-lived ones, settings for many, users that are looked up, tokens for the web.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing

@Suite struct LongLivedTests {
    private let container: CKContainer
    private var database: CKDatabase { container.privateCloudDatabase }

    init() throws { container = CKContainer(try Container(identifier: "long", account: .user("_a11ce"))) }

    /// Adds an operation, and waits until it has ended.
    private func run(_ operation: CKOperation, _ add: (CKOperation) -> Void) async {
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        operation.completionBlock = { end.finish() }
        add(operation)
        for await _ in stream {}
    }

    @Test("A long-lived operation is found until it ends", .timeLimit(.minutes(5)))
    func longLived() async throws {
        let log = Log()
        database.operationQueue.isSuspended = true
        let operation = CKModifyRecordsOperation(
            recordsToSave: [CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "a"))],
            recordIDsToDelete: nil)
        operation.configuration.isLongLived = true
        operation.longLivedOperationWasPersistedBlock = { log.add("persisted") }
        operation.modifyRecordsResultBlock = { _ in log.add("saved") }
        let short = CKFetchRecordsOperation(recordIDs: [])
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        operation.completionBlock = { end.finish() }
        database.add(short)
        database.add(operation)
        #expect(log.lines == ["persisted"])
        #expect(try await container.allLongLivedOperationIDs() == [operation.operationID])
        let found = try await container.longLivedOperation(for: operation.operationID)
        #expect(found === operation)
        #expect(try await container.longLivedOperation(for: short.operationID) == nil)
        let other = CKContainer(try Container(identifier: "other"))
        #expect(try await other.allLongLivedOperationIDs().isEmpty)
        #expect(try await other.longLivedOperation(for: operation.operationID) == nil)
        let (ids, idsEnd) = AsyncStream.makeStream(of: Int.self)
        container.fetchAllLongLivedOperationIDs { ids, _ in
            idsEnd.yield(ids?.count ?? -1)
            container.fetchLongLivedOperation(withID: ids?.first ?? "") { operation, _ in
                idsEnd.yield(operation == nil ? 0 : 1)
                idsEnd.finish()
            }
        }
        var counts: [Int] = []
        for await count in ids { counts.append(count) }
        #expect(counts == [1, 1])
        database.operationQueue.isSuspended = false
        for await _ in stream {}
        #expect(log.lines == ["persisted", "saved"])
        #expect(try await container.allLongLivedOperationIDs().isEmpty)
    }

    @Test("Settings of a container hold for the operations that are added with it", .timeLimit(.minutes(5)))
    func settings() async throws {
        let settings = CKOperation.Configuration()
        settings.qualityOfService = .background
        let group = CKOperationGroup()
        let fetch = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "none")])
        await run(fetch) { operation in
            guard let operation = operation as? CKDatabaseOperation else { return }
            container.configuredWith(configuration: settings, group: group) {
                $0.privateCloudDatabase.add(operation)
            }
        }
        #expect(fetch.resolvedConfiguration.qualityOfService == .background && fetch.group === group)
        #expect(fetch.isFinished && fetch.qualityOfService == .background)
        let discover = CKDiscoverAllUserIdentitiesOperation()
        let count = await container.configuredWith(configuration: settings) { container in
            await run(discover) { container.add($0) }
            return 1
        }
        #expect(count == 1 && discover.resolvedConfiguration.qualityOfService == .background)
    }

    @Test(
        "Beside a store, an operation of a process that has ended is found, added again, or dropped",
        .timeLimit(.minutes(5)))
    func storedOperations() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "long-\(UUID().uuidString)")
        defer {
            for path in [folder.path, folder.path + ".operations"] { try? FileManager.default.removeItem(atPath: path) }
        }
        let open = { try Container(identifier: "long", storedAt: folder, account: .user("_a11ce")) }
        let store = try open()
        let first = CKContainer(store)
        try await first.privateCloudDatabase.save(CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "a")))
        // Nothing is done before the process ends.
        first.privateCloudDatabase.operationQueue.isSuspended = true
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "b"))
        record["text"] = "b"
        let save = CKModifyRecordsOperation(
            recordsToSave: [record], recordIDsToDelete: [CKRecord.ID(recordName: "a")])
        let fetch = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "b")])
        let query = CKQueryOperation(query: CKQuery(recordType: "T", predicate: NSPredicate(format: "text == %@", "b")))
        query.query?.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        let secret = CKRecord(recordType: "T")
        secret.encryptedValues["secret"] = "x"
        let unstored = CKModifyRecordsOperation(recordsToSave: [secret])
        for operation in [save, fetch, query, unstored] as [CKDatabaseOperation] {
            operation.isLongLived = true
            first.privateCloudDatabase.add(operation)
        }
        let ids = [save, fetch, query].map(\.operationID)
        #expect(try await first.allLongLivedOperationIDs() == ids + [unstored.operationID])
        for id in ids {
            let file = try FileManager.default.attributesOfItem(atPath: folder.path + ".operations/\(id).json")
            #expect((file[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
        store.close()
        let reopened = try open()
        let second = CKContainer(reopened)
        #expect(try await second.allLongLivedOperationIDs() == ids)
        let log = Log()
        for id in ids {
            let operation = try #require(try await second.longLivedOperation(for: id) as? CKDatabaseOperation)
            #expect(operation.operationID == id && operation.isLongLived)
            #expect(operation.database === second.privateCloudDatabase)
            (operation as? CKModifyRecordsOperation)?.modifyRecordsResultBlock = { log.add("saved \($0)") }
            (operation as? CKFetchRecordsOperation)?.perRecordResultBlock = { id, result in
                log.add("\(id.recordName) \((try? result.get()["text"] as? String) ?? "")")
            }
            if operation is CKQueryOperation {
                operation.cancel()
            } else {
                await run(operation) { _ in second.privateCloudDatabase.add(operation) }
            }
        }
        #expect(log.lines == ["saved success()", "b b"])
        #expect(try await second.allLongLivedOperationIDs().isEmpty)
        await #expect(throws: CKError.self) {
            try await second.privateCloudDatabase.record(for: CKRecord.ID(recordName: "a"))
        }
        let other = CKContainer(try Container(sharing: reopened, account: .user("_b0b")))
        #expect(try await other.allLongLivedOperationIDs().isEmpty)
    }

    private func failure(of result: Result<some Any, any Error>) -> CKError? {
        if case .failure(let error) = result { error as? CKError } else { nil }
    }

    /// A store with a batch that was carried out while nobody listened, in a process that has ended.
    private func unheard(_ folder: URL) async throws -> CKOperation.ID {
        let store = try Container(identifier: "long", storedAt: folder, account: .user("_a11ce"))
        let database = CKContainer(store).privateCloudDatabase
        try await database.save(CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "b")))
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "a"))
        record["text"] = "a"
        let save = CKModifyRecordsOperation(
            recordsToSave: [record, CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "b"))],
            recordIDsToDelete: [CKRecord.ID(recordName: "c")])
        (save.isLongLived, save.isAtomic) = (true, false)
        database.add(save)
        while !save.isFinished { try await Task.sleep(for: .milliseconds(2)) }
        store.close()
        return save.operationID
    }

    @Test("A batch that ended while nobody listened tells its results later, once", .timeLimit(.minutes(5)))
    func unheardResults() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "long-\(UUID().uuidString)")
        defer {
            for path in [folder.path, folder.path + ".operations"] { try? FileManager.default.removeItem(atPath: path) }
        }
        let id = try await unheard(folder)
        let store = try Container(identifier: "long", storedAt: folder, account: .user("_a11ce"))
        let container = CKContainer(store)
        #expect(try await container.allLongLivedOperationIDs() == [id])
        let operation = try #require(
            try await container.longLivedOperation(for: id) as? CKModifyRecordsOperation)
        // The same for whoever asks again, of the same store.
        #expect(try await container.longLivedOperation(for: id) === operation)
        let sharing = CKContainer(try Container(sharing: store, account: .user("_a11ce")))
        #expect(try await sharing.longLivedOperation(for: id) === operation)
        let before = try await container.privateCloudDatabase.record(for: CKRecord.ID(recordName: "a"))
        let log = Log()
        operation.perRecordSaveBlock = { id, result in
            let error = failure(of: result)
            log.add(
                "\(id.recordName) \((try? result.get())?.recordChangeTag == before.recordChangeTag)"
                    + " \(error?.code == .serverRecordChanged) \(error?.serverRecord != nil)")
        }
        operation.perRecordDeleteBlock = { id, result in log.add("\(id.recordName) \(failure(of: result) == nil)") }
        operation.modifyRecordsResultBlock = { result in
            log.add("\(failure(of: result)?.code == .partialFailure)")
        }
        await run(operation) { _ in container.privateCloudDatabase.add(operation) }
        #expect(log.lines == ["a true false false", "b false true true", "c true", "true"])
        // It was not saved again.
        let after = try await container.privateCloudDatabase.record(for: CKRecord.ID(recordName: "a"))
        #expect(after.recordChangeTag == before.recordChangeTag && after["text"] as? String == "a")
        #expect(try await container.allLongLivedOperationIDs().isEmpty)
        #expect(try await container.longLivedOperation(for: id) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + ".operations").isEmpty)
    }

    @Test("A batch of which only the end is listened to is kept no longer", .timeLimit(.minutes(5)))
    func onlyTheEnd() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "long-\(UUID().uuidString)")
        defer {
            for path in [folder.path, folder.path + ".operations"] { try? FileManager.default.removeItem(atPath: path) }
        }
        let store = try Container(identifier: "long", storedAt: folder, account: .user("_a11ce"))
        let container = CKContainer(store)
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "a"))
        let save = CKModifyRecordsOperation(recordsToSave: [record])
        save.isLongLived = true
        await run(save) { _ in container.privateCloudDatabase.add(save) }
        #expect(try await container.privateCloudDatabase.record(for: record.recordID).recordType == "T")
        #expect(try await container.allLongLivedOperationIDs().isEmpty)
        store.close()
        let again = try Container(identifier: "long", storedAt: folder, account: .user("_a11ce"))
        #expect(try await CKContainer(again).allLongLivedOperationIDs().isEmpty)
        again.close()
    }

    @Test("Results that are damaged are an error, and the batch is not sent again", .timeLimit(.minutes(5)))
    func damagedResults() async throws {
        for damage in ["", "{", #"{"saves":[],"deletes":7}"#, #"{"saves":[{"id":{"recordName":"a"}}],"deletes":[]}"#] {
            let folder = FileManager.default.temporaryDirectory.appending(path: "long-\(UUID().uuidString)")
            defer {
                for path in [folder.path, folder.path + ".operations"] {
                    try? FileManager.default.removeItem(atPath: path)
                }
            }
            let id = try await unheard(folder)
            let file = folder.path + ".operations/\(id).json.outcome"
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            try Data(damage.utf8).write(to: URL(filePath: file))
            let store = try Container(identifier: "long", storedAt: folder, account: .user("_a11ce"))
            let container = CKContainer(store)
            let operation = try #require(
                try await container.longLivedOperation(for: id) as? CKModifyRecordsOperation)
            let log = Log()
            operation.modifyRecordsResultBlock = { result in
                log.add("\(failure(of: result)?.code == .internalError)")
            }
            await run(operation) { _ in container.privateCloudDatabase.add(operation) }
            #expect(log.lines == ["true"], "\(damage)")
            #expect(try await container.allLongLivedOperationIDs().isEmpty)
            store.close()
        }
    }

    @Test("A stored operation waits a day, and is dropped then", .timeLimit(.minutes(5)))
    func storedOperationsEndAfterADay() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "long-\(UUID().uuidString)")
        defer {
            for path in [folder.path, folder.path + ".operations"] { try? FileManager.default.removeItem(atPath: path) }
        }
        func open(hours: Double) throws -> Container {
            var configuration = Configuration()
            configuration.clock = { Date(timeIntervalSinceReferenceDate: hours * 3_600) }
            return try Container(
                identifier: "long", storedAt: folder, account: .user("_a11ce"), configuration: configuration)
        }
        let store = try open(hours: 0)
        let first = CKContainer(store)
        first.privateCloudDatabase.operationQueue.isSuspended = true
        let fetch = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
        fetch.isLongLived = true
        first.privateCloudDatabase.add(fetch)
        store.close()
        for (hours, count) in [(23.9, 1), (24, 0), (1, 0)] {
            let later = try open(hours: hours)
            let container = CKContainer(later)
            #expect(try await container.allLongLivedOperationIDs().count == count, "\(hours)")
            let found = try await container.longLivedOperation(for: fetch.operationID)
            #expect((found != nil) == (count == 1), "\(hours)")
            later.close()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + ".operations").isEmpty)
    }

    @Test("An operation whose time is over tells so, and changes nothing", .timeLimit(.minutes(5)))
    func timeouts() async throws {
        let log = Log()
        func code(_ result: Result<some Any, any Error>) -> String {
            if case .failure(let error as CKError) = result { "\(error.code.rawValue)" } else { "ok" }
        }
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "timed"))
        // Over before anything is done.
        let save = CKModifyRecordsOperation(recordsToSave: [record])
        save.configuration.timeoutIntervalForRequest = 1e-9
        save.modifyRecordsResultBlock = { log.add("saves \(code($0))") }
        let query = CKQueryOperation(query: CKQuery(recordType: "T", predicate: NSPredicate(value: true)))
        query.timeoutIntervalForResource = 1e-9
        query.queryResultBlock = { log.add("query \(code($0))") }
        for operation in [save, query] {
            await run(operation) { if let operation = $0 as? CKDatabaseOperation { database.add(operation) } }
        }
        #expect(log.lines == ["saves 4", "query 4"])
        await #expect(throws: CKError.self) { try await database.record(for: record.recordID) }
        // Of a group; 0 and infinity are no limits.
        let group = CKOperationGroup()
        group.defaultConfiguration.timeoutIntervalForRequest = 1e-9
        for (seconds, expected) in [(1e-9, "fetch 4"), (0, "fetch 2"), (.infinity, "fetch 2"), (3600, "fetch 2")] {
            let fetch = CKFetchRecordsOperation(recordIDs: [record.recordID])
            fetch.group = group
            if seconds != 1e-9 { fetch.timeoutIntervalForRequest = seconds }
            fetch.fetchRecordsResultBlock = { log.add("fetch \(code($0))") }
            await run(fetch) { if let operation = $0 as? CKDatabaseOperation { database.add(operation) } }
            #expect(log.lines.last == expected, "\(seconds)")
        }
    }

    @Test("Users are found by their records, and nobody by an address", .timeLimit(.minutes(5)))
    func users() async throws {
        let log = Log()
        let user = try await container.userRecordID()
        let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [
            .init(emailAddress: "a@example.org"), .init(userRecordID: CKRecord.ID(recordName: "_nobody")),
            .init(userRecordID: user),
        ])
        operation.userIdentityDiscoveredBlock = { identity, info in
            log.add("\(identity.userRecordID == user) \(info.userRecordID == user)")
        }
        operation.discoverUserIdentitiesResultBlock = { log.add("\($0)") }
        await run(operation) { container.add($0) }
        #expect(log.lines == ["true true", "success()"])
    }

    @Test("Operations about notifications that servers keep end at once", .timeLimit(.minutes(5)))
    func notifications() async {
        let log = Log()
        let badge = CKModifyBadgeOperation(badgeValue: 3)
        badge.modifyBadgeCompletionBlock = { log.add("badge \($0 == nil)") }
        let read = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: ["a"])
        read.markNotificationsReadCompletionBlock = { ids, _ in log.add("read \(ids ?? [])") }
        let changes = CKFetchNotificationChangesOperation(previousServerChangeToken: nil)
        changes.notificationChangedBlock = { _ in log.add("changed") }
        changes.fetchNotificationChangesCompletionBlock = { log.add("changes \($0 == nil && $1 == nil)") }
        for operation in [badge, read, changes] { await run(operation) { container.add($0) } }
        #expect(log.lines == ["badge true", "read [\"a\"]", "changes true"])
    }

    @Test("Tokens for the web fail as documented", .timeLimit(.minutes(5)))
    func webToken() async {
        let log = Log()
        let operation = CKFetchWebAuthTokenOperation(apiToken: "x")
        operation.fetchWebAuthTokenResultBlock = { result in
            if case .failure(let error) = result { log.add("\((error as? CKError)?.code == .missingEntitlement)") }
        }
        await run(operation) { operation in
            if let operation = operation as? CKDatabaseOperation { database.add(operation) }
        }
        #expect(log.lines == ["true"])
    }

    @Test("Names of kinds have CloudKit's numbers")
    func kinds() {
        #expect(CKSyncEngineEventType.stateUpdate.rawValue == 0 && CKSyncEngineEventType.didSendChanges.rawValue == 11)
        #expect(CKSyncEngineAccountChangeType(rawValue: 2) == .switchAccounts)
        #expect(CKSyncEngineZoneDeletionReason(rawValue: 2) == .encryptedDataReset)
        #expect(CKSyncEnginePendingRecordZoneChangeType(rawValue: 1) == .deleteRecord)
        #expect(CKSyncEnginePendingDatabaseChangeType(rawValue: 0) == .saveZone)
        #expect(CKSyncEngineSyncReason(rawValue: 1) == .manual)
        #expect(CKContainer.Application.PermissionStatus.granted == CKApplicationPermissionStatus.granted)
        #expect(CKApplicationPermissions.userDiscoverability == CKApplicationPermissions(rawValue: 1))
    }
}
