// Transactions in what others share with a user on servers.

import FoundationEssentials
import RecordModel
import RecordStore

/// What others share with a user on servers, under the locks that commits to their databases take. Used by one thread.
final class SharedServerGround: ServerTransactionGround {
    let base: DatabaseSnapshot
    private let database: SharedDatabase
    private let remote: RemoteStore
    private let moment: ServerMoment
    private let reading: any ServerReading
    private let snapshot: SharedServerSnapshot
    private let caller: Caller
    /// The database that the last batch was about.
    private var part: ServerGround?
    private(set) var stored: (commit: Commit, onServer: ServerCommit)?
    var targetsApart: Set<Record.ID> { part?.targetsApart ?? [] }

    init(
        _ database: SharedDatabase, on remote: RemoteStore, _ moment: ServerMoment, _ reading: any ServerReading,
        _ caller: Caller
    ) {
        (self.database, self.remote, self.moment) = (database, remote, moment)
        (self.reading, self.caller) = (reading, caller)
        snapshot = SharedServerSnapshot(database, on: remote, reading, moment.schema)
        base = DatabaseSnapshot(snapshot, caller: caller, scope: .shared)
    }

    /// The owner whose records a batch is about.
    func place(of request: ModifyRequest) throws(DatabaseError) -> (origin: DatabaseOrigin, caller: Caller) {
        guard let zone = try SharedDatabase.zone(of: request) else { return (database.origin, caller) }
        let owner = zone.ownerName
        guard reading.reading(of: owner) != nil else { throw SharedDatabase.missing(zone) }
        return (database.store.origin(owner), caller.visiting(owner))
    }

    func check(_: ModifyRequest, _: BatchPlan) throws(DatabaseError) {}

    func resolve(_ plan: inout BatchPlan, date: Date) throws(DatabaseError) -> Commit {
        let origin = plan.origin
        guard let reading = origin.user.flatMap(reading.reading) else { throw Self.unshared }
        let known = RemoteDatabase(store: database.store, remote: remote, origin: origin)
        let part = ServerGround(known, moment, reading, plan.caller)
        self.part = part
        return try part.resolve(&plan, date: date)
    }

    private static var unshared: DatabaseError {
        DatabaseError(.internalError, "a commit is of a database that is not shared")
    }

    func shown(_ error: DatabaseError, at origin: DatabaseOrigin) -> DatabaseError {
        error.seen(inZonesOf: origin.user ?? "", by: database.userName)
    }

    func preview(_ commit: Commit) throws(DatabaseError) -> DatabaseSnapshot {
        guard var onServer = try part?.onServer(commit) else { throw Self.unshared }
        onServer.owner = commit.owner
        return DatabaseSnapshot(snapshot.changed(by: onServer), caller: caller, scope: .shared)
    }

    func store(_ commit: Commit) throws(DatabaseError) {
        try part?.store(commit)
        guard var stored = part?.stored else { throw Self.unshared }
        stored.onServer.owner = commit.owner
        self.stored = stored
    }
}

extension SharedDatabase {
    /// Runs a body with a transaction, while nobody changes the databases of those who share something with the user.
    ///
    /// - Parameter body: May run again, when the server could not store what it did.
    /// - Returns: What became of the body.
    func write<Value>(
        _ body: (DatabaseTransaction) throws -> Value, _ database: Database, _ caller: Caller, on remote: RemoteStore
    ) throws(DatabaseError) -> Result<Value, any Error> {
        let own = RemoteDatabase(store: store, remote: remote, origin: origin)
        var need = ServerNeed()
        need.locksOwners = true
        let done = try remote.server.write(origin, need) {
            moment, reading throws(DatabaseError) -> (
                commit: ServerCommit?, outcome: RemoteDatabase.Transacted<Value>
            ) in
            let caller = own.current(caller, at: moment)
            let ground = SharedServerGround(self, on: remote, moment, reading, caller)
            return try RemoteDatabase.transact(body, database, caller, moment, on: ground)
        }
        let changed = done.written.commit.map { commit in
            RemoteDatabase(store: store, remote: remote, origin: commit.origin)
        }
        (changed ?? own).finish(done.written)
        if let changed, let owner = changed.origin.user {
            changed.endHolders(of: done.written.targets, caller.visiting(owner))
        }
        return done.result
    }
}
