// Queries as operations.

public import Foundation
import RecordDatabase

/// Fetches one page of a result, and passes each record to a handler.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
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

    override var storedWork: StoredOperation.Work? {
        let request = query.flatMap { query in try? query.query() }
        if cursor == nil, request == nil { return nil }
        return .query(
            .init(
                query: request, cursor: cursor?.cursor, zoneID: zoneID?.zone, desiredKeys: desiredKeys,
                limit: resultsLimit))
    }

    override var hasCallback: Bool {
        recordMatchedBlock != nil || queryResultBlock != nil || recordFetchedBlock != nil || queryCompletionBlock != nil
    }

    override func makeWork() -> Work {
        let checked = query.map { query in Result { () throws(DatabaseError) in try query.query() } }
        let (cursor, zoneID, desiredKeys, limit) = (cursor, zoneID, desiredKeys, resultsLimit)
        let (matched, finished) = (callback(recordMatchedBlock), callback(queryResultBlock))
        let (oldMatched, oldFinished) = (callback(recordFetchedBlock), callback(queryCompletionBlock))
        var next: Cursor?
        return Work(onlyReads: true) { database, report throws(DatabaseError) in
            let page = try report.reading(database) { database throws(DatabaseError) in
                if let cursor {
                    return try database.find(after: cursor.cursor, desiredKeys: desiredKeys, limit: limit)
                }
                guard let request = try checked?.get() else {
                    throw DatabaseError(.invalidArguments, "the operation has neither a query nor a cursor")
                }
                return try database.find(request, in: QueryZones(zoneID), desiredKeys: desiredKeys, limit: limit)
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
public final class CKQueryCursor: NSObject, NSSecureCoding, NSCopying, Sendable {
    let cursor: Query.Cursor
    init(_ cursor: Query.Cursor) { self.cursor = cursor }

    private static let key = "CKQueryCursor"
    /// True: a cursor can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) { coder.encode(value: cursor, for: Self.key) }

    /// `nil` where no cursor was archived, or one in the form of a newer version.
    public convenience init?(coder: NSCoder) {
        guard let cursor: Query.Cursor = coder.value(for: Self.key) else { return nil }
        self.init(cursor)
    }

    /// The cursor itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKQueryCursor)?.cursor == cursor }
    public override var hash: Int { cursor.hashValue }
    public override var description: String { "<CKQueryCursor>" }
}
