// How many records a query finds, and how it finds them.

import PredicateSemantics
public import RecordModel

extension Database {
    /// How many records match, without giving them.
    ///
    ///     let large = try await database.count(matching: Query("City", "population > \(1_000_000)"), in: .all)
    ///
    /// A type that nobody has saved yet has no records. On a server the records are counted there, and only those on
    /// which it cannot decide are fetched.
    ///
    /// - Parameters:
    ///   - query: What is looked for; its order does not matter.
    ///   - zones: The zones whose records are meant.
    /// - Throws: `DatabaseError` as `recordPage(matching:in:desiredKeys:resultsLimit:)`.
    public func count(matching query: Query, in zones: QueryZones) async throws(DatabaseError) -> Int {
        let request = PageRequest(
            query: query, zones: zones, cursor: nil, desiredKeys: [], limit: 0, allowsNew: true)
        let (caller, storing) = try beginPage(request)
        return try await perform(on: storing) { () throws(DatabaseError) in try storing.count(request, caller) }
    }

    /// As `count(matching:in:)`, on this thread, as CloudKit has it: a type that nobody has saved yet is unknown.
    package func countNow(_ query: Query, in zones: QueryZones) throws(DatabaseError) -> Int {
        let request = PageRequest(query: query, zones: zones, cursor: nil, desiredKeys: [], limit: 0)
        let (caller, storing) = try beginPage(request)
        return try storing.count(request, caller)
    }

    /// Runs a query for all that it finds, and tells how: the plan of each segment of the records, what was read row
    /// by row, and which indexes would help. On a server, first what that was told, by which indexes it found rows, and
    /// how many of them were decided here (`QueryExplanation.pushed`); the plan is of the rows that it gave.
    ///
    /// - Parameters:
    ///   - query: What is looked for.
    ///   - zones: The zones whose records are meant.
    ///   - resultsLimit: How many records a page would have: a server is told what it is told for the first page, the
    ///     order of the query included. `nil` for all that the query finds, in any order; so it is in this process.
    /// - Throws: `DatabaseError` as `recordPage(matching:in:desiredKeys:resultsLimit:)`, and of code
    ///   `permissionFailure` where the user may not read all records of the type.
    public func explain(
        _ query: Query, in zones: QueryZones, resultsLimit: Int? = nil
    ) async throws(DatabaseError) -> QueryExplanation {
        let request = PageRequest(
            query: query, zones: zones, cursor: nil, desiredKeys: [], limit: resultsLimit ?? 0, allowsNew: true)
        let (caller, storing) = try beginPage(request)
        guard let remote = storing as? RemoteDatabase else {
            let records = try snapshot().records(ofType: query.recordType, in: zones)
            return try await perform(on: storing) { () throws(DatabaseError) in try records.explanation(of: query) }
        }
        return try await remote.run { () throws(DatabaseError) in try remote.explain(request, caller) }
    }

    /// Does the work of a query on a thread that may take long, or wait for a server.
    private func perform<Outcome: Sendable>(
        on storing: any DatabaseStoring, _ body: @escaping @Sendable () throws(DatabaseError) -> Outcome
    ) async throws(DatabaseError) -> Outcome {
        guard storing is RemoteDatabase else { return try await QueryThreads.shared.perform(body) }
        return try await storing.run(body)
    }
}

extension RecordSet {
    /// As `explain`, with the errors of databases.
    func explanation(of query: Query) throws(DatabaseError) -> QueryExplanation {
        do throws(RecordPredicateError) {
            return try explain(query.predicate)
        } catch {
            throw QueryCheck.rejection(error)
        }
    }
}
