// A sync engine whose delegate is on the main actor, with every event and every reason named.

import CloudKitCompat
import Foundation

@MainActor
public final class MainActorSync: CKSyncEngineDelegate {
    public struct Item: Codable, Sendable, Equatable {
        public var name: String
        var systemFields: Data?
    }

    public private(set) var items: [String: Item] = [:]
    public private(set) var log: [String] = []
    public private(set) var stateData: Data?
    private var engine: CKSyncEngine?
    private let database: CKDatabase
    private let zoneID = CKRecordZone.ID(zoneName: "Items")

    public init(database: CKDatabase, stateData: Data? = nil) {
        self.database = database
        self.stateData = stateData
    }

    private var syncEngine: CKSyncEngine {
        if let engine { return engine }
        let state = stateData.flatMap {
            try? PropertyListDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0)
        }
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: state, delegate: self)
        configuration.automaticallySync = false
        let engine = CKSyncEngine(configuration)
        self.engine = engine
        return engine
    }

    public func set(_ name: String, for key: String) {
        items[key, default: Item(name: name, systemFields: nil)].name = name
        syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
        syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(id(key))])
    }

    public func remove(_ key: String) {
        items[key] = nil
        syncEngine.state.add(pendingRecordZoneChanges: [.deleteRecord(id(key))])
    }

    public func synchronize() async throws {
        try await syncEngine.fetchChanges()
        try await syncEngine.sendChanges(CKSyncEngine.SendChangesOptions(scope: .zoneIDs([zoneID])))
    }

    private func id(_ key: String) -> CKRecord.ID { CKRecord.ID(recordName: key, zoneID: zoneID) }

    private func keep(_ record: CKRecord) {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: coder)
        let name = record["name"] as? String ?? ""
        items[record.recordID.recordName] = Item(name: name, systemFields: coder.encodedData)
    }

    private func record(_ id: CKRecord.ID) -> CKRecord? {
        guard let item = items[id.recordName] else { return nil }
        let coder = item.systemFields.flatMap { try? NSKeyedUnarchiver(forReadingFrom: $0) }
        let known = coder.flatMap { CKRecord(coder: $0) }
        let record = known ?? CKRecord(recordType: "Item", recordID: id)
        record["name"] = item.name
        return record
    }

    public func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .stateUpdate(let update): stateData = try? PropertyListEncoder().encode(update.stateSerialization)
        case .accountChange(let change):
            switch change.changeType {
            case .signIn(let user): log.append("in \(user.recordName)")
            case .signOut, .switchAccounts: items = [:]
            @unknown default: break
            }
        case .fetchedDatabaseChanges(let changes):
            for deletion in changes.deletions where deletion.zoneID == zoneID {
                switch deletion.reason {
                case .deleted, .purged: items = [:]
                case .encryptedDataReset: log.append("reset")
                @unknown default: break
                }
            }
        case .fetchedRecordZoneChanges(let changes):
            let pending = syncEngine.state.pendingRecordZoneChanges
            for record in changes.modifications.map(\.record) {
                // What is to be sent stays, on top of what is stored.
                let own = pending.contains(.saveRecord(record.recordID)) ? items[record.recordID.recordName]?.name : nil
                keep(record)
                if let own { items[record.recordID.recordName]?.name = own }
            }
            for deletion in changes.deletions { items[deletion.recordID.recordName] = nil }
        case .sentRecordZoneChanges(let sent):
            sent.savedRecords.forEach(keep)
            for failure in sent.failedRecordSaves { resolve(failure, syncEngine) }
        case .sentDatabaseChanges(let sent): log += sent.failedZoneSaves.map { "zone \($0.error.code.rawValue)" }
        case .willFetchChanges, .willFetchRecordZoneChanges, .didFetchRecordZoneChanges, .didFetchChanges,
            .willSendChanges, .didSendChanges:
            break
        @unknown default: log.append("unknown \(event)")
        }
    }

    private func resolve(
        _ failure: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave, _ engine: CKSyncEngine
    ) {
        let id = failure.record.recordID
        switch failure.error.code {
        case .serverRecordChanged:
            guard let server = failure.error.serverRecord else { return }
            let name = items[id.recordName]?.name
            keep(server)
            if let name { items[id.recordName]?.name = name }
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        case .unknownItem:
            items[id.recordName]?.systemFields = nil
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        case .zoneNotFound, .userDeletedZone:
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable, .notAuthenticated,
            .operationCancelled:
            log.append("later")
        default: log.append("lost \(failure.error)")
        }
    }

    public func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let scope = context.options.scope
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
        let records = Dictionary(uniqueKeysWithValues: items.keys.map { (id($0), record(id($0))) })
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            if let record = records[recordID] { return record }
            syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(recordID)])
            return nil
        }
    }

    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        var options = context.options
        options.prioritizedZoneIDs = [zoneID]
        return options
    }
}
