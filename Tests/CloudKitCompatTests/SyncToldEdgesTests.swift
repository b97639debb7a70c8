// What a sync engine tells of accounts, of zones that could not be fetched, and of batches that are all or nothing.

import Foundation
import RecordDatabase
import Testing

@testable import CloudKitCompat

/// A delegate that gives one batch, and notes what was saved of it.
private actor OneBatch: CKSyncEngineDelegate {
    private var batch: CKSyncEngine.RecordZoneChangeBatch?
    private(set) var saved: [String] = []

    init(_ batch: CKSyncEngine.RecordZoneChangeBatch) { self.batch = batch }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        if case .sentRecordZoneChanges(let sent) = event { saved += sent.savedRecords.map(\.recordID.recordName) }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        defer { batch = nil }
        return batch
    }
}

@Suite struct SyncToldEdgesTests {
    private func record(_ name: String, _ size: Int) -> CKRecord {
        let zone = CKRecordZone.ID(zoneName: "Z")
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: name, zoneID: zone))
        record["size"] = size
        return record
    }

    @Test("A batch that is atomic by zone saves nothing beside a conflict", arguments: [true, false])
    func batches(isAtomic: Bool) async throws {
        let container = CKContainer(try Container(identifier: "batches", account: .user("_a11ce")))
        let database = container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneName: "Z"))
        try await database.save(record("old", 1))
        // Made anew, the other has no change tag.
        let delegate = OneBatch(
            CKSyncEngine.RecordZoneChangeBatch(
                recordsToSave: [record("new", 1), record("old", 2)], atomicByZone: isAtomic))
        var settings = CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: delegate)
        settings.automaticallySync = false
        let engine = CKSyncEngine(settings)
        await #expect(throws: CKError.self) { try await engine.sendChanges() }
        let names: [String] = isAtomic ? [] : ["new"]
        #expect(await delegate.saved == names)
        let found = try await database.records(for: [record("new", 1).recordID])
        #expect(found.values.filter(\.isSuccess).count == (isAtomic ? 0 : 1))
    }

    @Test("A change of accounts names who was there and who is there")
    func accounts() {
        typealias Change = CKSyncEngine.Event.AccountChange.ChangeType
        let (a, b) = (Record.ID("_a11ce"), Record.ID("_b0b"))
        let cases: [(SyncEngine.AccountChange, Change)] = [
            (.signIn(a), .signIn(currentUser: CKRecord.ID(a))), (.signOut(a), .signOut(previousUser: CKRecord.ID(a))),
            (
                .switchAccounts(from: a, to: b),
                .switchAccounts(previousUser: CKRecord.ID(a), currentUser: CKRecord.ID(b))
            ),
        ]
        for (change, expected) in cases {
            var told: Change?
            if case .accountChange(let event) = CKSyncEngine.Event(.accountChange(change)) { told = event.changeType }
            #expect(told == expected)
        }
    }

    @Test("A zone that could not be fetched is told with its error, and one that was without")
    func zones() {
        let zone = RecordZone.ID("Z")
        let errors: [DatabaseError?] = [DatabaseError(.zoneNotFound, "gone"), nil]
        for error in errors {
            var told: (name: String, code: CKError.Code?)?
            if case .didFetchRecordZoneChanges(let event) = CKSyncEngine.Event(.didFetchZoneChanges(zone, error)) {
                told = (name: event.zoneID.zoneName, code: event.error?.code)
            }
            let code: CKError.Code? = error == nil ? nil : .zoneNotFound
            #expect(told?.name == "Z")
            #expect(told?.code == code)
        }
    }
}
