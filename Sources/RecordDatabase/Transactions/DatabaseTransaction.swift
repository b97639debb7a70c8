// Changes that are made together, each of which sees the ones before.

import RecordColumns
public import RecordModel
import RecordStore

/// Changes of one database that count all or not at all, in all of its zones, and see each other.
///
/// A transaction is the only one that writes: what it reads does not change until it ends. It collects what is saved
/// and deleted, and checks and stores it as one batch when its body returns; other readers see all of it at once. The
/// limits on items and bytes of a request do not hold.
///
/// Made by `Database.write`, for the time of its body. On a server, it keeps commits of others to the database waiting
/// there, reads what it needs when it needs it, and may leave the server without work for a minute.
public final class DatabaseTransaction {
    private let database: Database
    private let ground: any TransactionGround
    private let caller: Caller
    /// What will be saved, in the order of first saves; `nil` for what was deleted again.
    private var saves: [Record?] = []
    /// The places of these, by the names that the store knows.
    private var places: [Record.ID: Int] = [:]
    private var deletes: Set<Record.ID> = []
    /// The database with what was changed so far; `nil` until it is read after a change.
    private var changed: DatabaseSnapshot?

    init(_ database: Database, _ ground: any TransactionGround, _ caller: Caller) {
        (self.database, self.ground, self.caller) = (database, ground, caller)
    }

    // MARK: Reading

    /// The record of an identifier, with what the transaction changed.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none, also when the transaction deleted it, or
    ///   what it goes with.
    public func record(for id: Record.ID) throws(DatabaseError) -> Record {
        let known = caller.normalized(id)
        guard !deletes.contains(known) else {
            throw DatabaseError(.unknownItem, "the transaction deleted record \(id.recordName)")
        }
        let record = if let saved = saved(id) { saved } else { try ground.base.record(for: id) }
        guard deletes.isEmpty || !goesAlong(record) else {
            throw DatabaseError(
                .unknownItem, "record \(id.recordName) goes with one that the transaction deleted",
                hint: "change it before, and have it refer to another record")
        }
        return record
    }

    /// Whether a record is deleted with one that it refers to, or with what that one goes with.
    /// - Complexity: O(records that it refers to with `deleteSelf`, one behind another).
    private func goesAlong(_ record: Record) -> Bool {
        var passed: Set<Record.ID> = []
        var waiting = owners(of: record)
        while let owner = waiting.popLast() {
            if deletes.contains(owner) { return true }
            guard passed.insert(owner).inserted else { continue }
            // Whether they may be read or not.
            waiting += saved(owner).map(owners) ?? Array((try? ground.base.owners(of: owner)) ?? [])
        }
        return false
    }

    private func owners(of record: Record) -> [Record.ID] {
        var links = ReferenceGraph.Links()
        for value in record.fields.values { links.insertOwners(in: value) }
        return links.owners.map(caller.normalized)
    }

    /// The record of an identifier as the transaction saves it; `nil` for one that it does not.
    func saved(_ id: Record.ID) -> Record? { places[caller.normalized(id)].flatMap { saves[$0] } }

    /// The records of a type, with what the transaction changed.
    ///
    /// - Parameter zones: The zones whose records are meant.
    /// - Throws: `DatabaseError` as `DatabaseSnapshot.records(ofType:in:)`, and when what was changed cannot be saved.
    /// - Complexity: O(segments + fields), and O(changes) after a change.
    public func records(ofType type: String, in zones: QueryZones = .all) throws(DatabaseError) -> RecordSet {
        try snapshot().records(ofType: type, in: zones)
    }

    /// The database with what was changed so far.
    private func snapshot() throws(DatabaseError) -> DatabaseSnapshot {
        if places.isEmpty && deletes.isEmpty { return ground.base }
        if let changed { return changed }
        let snapshot = try withCommit { commit throws(DatabaseError) in try ground.preview(commit) }
        changed = snapshot
        return snapshot
    }

