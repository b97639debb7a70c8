// Changes of databases as operations.

import RecordDatabase

/// Fetches which zones of a database were made, changed and deleted since a token.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Where an earlier fetch ended; `nil` for all but the default zone.
    public var previousServerChangeToken: CKServerChangeToken?
    /// At most so many zones a stretch; 0 leaves it to the database.
    public var resultsLimit = 0
    /// Whether to go on, stretch by stretch, until there is no more.
    public var fetchAllChanges = true

    /// Called for each zone that was made or changed.
    public var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
    /// Called for each zone that a program deleted.
    public var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
    /// Called for each zone that its user deleted outside of the program; the block above, where this one is not set.
    public var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
    /// Called for each zone whose user reset the key of encrypted values; `recordZoneWithIDWasDeletedBlock`, where this
    /// one is not set.
    public var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
    /// Called after each stretch but the last.
    public var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
    /// Called at the end.
    public var fetchDatabaseChangesResultBlock:
        ((Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) -> Void)?
    /// The older form of `fetchDatabaseChangesResultBlock`.
    public var fetchDatabaseChangesCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that begins where an earlier fetch ended; `nil` for all zones but the default one.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func makeWork() -> Work {
        let (start, limit, fetchesAll) = (previousServerChangeToken?.token, resultsLimit, fetchAllChanges)
        let (changed, deleted) = (callback(recordZoneWithIDChangedBlock), callback(recordZoneWithIDWasDeletedBlock))
        let (purged, updated) = (callback(recordZoneWithIDWasPurgedBlock) ?? deleted, callback(changeTokenUpdatedBlock))
        let reset = callback(recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock) ?? deleted
        let finished = callback(fetchDatabaseChangesResultBlock)
        let oldFinished = callback(fetchDatabaseChangesCompletionBlock)
        var last: DatabaseChanges?
        return Work(onlyReads: true) { database, report throws(DatabaseError) in
            var token = start
            while true {
                try report.checkCancellation()
                let changes = try database.zoneList(since: token, limit: limit)
                for id in changes.modifications {
                    try report.checkCancellation()
                    changed?(CKRecordZone.ID(id))
                }
                for id in changes.deletions {
                    try report.checkCancellation()
                    switch CKDatabase.DatabaseChange.Deletion.Reason(id, changes) {
                    case .deleted: deleted?(CKRecordZone.ID(id))
                    case .purged: purged?(CKRecordZone.ID(id))
                    case .encryptedDataReset: reset?(CKRecordZone.ID(id))
                    }
                }
                last = changes
                guard fetchesAll, changes.moreComing else { return }
                updated?(CKServerChangeToken(changes.changeToken))
                token = changes.changeToken
            }
        } finish: { error in
            let token = last.map { CKServerChangeToken($0.changeToken) }
            let moreComing = last?.moreComing ?? false
            oldFinished?(token, moreComing, error)
            if let error {
                finished?(.failure(error))
            } else if let token {
                finished?(.success((token, moreComing)))
            }
        }
    }
}
