// What a sync engine is told and tells, part by part.

import CloudKitCompat
import RecordDatabase
import Testing

/// A delegate that writes down what it is told, and gives one batch.
private actor Told: CKSyncEngineDelegate {
    private(set) var lines: [String] = []
    private var batch: CKSyncEngine.RecordZoneChangeBatch?

    func give(_ batch: CKSyncEngine.RecordZoneChangeBatch) { self.batch = batch }

    func taken() -> [String] {
        defer { lines = [] }
        return lines
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .willFetchChanges(let will):
            let first = will.context.options.prioritizedZoneIDs.map(\.zoneName)
            lines.append("fetch \(first) \(event.type == .willFetchChanges)")
        case .willFetchRecordZoneChanges(let will): lines.append("zone \(will.zoneID.zoneName)")
        case .fetchedDatabaseChanges(let changes):
            lines += changes.deletions.map { "\($0.zoneID.zoneName) \($0.reason)" }
        case .fetchedRecordZoneChanges(let changes):
            lines += changes.modifications.map { "+\($0.record.recordID.recordName)" }
            lines += changes.deletions.map { "-\($0.recordID.recordName) \($0.recordType)" }
        case .willSendChanges(let will):
            let zones = if case .zoneIDs(let zones) = will.context.options.scope { zones } else { [CKRecordZone.ID]() }
            lines.append("send \(zones.map(\.zoneName))")
        case .sentDatabaseChanges(let sent):
            let failed = sent.failedZoneDeletes.keys.map(\.zoneName)
            lines.append(
                "zones \(sent.savedZones.map(\.zoneID.zoneName)) \(sent.failedZoneSaves.map(\.zone.zoneID.zoneName))"
                    + " \(sent.deletedZoneIDs.map(\.zoneName)) \(failed)")
        case .sentRecordZoneChanges(let sent):
            let failed = sent.failedRecordSaves.map { "\($0.record.recordID.recordName) \($0.error.code)" }
            lines.append(
                "records \(sent.savedRecords.map(\.recordID.recordName)) \(failed)"
                    + " \(sent.deletedRecordIDs.map(\.recordName))"
                    + " \(sent.failedRecordDeletes.map { "\($0.recordName) \($1.code)" })")
        default: break
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        defer { batch = nil }
        return batch
    }
}

@Suite struct SyncEngineDetailTests {
    private let own: Container
    private let database: CKDatabase
    private let told = Told()
    private let engine: CKSyncEngine
    private let zones = ["A", "B", "C", "None"].map { CKRecordZone.ID(zoneName: $0) }

    init() throws {
        own = try Container(identifier: "sync details", account: .user("_a11ce"))
        database = CKContainer(own).privateCloudDatabase
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: told)
        configuration.automaticallySync = false
        engine = CKSyncEngine(configuration)
    }

    private func record(_ name: String, _ zone: Int) -> CKRecord {
        CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: name, zoneID: zones[zone]))
    }

    @Test("Zones are fetched in the order that is wanted, as far as they are meant, and told why they are gone")
    func fetching() async throws {
        for (index, name) in ["a", "b"].enumerated() {
            try await database.save(CKRecordZone(zoneID: zones[index]))
            try await database.save(record(name, index))
        }
        var options = CKSyncEngine.FetchChangesOptions()
        options.prioritizedZoneIDs = [zones[1]]
        try await engine.fetchChanges(options)
        #expect(await told.taken() == ["fetch [\"B\"] true", "zone B", "+b", "zone A", "+a"])
        for (index, name) in ["c", "d"].enumerated() { try await database.save(record(name, index)) }
        try await engine.fetchChanges(.init(scope: .allExcluding([zones[0]])))
        #expect(await told.taken() == ["fetch [] true", "zone B", "+d"])
        try await database.deleteRecord(withID: record("a", 0).recordID)
        try await engine.fetchChanges(.init(scope: .zoneIDs([zones[0]])))
        #expect(await told.taken() == ["fetch [] true", "zone A", "+c", "-a T"])
        try await own.privateDatabase.purgeRecordZone(withID: RecordZone.ID("A"))
        try await database.deleteRecordZone(withID: zones[1])
        try await engine.fetchChanges()
        #expect(await told.taken() == ["fetch [] true", "A purged", "B deleted"])
    }

    @Test("What could not be sent is told with the reason, and what is not meant waits")
    func sending() async throws {
        let other = CKRecordZone(zoneName: "Later")
        engine.state.add(pendingDatabaseChanges: [
            .saveZone(CKRecordZone(zoneID: zones[2])), .deleteZone(zones[3]), .saveZone(other),
        ])
        await told.give(
            .init(
                recordsToSave: [record("r", 2), record("q", 3)],
                recordIDsToDelete: [record("x", 3).recordID, record("y", 2).recordID]))
        await #expect(throws: CKError.self) {
            try await engine.sendChanges(.init(scope: .zoneIDs([zones[2], zones[3]])))
        }
        #expect(
            await told.taken() == [
                "send [\"C\", \"None\"]", "zones [\"C\"] [] [] [\"None\"]",
                "records [\"r\"] [\"q zoneNotFound\"] [\"y\"] [\"x zoneNotFound\"]",
            ])
        #expect(engine.state.pendingDatabaseChanges.contains(.saveZone(other)))
    }

    @Test("Changes that wait are added and taken back")
    func state() {
        let (a, b) = (record("a", 0).recordID, record("b", 1).recordID)
        let state = engine.state
        state.add(pendingRecordZoneChanges: [.saveRecord(a), .deleteRecord(b)])
        #expect(state.pendingRecordZoneChanges == [.saveRecord(a), .deleteRecord(b)])
        state.remove(pendingRecordZoneChanges: [.saveRecord(a)])
        #expect(state.pendingRecordZoneChanges == [.deleteRecord(b)])
        let made = CKRecordZone(zoneID: zones[0])
        state.add(pendingDatabaseChanges: [.saveZone(made), .deleteZone(zones[1])])
        #expect(state.pendingDatabaseChanges == [.saveZone(made), .deleteZone(zones[1])])
        state.remove(pendingDatabaseChanges: [.saveZone(made)])
        #expect(state.pendingDatabaseChanges == [.deleteZone(zones[1])])
        for flag in [true, false] {
            state.hasPendingUntrackedChanges = flag
            #expect(state.hasPendingUntrackedChanges == flag)
        }
    }

    @Test("A scope says which zones, records and changes are meant")
    func scopes() {
        let (a, b) = (record("a", 0).recordID, record("b", 1).recordID)
        let fetches: [(CKSyncEngine.FetchChangesOptions.Scope, [Bool])] = [
            (.all, [true, true]), (.allExcluding([zones[0]]), [false, true]), (.zoneIDs([zones[0]]), [true, false]),
        ]
        for (scope, expected) in fetches { #expect(zones[0...1].map { scope.contains($0) } == expected) }
        let sends: [(CKSyncEngine.SendChangesOptions.Scope, records: [Bool], zones: [Bool])] = [
            (.all, [true, true], [true, true]), (.allExcluding([zones[0]]), [false, true], [false, true]),
            (.zoneIDs([zones[0]]), [true, false], [true, false]), (.recordIDs([a]), [true, false], [false, false]),
        ]
        for (scope, records, isMeant) in sends {
            #expect([a, b].map { scope.contains($0) } == records)
            #expect([a, b].map { scope.contains(.deleteRecord($0)) } == records)
            #expect([a, b].map { scope.contains(.saveRecord($0)) } == records)
            #expect(zones[0...1].map { scope.contains($0) } == isMeant)
        }
    }
}
