// What a sync engine tells, under CloudKit's names.

import RecordDatabase

extension CKSyncEngine {
    /// What an engine tells its delegate.
    public enum Event: Sendable {
        /// The state after a step: store it.
        case stateUpdate(StateUpdate)
        /// Another user is there, or none.
        case accountChange(AccountChange)
        /// Zones were made or changed, and deleted.
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        /// Records of a zone were saved and deleted.
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        /// Zones were sent.
        case sentDatabaseChanges(SentDatabaseChanges)
        /// A batch of records was sent.
        case sentRecordZoneChanges(SentRecordZoneChanges)
        /// The engine begins to fetch.
        case willFetchChanges(WillFetchChanges)
        /// The engine begins to fetch a zone.
        case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
        /// A zone was fetched, or could not be.
        case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
        /// All zones were fetched.
        case didFetchChanges(DidFetchChanges)
        /// The engine begins to send.
        case willSendChanges(WillSendChanges)
        /// All batches were sent.
        case didSendChanges(DidSendChanges)

        /// The state after a step.
        public struct StateUpdate: Sendable {
            /// What to store.
            public let stateSerialization: State.Serialization
        }

        /// Who came and went.
        public struct AccountChange: Sendable {
            /// Who came and went.
            public enum ChangeType: Hashable, Sendable {
                /// A user is there: also told to an engine that begins.
                case signIn(currentUser: CKRecord.ID)
                /// The user has gone.
                case signOut(previousUser: CKRecord.ID)
                /// Another user is there.
                case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
            }

            /// Who came and went.
            public let changeType: ChangeType
        }

        /// Zones that changed.
        public struct FetchedDatabaseChanges: Sendable {
            /// The zones that were made or changed.
            public let modifications: [CKDatabase.DatabaseChange.Modification]
            /// The zones that were deleted.
            public let deletions: [CKDatabase.DatabaseChange.Deletion]
        }

        /// Records of a zone that changed.
        public struct FetchedRecordZoneChanges: Sendable {
            /// The records that were saved, as they are now.
            public let modifications: [CKDatabase.RecordZoneChange.Modification]
            /// The records that were deleted.
            public let deletions: [CKDatabase.RecordZoneChange.Deletion]
        }

        /// What became of zones that were sent.
        public struct SentDatabaseChanges: Sendable {
            /// A zone that could not be made.
            public struct FailedZoneSave: Sendable {
                /// The zone.
                public let zone: CKRecordZone
                /// Why not.
                public let error: CKError
            }

            /// The zones that were made, or were there.
            public let savedZones: [CKRecordZone]
            /// Zones that could not be made.
            public let failedZoneSaves: [FailedZoneSave]
            /// The zones that were deleted.
            public let deletedZoneIDs: [CKRecordZone.ID]
            /// Zones that could not be deleted.
            public let failedZoneDeletes: [CKRecordZone.ID: CKError]
        }

        /// What became of records that were sent.
        public struct SentRecordZoneChanges: Sendable {
            /// A record that could not be saved.
            public struct FailedRecordSave: Sendable {
                /// The record as it was sent.
                public let record: CKRecord
                /// Why not.
                public let error: CKError
            }

            /// The records that were saved, as they are stored.
            public let savedRecords: [CKRecord]
            /// Records that could not be saved.
            public let failedRecordSaves: [FailedRecordSave]
            /// The records that were deleted.
            public let deletedRecordIDs: [CKRecord.ID]
            /// Records that could not be deleted.
            public let failedRecordDeletes: [CKRecord.ID: CKError]
        }

        /// The engine begins to fetch.
        public struct WillFetchChanges: Sendable {
            /// Why, and what.
            public let context: FetchChangesContext
        }

        /// The engine begins to fetch a zone.
        public struct WillFetchRecordZoneChanges: Sendable {
            /// Which zone it is.
            public let zoneID: CKRecordZone.ID
        }

        /// A zone was fetched, or could not be.
        public struct DidFetchRecordZoneChanges: Sendable {
            /// Which zone it is.
            public let zoneID: CKRecordZone.ID
            /// Why it could not be fetched.
            public let error: CKError?
        }

        /// All zones were fetched.
        public struct DidFetchChanges: Sendable {
            /// Why, and what.
            public let context: FetchChangesContext
        }

        /// The engine begins to send.
        public struct WillSendChanges: Sendable {
            /// Why, and what.
            public let context: SendChangesContext
        }

