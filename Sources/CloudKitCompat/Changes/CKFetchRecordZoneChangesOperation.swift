// Changes of zones as operations.

public import Foundation
import RecordDatabase

/// Fetches what changed in zones since a token of each, and tells of every record.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What to fetch from a zone.
    public typealias ZoneConfiguration = CKFetchRecordZoneChangesConfiguration
    /// The older name of `ZoneConfiguration`.
    public typealias ZoneOptions = CKFetchRecordZoneChangesConfiguration

    /// The end of a zone: where the next fetch begins, the client's own token of the last batch, and whether there is
    /// more.
    public typealias ZoneResult = Result<
        (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool), any Error
    >

    /// Which zones; `nil` for those that have a configuration.
    public var recordZoneIDs: [CKRecordZone.ID]?
    /// What to fetch from each zone; `nil` for everything.
    public var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
    /// The older name of `configurationsByRecordZoneID`.
    public var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
        get { configurationsByRecordZoneID }
        set { configurationsByRecordZoneID = newValue }
    }
    /// Whether to go on, stretch by stretch, until there is no more.
    public var fetchAllChanges = true

    /// Called for each record that was saved.
    public var recordWasChangedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Called for each record that was deleted.
    public var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)?
    /// Called after each stretch of a zone but the last.
    public var recordZoneChangeTokensUpdatedBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
    /// Called once for each zone.
    public var recordZoneFetchResultBlock: ((CKRecordZone.ID, ZoneResult) -> Void)?
    /// Called at the end.
    public var fetchRecordZoneChangesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `recordWasChangedBlock`: called for each record that can be given.
    public var recordChangedBlock: ((CKRecord) -> Void)?
    /// The older form of `recordZoneFetchResultBlock`.
    public var recordZoneFetchCompletionBlock:
        ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
    /// The older form of `fetchRecordZoneChangesResultBlock`.
    public var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation for zones; without `recordZoneIDs` for those that have a configuration.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID]? = nil,
        configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
    ) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
        self.configurationsByRecordZoneID = configurationsByRecordZoneID
    }

    /// The older form of `init(recordZoneIDs:configurationsByRecordZoneID:)`.
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID], optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
    ) {
        self.init(recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID)
    }

    override func makeWork() -> Work {
        let configurations = (configurationsByRecordZoneID ?? [:]).mapValues(\.settings)
        let known = configurationsByRecordZoneID.map { $0.keys.sorted { $0.zoneName < $1.zoneName } }
        let (ids, fetchesAll) = (recordZoneIDs ?? known, fetchAllChanges)
        let (changed, oldChanged) = (callback(recordWasChangedBlock), callback(recordChangedBlock))
        let (deleted, updated) = (callback(recordWithIDWasDeletedBlock), callback(recordZoneChangeTokensUpdatedBlock))
        let (fetched, oldFetched) = (callback(recordZoneFetchResultBlock), callback(recordZoneFetchCompletionBlock))
        let finished = callback(fetchRecordZoneChangesResultBlock)
        let oldFinished = callback(fetchRecordZoneChangesCompletionBlock)
        return Work(onlyReads: true) { database, report throws(DatabaseError) in
            var seen: Set<CKRecordZone.ID> = []
            for id in try Self.named(ids) where seen.insert(id).inserted {
                let reader = ChangeReader(fetchesAll: fetchesAll) {
                    changed?($0, $1)
                    if let record = $1.success { oldChanged?(record) }
                } deleted: {
                    deleted?($0, $1)
                } updated: {
                    updated?(id, $0, $1)
                }
                let settings = configurations[id] ?? ZoneConfiguration.Settings()
                let changes = Result { () throws(DatabaseError) in
                    try reader.read(
                        id, since: settings.token, settings.keys, limit: settings.limit, in: database, &report)
                }
                let result = report.written(.zone(id.zone), changes) {
                    (
                        serverChangeToken: CKServerChangeToken($0.changeToken),
                        clientChangeTokenData: $0.clientChangeTokenData, moreComing: $0.moreComing
                    )
                }
                fetched?(id, result)
                let end = result.success
                oldFetched?(
                    id, end?.serverChangeToken, end?.clientChangeTokenData, end?.moreComing ?? false, result.failure)
            }
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(error)
        }
    }
}

/// Fetches one stretch of what changed in a zone: the form before there were operations for several zones.
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zone.
    public var recordZoneID: CKRecordZone.ID
    /// Where an earlier fetch ended; `nil` for all records there are.
    public var previousServerChangeToken: CKServerChangeToken?
    /// At most so many changes; 0 leaves it to the database.
    public var resultsLimit = 0
    /// The fields wanted; `nil` for all.
    public var desiredKeys: [CKRecord.FieldKey]?
    /// Whether there are more changes; known when the completion block is called.
    public private(set) var moreComing = false

    /// Called for each record that was saved and can be given.
    public var recordChangedBlock: ((CKRecord) -> Void)?
    /// Called for each record that was deleted.
    public var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
    /// Called at the end: the new token, the client's own of the zone's last batch, and the error.
    public var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

    /// An operation that begins where an earlier fetch ended; `nil` for all records there are.
    public init(recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken? = nil) {
        self.recordZoneID = recordZoneID
        self.previousServerChangeToken = previousServerChangeToken
        super.init()
    }

    override func makeWork() -> Work {
        let (id, token, desiredKeys, limit) = (recordZoneID, previousServerChangeToken, desiredKeys, resultsLimit)
        let (changed, deleted) = (callback(recordChangedBlock), callback(recordWithIDWasDeletedBlock))
        let finished = callback(fetchRecordChangesCompletionBlock)
        var changes: RecordZoneChanges?
        return Work(onlyReads: true) { [weak self] database, report throws(DatabaseError) in
            let reader = ChangeReader(fetchesAll: false) {
                if let record = $1.success { changed?(record) }
            } deleted: { id, _ in
                deleted?(id)
            } updated: { _, _ in
            }
            changes = try reader.read(id, since: token, desiredKeys, limit: limit, in: database, &report)
            self?.moreComing = changes?.moreComing ?? false
        } finish: { error in
            finished?(
                changes.map { CKServerChangeToken($0.changeToken) }, changes?.clientChangeTokenData, error)
        }
    }
}
