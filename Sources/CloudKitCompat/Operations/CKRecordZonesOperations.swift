// Zones as operations.

import RecordDatabase

/// Fetches zones by their identifiers, or all of them.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// `nil` for all zones.
    public var recordZoneIDs: [CKRecordZone.ID]?
    /// Called once for each.
    public var perRecordZoneResultBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    /// Called at the end.
    public var fetchRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `fetchRecordZonesResultBlock`, with what was fetched.
    public var fetchRecordZonesCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that fetches the zones of identifiers.
    public convenience init(recordZoneIDs: [CKRecordZone.ID]) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
    }

    /// An operation that fetches all zones of a database.
    public static func fetchAllRecordZonesOperation() -> CKFetchRecordZonesOperation { CKFetchRecordZonesOperation() }

    override func makeWork() -> Work {
        let (ids, told) = (recordZoneIDs, callback(perRecordZoneResultBlock))
        let finished = callback(fetchRecordZonesResultBlock)
        let oldFinished = callback(fetchRecordZonesCompletionBlock)
        var found: [CKRecordZone.ID: CKRecordZone] = [:]
        return Work(onlyReads: true) { database, report throws(DatabaseError) in
            for (id, result) in try database.zones(ids) {
                let outcome = report.read(.zone(id.zone), result) { CKRecordZone($0) }
                if let value = outcome.success { found[id] = value }
                told?(id, outcome)
            }
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(found, error)
        }
    }
}

extension Database {
    /// The zones of identifiers, in their order; all zones for `nil`.
    fileprivate func zones(
        _ ids: [CKRecordZone.ID]?
    ) throws(DatabaseError) -> [(CKRecordZone.ID, Result<RecordZone, DatabaseError>)] {
        guard let ids else { return try fetchAllZones().map { (CKRecordZone.ID($0.id), .success($0)) } }
        let results = try fetchZones(ids.map(\.zone))
        return ids.compactMap { id in results[id.zone].map { (id, $0) } }
    }
}

/// Saves and deletes zones, each on its own.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones to save.
    public var recordZonesToSave: [CKRecordZone]?
    /// The zones to delete, with all of their records.
    public var recordZoneIDsToDelete: [CKRecordZone.ID]?
    /// Called once for each to save.
    public var perRecordZoneSaveBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
    /// Called once for each to delete.
    public var perRecordZoneDeleteBlock: ((CKRecordZone.ID, Result<Void, any Error>) -> Void)?
    /// Called at the end.
    public var modifyRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `modifyRecordZonesResultBlock`, with what was saved and deleted.
    public var modifyRecordZonesCompletionBlock: (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that saves and deletes; either list may be missing.
    public convenience init(recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil) {
        self.init()
        self.recordZonesToSave = recordZonesToSave
        self.recordZoneIDsToDelete = recordZoneIDsToDelete
    }

    override func makeWork() -> Work {
        let (values, ids) = (recordZonesToSave ?? [], recordZoneIDsToDelete ?? [])
        let (saved, deleted) = (callback(perRecordZoneSaveBlock), callback(perRecordZoneDeleteBlock))
        let finished = callback(modifyRecordZonesResultBlock)
        let oldFinished = callback(modifyRecordZonesCompletionBlock)
        var (savedValues, deletedIDs): ([CKRecordZone], [CKRecordZone.ID]) = ([], [])
        return Work { database, report throws(DatabaseError) in
            let result = try database.modifyZones(saving: values.map(\.zone), deleting: ids.map(\.zone))
            for (id, outcome) in result.saves.map({ (CKRecordZone.ID($0.id), $0.result) }) {
                let outcome = report.written(.zone(id.zone), outcome) { CKRecordZone($0) }
                if let value = outcome.success { savedValues.append(value) }
                saved?(id, outcome)
            }
            for (id, outcome) in result.deletes.map({ (CKRecordZone.ID($0.id), $0.result) }) {
                let outcome = report.written(.zone(id.zone), outcome) { $0 }
                if outcome.failure == nil { deletedIDs.append(id) }
                deleted?(id, outcome)
            }
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(savedValues, deletedIDs, error)
        }
    }
}
