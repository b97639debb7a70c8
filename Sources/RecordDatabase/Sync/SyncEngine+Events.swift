// What a sync engine tells its delegate.

public import RecordModel

extension SyncEngine {
    /// What an engine tells.
    public enum Event: Sendable {
        /// The state after a step: store it.
        case stateUpdate(State.Serialization)
        /// Another user is there, or none. What the state knew of the one before is gone.
        case accountChange(AccountChange)
        /// The engine begins to fetch.
        case willFetchChanges(FetchContext)
        /// Zones were made or changed, and deleted.
        case fetchedDatabaseChanges(modifications: [RecordZone.ID], deletions: [ZoneDeletion])
        /// The engine begins to fetch a zone.
        case willFetchZoneChanges(RecordZone.ID)
        /// Records of a zone were saved, as they are now, and deleted.
        case fetchedZoneChanges(RecordZone.ID, modifications: [Record], deletions: [RecordDeletion])
        /// A zone was fetched, or could not be.
        case didFetchZoneChanges(RecordZone.ID, DatabaseError?)
        /// All zones were fetched.
        case didFetchChanges(FetchContext)
        /// The engine begins to send.
        case willSendChanges(SendContext)
        /// Zones were sent.
        case sentDatabaseChanges(SentZones)
        /// A batch of records was sent.
        case sentRecordChanges(SentRecords)
        /// All batches were sent.
        case didSendChanges(SendContext)
    }

    /// Who came and went.
    public enum AccountChange: Hashable, Sendable {
        /// A user is there: also told to an engine that begins.
        case signIn(Record.ID)
        /// The user has gone.
        case signOut(Record.ID)
        /// Another user is there.
        case switchAccounts(from: Record.ID, to: Record.ID)
    }

    /// A zone that was deleted.
    public struct ZoneDeletion: Hashable, Sendable {
        /// Which zone it was.
        public let zoneID: RecordZone.ID
        /// Whether its user deleted it outside of applications.
        public let isPurged: Bool
        /// Whether it went with the key of its encrypted values: the application saves zone and records again.
        public let isEncryptedDataReset: Bool
    }

    /// What became of zones that were sent.
    public struct SentZones: Sendable {
        /// The zones that were made, or were there.
        public internal(set) var saved: [RecordZone] = []
        /// Zones that could not be made.
        public internal(set) var failedSaves: [(zoneID: RecordZone.ID, error: DatabaseError)] = []
        /// The zones that were deleted.
        public internal(set) var deleted: [RecordZone.ID] = []
        /// Zones that could not be deleted.
        public internal(set) var failedDeletes: [RecordZone.ID: DatabaseError] = [:]
    }

    /// What became of records that were sent.
    public struct SentRecords: Sendable {
        /// The records that were saved, as they are stored: with their new change tags.
        public internal(set) var saved: [Record] = []
        /// Records that could not be saved, as they were sent.
        public internal(set) var failedSaves: [(record: Record, error: DatabaseError)] = []
        /// The records that were deleted.
        public internal(set) var deleted: [Record.ID] = []
        /// Records that could not be deleted.
        public internal(set) var failedDeletes: [Record.ID: DatabaseError] = [:]
    }

    /// Why an engine fetches or sends.
    public enum SyncReason: Hashable, Sendable {
        /// The engine itself found it was time.
        case scheduled
        /// The application called.
        case manual
    }

    /// Which zones are meant.
    public enum FetchScope: Hashable, Sendable {
        /// All zones.
        case all
        /// All zones but these.
        case allExcluding([RecordZone.ID])
        /// These zones.
        case zones([RecordZone.ID])

        /// Whether a zone is meant.
        public func contains(_ zoneID: RecordZone.ID) -> Bool {
            switch self {
            case .all: true
            case .allExcluding(let zones): !zones.contains(zoneID)
            case .zones(let zones): zones.contains(zoneID)
            }
        }
    }

    /// Which changes are meant.
    public enum SendScope: Hashable, Sendable {
        /// All changes.
        case all
        /// All changes but those in these zones.
        case allExcluding([RecordZone.ID])
        /// The changes in these zones.
        case zones([RecordZone.ID])
        /// The changes of these records.
        case records([Record.ID])

        /// Whether a change of a record is meant.
        public func contains(_ change: PendingRecordChange) -> Bool {
            if case .records(let records) = self { return records.contains(change.recordID) }
            return contains(change.recordID.zoneID)
        }

        /// Whether all changes in a zone are meant.
        public func contains(_ zoneID: RecordZone.ID) -> Bool {
            switch self {
            case .all: true
            case .allExcluding(let zones): !zones.contains(zoneID)
            case .zones(let zones): zones.contains(zoneID)
            case .records: false
            }
        }
    }

    /// What to fetch.
    public struct FetchOptions: Hashable, Sendable {
        /// The zones.
        public var scope = FetchScope.all
        /// Zones that are fetched before the others.
        public var prioritizedZoneIDs: [RecordZone.ID] = []

        /// All zones, unless set.
        public init(scope: FetchScope = .all) { self.scope = scope }
    }

    /// What to send.
    public struct SendOptions: Hashable, Sendable {
        /// The changes.
        public var scope = SendScope.all

        /// All changes, unless set.
        public init(scope: SendScope = .all) { self.scope = scope }
    }

    /// Why, and what, an engine fetches.
    public struct FetchContext: Hashable, Sendable {
        /// Why it does so.
        public let reason: SyncReason
        /// What it fetches.
        public let options: FetchOptions
    }

    /// Why, and what, an engine sends.
    public struct SendContext: Hashable, Sendable {
        /// Why it does so.
        public let reason: SyncReason
        /// What it sends.
        public let options: SendOptions
    }

    /// Records to send together.
    public struct RecordChangeBatch: Sendable {
        /// Records to save.
        public var recordsToSave: [Record]
        /// Records to delete.
        public var recordIDsToDelete: [Record.ID]
        /// Whether those of a zone are saved all or none.
        public var isAtomic: Bool

        /// A batch of records.
        public init(recordsToSave: [Record] = [], recordIDsToDelete: [Record.ID] = [], isAtomic: Bool = false) {
            (self.recordsToSave, self.recordIDsToDelete, self.isAtomic) = (recordsToSave, recordIDsToDelete, isAtomic)
        }

        /// The first of pending changes, as many as a database takes at a time; `nil` for none.
        ///
        /// - Parameters:
        ///   - changes: What is pending, and meant.
        ///   - limit: The largest number of records.
        ///   - record: The record of an identifier as it is to be saved; `nil` for one that is gone: it is left out.
        public init?(
            of changes: [PendingRecordChange], limit: Int = 400,
            record: (Record.ID) async -> Record?
        ) async {
            self.init()
            for change in changes {
                if recordsToSave.count + recordIDsToDelete.count >= limit { break }
                switch change {
                case .save(let id): if let record = await record(id) { recordsToSave.append(record) }
                case .delete(let id): recordIDsToDelete.append(id)
                }
            }
            if recordsToSave.isEmpty, recordIDsToDelete.isEmpty { return nil }
        }
    }
}