    // MARK: Changing

    /// Saves a record when the transaction ends.
    ///
    /// A record that was fetched earlier must still be the stored one then; one that the transaction gave is.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a record that the transaction deleted. What else is
    ///   wrong with the record is thrown by `write`, or by the next query of the transaction.
    public func save(_ record: Record) throws(DatabaseError) {
        let id = caller.normalized(record.id)
        guard !deletes.contains(id) else {
            throw DatabaseError(
                .invalidArguments, "the transaction deleted record \(record.id.recordName)",
                hint: "change the record instead, or save it after the transaction")
        }
        if let place = places[id] {
            saves[place] = record
        } else {
            places[id] = saves.count
            saves.append(record)
        }
        changed = nil
    }

    /// Deletes a record when the transaction ends, and those that refer to it with `deleteSelf`. Nothing happens when
    /// there is none.
    public func deleteRecord(withID id: Record.ID) {
        let known = caller.normalized(id)
        if let place = places.removeValue(forKey: known) { saves[place] = nil }
        // Where that cannot be told, the commit fails for the same reason.
        if (try? ground.base.has(known)) ?? true { deletes.insert(known) }
        changed = nil
    }

    /// Changes all records of a type that match.
    ///
    ///     try transaction.updateAll("Place", where: "category == \("bar")") { $0["category"] = "pub" }
    ///
    /// - Parameters:
    ///   - zones: The zones whose records are meant.
    ///   - change: Called with each record that matches, in order of insertion.
    /// - Returns: How many they are.
    /// - Throws: `RecordPredicateError` for a predicate that does not suit the type, `DatabaseError` as
    ///   `records(ofType:in:)`, and what `change` throws.
    @discardableResult
    public func updateAll(
        _ type: String, where predicate: RecordPredicate = "TRUEPREDICATE", in zones: QueryZones = .all,
        _ change: (inout Record) throws -> Void
    ) throws -> Int {
        let ids = try identifiers(type, predicate, zones)
        for id in ids {
            var record = try record(for: id)
            try change(&record)
            try save(record)
        }
        return ids.count
    }

    /// Deletes all records of a type that match.
    ///
    /// - Returns: How many they are, without those that go with them.
    /// - Throws: `RecordPredicateError` for a predicate that does not suit the type, and `DatabaseError` as
    ///   `records(ofType:in:)`.
    @discardableResult
    public func deleteAll(
        _ type: String, where predicate: RecordPredicate = "TRUEPREDICATE", in zones: QueryZones = .all
    ) throws -> Int {
        let ids = try identifiers(type, predicate, zones)
        for id in ids { deleteRecord(withID: id) }
        return ids.count
    }

    private func identifiers(
        _ type: String, _ predicate: RecordPredicate, _ zones: QueryZones
    ) throws -> [Record.ID] {
        let set = try records(ofType: type, in: zones, toFind: WantedRecords(predicate: predicate))
        return try set.identifiers(matching: predicate)
    }

    // MARK: Ending

    /// Stores what was changed.
    /// - Throws: `DatabaseError` when an item cannot be saved, and `partialFailure` for several; then nothing is.
    func commit() throws(DatabaseError) {
        if places.isEmpty && deletes.isEmpty { return }
        try withCommit { commit throws(DatabaseError) in
            if commit.isEmpty { return }
            try ground.store(commit)
        }
    }

    /// Calls a body with what was changed as one commit, while the files of its assets are held.
    private func withCommit<Outcome>(
        _ body: (Commit) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        let request = ModifyRequest(saves: saves.compactMap(\.self), deletes: Array(deletes))
        let assets = database.client.store.assets
        let (origin, caller) = try ground.place(of: request)
        var plan = BatchPlan(request, caller, origin: origin, assets: assets)
        defer { assets.release(plan.heldAssets) }
        try ground.check(request, plan)
        let commit = try ground.resolve(&plan, date: caller.configuration.clock())
        if let error = plan.result(commit).wholeError(shown: { ground.shown($0, at: origin) }) { throw error }
        return try body(commit)
    }
}

