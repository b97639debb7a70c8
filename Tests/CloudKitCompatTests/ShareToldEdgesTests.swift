// Shares come as shares from queries, in conflicts and from what a sync engine sent; their metadata tells who accepted.

import Foundation
import RecordDatabase
import Testing

@testable import CloudKitCompat

/// A delegate that gives one batch, and notes which of its records come back as shares.
private actor SentShares: CKSyncEngineDelegate {
    private var batch: CKSyncEngine.RecordZoneChangeBatch?
    private(set) var saved: [String] = []
    private(set) var failed: [String] = []

    init(_ batch: CKSyncEngine.RecordZoneChangeBatch) { self.batch = batch }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        guard case .sentRecordZoneChanges(let sent) = event else { return }
        saved += sent.savedRecords.map { "\($0.recordID.zoneID.zoneName) \($0 is CKShare)" }
        failed += sent.failedRecordSaves.map { "\($0.record.recordID.zoneID.zoneName) \($0.record is CKShare)" }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        defer { batch = nil }
        return batch
    }
}

@Suite struct ShareToldEdgesTests {
    private let own: Container
    private let container: CKContainer
    private let zone = CKRecordZone.ID(zoneName: "Z")
    private var database: CKDatabase { container.privateCloudDatabase }

    init() throws {
        own = try Container(identifier: "told shares", account: .user("_a11ce"))
        container = CKContainer(own)
    }

    /// The share of a zone as a whole, as it was saved.
    private func savedShare() async throws -> CKShare {
        try await database.save(CKRecordZone(zoneID: zone))
        let share = CKShare(recordZoneID: zone)
        share.publicPermission = .readOnly
        try await database.save(share)
        return share
    }

    @Test("A share that a query finds is one, by a call and by an operation")
    func queries() async throws {
        let share = try await savedShare()
        let query = CKQuery(recordType: CKRecord.SystemType.share, predicate: NSPredicate(value: true))
        let page = try await database.records(matching: query, inZoneWith: zone)
        let found = try page.matchResults.map { try $1.get() }
        #expect(found.map(\.recordID) == [share.recordID] && found.map { $0 is CKShare } == [true])
        let told = Log()
        let operation = CKQueryOperation(query: query)
        operation.zoneID = zone
        operation.recordMatchedBlock = { told.add("\($0.recordName) \((try? $1.get()) is CKShare)") }
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        operation.completionBlock = { end.finish() }
        database.add(operation)
        for await _ in stream {}
        #expect(told.lines == ["cloudkit.zoneshare true"])
    }

    @Test("Shares of a conflict are shares, each of the three")
    func conflicts() {
        let share = CKShare(recordZoneID: zone).record
        let conflict = CKError(DatabaseError(.init(server: share, client: share, ancestor: share)))
        let records = [conflict.serverRecord, conflict.clientRecord, conflict.ancestorRecord]
        #expect(records.map { $0 is CKShare } == [true, true, true])
    }

    @Test("A share that a sync engine sent is told as one, saved or not")
    func sent() async throws {
        _ = try await savedShare()
        try await database.save(CKRecordZone(zoneName: "Y"))
        // Made anew, the share of the first zone has no change tag.
        let shares = [zone, CKRecordZone.ID(zoneName: "Y")].map { CKShare(recordZoneID: $0) }
        let delegate = SentShares(CKSyncEngine.RecordZoneChangeBatch(recordsToSave: shares, atomicByZone: false))
        var settings = CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: delegate)
        settings.automaticallySync = false
        let engine = CKSyncEngine(settings)
        await #expect(throws: CKError.self) { try await engine.sendChanges() }
        #expect(await delegate.saved == ["Y true"])
        #expect(await delegate.failed == ["Z true"])
    }

    @Test("Metadata of a share differ before and after the user accepted it")
    func metadata() async throws {
        let url = try #require(try await savedShare().url)
        let bob = CKContainer(try Container(sharing: own, account: .user("_b0b")))
        let before = try await bob.shareMetadata(for: url)
        try await bob.accept(before)
        let after = try await bob.shareMetadata(for: url)
        #expect(before.share.recordID == after.share.recordID)
        #expect(before.participantStatus != .accepted && after.participantStatus == .accepted)
        #expect(before != after && !after.isEqual(before) && after.isEqual(after))
    }
}
