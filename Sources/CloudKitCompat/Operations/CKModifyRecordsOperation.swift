// Saves and deletes of records as operations.

public import Foundation
public import RecordDatabase

/// Saves and deletes records together, and tells of each.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What a save does when the stored version has changed since the record was fetched.
    public typealias RecordSavePolicy = SavePolicy

    /// The records to save.
    public var recordsToSave: [CKRecord]?
    /// The records to delete.
    public var recordIDsToDelete: [CKRecord.ID]?
    /// What to do about changes made since a record was fetched.
    public var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
    /// Whether the items of a zone are saved all or none, in zones that can do so.
    public var isAtomic = true
    /// A batch with the token of the client's last one is taken for a repetition and not applied again.
    public var clientChangeTokenData: Data?

    /// Called for each record to save with 0 before and 1 after it is saved.
    public var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
    /// Called once for each record to save.
    public var perRecordSaveBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Called once for each record to delete.
    public var perRecordDeleteBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)?
    /// Called at the end.
    public var modifyRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `perRecordSaveBlock`.
    public var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
    /// The older form of `modifyRecordsResultBlock`, with what was saved and deleted.
    public var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that saves and deletes; either list may be missing.
    public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        self.init()
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
    }

    /// Encrypted values are not stored in the clear: an operation with some ends with the process.
    override var storedWork: StoredOperation.Work? {
        let saves = (recordsToSave ?? []).map(\.record)
        if saves.contains(where: { !$0.encryptedValues.allKeys().isEmpty }) { return nil }
        return .modify(
            .init(
                saves: saves, deletes: (recordIDsToDelete ?? []).map(\.record), policy: savePolicy,
                isAtomic: isAtomic, clientToken: clientChangeTokenData))
    }

    override var hasCallback: Bool {
        perRecordProgressBlock != nil || perRecordSaveBlock != nil || perRecordDeleteBlock != nil
            || modifyRecordsResultBlock != nil || perRecordCompletionBlock != nil || modifyRecordsCompletionBlock != nil
    }

    override func makeWork() -> Work {
        let records = recordsToSave ?? []
        let ids = recordIDsToDelete ?? []
        let request = ModifyRequest(
            saves: records.map(\.record), deletes: ids.map(\.record), policy: savePolicy, isAtomic: isAtomic,
            clientToken: clientChangeTokenData)
        let (progress, saved) = (callback(perRecordProgressBlock), callback(perRecordSaveBlock))
        let (deleted, finished) = (callback(perRecordDeleteBlock), callback(modifyRecordsResultBlock))
        let (oldSaved, oldFinished) = (callback(perRecordCompletionBlock), callback(modifyRecordsCompletionBlock))
        var applied: ModifyResult?
        return Work { [weak self] database, report throws(DatabaseError) in
            for record in records {
                try report.tellCancellation(records, ids, saved, oldSaved, deleted)
                progress?(record, 0)
            }
            try report.tellCancellation(records, ids, saved, oldSaved, deleted)
            let result = try StoredOutcome.result(of: self?.storedPath) { () throws(DatabaseError) in
                try database.modify(request)
            }
            applied = result
            records.take(result, of: request)
            for (record, outcome) in zip(records, result.saves) {
                let own = report.written(.record(outcome.id), outcome.result) { _ in record }
                if own.failure == nil { progress?(record, 1) }
                saved?(record.recordID, own)
                oldSaved?(record, own.failure)
            }
            // A record that is named twice is deleted and told of once.
            for outcome in result.deletes {
                deleted?(CKRecord.ID(outcome.id), report.written(.record(outcome.id), outcome.result) { $0 })
            }
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(
                zip(records, applied?.saves ?? []).filter { $1.result.isSuccess }.map(\.0),
                (applied?.deletes ?? []).filter { $0.result.isSuccess }.map { CKRecord.ID($0.id) }, error)
        }
    }
}

extension ItemReport {
    /// After a cancellation, tells of a batch that was not begun.
    /// - Throws: `DatabaseError` of code `operationCancelled`.
    fileprivate mutating func tellCancellation(
        _ records: [CKRecord], _ ids: [CKRecord.ID],
        _ saved: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?, _ oldSaved: ((CKRecord, (any Error)?) -> Void)?,
        _ deleted: ((CKRecord.ID, Result<Void, any Error>) -> Void)?
    ) throws(DatabaseError) {
        do throws(DatabaseError) {
            try checkCancellation()
        } catch {
            let told = CKError(error)
            for record in records {
                saved?(record.recordID, .failure(told))
                oldSaved?(record, told)
            }
            for id in ids { deleted?(id, .failure(told)) }
            throw error
        }
    }
}
