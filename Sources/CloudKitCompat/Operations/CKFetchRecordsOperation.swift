// Fetches of records as operations.

import RecordDatabase

/// Fetches records by their identifiers, and tells of each.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Which records; may be replaced until the operation is added. The operation of the current user has none.
    public var recordIDs: [CKRecord.ID]? {
        didSet { if fetchesUser { recordIDs = nil } }
    }
    /// The fields wanted; `nil` for all.
    public var desiredKeys: [CKRecord.FieldKey]?

    /// Called for each record with 1 when it is there.
    public var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
    /// Called once for each identifier.
    public var perRecordResultBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Called at the end.
    public var fetchRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `perRecordResultBlock`.
    public var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
    /// The older form of `fetchRecordsResultBlock`, with what was fetched.
    public var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?

    private var fetchesUser = false

    public override init() { super.init() }

    /// An operation that fetches the records of identifiers.
    public convenience init(recordIDs: [CKRecord.ID]) {
        self.init()
        self.recordIDs = recordIDs
    }

    /// An operation that fetches the record of the current user.
    public static func fetchCurrentUserRecordOperation() -> CKFetchRecordsOperation {
        let operation = CKFetchRecordsOperation()
        operation.fetchesUser = true
        return operation
    }

    override var storedWork: StoredOperation.Work? {
        recordIDs.map { .fetch(ids: $0.map(\.record), desiredKeys: desiredKeys) }
    }

    override var hasCallback: Bool {
        perRecordProgressBlock != nil || perRecordResultBlock != nil || fetchRecordsResultBlock != nil
            || perRecordCompletionBlock != nil || fetchRecordsCompletionBlock != nil
    }

    override func makeWork() -> Work {
        let (ids, desiredKeys, fetchesUser) = (recordIDs, desiredKeys, fetchesUser)
        let (progress, fetched) = (callback(perRecordProgressBlock), callback(perRecordResultBlock))
        let (finished, oldFetched) = (callback(fetchRecordsResultBlock), callback(perRecordCompletionBlock))
        let oldFinished = callback(fetchRecordsCompletionBlock)
        var records: [CKRecord.ID: CKRecord] = [:]
        return Work(onlyReads: true) { database, report throws(DatabaseError) in
            let results =
                fetchesUser
                ? try database.fetchUser(desiredKeys: desiredKeys)
                : try database.fetch(try Self.named(ids).map(\.record), desiredKeys: desiredKeys)
            var seen: Set<CKRecord.ID> = []
            for id in ids ?? results.keys.map({ CKRecord.ID($0) }) where seen.insert(id).inserted {
                let result = report.read(.record(id.record), results[id.record]) { CKRecord.of($0) }
                if let record = result.success {
                    records[id] = record
                    progress?(id, 1)
                }
                fetched?(id, result)
                oldFetched?(result.success, id, result.failure)
            }
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(records, error)
        }
    }
}

extension CKOperation {
    /// Identifiers that were set.
    /// - Throws: `DatabaseError` of code `invalidArguments` when they never were.
    static func named<ID>(_ ids: [ID]?) throws(DatabaseError) -> [ID] {
        guard let ids else { throw DatabaseError(.invalidArguments, "the operation has no identifiers") }
        return ids
    }
}

extension Database {
    /// The record of the current user.
    /// - Throws: `DatabaseError` of code `notAuthenticated` and others.
    fileprivate func fetchUser(
        desiredKeys: [String]?
    ) throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>] {
        try fetch([try client.userRecordID()], desiredKeys: desiredKeys)
    }
}
