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
    /// A type that nobody has saved yet has no records. In CloudKit's dialect, and in production, it is unknown.
    ///
    /// - Parameters:
    ///   - zones: The zones whose records are meant; records that are level in the order come by the names of their
    ///     zones.
    ///   - desiredKeys: The fields wanted; `nil` for all, none for metadata only. The predicate may use others.
    ///   - resultsLimit: At most so many; `Query.maximumResults` leaves it to the database.
    /// - Returns: Records in order, or an error for one that cannot be given; and a cursor when there are more.
    /// - Throws: `DatabaseError` of code `invalidArguments` for a predicate or an order that does not suit the type,
    ///   `unknownItem` for an unknown type, `zoneNotFound` and others.
    public func recordPage(
        matching query: Query, in zones: QueryZones, desiredKeys: [String]? = nil,
        resultsLimit: Int = Query.maximumResults
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        let page = try await findSuspending(
            query, in: zones, desiredKeys: desiredKeys, limit: resultsLimit, allowsNew: true)
        return (page.matches, page.cursor)
    }

    /// The page behind a cursor.
    ///
    /// - Returns: As `recordPage(matching:in:desiredKeys:resultsLimit:)`.
    /// - Throws: `DatabaseError` of code `invalidArguments` for the cursor of another database, and others.
    public func recordPage(
        after cursor: Query.Cursor, desiredKeys: [String]? = nil,
        resultsLimit: Int = Query.maximumResults
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        let page = try await findSuspending(
            cursor.query, in: cursor.zones, after: cursor, desiredKeys: desiredKeys, limit: resultsLimit)
        return (page.matches, page.cursor)
    }

    /// As `recordPage(after:…)`, on this thread.
    package func find(
        after cursor: Query.Cursor, desiredKeys: [String]? = nil, limit: Int = Query.maximumResults
    ) throws(DatabaseError) -> (matches: [(Record.ID, Result<Record, DatabaseError>)], cursor: Query.Cursor?) {
        try find(cursor.query, in: cursor.zones, after: cursor, desiredKeys: desiredKeys, limit: limit)
    }

    /// As `recordPage(matching:…)` or `recordPage(after:…)`, on this thread, as CloudKit does it: a type that
    /// nobody has saved yet is unknown.
    package func find(
        _ query: Query, in zones: QueryZones, after cursor: Query.Cursor? = nil,
        desiredKeys: [String]? = nil, limit: Int = Query.maximumResults
    ) throws(DatabaseError) -> (matches: [(Record.ID, Result<Record, DatabaseError>)], cursor: Query.Cursor?) {
        let request = PageRequest(
            query: query, zones: zones, cursor: cursor, desiredKeys: desiredKeys, limit: limit)
        let (caller, storing) = try beginPage(request)
        return try storing.page(request, caller)
    }

    /// Time after which a query goes on, from its beginning, on a thread of its own.
    static var shortTime: Duration { .milliseconds(1) }

    /// As `find`, for a task: it is suspended where that takes long or has to look at files.
    ///
    /// - Parameter allowsNew: Whether a type that nobody has saved yet has no records, and is not unknown.
    package func findSuspending(
        _ query: Query, in zones: QueryZones, after cursor: Query.Cursor? = nil, desiredKeys: [String]?, limit: Int,
        allowsNew: Bool = false
    ) async throws(DatabaseError) -> (matches: [(Record.ID, Result<Record, DatabaseError>)], cursor: Query.Cursor?) {
        let request = PageRequest(
            query: query, zones: zones, cursor: cursor, desiredKeys: desiredKeys, limit: limit, allowsNew: allowsNew)
        let (caller, storing) = try beginPage(request)
        return try await storing.pageSuspending(request, caller)
    }

    func beginPage(_ request: PageRequest) throws(DatabaseError) -> (Caller, any DatabaseStoring) {
        try NameRules.check(type: request.query.recordType)
        let (caller, storing) = try begin(.query, itemCount: 1)
        if let cursor = request.cursor, cursor.origin != storing.origin {
            throw DatabaseError(.invalidArguments, "the cursor is of another database")
        }
        return (caller, storing)
    }
}

