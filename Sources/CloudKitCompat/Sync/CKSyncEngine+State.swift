// What a sync engine knows, under CloudKit's names.

import RecordDatabase

extension CKSyncEngine {
    /// A change of a record that is to be sent.
    public enum PendingRecordZoneChange: Hashable, Sendable {
        /// The record is to be saved.
        case saveRecord(CKRecord.ID)
        /// The record is to be deleted.
        case deleteRecord(CKRecord.ID)

        init(_ change: SyncEngine.PendingRecordChange) {
            switch change {
            case .save(let id): self = .saveRecord(CKRecord.ID(id))
            case .delete(let id): self = .deleteRecord(CKRecord.ID(id))
            }
        }

        var change: SyncEngine.PendingRecordChange {
            switch self {
            case .saveRecord(let id): .save(id.record)
            case .deleteRecord(let id): .delete(id.record)
            }
        }
    }

    /// A change of a zone that is to be sent.
    public enum PendingDatabaseChange: Hashable, Sendable {
        /// The zone is to be made.
        case saveZone(CKRecordZone)
        /// The zone is to be deleted.
        case deleteZone(CKRecordZone.ID)

        init(_ change: SyncEngine.PendingZoneChange) {
            switch change {
            case .save(let id): self = .saveZone(CKRecordZone(zoneID: CKRecordZone.ID(id)))
            case .delete(let id): self = .deleteZone(CKRecordZone.ID(id))
            }
        }

        var change: SyncEngine.PendingZoneChange {
            switch self {
            case .saveZone(let zone): .save(zone.zoneID.zone)
            case .deleteZone(let id): .delete(id.zone)
            }
        }
    }

    /// Where an engine is in the changes, and what it is to send. Of several changes of one record or zone the last one
    /// counts.
    public final class State: Sendable {
        /// The state in a form that is stored: what `stateUpdate` hands over.
        public struct Serialization: Hashable, Sendable, Codable {
            let serialization: SyncEngine.State.Serialization
            init(_ serialization: SyncEngine.State.Serialization) { self.serialization = serialization }

            public init(from decoder: any Decoder) throws {
                serialization = try decoder.singleValueContainer().decode(SyncEngine.State.Serialization.self)
            }

            public func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(serialization)
            }
        }

        private let state: SyncEngine.State
        init(_ state: SyncEngine.State) { self.state = state }

        /// The records to send, in the order in which they were added.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
            state.pendingRecordChanges.map { PendingRecordZoneChange($0) }
        }

        /// The zones to send, in the order in which they were added.
        public var pendingDatabaseChanges: [PendingDatabaseChange] {
            state.pendingZoneChanges.map { PendingDatabaseChange($0) }
        }

        /// Whether there are changes that the application keeps itself: the engine requests batches then, too.
        public var hasPendingUntrackedChanges: Bool {
            get { state.hasPendingUntrackedChanges }
            set { state.hasPendingUntrackedChanges = newValue }
        }

        /// Zones that changed and were not fetched yet.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
            state.zonesWithUnfetchedChanges.map { CKRecordZone.ID($0) }
        }

        /// Adds records to send.
        public func add(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            state.add(changes.map(\.change))
        }
        /// Takes back records to send.
        public func remove(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            state.remove(changes.map(\.change))
        }

        /// Adds zones to send.
        public func add(pendingDatabaseChanges changes: [PendingDatabaseChange]) { state.add(changes.map(\.change)) }
        /// Takes back zones to send.
        public func remove(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            state.remove(changes.map(\.change))
        }
    }

    /// Records to send together.
    public struct RecordZoneChangeBatch: Sendable {
        /// Records to save.
        public var recordsToSave: [CKRecord]
        /// Records to delete.
        public var recordIDsToDelete: [CKRecord.ID]
        /// Whether those of a zone are saved all or none.
        public var atomicByZone: Bool

        /// A batch of records.
        public init(
            recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [], atomicByZone: Bool = false
        ) {
            (self.recordsToSave, self.recordIDsToDelete) = (recordsToSave, recordIDsToDelete)
            self.atomicByZone = atomicByZone
        }

        /// The first of pending changes, as many as a database takes at a time; `nil` for none.
        ///
        /// - Parameter recordProvider: The record of an identifier as it is to be saved; `nil` for one that is gone: it
        ///   is left out.
        public init?(
            pendingChanges: [PendingRecordZoneChange], recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            let batch = await SyncEngine.RecordChangeBatch(of: pendingChanges.map(\.change)) { id in
                await recordProvider(CKRecord.ID(id))?.record
            }
            guard let batch else { return nil }
            self.init(
                recordsToSave: batch.recordsToSave.map { CKRecord.of($0) },
                recordIDsToDelete: batch.recordIDsToDelete.map { CKRecord.ID($0) })
        }
    }
}
