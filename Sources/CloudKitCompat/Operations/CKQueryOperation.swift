// Queries as operations.

import RecordDatabase

/// Fetches one page of a result, and passes each record to a handler.
public final class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Where the next page of a result begins.
    public typealias Cursor = CKQueryCursor

    /// As `resultsLimit`: the database decides.
    public static let maximumResults = Query.maximumResults

    /// The query; ignored when there is a cursor.
    public var query: CKQuery?
    /// The end of an earlier page, to go on from.
    public var cursor: Cursor?
    /// The zone; `nil` for all zones of the database. Without meaning when there is a cursor.
    public var zoneID: CKRecordZone.ID?
    /// The fields wanted; `nil` for all.
    public var desiredKeys: [CKRecord.FieldKey]?
    /// At most so many records; `maximumResults` leaves it to the database.
    public var resultsLimit = CKQueryOperation.maximumResults

    /// Called for each record, in the order of the result.
    public var recordMatchedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Called at the end, with a cursor when there are more records.
    public var queryResultBlock: ((Result<Cursor?, any Error>) -> Void)?
    /// The older form of `recordMatchedBlock`: called for each record that can be given.
    public var recordFetchedBlock: ((CKRecord) -> Void)?
    /// The older form of `queryResultBlock`.
    public var queryCompletionBlock: ((Cursor?, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that fetches the first page of the records that match.
    public convenience init(query: CKQuery) {
        self.init()
        self.query = query
    }

    /// An operation that fetches the page behind a cursor.
    public convenience init(cursor: Cursor) {
        self.init()
        self.cursor = cursor
    }

    override func makeWork() -> Work {
        let checked = query.map { query in Result { () throws(DatabaseError) in try query.query() } }
        let (cursor, zoneID, desiredKeys, limit) = (cursor, zoneID, desiredKeys, resultsLimit)
        let (matched, finished) = (callback(recordMatchedBlock), callback(queryResultBlock))
        let (oldMatched, oldFinished) = (callback(recordFetchedBlock), callback(queryCompletionBlock))
        var next: Cursor?
        return Work { database, report throws(DatabaseError) in
            let page =
                if let cursor {
                    try database.find(after: cursor.cursor, desiredKeys: desiredKeys, limit: limit)
                } else if let request = try checked?.get() {
                    try database.find(request, in: QueryZones(zoneID), desiredKeys: desiredKeys, limit: limit)
                } else {
                    throw DatabaseError(.invalidArguments, "the operation has neither a query nor a cursor")
                }
            for (id, result) in page.matches {
                try report.checkCancellation()
                let record = result.compat { CKRecord.of($0) }
                matched?(CKRecord.ID(id), record)
                if let record = record.success { oldMatched?(record) }
            }
            next = page.cursor.map { Cursor($0) }
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(next))
            oldFinished?(next, error)
        }
    }
}

extension QueryZones {
    /// The zone of an identifier, or all zones.
    init(_ zoneID: CKRecordZone.ID?) { self = zoneID.map { .zone($0.zone) } ?? .all }
}

/// Where the next page of a result begins.
public final class CKQueryCursor: NSObject, NSCopying, Sendable {
    let cursor: Query.Cursor
    init(_ cursor: Query.Cursor) { self.cursor = cursor }

    /// The cursor itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    public override var description: String { "<CKQueryCursor>" }
}
