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
        let subject = LiveSubject(query: query, zoneID: zone, scope: origin.scope, caller: caller, store: store)
        // At most five times a second.
        return try RunningQuery(subject, pause: 200_000, watching: self) { known throws(DatabaseError) in
            guard let (binding, moment) = try rows(of: subject, known: known) else { return nil }
            if let zone, known == nil { _ = try moment.state().zone(zone) }
            return (binding, try moment.snapshot())
        }
    }

    /// The rows that a live query may find, and what binds it to their schema.
    ///
    /// - Parameter known: What it was bound to before; a query of a type of which nothing was known keeps that where it
    ///   does not suit the type.
    fileprivate func rows(
        of subject: LiveSubject, known: LiveBinding?
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
            type: subject.query.recordType, zoneID: subject.zoneID,
            predicate: binding.predicate.selecting(for: binding.keys),
            followsReferences: binding.predicate.followsReferences
                || binding.keys.contains(where: \.followsReferences),
            order: [], start: nil, limit: nil)
        return need
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
