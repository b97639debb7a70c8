// Live queries of databases on servers.

import PredicateSemantics
import RecordModel
import RecordStore
import Synchronization

extension RemoteDatabase {
    /// Has commits of the database told: soon, and then once for several of them. What it returns ends that.
    func watch(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let (server, number) = (server, server.watch(origin, tell))
        return { server.endWatching(number) }
    }

    /// A live query that runs again after commits; `nil` when the caller may read nothing.
    func liveQuery(
        _ query: Query, _ zones: QueryZones, _ caller: Caller
    ) throws(DatabaseError) -> RunningQuery? {
        let zone = zones.zoneID(for: caller)
        let subject = LiveSubject(query: query, zoneID: zone, scope: origin.scope, caller: caller)
        guard let (binding, moment) = try rows(of: subject) else { return nil }
        if let zone { _ = try moment.state().zone(zone) }
        let live = try LiveQuery(subject, binding, on: try moment.snapshot())
        let runner = ServerLiveQuery(live, subject, self)
        // The first call comes for nothing, and makes sure that no commit in between is missed.
        let end = watch { runner.wake() }
        return RunningQuery(
            query: live, refresh: { () throws(DatabaseError) in try runner.refresh() },
            end: {
                runner.end()
                end()
            })
    }

    /// The rows that a live query may find, and what binds it to their schema.
    ///
    /// - Parameter known: What it was bound to before; a query of a type of which nothing was known keeps that where it
    ///   does not suit the type.
    fileprivate func rows(
        of subject: LiveSubject, known: LiveBinding? = nil
    ) throws(DatabaseError) -> (binding: LiveBinding, moment: ServerMoment)? {
        while true {
            let schema = store.schema.current
            let binding: LiveBinding
            do throws(DatabaseError) {
                guard let bound = try subject.binding(to: schema) else { return nil }
                binding = bound
            } catch {
                // Another process may have taught the server the type or a field meanwhile.
                if try read(ServerNeed()).schema != schema { continue }
                guard let known, known.isOfNewType else { throw error }
                binding = known
            }
            let moment = try read(need(subject, binding, schema))
            if moment.schema == schema { return (binding, moment) }
        }
    }

    private func need(_ subject: LiveSubject, _ binding: LiveBinding, _ schema: ContainerSchema) -> ServerNeed {
        var need = ServerNeed()
        if binding.isOfNewType {
            // The predicate knows nothing of the columns.
            need.wholeTypes = binding.readsMore ? Set(schema.recordTypes.keys) : [subject.query.recordType]
            return need
        }
        need.selection = ServerSelection(
            type: subject.query.recordType, zoneID: subject.zoneID, predicate: binding.predicate,
            followsReferences: binding.predicate.followsReferences
                || binding.keys.contains(where: \.readsOtherRecords),
            order: [], start: nil, limit: nil)
        return need
    }
}

/// Runs a live query again when it is woken, on a thread of its own and at most five times a second.
private final class ServerLiveQuery: Sendable {
    private let query: LiveQuery
    private let subject: LiveSubject
    private let database: RemoteDatabase
    private let work = WokenWork(pause: 200_000)
    /// Held while the query runs, so that no result comes before an earlier one.
    private let turn = Mutex<Void>(())

    init(_ query: LiveQuery, _ subject: LiveSubject, _ database: RemoteDatabase) {
        (self.query, self.subject, self.database) = (query, subject, database)
    }

    func wake() { work.wake { [self] in run() } }

    func end() { work.end() }

    private func run() -> WokenWork.Outcome {
        do throws(DatabaseError) {
            try refresh()
            return .done
        } catch {
            // Until the server can be reached again, the earlier result stays.
            if error.isOfServer { return .again }
            query.fail(error)
            return .over
        }
    }

    /// Leads to the result by now.
    /// - Throws: `DatabaseError` where it cannot be had, and for a query that does not suit its type any more.
    func refresh() throws(DatabaseError) {
        try turn.withLock { _ throws(DatabaseError) in
            guard let (binding, moment) = try database.rows(of: subject, known: query.binding) else {
                return query.endEmpty()
            }
            query.run(binding, on: try moment.snapshot())
        }
    }
}

extension Database {
    /// Has the commits of a database on a server told: soon, and then once for several of them.
    ///
    /// - Returns: What ends that.
    /// - Throws: `DatabaseError`, of code `badDatabase` for a database in this process.
    package func watchServer(_ tell: @escaping @Sendable () -> Void) throws(DatabaseError) -> @Sendable () -> Void {
        guard let remote = try begin(.query).1 as? RemoteDatabase else {
            throw DatabaseError(.badDatabase, "the database is not on a server")
        }
        return remote.watch(tell)
    }
}

extension DatabaseError {
    /// Whether the server could not do what it will be able to do again.
    var isOfServer: Bool {
        switch code {
        case .networkUnavailable, .networkFailure, .serviceUnavailable, .zoneBusy, .limitExceeded: true
        default: false
        }
    }
}
