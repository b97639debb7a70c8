// Snapshots and transactions of a database on a server.

import FoundationEssentials
import RecordModel
import RecordStore

/// A database on a server, under the lock that commits take there. Used by one thread.
final class ServerGround: TransactionGround {
    let origin: DatabaseOrigin
    let base: DatabaseSnapshot
    private let reading: any ServerReading
    private let snapshot: ServerSnapshot
    private let caller: Caller
    /// What the last batch was resolved on.
    private var resolved: (records: Snapshot, state: DatabaseState)?
    /// What is to be stored.
    private(set) var stored: (commit: Commit, onServer: ServerCommit)?

    init(
        _ origin: DatabaseOrigin, _ moment: ServerMoment, _ reading: any ServerReading, _ caller: Caller
    ) {
        (self.origin, self.reading, self.caller) = (origin, reading, caller)
        snapshot = ServerSnapshot(reading, moment.schema, keepsRows: true)
        base = DatabaseSnapshot(snapshot, caller: caller, scope: origin.scope)
    }

    func check(_ request: ModifyRequest, _: BatchPlan) throws(DatabaseError) { try request.checkIsOffered() }

    func resolve(_ plan: inout BatchPlan, date: Date) throws(DatabaseError) -> Commit {
        var moment = try reading.read(plan.need(snapshot.schema))
        moment.rows += try plan.rivals(on: moment, reading)
        let (records, state) = (try moment.snapshot(), moment.state())
        resolved = (records, state)
        return plan.resolve(on: records, state, moment.schema, date: date)
    }

    private func onServer(_ commit: Commit) throws(DatabaseError) -> ServerCommit {
        guard let (records, state) = resolved else {
            throw DatabaseError(.internalError, "a commit is of no moment of the server")
        }
        return ServerCommit(commit, on: records, state)
    }

    func preview(_ commit: Commit) throws(DatabaseError) -> DatabaseSnapshot {
        DatabaseSnapshot(snapshot.changed(by: try onServer(commit)), caller: caller, scope: origin.scope)
    }

    func store(_ commit: Commit) throws(DatabaseError) { stored = (commit, try onServer(commit)) }
}

extension RemoteDatabase {
    /// Runs a body that reads the database at one moment.
    ///
    /// - Returns: What became of the body.
    func read<Value>(
        _ body: (DatabaseSnapshot) throws -> Value, _ caller: Caller
    ) throws(DatabaseError) -> Result<Value, any Error> {
        try server.reading(origin) { moment, reading throws(DatabaseError) in
            store.follow(moment.schema)
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
        typealias Written = (result: Result<Value, any Error>, commit: Commit?, schema: ContainerSchema)
        let written = try server.write(origin, ServerNeed()) {
            moment, reading throws(DatabaseError) -> (commit: ServerCommit?, outcome: Written) in
            let ground = ServerGround(origin, moment, reading, caller)
            let transaction = DatabaseTransaction(database, ground, caller)
            let result = Result { try body(transaction) }
            if case .failure = result { return (nil, (result, nil, moment.schema)) }
            try transaction.commit()
            guard let (commit, onServer) = ground.stored else { return (nil, (result, nil, moment.schema)) }
            return (onServer, (result, commit, commit.schema ?? moment.schema))
        }
        store.follow(written.schema)
        if let commit = written.commit { store.counters.count(commit) }
        return written.result
    }
}
