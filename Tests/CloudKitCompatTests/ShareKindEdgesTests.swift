// Shares come as shares, with participants and a URL, wherever records are given out.

import Foundation
import RecordDatabase
import Testing

@testable import CloudKitCompat

/// A delegate that notes which of the records that changed are shares.
private actor FetchedShares: CKSyncEngineDelegate {
    private(set) var names: [String] = []

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        guard case .fetchedRecordZoneChanges(let changes) = event else { return }
        for change in changes.modifications where change.record is CKShare {
            names.append(change.record.recordID.recordName)
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}

@Suite struct ShareKindEdgesTests {
    private let container: CKContainer
    private let zone = CKRecordZone.ID(zoneName: "Z")
    private var database: CKDatabase { container.privateCloudDatabase }

    init() throws {
        container = CKContainer(try Container(identifier: "kinds of records", account: .user("_a11ce")))
    }

    /// The share of a zone as a whole, as it was saved.
    private func savedShare() async throws -> CKShare {
        try await database.save(CKRecordZone(zoneID: zone))
        let share = CKShare(recordZoneID: zone)
        try await database.save(share)
        return share
    }

    private func run(_ operation: CKDatabaseOperation) async {
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        operation.completionBlock = { end.finish() }
        database.add(operation)
        for await _ in stream {}
    }

    @Test("A share that is fetched is one, by a call and by an operation")
    func fetches() async throws {
        let share = try await savedShare()
        let found = try await database.records(for: [share.recordID])
        let record = try found[share.recordID]?.get()
        #expect(record is CKShare)
        let told = Log()
        let fetch = CKFetchRecordsOperation(recordIDs: [share.recordID])
        fetch.perRecordResultBlock = { told.add("\($0.recordName) \((try? $1.get()) is CKShare)") }
        await run(fetch)
        #expect(told.lines == ["cloudkit.zoneshare true"])
    }

    @Test("A share among changes is one, by a call, by an operation and by a sync engine")
    func changes() async throws {
        let share = try await savedShare()
        let changes = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
        let change = try changes.modificationResultsByID[share.recordID]?.get()
        #expect(change?.record is CKShare)
        let told = Log()
        let fetch = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone])
        fetch.recordWasChangedBlock = { told.add("\($0.recordName) \((try? $1.get()) is CKShare)") }
        await run(fetch)
        #expect(told.lines == ["cloudkit.zoneshare true"])
        let delegate = FetchedShares()
        var settings = CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: delegate)
        settings.automaticallySync = false
        let engine = CKSyncEngine(settings)
        try await engine.fetchChanges()
        #expect(await delegate.names == ["cloudkit.zoneshare"])
    }

    @Test("A share is one in a batch of pending changes, in a conflict and in an operation that was stored")
    func others() async throws {
        let share = CKShare(recordZoneID: zone)
        let batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: [.saveRecord(share.recordID)]) { _ in
            share
        }
        #expect(batch?.recordsToSave.first is CKShare)
        let plain = CKRecord(recordType: "T").record
        let conflict = CKError(DatabaseError(.init(server: share.record, client: plain, ancestor: nil)))
        #expect(conflict.serverRecord is CKShare)
        #expect(conflict.clientRecord?.recordType == "T")
        let work = StoredOperation.ModifyWork(
            saves: [share.record, plain], deletes: [], policy: .ifServerRecordUnchanged, isAtomic: true,
            clientToken: nil)
        let stored = StoredOperation(
            id: "o", date: Date(timeIntervalSinceReferenceDate: 0), scope: CKDatabase.Scope.private.rawValue,
            userName: nil, work: .modify(work))
        let operation = try #require(stored.operation(in: container) as? CKModifyRecordsOperation)
        #expect(operation.recordsToSave?.map { $0 is CKShare } == [true, false])
    }
}
