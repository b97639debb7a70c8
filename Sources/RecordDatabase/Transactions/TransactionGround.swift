// What a transaction reads and writes, wherever its database is.

import FoundationEssentials
import RecordModel
import RecordStore

/// A database that nobody but a transaction changes meanwhile. Used by one thread.
protocol TransactionGround {
    /// The database without what the transaction changes.
    var base: DatabaseSnapshot { get }

    /// The database that a batch is about, and who is its caller there.
    func place(of request: ModifyRequest) throws(DatabaseError) -> (origin: DatabaseOrigin, caller: Caller)
    /// An error of an item as the caller sees it.
    func shown(_ error: DatabaseError, at origin: DatabaseOrigin) -> DatabaseError
    /// Checks that a batch may be saved here at all.
    func check(_ request: ModifyRequest, _ plan: BatchPlan) throws(DatabaseError)
    /// What a batch comes to, on the database as it is.
    func resolve(_ plan: inout BatchPlan, date: Date) throws(DatabaseError) -> Commit
    /// The database with what was resolved last.
    func preview(_ commit: Commit) throws(DatabaseError) -> DatabaseSnapshot
    /// Stores what was resolved last, when the transaction ends.
    func store(_ commit: Commit) throws(DatabaseError)
}

extension TransactionGround {
    func shown(_ error: DatabaseError, at _: DatabaseOrigin) -> DatabaseError { error }
}

/// A database in this process, under the lock of its store.
struct LocalGround: TransactionGround {
    let base: DatabaseSnapshot
    private let records: Snapshot
    private let stored: StoredDatabase
    private let group: CommitGroup
    private let store: ContainerStore
    private let caller: Caller

    init(
        _ stored: StoredDatabase, _ group: CommitGroup, _ store: ContainerStore, _ caller: Caller
    ) throws(DatabaseError) {
        (self.stored, self.group, self.store, self.caller) = (stored, group, store, caller)
        records = try group.snapshot(of: stored)
        base = DatabaseSnapshot(records: records, schema: group.schema, caller: caller, scope: stored.origin.scope)
    }

    func place(of _: ModifyRequest) -> (origin: DatabaseOrigin, caller: Caller) { (stored.origin, caller) }

    func check(_: ModifyRequest, _ plan: BatchPlan) throws(DatabaseError) {
        try store.checkQuota(
            adding: plan.byteCount, withAssets: !plan.heldAssets.isEmpty, caller.configuration.limits, isWriting: true)
    }

    func resolve(_ plan: inout BatchPlan, date: Date) throws(DatabaseError) -> Commit {
        plan.resolve(on: records, try group.state(of: stored, hasGraph: true), group.schema, date: date)
    }

    func preview(_ commit: Commit) throws(DatabaseError) -> DatabaseSnapshot {
        DatabaseSnapshot(
            records: try group.preview(commit, of: stored), schema: commit.schema ?? group.schema, caller: caller,
            scope: stored.origin.scope)
    }

    func store(_ commit: Commit) throws(DatabaseError) {
        try group.add(commit, to: stored)
        try group.commit()
    }
}
