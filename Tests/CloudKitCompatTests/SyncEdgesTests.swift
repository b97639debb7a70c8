// What a sync engine is set up with: its subscription, its database, its state, its groups.

import RecordDatabase
import Testing

@testable import CloudKitCompat

/// A delegate that notes which zones changed.
private actor ZoneNames: CKSyncEngineDelegate {
    private(set) var names: [String] = []

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        if case .fetchedDatabaseChanges(let changes) = event { names += changes.modifications.map(\.zoneID.zoneName) }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}

@Suite struct SyncEdgesTests {
    private let delegate = ZoneNames()

    private func configuration(
        _ database: CKDatabase, _ state: CKSyncEngine.State.Serialization? = nil, subscription: String? = nil,
        isAutomatic: Bool = false
    ) -> CKSyncEngine.Configuration {
        var settings = CKSyncEngine.Configuration(database: database, stateSerialization: state, delegate: delegate)
        (settings.automaticallySync, settings.subscriptionID) = (isAutomatic, subscription)
        return settings
    }

    @Test("An engine that syncs by itself subscribes under the name that it is given, and no other engine does")
    func subscriptions() async throws {
        let database = CKContainer(try Container(identifier: "subscribing", account: .user("_a11ce")))
            .privateCloudDatabase
        let quiet = CKSyncEngine(configuration(database, subscription: "quiet"))
        try await Task.sleep(for: .milliseconds(60))
        #expect(try await database.allSubscriptions().isEmpty)
        let loud = CKSyncEngine(configuration(database, subscription: "loud", isAutomatic: true))
        var turns = 0
        while try await database.allSubscriptions().isEmpty, turns < 6000 {
            try await Task.sleep(for: .milliseconds(5))
            turns += 1
        }
        #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["loud"])
        #expect(quiet.database === database && loud.database === database)
        await loud.cancelOperations()
    }

    @Test("An engine fetches from the database that it is given")
    func databases() async throws {
        let container = CKContainer(try Container(identifier: "engines", account: .user("_a11ce")))
        try await container.privateCloudDatabase.save(CKRecordZone(zoneName: "Z"))
        let shared = CKSyncEngine(configuration(container.sharedCloudDatabase))
        try await shared.fetchChanges()
        #expect(await delegate.names.isEmpty)
        let own = CKSyncEngine(configuration(container.privateCloudDatabase))
        try await own.fetchChanges()
        #expect(await delegate.names == ["Z"])
    }

    @Test("An engine without a container keeps its state, and tells why it has none")
    func broken() async throws {
        let state = SyncEngine.State(SyncEngine.State.Serialization())
        state.add([SyncEngine.PendingRecordChange.save(Record.ID("a"))])
        let stored = CKSyncEngine.State.Serialization(state.serialization)
        let again = try JSONDecoder().decode(
            CKSyncEngine.State.Serialization.self, from: try JSONEncoder().encode(stored))
        #expect(again == stored)
        let engine = CKSyncEngine(configuration(CKContainer(identifier: "").privateCloudDatabase, again))
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(CKRecord.ID(recordName: "a"))])
        for call in [{ try await engine.fetchChanges() }, { try await engine.sendChanges() }] {
            let error = await #expect(throws: CKError.self) { try await call() }
            #expect(error?.code == .invalidArguments)
        }
    }

    @Test("Options have the group that they are given, or one of their own")
    func groups() {
        let group = CKOperationGroup()
        #expect(CKSyncEngine.FetchChangesOptions(operationGroup: group).operationGroup === group)
        #expect(CKSyncEngine.SendChangesOptions(operationGroup: group).operationGroup === group)
        #expect(CKSyncEngine.FetchChangesOptions().operationGroup !== group)
        #expect(CKSyncEngine.SendChangesOptions().operationGroup !== group)
    }
}
