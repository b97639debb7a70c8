// Queries whose results are kept up to date.

import FoundationEssentials
import PredicateSemantics
import RecordModel
import RecordStore
import Synchronization

extension Database {
    /// The result of a query, and then its changes as records are saved and deleted, by this client and others.
    ///
    ///     let query = Query("City", "population > \(1_000_000)")
    ///     for try await change in database.changes(matching: query, in: .all) { … }
    ///
    /// A type that nobody has saved yet has no records so far, and may be watched. No commit is left out between the
    /// first result and the first step. A reader that leaves more than `Limits.stepsWaiting` steps waiting gets the
    /// whole result again. The sequence ends when its task is cancelled or the container is closed. Where the predicate
    /// or the order follows references or reads the time, the query is run again after each commit; else a save only
    /// looks up the queries that it concerns.
    ///
    /// - Parameters:
    ///   - zones: The zones whose records are meant.
    /// - Returns: A sequence that fails with the `DatabaseError` of
    ///   `recordPage(matching:in:desiredKeys:resultsLimit:)`.
    public func changes(
        matching query: Query, in zones: QueryZones
    ) -> AsyncThrowingStream<QueryChange, any Error> {
        let reading = watch(query, in: zones)
        return AsyncThrowingStream(unfolding: { try await reading.next() })
    }

    /// As `changes(matching:in:)`, for readers that may not wait.
    package func watch(_ query: Query, in zones: QueryZones) -> LiveReading {
        LiveReading(self, query, zones)
    }

    /// A live query that is told of every commit from its snapshot on; `nil` when the caller may read nothing.
    fileprivate func liveQuery(
        _ query: Query, _ zones: QueryZones
    ) throws(DatabaseError) -> (query: LiveQuery, number: Int, stored: StoredDatabase)? {
        try NameRules.check(type: query.recordType)
        let (caller, stored) = try begin(.query, itemCount: 1)
        let zone = zones.zoneID(for: caller)
        let schema = client.store.schema.current
        let check = try QueryCheck(query.recordType, schema, caller, allowsNew: true)
        let order = try check.order(query.sortKeys)
        guard let bound = try bind(query.predicate, check) else { return nil }
        if order.contains(where: { $0.criterion == .relevance }), bound.wordSearches.isEmpty { throw .noWords }
        // Under the lock that commits take: none is missed, none is taken twice.
        return try client.store.writer.withLock { _ throws(DatabaseError) in
            if let zone { _ = try stored.state.withLock { state throws(DatabaseError) in try state.zone(zone) } }
            do throws(EvaluationError) {
                let live = try LiveQuery(
                    bound, recordType: query.recordType, zoneID: zone, keys: order, caller.configuration,
                    on: stored.records.snapshot)
                return (live, stored.liveQueries.add(live), stored)
            } catch {
                throw DatabaseError(evaluation: error, of: query.predicate)
            }
        }
    }
}

/// A reader of a live query: starts it with the first step, and ends it with itself.
package final class LiveReading: Sendable {
    private struct Running {
        var query: LiveQuery
        var number: Int
        var stored: StoredDatabase
        var end: Int
    }

    private enum State {
        case waiting
        case running(Running)
        case ended
    }

    private let database: Database
    private let query: Query
    private let zones: QueryZones
    private let state = Mutex(State.waiting)

    init(_ database: Database, _ query: Query, _ zones: QueryZones) {
        self.database = database
        self.query = query
        self.zones = zones
    }

    /// The next step, waited for; `nil` after the end.
    package func next() async throws -> QueryChange? {
        let running: LiveQuery? =
            if let known = runningQuery {
                known
            } else if Task.isCancelled {
                throw DatabaseError.cancelled
            } else {
                try await BackgroundThread.perform { () throws(DatabaseError) in try self.started() }
            }
        return await running?.steps.next()
    }

    /// The query, once it was started and until it ended.
    private var runningQuery: LiveQuery? {
        state.withLock { state in if case .running(let running) = state { running.query } else { nil } }
    }

    /// All steps that wait to be taken: those of every commit of this database that has returned to its caller.
    package func takeSteps() throws(DatabaseError) -> [QueryChange] { try started()?.steps.takeWaiting() ?? [] }

    private func started() throws(DatabaseError) -> LiveQuery? {
        try state.withLock { state throws(DatabaseError) in
            switch state {
            case .running(let running): return running.query
            case .ended: return nil
            case .waiting: break
            }
            state = .ended
            guard let (query, number, stored) = try database.liveQuery(query, zones) else { return nil }
            let end = database.client.whenClosed { query.steps.end() }
            state = .running(Running(query: query, number: number, stored: stored, end: end))
            return query
        }
    }

    deinit {
        guard case .running(let running) = state.withLock({ $0 }) else { return }
        running.stored.liveQueries.remove(running.number)
        database.client.forget(running.end)
    }
}
