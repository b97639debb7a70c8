// What changed in a zone or a database since a token: one call each.

import RecordDatabase

extension CKDatabase {
    /// What happened to records of a zone.
    public enum RecordZoneChange {
        /// A record was saved.
        public struct Modification: Sendable {
            /// The record as it is now.
            public let record: CKRecord
        }

        /// A record was deleted.
        public struct Deletion: Hashable, Sendable {
            /// Which record it was.
            public let recordID: CKRecord.ID
            /// The type it had.
            public let recordType: CKRecord.RecordType
        }
    }

    /// What happened to zones of a database.
    public enum DatabaseChange {
        /// A zone was made, or records of it were saved or deleted.
        public struct Modification: Hashable, Sendable {
            /// Which zone it is.
            public let zoneID: CKRecordZone.ID
        }

        /// A zone was deleted.
        public struct Deletion: Hashable, Sendable {
            /// Why a zone is gone.
            public enum Reason: Hashable, Sendable {
                /// By a program.
                case deleted
                /// By its user, outside of the program.
                case purged
                /// Its user reset the key of encrypted values.
                case encryptedDataReset

                init(_ id: RecordZone.ID, _ changes: RecordDatabase.DatabaseChanges) {
                    self =
                        changes.purges.contains(id)
                        ? .purged : changes.encryptedDataResets.contains(id) ? .encryptedDataReset : .deleted
                }
            }

            /// Which zone it was.
            public let zoneID: CKRecordZone.ID
            /// Why it is gone.
            public let reason: Reason
        }
    }

    /// A stretch of the changes of a zone.
    public typealias RecordZoneChanges = (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    )
    /// A stretch of the changes of a database.
    public typealias DatabaseChanges = (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    )

    /// The records of a zone that were saved and deleted since a token.
    ///
    /// - Parameters:
    ///   - changeToken: Where an earlier stretch ended; `nil` for all records there are.
    ///   - desiredKeys: The fields wanted; `nil` for all.
    ///   - resultsLimit: At most so many records and deletions; `nil` leaves it to the database.
    public nonisolated(nonsending) func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> RecordZoneChanges {
        Self.compat(
            try await calling { database async throws(DatabaseError) in
                try await database.recordZoneChanges(
                    inZoneWith: zoneID.zone, since: changeToken?.token, desiredKeys: desiredKeys,
                    resultsLimit: resultsLimit)
            })
    }

    /// The zones that were made, changed and deleted since a token.
    ///
    /// - Parameters:
    ///   - changeToken: Where an earlier stretch ended; `nil` for all zones there are.
    ///   - resultsLimit: At most so many zones; `nil` leaves it to the database.
    public nonisolated(nonsending) func databaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> DatabaseChanges { try changesNow(changeToken, resultsLimit) }

    // MARK: With handlers

    /// One stretch of what changed in a zone since a token; `nil` for all records there are.
    @preconcurrency
    public func fetchRecordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
        completionHandler: @escaping @Sendable (Result<RecordZoneChanges, any Error>) -> Void
    ) {
        later {
            try self.changesNow(zoneID, changeToken, desiredKeys, resultsLimit)
        } _: {
            completionHandler($0)
        }
    }

    /// One stretch of the zones that changed since a token; `nil` for all but the default zone.
    @preconcurrency
    public func fetchDatabaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
        completionHandler: @escaping @Sendable (Result<DatabaseChanges, any Error>) -> Void
    ) {
        later {
            try self.changesNow(changeToken, resultsLimit)
        } _: {
            completionHandler($0)
        }
    }

    // MARK: On this thread

    private func changesNow(
        _ zoneID: CKRecordZone.ID, _ token: CKServerChangeToken?, _ desiredKeys: [String]?, _ limit: Int?
    ) throws -> RecordZoneChanges {
        Self.compat(
            try call { database throws(DatabaseError) in
                try database.zoneChanges(
                    zoneID.zone, since: token?.token, desiredKeys: desiredKeys, limit: limit ?? 0)
            })
    }

    private static func compat(_ changes: RecordDatabase.RecordZoneChanges) -> RecordZoneChanges {
        let saved = changes.modifications.map { id, result in
            (CKRecord.ID(id), result.compat { RecordZoneChange.Modification(record: CKRecord.of($0)) })
        }
        let deleted = changes.deletions.map {
            RecordZoneChange.Deletion(recordID: CKRecord.ID($0.recordID), recordType: $0.recordType)
        }
        return (
            Dictionary(saved) { $1 }, deleted, CKServerChangeToken(changes.changeToken), changes.moreComing
        )
    }

    private func changesNow(_ token: CKServerChangeToken?, _ limit: Int?) throws -> DatabaseChanges {
        let changes = try call { database throws(DatabaseError) in
            try database.zoneList(since: token?.token, limit: limit ?? 0)
        }
        let deleted = changes.deletions.map {
            DatabaseChange.Deletion(
                zoneID: CKRecordZone.ID($0), reason: .init($0, changes))
        }
        return (
            changes.modifications.map { DatabaseChange.Modification(zoneID: CKRecordZone.ID($0)) }, deleted,
            CKServerChangeToken(changes.changeToken), changes.moreComing
        )
    }
}