        /// All batches were sent.
        public struct DidSendChanges: Sendable {
            /// Why, and what.
            public let context: SendChangesContext
        }

        init(_ event: SyncEngine.Event) {
            switch event {
            case .stateUpdate(let state): self = .stateUpdate(StateUpdate(stateSerialization: .init(state)))
            case .accountChange(let change): self = .accountChange(AccountChange(changeType: .init(change)))
            case .willFetchChanges(let context): self = .willFetchChanges(.init(context: .init(context)))
            case .fetchedDatabaseChanges(let modifications, let deletions):
                self = .fetchedDatabaseChanges(FetchedDatabaseChanges(modifications, deletions))
            case .willFetchZoneChanges(let zone):
                self = .willFetchRecordZoneChanges(.init(zoneID: CKRecordZone.ID(zone)))
            case .fetchedZoneChanges(_, let modifications, let deletions):
                self = .fetchedRecordZoneChanges(FetchedRecordZoneChanges(modifications, deletions))
            case .didFetchZoneChanges(let zone, let error):
                self = .didFetchRecordZoneChanges(
                    .init(zoneID: CKRecordZone.ID(zone), error: error.map { CKError($0) }))
            case .didFetchChanges(let context): self = .didFetchChanges(.init(context: .init(context)))
            case .willSendChanges(let context): self = .willSendChanges(.init(context: .init(context)))
            case .sentDatabaseChanges(let sent): self = .sentDatabaseChanges(SentDatabaseChanges(sent))
            case .sentRecordChanges(let sent): self = .sentRecordZoneChanges(SentRecordZoneChanges(sent))
            case .didSendChanges(let context): self = .didSendChanges(.init(context: .init(context)))
            }
        }
    }
}

extension CKSyncEngine.Event.AccountChange.ChangeType {
    fileprivate init(_ change: SyncEngine.AccountChange) {
        switch change {
        case .signIn(let user): self = .signIn(currentUser: CKRecord.ID(user))
        case .signOut(let user): self = .signOut(previousUser: CKRecord.ID(user))
        case .switchAccounts(let previous, let user):
            self = .switchAccounts(previousUser: CKRecord.ID(previous), currentUser: CKRecord.ID(user))
        }
    }
}

extension CKSyncEngine.Event.FetchedDatabaseChanges {
    fileprivate init(_ modifications: [RecordZone.ID], _ deletions: [SyncEngine.ZoneDeletion]) {
        self.modifications = modifications.map { .init(zoneID: CKRecordZone.ID($0)) }
        self.deletions = deletions.map {
            .init(
                zoneID: CKRecordZone.ID($0.zoneID),
                reason: $0.isPurged ? .purged : $0.isEncryptedDataReset ? .encryptedDataReset : .deleted)
        }
    }
}

extension CKSyncEngine.Event.FetchedRecordZoneChanges {
    fileprivate init(_ modifications: [Record], _ deletions: [RecordDeletion]) {
        self.modifications = modifications.map { .init(record: CKRecord.of($0)) }
        self.deletions = deletions.map { .init(recordID: CKRecord.ID($0.recordID), recordType: $0.recordType) }
    }
}

extension CKSyncEngine.Event.SentDatabaseChanges {
    fileprivate init(_ sent: SyncEngine.SentZones) {
        savedZones = sent.saved.map { CKRecordZone($0) }
        failedZoneSaves = sent.failedSaves.map {
            FailedZoneSave(zone: CKRecordZone(zoneID: CKRecordZone.ID($0.zoneID)), error: CKError($0.error))
        }
        deletedZoneIDs = sent.deleted.map { CKRecordZone.ID($0) }
        failedZoneDeletes = Dictionary(sent.failedDeletes.map { (CKRecordZone.ID($0), CKError($1)) }) { $1 }
    }
}

extension CKSyncEngine.Event.SentRecordZoneChanges {
    fileprivate init(_ sent: SyncEngine.SentRecords) {
        savedRecords = sent.saved.map { CKRecord.of($0) }
        failedRecordSaves = sent.failedSaves.map {
            FailedRecordSave(record: CKRecord.of($0.record), error: CKError($0.error))
        }
        deletedRecordIDs = sent.deleted.map { CKRecord.ID($0) }
        failedRecordDeletes = Dictionary(sent.failedDeletes.map { (CKRecord.ID($0), CKError($1)) }) { $1 }
    }
}
