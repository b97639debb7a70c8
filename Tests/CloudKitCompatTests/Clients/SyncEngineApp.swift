// An application on a sync engine: contacts in memory, the engine's state beside them, conflicts merged, zones made
// where they are missing.

import CloudKitCompat
import Foundation

/// A contact as the application keeps it.
public struct Contact: Codable, Equatable, Sendable {
    public var identifier: String
    public var name: String
    public var modified: Date
    var lastKnownRecord: Data?

    public init(identifier: String, name: String, modified: Date) {
        (self.identifier, self.name, self.modified) = (identifier, name, modified)
    }

    static let zoneName = "Contacts"
    static let recordType = "Contact"

    var recordID: CKRecord.ID {
        CKRecord.ID(recordName: identifier, zoneID: CKRecordZone.ID(zoneName: Self.zoneName))
    }

    func populate(_ record: CKRecord) {
        record["name"] = name
        record["modified"] = modified
        record.encryptedValues["note"] = "about " + name
    }

    mutating func merge(_ record: CKRecord) {
        // The later change wins.
        guard let date = record["modified"] as? Date, date > modified || lastKnownRecord == nil else { return }
        if let name = record["name"] as? String { self.name = name }
        modified = date
    }

    mutating func remember(_ record: CKRecord) {
        if let known = lastKnown?.modificationDate, let date = record.modificationDate, known > date { return }
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: coder)
        lastKnownRecord = coder.encodedData
    }

    var lastKnown: CKRecord? {
        guard let data = lastKnownRecord, let coder = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        return CKRecord(coder: coder)
    }
}

/// What the application stores.
public struct ContactsData: Codable, Sendable {
    public var contacts: [String: Contact] = [:]
    var state: CKSyncEngine.State.Serialization?
    public init() {}
}

/// The contacts, and the engine that keeps them.
public final actor ContactsDatabase: CKSyncEngineDelegate {
    public private(set) var data: ContactsData
    public private(set) var events: [String] = []
    private let database: CKDatabase
    private let isAutomatic: Bool
    private var engine: CKSyncEngine?

    public init(container: CKContainer, data: ContactsData = ContactsData(), automatically: Bool = false) {
        (self.data, database, isAutomatic) = (data, container.privateCloudDatabase, automatically)
    }

    private var syncEngine: CKSyncEngine {
        if let engine { return engine }
        var configuration = CKSyncEngine.Configuration(
            database: database, stateSerialization: data.state, delegate: self)
        configuration.automaticallySync = isAutomatic
        let made = CKSyncEngine(configuration)
        engine = made
        return made
    }

    public var pendingCount: Int { syncEngine.state.pendingRecordZoneChanges.count }

    public func save(_ contacts: [Contact]) {
        for contact in contacts {
            var contact = contact
            contact.lastKnownRecord = data.contacts[contact.identifier]?.lastKnownRecord
            data.contacts[contact.identifier] = contact
        }
        syncEngine.state.add(pendingRecordZoneChanges: contacts.map { .saveRecord($0.recordID) })
    }

    public func delete(_ identifiers: [String]) {
        let contacts = identifiers.compactMap { data.contacts.removeValue(forKey: $0) }
        syncEngine.state.add(pendingRecordZoneChanges: contacts.map { .deleteRecord($0.recordID) })
    }

    public func fetch() async throws { try await syncEngine.fetchChanges() }
    public func send() async throws { try await syncEngine.sendChanges() }

    // MARK: Delegate

    public func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .stateUpdate(let event): data.state = event.stateSerialization
        case .accountChange(let event): handle(event)
        case .fetchedDatabaseChanges(let event):
            for deletion in event.deletions where deletion.zoneID.zoneName == Contact.zoneName {
                if deletion.reason == .encryptedDataReset { sendAgain() } else { data.contacts = [:] }
            }
        case .fetchedRecordZoneChanges(let event): take(event)
        case .sentRecordZoneChanges(let event): take(event)
        case .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges, .didFetchRecordZoneChanges,
            .didFetchChanges, .willSendChanges, .didSendChanges:
            break
        @unknown default: events.append("unknown")
        }
    }

    private func handle(_ event: CKSyncEngine.Event.AccountChange) {
        switch event.changeType {
        case .signIn: events.append("signIn")
        case .switchAccounts, .signOut:
            events.append("signOut")
            data = ContactsData()
        @unknown default: break
        }
    }

    private func sendAgain() {
        events.append("encryptedDataReset")
        for identifier in data.contacts.keys { data.contacts[identifier]?.lastKnownRecord = nil }
        guard let engine else { return }
        engine.state.add(pendingDatabaseChanges: [
            .saveZone(CKRecordZone(zoneID: CKRecordZone.ID(zoneName: Contact.zoneName)))
        ])
        engine.state.add(pendingRecordZoneChanges: data.contacts.values.map { .saveRecord($0.recordID) })
    }

    private func take(_ event: CKSyncEngine.Event.FetchedRecordZoneChanges) {
        for modification in event.modifications {
            let record = modification.record
            let identifier = record.recordID.recordName
            var contact =
                data.contacts[identifier]
                ?? Contact(identifier: identifier, name: "", modified: .distantPast)
            contact.merge(record)
            contact.remember(record)
            data.contacts[identifier] = contact
        }
        for deletion in event.deletions { data.contacts[deletion.recordID.recordName] = nil }
    }

    private func take(_ event: CKSyncEngine.Event.SentRecordZoneChanges) {
        var newRecords: [CKSyncEngine.PendingRecordZoneChange] = []
        var newZones: [CKSyncEngine.PendingDatabaseChange] = []
        for record in event.savedRecords { data.contacts[record.recordID.recordName]?.remember(record) }
        for failure in event.failedRecordSaves {
            let identifier = failure.record.recordID.recordName
            switch failure.error.code {
            case .serverRecordChanged:
                guard let server = failure.error.serverRecord else { continue }
                data.contacts[identifier]?.merge(server)
                data.contacts[identifier]?.remember(server)
                newRecords.append(.saveRecord(failure.record.recordID))
            case .zoneNotFound:
                newZones.append(.saveZone(CKRecordZone(zoneID: failure.record.recordID.zoneID)))
                data.contacts[identifier]?.lastKnownRecord = nil
                newRecords.append(.saveRecord(failure.record.recordID))
            case .unknownItem:
                data.contacts[identifier]?.lastKnownRecord = nil
                newRecords.append(.saveRecord(failure.record.recordID))
            case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable, .notAuthenticated,
                .operationCancelled:
                events.append("later")
            default: events.append("failed \(failure.error.code)")
            }
        }
        engine?.state.add(pendingDatabaseChanges: newZones)
        engine?.state.add(pendingRecordZoneChanges: newRecords)
    }

    public func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let scope = context.options.scope
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
        let contacts = data.contacts
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            guard let contact = contacts[recordID.recordName] else {
                syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(recordID)])
                return nil
            }
            let record = contact.lastKnown ?? CKRecord(recordType: Contact.recordType, recordID: recordID)
            contact.populate(record)
            return record
        }
    }
}
