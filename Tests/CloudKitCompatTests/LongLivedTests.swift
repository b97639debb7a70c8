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

    @Test("A long-lived operation is found until it ends", .timeLimit(.minutes(1)))
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

    @Test("Settings of a container hold for the operations that are added with it", .timeLimit(.minutes(1)))
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
        #expect(fetch.isFinished)
        let discover = CKDiscoverAllUserIdentitiesOperation()
        let count = await container.configuredWith(configuration: settings) { container in
            await run(discover) { container.add($0) }
            return 1
        }
        #expect(count == 1 && discover.resolvedConfiguration.qualityOfService == .background)
    }

    @Test("Users are found by their records, and nobody by an address", .timeLimit(.minutes(1)))
    func users() async throws {
        let log = Log()
        let user = try await container.userRecordID()
        let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [
            .init(userRecordID: user), .init(emailAddress: "a@example.org"),
            .init(userRecordID: CKRecord.ID(recordName: "_nobody")),
        ])
        operation.userIdentityDiscoveredBlock = { identity, info in
            log.add("\(identity.userRecordID == user) \(info.userRecordID == user)")
        }
        operation.discoverUserIdentitiesResultBlock = { log.add("\($0)") }
        await run(operation) { container.add($0) }
        #expect(log.lines == ["true true", "success()"])
    }

    @Test("Operations about notifications that servers keep end at once", .timeLimit(.minutes(1)))
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

    @Test("Tokens for the web fail as documented", .timeLimit(.minutes(1)))
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
        let old: CKContainer_Application_PermissionStatus = CKContainer.Application.PermissionStatus.granted
        #expect(
            old == CKApplicationPermissionStatus.granted
                && CKContainer_Application_Permissions.userDiscoverability == CKApplicationPermissions(rawValue: 1))
    }
}
