// The sync engine under CloudKit's names, as applications write their delegates.

import CloudKitCompat
import RecordDatabase
import Testing

/// Notes on one device, kept the same as those of others.
private actor Notes: CKSyncEngineDelegate {
    private(set) var texts: [CKRecord.ID: String] = [:]
    private(set) var events: [String] = []
    private(set) var state: CKSyncEngine.State.Serialization?
    /// Records as the server has them, for their change tags.
    private var known: [CKRecord.ID: CKRecord] = [:]

    func write(_ text: String, _ id: CKRecord.ID) { texts[id] = text }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .stateUpdate(let update): state = update.stateSerialization
        case .accountChange(let change):
            if case .signIn(let user) = change.changeType { events.append("signed in \(user.recordName)") }
        case .fetchedDatabaseChanges(let changes):
            events.append("zones \(changes.modifications.map(\.zoneID.zoneName)) \(changes.deletions.count)")
        case .fetchedRecordZoneChanges(let changes):
            for modification in changes.modifications { take(modification.record) }
            for deletion in changes.deletions { texts[deletion.recordID] = nil }
        case .sentRecordZoneChanges(let changes):
            for record in changes.savedRecords { known[record.recordID] = record }
            for failure in changes.failedRecordSaves where failure.error.code == .serverRecordChanged {
                guard let server = failure.error.serverRecord else { continue }
                known[server.recordID] = server
                syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(server.recordID)])
                events.append("conflict")
            }
        case .sentDatabaseChanges(let changes): events.append("made \(changes.savedZones.map(\.zoneID.zoneName))")
        case .willFetchChanges, .willFetchRecordZoneChanges, .didFetchRecordZoneChanges, .didFetchChanges,
            .willSendChanges, .didSendChanges:
            break
        }
    }

    private func take(_ record: CKRecord) {
        known[record.recordID] = record
        texts[record.recordID] = record["text"]
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        let (texts, known) = (texts, known)
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
            guard let text = texts[id] else { return nil }
            let record = known[id] ?? CKRecord(recordType: "Note", recordID: id)
            record["text"] = text
            return record
        }
    }
}

@Suite struct CKSyncEngineTests {
    @Test("Two devices, a conflict, and an engine that goes on where another was")
    func devices() async throws {
        let own = try Container(identifier: "sync names", account: .user("_a11ce"))
        let databases = [own, try Container(sharing: own, account: .user("_a11ce"))].map {
            CKContainer($0).privateCloudDatabase
        }
        let notes = [Notes(), Notes()]
        func engine(_ device: Int, _ state: CKSyncEngine.State.Serialization?) -> CKSyncEngine {
            var configuration = CKSyncEngine.Configuration(
                database: databases[device], stateSerialization: state, delegate: notes[device])
            configuration.automaticallySync = false
            return CKSyncEngine(configuration)
        }
        let engines = [engine(0, nil), engine(1, nil)]
        let zone = CKRecordZone(zoneName: "Notes")
        let id = CKRecord.ID(recordName: "n", zoneID: zone.zoneID)
        engines[0].state.add(pendingDatabaseChanges: [.saveZone(zone)])
        await notes[0].write("one", id)
        engines[0].state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        try await engines[0].sendChanges()
        try await engines[1].fetchChanges()
        #expect(await notes[1].texts == [id: "one"])
        #expect(await notes[0].events == ["signed in _a11ce", "made [\"Notes\"]"])
        #expect(await notes[1].events == ["signed in _a11ce", "zones [\"Notes\"] 0"])

        for device in 0...1 {
            await notes[device].write("from \(device)", id)
            engines[device].state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        }
        try await engines[0].sendChanges()
        await #expect(throws: CKError.self) { try await engines[1].sendChanges() }
        #expect(await notes[1].events.last == "conflict")
        try await engines[0].fetchChanges()
        #expect(await notes[0].texts == [id: "from 1"])

        let stored = try JSONEncoder().encode(await notes[0].state)
        let state = try JSONDecoder().decode(CKSyncEngine.State.Serialization?.self, from: stored)
        let next = engine(0, state)
        #expect(next.state.pendingRecordZoneChanges.isEmpty && next.state.pendingDatabaseChanges.isEmpty)
        next.state.add(pendingRecordZoneChanges: [.deleteRecord(id)])
        try await next.sendChanges()
        try await engines[1].fetchChanges()
        #expect(await notes[1].texts.isEmpty)
        #expect(await notes[0].events.filter { $0.hasPrefix("signed") }.count == 1)
    }
}