extension DatabaseTransaction: SelectiveReading {
    func records(
        ofType type: String, in zones: QueryZones, toFind wanted: WantedRecords?
    ) throws(DatabaseError) -> RecordSet {
        try snapshot().records(ofType: type, in: zones, toFind: wanted)
    }
}

extension Database {
    /// Runs changes that count all or not at all, in all zones of the database.
    ///
    ///     try await database.write { transaction in
    ///         var account = try transaction.record(for: id)
    ///         account["balance"] = (account["balance"] ?? 0) - 100
    ///         try transaction.save(account)
    ///         try transaction.deleteAll("Order", where: "isPaid == \(true)")
    ///     }
    ///
    /// One transaction runs at a time: what it reads does not change until it ends, and saves of others wait. Readers
    /// do not; they see all of it or nothing. On a server this holds for all processes that write the database.
    ///
    /// - Parameter body: Runs on a thread of the database. It must not wait for another save of the container, which
    ///   waits for it. For a database on a server it may run again, from the beginning, where the connection was lost
    ///   or a new type needs a table first: then nothing of the earlier run was saved.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, and then nothing is changed; `DatabaseError` when something cannot be saved,
    ///   such as `serverRecordChanged` for a record that was fetched before the transaction and changed since, and
    ///   `operationCancelled` when the task was cancelled before it began. On a server also `zoneBusy` when others
    ///   wrote for ten seconds, and `limitExceeded` when the body left the server without work for more than a minute.
    @discardableResult
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseTransaction) throws -> Value
    ) async throws -> Value {
        let (caller, storing) = try beginWriting()
        let store = client.store
        await store.turns.begin()
        defer { store.turns.end() }
        if Task.isCancelled { throw DatabaseError.cancelled }
        let result = try await BackgroundThread.perform { [self] () throws(DatabaseError) in
            try perform(body, caller, storing)
        }
        return try result.get()
    }

    /// Begins a transaction: where its database is, for whom.
    private func beginWriting() throws(DatabaseError) -> (Caller, any DatabaseStoring) {
        let caller = try beginCall(.modifyRecords, isWriting: true)
        return (caller, try client.storing(scope, caller))
    }

    /// As `write`, on the calling thread: for programs that do one thing after the other.
    package func writeNow<Value: Sendable>(_ body: (DatabaseTransaction) throws -> Value) throws -> Value {
        let (caller, storing) = try beginWriting()
        return try perform(body, caller, storing).get()
    }

    /// - Returns: What became of the body.
    private func perform<Value: Sendable>(
        _ body: (DatabaseTransaction) throws -> Value, _ caller: Caller, _ storing: any DatabaseStoring
    ) throws(DatabaseError) -> Result<Value, any Error> {
        if let remote = storing as? RemoteDatabase { return try remote.write(body, self, caller) }
        if let shared = storing as? SharedDatabase, let remote = client.store.remote {
            return try shared.write(body, self, caller, on: remote)
        }
        func run(_ ground: any TransactionGround) throws(DatabaseError) -> Result<Value, any Error> {
            let transaction = DatabaseTransaction(self, ground, caller)
            let result = Result { try body(transaction) }
            if case .success = result { try transaction.commit() }
            return result
        }
        let store = client.store
        let result: Result<Value, any Error>
        if let shared = storing as? SharedDatabase {
            result = try shared.writing(caller) { ground throws(DatabaseError) in try run(ground) }
        } else {
            guard let stored = (storing as? LocalDatabase)?.stored else { throw .unknownStoring }
            result = try store.writing(to: [stored]) { group throws(DatabaseError) in
                try run(try LocalGround(stored, group, store, caller))
            }
        }
        store.events.deliver()
        store.checkpointIfNeeded()
        return result
    }
}
