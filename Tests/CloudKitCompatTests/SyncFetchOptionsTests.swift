// Which zones a sync engine fetches, when its delegate chooses, which ones wait, and which ones could not be made.

import CloudKitCompat
import RecordDatabase
import Testing

/// A delegate that chooses which zones are fetched, and notes which ones are.
private actor Choosing: CKSyncEngineDelegate {
    private let scope: CKSyncEngine.FetchChangesOptions.Scope?
    private(set) var lines: [String] = []

    init(_ scope: CKSyncEngine.FetchChangesOptions.Scope? = nil) { self.scope = scope }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .willFetchRecordZoneChanges(let will): lines.append(will.zoneID.zoneName)
        case .sentDatabaseChanges(let sent): lines += sent.failedZoneSaves.map { "failed \($0.zone.zoneID.zoneName)" }
        default: break
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }

    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        var options = context.options
        if let scope { options.scope = scope }
        return options
    }
}

@Suite struct SyncFetchOptionsTests {
    private let zones = ["A", "B"].map { CKRecordZone.ID(zoneName: $0) }

    /// A database with both zones.
    private func database() async throws -> CKDatabase {
        let container = CKContainer(try Container(identifier: "fetch options", account: .user("_a11ce")))
        for zone in zones { try await container.privateCloudDatabase.save(CKRecordZone(zoneID: zone)) }
        return container.privateCloudDatabase
    }

    private func makeEngine(_ database: CKDatabase, _ delegate: Choosing) -> CKSyncEngine {
        var settings = CKSyncEngine.Configuration(database: database, stateSerialization: nil, delegate: delegate)
        settings.automaticallySync = false
        return CKSyncEngine(settings)
    }

    @Test("The delegate has the last word about the zones that are fetched")
    func choice() async throws {
        let delegate = Choosing(.zoneIDs([zones[1]]))
        let engine = makeEngine(try await database(), delegate)
        try await engine.fetchChanges()
        #expect(await delegate.lines == ["B"])
    }

    @Test("Zones that changed and were left out wait until they are fetched")
    func waiting() async throws {
        let delegate = Choosing()
        let engine = makeEngine(try await database(), delegate)
        try await engine.fetchChanges(.init(scope: .allExcluding([zones[0]])))
        #expect(engine.state.zoneIDsWithUnfetchedServerChanges == [zones[0]])
        try await engine.fetchChanges()
        #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
        #expect(await delegate.lines == ["B", "A"])
    }

    @Test("A zone that could not be made is told by its name")
    func unmade() async throws {
        let delegate = Choosing()
        let engine = makeEngine(try await database(), delegate)
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "_bad"))])
        await #expect(throws: CKError.self) { try await engine.sendChanges() }
        #expect(await delegate.lines == ["failed _bad"])
    }
}