extension LocalDatabase {
    func page(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> PageMatches {
        guard let search = try search(request, caller) else { return ([], nil) }
        return try search.run()
    }

    func pageSuspending(_ request: PageRequest, _ caller: Caller) async throws(DatabaseError) -> PageMatches {
        guard let search = try search(request, caller) else { return ([], nil) }
        if let matches = try search.runShort() { return matches }
        return try await QueryThreads.shared.perform { () throws(DatabaseError) in try search.run() }
    }

    func count(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> Int {
        try search(request, caller)?.count() ?? 0
    }

    /// A query that is checked and bound, on the records of this moment; `nil` when the caller may read nothing.
    private func search(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> Search? {
        let zone = request.zones.zoneID(for: caller)
        let (schema, snapshot) = try store.schema.withCurrent { schema throws(DatabaseError) in
            (schema, try stored.snapshot(with: zone))
        }
        return try store.search(
            request, caller, on: SearchMoment(origin: stored.origin, snapshot: snapshot, schema: schema),
            in: stored.origin.scope)
    }
}

extension ContainerStore {
    /// A query that is checked and bound, on given records; `nil` when the caller may read nothing.
    ///
    /// - Parameter scope: The database that has the records.
    func search(
        _ request: PageRequest, _ caller: Caller, on moment: SearchMoment, in scope: DatabaseScope
    ) throws(DatabaseError) -> Search? {
        let checked = try CheckedQuery(request, moment.schema, caller, in: scope)
        guard let predicate = try predicate(request.query.predicate, checked.check) else { return nil }
        return Search(request, checked, predicate: predicate, on: moment, caller, self)
    }

    /// The predicate ready to run, with what the caller may read; `nil` when that is nothing.
    private func predicate(
        _ predicate: RecordPredicate, _ check: QueryCheck
    ) throws(DatabaseError) -> QueryPredicate? {
        if let filled = filled(predicate, check) { return filled }
        return try check.bindReadable(predicate).map { .bound($0) }
    }

    /// The predicate by its template; `nil` where it has none that takes its values, or the caller may not read all.
    private func filled(_ predicate: RecordPredicate, _ check: QueryCheck) -> QueryPredicate? {
        guard !check.isNew, check.scope != .public || check.readsAllTypes,
            let (shape, values) = predicate.shape()
        else { return nil }
        let filled = templates.filled(
            shape, values.map(check.normalized), in: QuerySurroundings(check)
        ) {
            // The predicate itself rejects it, with the place.
            (try? check.bind(predicate)).map { _ in check.binder }
        }
        return filled.map(QueryPredicate.template)
    }
}

/// A query for one page that suits its type.
struct CheckedQuery: Sendable {
    let check: QueryCheck
    /// The order of the result, with names for what it leaves level.
    let order: [SortKey]

    /// - Throws: `DatabaseError` for a type, an order and a cursor that do not suit the schema.
    init(
        _ request: PageRequest, _ schema: ContainerSchema, _ caller: Caller, in scope: DatabaseScope
    ) throws(DatabaseError) {
        check = try QueryCheck(request.query.recordType, schema, caller, in: scope, allowsNew: request.allowsNew)
        order = try check.order(request.query.sortKeys)
        if let cursor = request.cursor, !cursor.position.suits(order, of: check.type) { throw .otherQuery }
    }
}

/// What a query runs on.
struct SearchMoment {
    let origin: DatabaseOrigin
    let snapshot: Snapshot
    let schema: ContainerSchema
    /// When the call began.
    var start = ContinuousClock.now
}

/// A query for one page, on the records of one moment.
final class Search: Sendable {
    private let request: PageRequest
    private let zoneID: RecordZone.ID?
    private let origin: DatabaseOrigin
    private let snapshot: Snapshot
    private let type: ContainerSchema.RecordType
    private let predicate: QueryPredicate
    private let order: [SortKey]
    private let context: EvaluationContext
    private let desiredKeys: Set<String>?
    private let limit: Int
    private let schema: ContainerSchema
    private let caller: Caller
    private let store: ContainerStore
    private let start: ContinuousClock.Instant

    private var query: Query { request.query }
    /// The time that the query may take; `nil` for any.
    private var time: Duration? { caller.configuration.limits.queryTime }

    /// - Parameters:
    ///   - moment: The records that the query finds.
    ///   - predicate: The predicate with what the caller may read.
    init(
        _ request: PageRequest, _ checked: CheckedQuery, predicate: QueryPredicate, on moment: SearchMoment,
        _ caller: Caller, _ store: ContainerStore
    ) {
        let limits = caller.configuration.limits
        (self.request, self.predicate, self.caller, self.store) = (request, predicate, caller, store)
        (zoneID, origin, start) = (request.zones.zoneID(for: caller), moment.origin, moment.start)
        (snapshot, schema) = (moment.snapshot, moment.schema)
        (type, order) = (checked.check.type, checked.order)
        context = EvaluationContext(
            now: caller.configuration.clock(), seed: nil,
            maximumSteps: limits.queryStepsPerRecord)
        desiredKeys = request.desiredKeys.map { Set($0) }
        limit = request.pageSize(limits)
    }

    /// - Throws: `DatabaseError`, of code `limitExceeded` when it takes too long.
    func run() throws(DatabaseError) -> PageMatches {
        var found = 0
        // Queries that fail are those that took longest.
        defer { note(found: found) }
        do throws(PageError) {
            let page = try page(within: time, limit: limit)
            found = page.rows.count
            return matches(page)
        } catch {
            throw DatabaseError(page: error, of: query.predicate)
        }
    }

    /// How many records match.
    /// - Throws: As `run`.
    func count() throws(DatabaseError) -> Int {
        var found = 0
        defer { note(found: found) }
        do throws(EvaluationError) {
            found = try QueryDeadline.run(
                within: time, failure: { $0 }, { () throws(EvaluationError) in try plan.count() })
            return found
        } catch {
            throw DatabaseError(evaluation: error, of: query.predicate)
        }
    }

    /// The matches, if they are few, found in about a millisecond and without a look at files; else `nil`.
    func runShort() throws(DatabaseError) -> PageMatches? {
        guard !type.holdsAssets(in: desiredKeys) else { return nil }
        if let time, time <= Database.shortTime, limit <= Database.shortCount { return try run() }
        do throws(PageError) {
            let page = try page(within: Database.shortTime, limit: min(limit, Database.shortCount))
            guard page.next == nil || limit <= Database.shortCount else { return nil }
            note(found: page.rows.count)
            return matches(page)
        } catch {
            if case .evaluation(let error) = error, error.kind == .timeLimit { return nil }
            note(found: 0)
            throw DatabaseError(page: error, of: query.predicate)
        }
    }

    private func page(within time: Duration?, limit: Int) throws(PageError) -> SnapshotQuery.Page {
        if let rows = onlyRow, limit > 0 { return SnapshotQuery.Page(rows: rows, next: nil) }
        return try QueryDeadline.run(within: time, failure: PageError.evaluation) { () throws(PageError) in
            try plan.page(sortedBy: order, limit: limit, after: request.cursor?.position)
        }
    }

    private var plan: SnapshotQuery {
        SnapshotQuery(
            predicate, over: snapshot, type: query.recordType, zoneID: zoneID,
            settings: .init(usage: type.indexUsage, context: context))
    }

    /// The one match or none, where indexes tell it at once: then no order matters.
    private var onlyRow: [SnapshotRow]? {
        guard request.cursor == nil, !order.contains(where: { $0.criterion == .relevance }), !Task.isCancelled else {
            return nil
        }
        return snapshot.onlyRow(of: predicate, type: query.recordType, zoneID: zoneID, usage: type.indexUsage)
    }

    private func matches(_ page: SnapshotQuery.Page) -> PageMatches {
        var rows = ResultRows(snapshot, desiredKeys: desiredKeys)
        var opener = RecordOpener(caller.keys)
        let facts = type.facts
        let matches = page.rows.map { row -> (Record.ID, Result<Record, DatabaseError>) in
            let version = rows.version(segment: row.segment, row: row.row)
            let id = version.segment.recordID(row.row)
            return (id, Database.result(id, version, facts, &opener))
        }
        return (
            matches, page.next.map { Query.Cursor(query: query, zones: request.zones, origin: origin, position: $0) }
        )
    }
}

extension Search {
    /// Counts the query, and tells the log of one that took long.
    private func note(found: Int) {
        let time = ContinuousClock.now - start
        store.counters.countQuery(time)
        if caller.configuration.isSlow(time) { tell(ofTime: time, found: found) }
    }

    /// Tells the log of a query that took long.
    func tell(ofTime time: Duration, found: Int) {
        let database = DatabaseSnapshot(records: snapshot, schema: schema, caller: caller, scope: origin.scope)
        caller.configuration.log?(LogMessage(.warning, .slowQuery(SlowQuery(query, time, found: found, on: database))))
    }
}

extension PageCursor {
    /// Whether the values that the last record was sorted by are of the types that the fields have by now.
    fileprivate func suits(_ keys: [SortKey], of type: ContainerSchema.RecordType) -> Bool {
        zip(keys, values).allSatisfy { key, value in
            guard case .field(let name) = key.criterion, let field = type.fields[name] else { return true }
            return switch (value, field.type) {
            case (.int64, .int64), (.int64, .double), (.double, .int64), (.double, .double): true
            case (.null, _), (.string, .string), (.date, .date): true
            default: false
            }
        }
    }
}

extension DatabaseError {
    /// The error of a query whose predicate failed.
    init(evaluation error: EvaluationError, of predicate: RecordPredicate? = nil) {
        switch error.kind {
        case .timeLimit, .stepLimit: self.init(.limitExceeded, error.message, hint: error.hint)
        case .cancelled: self = .cancelled
        default: self = QueryCheck.rejection(RecordPredicateError(error, in: predicate?.text ?? ""))
        }
    }

    /// The error of a page that cannot be given.
    init(page error: PageError, of predicate: RecordPredicate) {
        switch error {
        case .otherQuery:
            self = .otherQuery
        case .noWords: self = .noWords
        case .evaluation(let error): self.init(evaluation: error, of: predicate)
        }
    }

    /// A page was requested behind one of another query, or of other types.
    fileprivate static var otherQuery: DatabaseError {
        DatabaseError(
            .invalidArguments, "the cursor does not go on with this query", hint: "start from the first page")
    }

    /// The query sorts by relevance, and the predicate looks for no words.
    static var noWords: DatabaseError {
        DatabaseError(
            .invalidArguments, "an order by relevance needs a token comparison, not under NOT",
            hint: "for example: allTokens TOKENMATCHES[cd] 'words'")
    }
}
