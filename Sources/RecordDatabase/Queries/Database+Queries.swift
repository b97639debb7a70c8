// Queries: the records of a type that match, page by page.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
public import RecordModel
import RecordStore
import Synchronization

extension Database {
    /// The first page of the records that match.
    ///
    /// - Parameters:
    ///   - zones: The zones whose records are meant; records that are level in the order come by the names of their zones.
    ///   - desiredKeys: The fields wanted; `nil` for all, none for metadata only. The predicate may use others.
    ///   - resultsLimit: At most so many; `Query.maximumResults` leaves it to the database.
    /// - Returns: Records in order, or an error for one that cannot be given; and a cursor when there are more.
    /// - Throws: `DatabaseError` of code `invalidArguments` for a predicate or an order that does not suit the type,
    ///   `unknownItem` for an unknown type, `zoneNotFound` and others.
    public func records(
        matching query: Query, in zones: QueryZones, desiredKeys: [String]? = nil,
        resultsLimit: Int = Query.maximumResults
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        let page = try find(query, in: zones, desiredKeys: desiredKeys, limit: resultsLimit)
        return (page.matches, page.cursor)
    }

    /// The page behind a cursor.
    ///
    /// - Returns: As `records(matching:in:desiredKeys:resultsLimit:)`.
    /// - Throws: `DatabaseError` of code `invalidArguments` for the cursor of another database, and others.
    public func records(
        continuingMatchFrom cursor: Query.Cursor, desiredKeys: [String]? = nil,
        resultsLimit: Int = Query.maximumResults
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        let page = try find(after: cursor, desiredKeys: desiredKeys, limit: resultsLimit)
        return (page.matches, page.cursor)
    }

    /// As `records(continuingMatchFrom:…)`, on this thread.
    package func find(
        after cursor: Query.Cursor, desiredKeys: [String]? = nil, limit: Int = Query.maximumResults
    ) throws(DatabaseError) -> (matches: [(Record.ID, Result<Record, DatabaseError>)], cursor: Query.Cursor?) {
        try find(cursor.query, in: cursor.zones, after: cursor, desiredKeys: desiredKeys, limit: limit)
    }

    /// As `records(matching:…)` or `records(continuingMatchFrom:…)`, on this thread.
    package func find(
        _ query: Query, in zones: QueryZones, after cursor: Query.Cursor? = nil,
        desiredKeys: [String]? = nil, limit: Int = Query.maximumResults
    ) throws(DatabaseError) -> (matches: [(Record.ID, Result<Record, DatabaseError>)], cursor: Query.Cursor?) {
        try NameRules.check(type: query.recordType)
        let (caller, stored) = try begin(.query, itemCount: 1)
        if let cursor, cursor.origin != stored.origin {
            throw DatabaseError(.invalidArguments, "the cursor is of another database")
        }
        let zone = zones.zoneID(for: caller)
        let schema = client.store.schema.current
        let snapshot = try stored.snapshot(with: zone)
        let check = try QueryCheck(query.recordType, schema, caller)
        let order = try check.order(query.sortKeys)
        guard let bound = try bind(query.predicate, check) else { return ([], nil) }
        let limits = caller.configuration.limits
        let context = EvaluationContext(
            now: caller.configuration.clock(), seed: UInt64.random(in: .min ... .max),
            maximumSteps: limits.queryStepsPerRecord)
        let page = try QueryDeadline.run(within: limits.queryTime, failure: DatabaseError.init(evaluation:)) {
            () throws(DatabaseError) in
            let plan = SnapshotQuery(
                bound, over: snapshot, type: query.recordType, zoneID: zone,
                usage: schema.recordTypes[query.recordType]?.indexUsage ?? .all, context: context)
            return try Self.page(plan, order, limit > 0 ? limit : limits.pageSize, cursor)
        }
        let desired = desiredKeys.map { Set($0) }
        let matches = page.rows.map { row -> (Record.ID, Result<Record, DatabaseError>) in
            let segment = snapshot.segments[row.segment].segment
            let id = segment.recordID(row.row)
            let version = RowVersion(segment, row.row, desiredKeys: desired)
            return (id, Self.result(id, version, check.type))
        }
        let next = page.next.map { Query.Cursor(query: query, zones: zones, origin: stored.origin, position: $0) }
        return (matches, next)
    }

    /// The predicate with what the caller may read; `nil` when that is nothing.
    func bind(_ predicate: RecordPredicate, _ check: QueryCheck) throws(DatabaseError) -> BoundPredicate? {
        if scope == .private || check.caller.may(.read, type: check.type) { return try check.bind(predicate) }
        _ = try check.bind(predicate)
        let userName = check.caller.userName
        guard let userName, check.caller.may(.read, type: check.type, creator: userName) else { return nil }
        let own: RecordPredicate = "creatorUserRecordID == \(Record.ID(userName))"
        return try check.bind(.all([own, predicate]))
    }

    private static func page(
        _ plan: SnapshotQuery, _ order: [SortKey], _ limit: Int, _ cursor: Query.Cursor?
    ) throws(DatabaseError) -> SnapshotQuery.Page {
        do throws(PageError) {
            return try plan.page(sortedBy: order, limit: limit, after: cursor?.position)
        } catch {
            switch error {
            case .otherQuery:
                throw DatabaseError(
                    .invalidArguments, "the cursor does not go on with this query", hint: "start from the first page")
            case .noWords: throw .noWords
            case .evaluation(let error): throw DatabaseError(evaluation: error)
            }
        }
    }
}

extension DatabaseError {
    /// The error of a query whose predicate came to no answer.
    fileprivate init(evaluation error: EvaluationError) {
        switch error.kind {
        case .timeLimit, .stepLimit: self.init(.limitExceeded, error.message, hint: error.hint)
        case .cancelled: self.init(.operationCancelled, "the task was cancelled")
        default: self.init(.invalidArguments, "the predicate: \(error.message)", hint: error.hint)
        }
    }

    /// Relevance is asked for, and the predicate looks for no words.
    static var noWords: DatabaseError {
        DatabaseError(
            .invalidArguments, "an order by relevance needs a token comparison, not under NOT",
            hint: "for example: allTokens TOKENMATCHES[cd] 'words'")
    }
}
