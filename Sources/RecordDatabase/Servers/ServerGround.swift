// Snapshots and transactions of a database on a server.

import FoundationEssentials
import RecordModel
import RecordStore

/// What a transaction on a server reads and writes, which tells what the server is to store.
protocol ServerTransactionGround: TransactionGround {
    var stored: (commit: Commit, onServer: ServerCommit)? { get }
    /// The targets of links between nodes that it makes, or that end.
    var targetsApart: Set<Record.ID> { get }
}

/// A database on a server, under the lock that commits take there. Used by one thread.
final class ServerGround: ServerTransactionGround {
    /// What a commit rests on.
    struct Base {
        let moment: ServerMoment
        /// The rows of the moment as records.
        let records: Snapshot
        let state: DatabaseState

        /// - Parameter batch: The batch that is looked at, whose repetitions the state tells.
        /// - Throws: `DatabaseError` for rows that are no records.
        init(_ moment: ServerMoment, for batch: SentBatch? = nil, of client: Int = 0) throws(DatabaseError) {
            (self.moment, records, state) = (moment, try moment.snapshot(), moment.state(for: batch, of: client))
        }

        /// A commit as the server stores it, with what it tells subscribers.
        func stored(
            _ commit: Commit, for database: RemoteDatabase, _ reading: any ServerReading
        ) throws(DatabaseError) -> ServerCommit {
            var stored = ServerCommit(commit, on: records, state)
            try CommitPercolation(database: database, reading: reading).add(to: &stored, of: commit, on: moment)
            return stored
        }
    }

    let base: DatabaseSnapshot
    private let database: RemoteDatabase
    /// The moment that the call began with, without rows.
    private let moment: ServerMoment
    private let reading: any ServerReading
    private let snapshot: ServerSnapshot
    private let caller: Caller
    /// What the last batch was resolved on.
    private var resolved: Base?
    /// What is to be stored.
    private(set) var stored: (commit: Commit, onServer: ServerCommit)?
    private(set) var targetsApart: Set<Record.ID> = []

    init(
        _ database: RemoteDatabase, _ moment: ServerMoment, _ reading: any ServerReading, _ caller: Caller
    ) {
        (self.database, self.moment, self.reading, self.caller) = (database, moment, reading, caller)
        snapshot = ServerSnapshot(reading, moment.schema, keepsRows: true)
        base = DatabaseSnapshot(snapshot, caller: caller, scope: database.origin.scope)
    }

    private var origin: DatabaseOrigin { database.origin }

    func place(of _: ModifyRequest) -> (origin: DatabaseOrigin, caller: Caller) { (origin, caller) }

    func check(_: ModifyRequest, _: BatchPlan) throws(DatabaseError) {}

    func resolve(_ plan: inout BatchPlan, date: Date) throws(DatabaseError) -> Commit {
        plan.checkServedNames()
        let need = plan.need(snapshot.schema)
        var moment: ServerMoment
        if let known = known(need) { moment = known } else { moment = try reading.read(need) }
        moment.rows += try plan.rivals(on: moment, reading)
        let base = try Base(moment)
        (resolved, plan.apart) = (base, moment.apart)
        return plan.resolve(on: base.records, base.state, moment.schema, date: date)
    }

    /// What a batch needs that changes records alone all of which the body has read: nobody else changes them, or the
    /// database, before the end of the transaction. `nil` where more is needed.
    private func known(_ need: ServerNeed) -> ServerMoment? {
        guard need.isOfRecordsAlone, need.neighbours.isEmpty, Set(need.records) == Set(need.changed),
            need.watchers == nil || !snapshot.schema.hasShares
        else { return nil }
        // What is known of another user's database is not of the moment that the call began with: nothing is read there
        // before this.
        guard !need.changed.isEmpty, let rows = snapshot.namedRows(need.changed) else { return nil }
        var moment = moment
        moment.rows = rows
        return moment
    }

    /// What the last batch was resolved on.
    private func ground() throws(DatabaseError) -> Base {
        guard let resolved else { throw DatabaseError(.internalError, "a commit is of no moment of the server") }
        return resolved
    }

    func preview(_ commit: Commit) throws(DatabaseError) -> DatabaseSnapshot {
        DatabaseSnapshot(snapshot.changed(by: try onServer(commit)), caller: caller, scope: origin.scope)
    }

    /// What was resolved last, as the server would store it.
    func onServer(_ commit: Commit) throws(DatabaseError) -> ServerCommit {
        let base = try ground()
        return ServerCommit(commit, on: base.records, base.state)
    }

    func store(_ commit: Commit) throws(DatabaseError) {
        // The files are held until this returns.
        let assets = commit.saves.flatMap { $0.fields.values.flatMap(\.assets) }
        if !assets.isEmpty { try database.server.storeAssets(assets) }
        let ground = try ground()
        let onServer = try ground.stored(commit, for: database, reading)
        stored = (commit, onServer)
        targetsApart = try ground.targetsApart(of: onServer, in: database)
    }
}

extension RemoteDatabase {
    /// Runs a body that reads the database at one moment.
    ///
    /// - Returns: What became of the body.
    func read<Value>(
        _ body: (DatabaseSnapshot) throws -> Value, _ caller: Caller
    ) throws(DatabaseError) -> Result<Value, any Error> {
        try server.reading(origin) { moment, reading throws(DatabaseError) in
            let caller = current(caller, at: moment)
            let snapshot = ServerSnapshot(reading, moment.schema)
            return Result { try body(DatabaseSnapshot(snapshot, caller: caller, scope: origin.scope)) }
        }
    }

    /// Runs a body with a transaction.
    ///
    /// - Parameter body: May run again, when the server could not store what it did.
    /// - Returns: What became of the body.
    func write<Value>(
        _ body: (DatabaseTransaction) throws -> Value, _ database: Database, _ caller: Caller
    ) throws(DatabaseError) -> Result<Value, any Error> {
        let done = try server.write(origin, ServerNeed()) {
            moment, reading throws(DatabaseError) -> (commit: ServerCommit?, outcome: Transacted<Value>) in
            let caller = current(caller, at: moment)
            return try Self.transact(
                body, database, caller, moment, on: ServerGround(self, moment, reading, caller))
        }
        finish(done.written)
        if done.written.commit != nil { endHolders(of: done.written.targets, caller) }
        return done.result
    }

    /// What became of the body of a transaction, and of its commit.
    typealias Transacted<Value> = (result: Result<Value, any Error>, written: Written)

    /// Runs a body with a transaction, and gives what is to be stored.
    static func transact<Value>(
        _ body: (DatabaseTransaction) throws -> Value, _ database: Database, _ caller: Caller, _ moment: ServerMoment,
        on ground: some ServerTransactionGround
    ) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Transacted<Value>) {
        let transaction = DatabaseTransaction(database, ground, caller)
        let result = Result { try body(transaction) }
        if case .success = result { try transaction.commit() }
        guard let (commit, onServer) = ground.stored else {
            return (nil, (result, (nil, nil, moment.schema, nil, [])))
        }
        let (schema, told) = (commit.schema ?? moment.schema, onServer.told(on: moment.node))
        return (onServer, (result, (nil, commit, schema, told, ground.targetsApart)))
    }
}
