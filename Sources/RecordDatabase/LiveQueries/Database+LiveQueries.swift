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
    /// A type that nobody has saved yet has no records so far, and may be watched. Where the schema changes, the next
    /// steps lead to the result that the query has then; the sequence fails where the query does not suit its type any
    /// more. No commit is left out between the first result and the first step. A reader that leaves more than
    /// `Limits.stepsWaiting` steps waiting gets the whole result again. The sequence ends when its task is cancelled or
    /// the container is closed. When the container gets another user, that of a private or shared database fails with
    /// `notAuthenticated` or `accountTemporarilyUnavailable`; one of the public database goes on with what the user of
    /// its beginning may read, follows the roles of that user, and ends when they may read nothing any more. Where the
    /// predicate or the order follows references or reads the time, the query is run again after each commit; else a
    /// save only looks up the queries that it concerns. On a server the query is run again when it tells of commits, of
    /// this process and others, at most five times a second; the steps lead from one result to the next.
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
    ) throws(DatabaseError) -> RunningQuery? {
        try NameRules.check(type: query.recordType)
        let (caller, storing) = try begin(.query, itemCount: 1)
        if let remote = storing as? RemoteDatabase { return try remote.liveQuery(query, zones, caller) }
        if let shared = storing as? SharedDatabase { return try shared.liveQuery(query, zones, caller) }
        guard let stored = (storing as? LocalDatabase)?.stored else { throw .unknownStoring }
        let zone = zones.zoneID(for: caller)
        let subject = LiveSubject(query: query, zoneID: zone, scope: scope, caller: caller, store: client.store)
        let store = client.store
        // Under the lock that commits take: none is missed, none is taken twice; nor is a schema.
        return try store.writer.withLock { _ throws(DatabaseError) in
            guard let binding = try subject.binding(to: store.schema.current) else { return nil }
            if let zone { _ = try stored.state.withLock { state throws(DatabaseError) in try state.zone(zone) } }
            let live = try LiveQuery(subject, binding, on: stored.records.snapshot)
            let number = stored.liveQueries.add(live)
            return RunningQuery(query: live) { stored.liveQueries.remove(number) }
        }
    }
}

/// A live query that is told of commits.
struct RunningQuery: Sendable {
    let query: LiveQuery
    /// Has the query take in at once what was committed; `nil` where commits do so themselves.
    var refresh: (@Sendable () throws(DatabaseError) -> Void)?
    /// Ends it.
    let end: @Sendable () -> Void

    init(
        query: LiveQuery, refresh: (@Sendable () throws(DatabaseError) -> Void)? = nil,
        end: @escaping @Sendable () -> Void
    ) {
        (self.query, self.refresh, self.end) = (query, refresh, end)
    }
}

/// A reader of a live query: starts it with the first step, and ends it with itself.
package final class LiveReading: Sendable {
    private struct Running {
        var live: RunningQuery
        /// What is done when the client is closed.
        var ending: Int
        /// What is done when the client gets another user.
        var account: Int
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
        if let step = await running?.steps.next() { return step }
        try running?.throwFailure()
        return nil
    }

    /// The query, once it was started and until it ended.
    private var runningQuery: LiveQuery? { current?.live.query }

    private var current: Running? {
        state.withLock { state in if case .running(let running) = state { running } else { nil } }
    }

    /// All steps that wait to be taken: those of every commit of this database that has returned to its caller.
    ///
    /// - Throws: `DatabaseError` when there are none, and there will be none as the query does not suit its type.
    package func takeSteps() throws(DatabaseError) -> [QueryChange] {
        guard let running = try started() else { return [] }
        try current?.live.refresh?()
        let steps = running.steps.takeWaiting()
        if steps.isEmpty { try running.throwFailure() }
        return steps
    }

    private func started() throws(DatabaseError) -> LiveQuery? {
        try state.withLock { state throws(DatabaseError) in
            switch state {
            case .running(let running): return running.live.query
            case .ended: return nil
            case .waiting: break
            }
            state = .ended
            guard let live = try database.liveQuery(query, zones) else { return nil }
            let client = database.client
            let ending = client.whenClosed {
                live.query.steps.end()
                live.end()
            }
            let follow: @Sendable () -> Void = { [weak client] in
                if let client, !live.query.follow(client.account) { live.end() }
            }
            let account = client.accountReaders.add(follow)
            // Another user may have come while the query began.
            follow()
            state = .running(Running(live: live, ending: ending, account: account))
            return live.query
        }
    }

    deinit {
        guard case .running(let running) = state.withLock({ $0 }) else { return }
        running.live.end()
        database.client.accountReaders.remove(running.account)
        database.client.forget(running.ending)
    }
}
