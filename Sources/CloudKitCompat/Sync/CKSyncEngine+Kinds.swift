// Kinds of what a sync engine tells and is told, as numbers: CloudKit's names for languages without payloads.

/// Kinds of events of a sync engine.
public enum CKSyncEngineEventType: Int, Hashable, Sendable {
    /// An event of that name of `CKSyncEngine.Event`.
    case stateUpdate = 0
    /// An event of that name of `CKSyncEngine.Event`.
    case accountChange, fetchedDatabaseChanges, fetchedRecordZoneChanges, sentDatabaseChanges, sentRecordZoneChanges
    /// An event of that name of `CKSyncEngine.Event`.
    case willFetchChanges, willFetchRecordZoneChanges, didFetchRecordZoneChanges, didFetchChanges
    /// An event of that name of `CKSyncEngine.Event`.
    case willSendChanges, didSendChanges
}

extension CKSyncEngine.Event {
    /// The kind of the event.
    public var type: CKSyncEngineEventType {
        switch self {
        case .stateUpdate: .stateUpdate
        case .accountChange: .accountChange
        case .fetchedDatabaseChanges: .fetchedDatabaseChanges
        case .fetchedRecordZoneChanges: .fetchedRecordZoneChanges
        case .sentDatabaseChanges: .sentDatabaseChanges
        case .sentRecordZoneChanges: .sentRecordZoneChanges
        case .willFetchChanges: .willFetchChanges
        case .willFetchRecordZoneChanges: .willFetchRecordZoneChanges
        case .didFetchRecordZoneChanges: .didFetchRecordZoneChanges
        case .didFetchChanges: .didFetchChanges
        case .willSendChanges: .willSendChanges
        case .didSendChanges: .didSendChanges
        }
    }
}

/// Kinds of changes of the current user.
public enum CKSyncEngineAccountChangeType: Int, Hashable, Sendable {
    /// Somebody signed in.
    case signIn = 0
    /// The user signed out.
    case signOut
    /// Another user signed in.
    case switchAccounts
}

/// Why a zone is gone: the numbers of `CKDatabase.DatabaseChange.Deletion.Reason`.
public enum CKSyncEngineZoneDeletionReason: Int, Hashable, Sendable {
    /// By a program.
    case deleted = 0
    /// By its user, outside of the program.
    case purged
    /// Its user reset the key of encrypted values.
    case encryptedDataReset
}

/// Kinds of changes of records that are to be sent.
public enum CKSyncEnginePendingRecordZoneChangeType: Int, Hashable, Sendable {
    /// The record is to be saved.
    case saveRecord = 0
    /// The record is to be deleted.
    case deleteRecord
}

/// Kinds of changes of zones that are to be sent.
public enum CKSyncEnginePendingDatabaseChangeType: Int, Hashable, Sendable {
    /// The zone is to be made.
    case saveZone = 0
    /// The zone is to be deleted.
    case deleteZone
}

/// Why an engine fetches or sends.
public enum CKSyncEngineSyncReason: Int, Hashable, Sendable {
    /// By itself.
    case scheduled = 0
    /// A program has called it.
    case manual
}
