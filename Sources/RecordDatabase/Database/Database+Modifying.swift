// Saving and deleting records.

public import FoundationEssentials
import RecordColumns
public import RecordModel
import RecordStore
import Synchronization

extension Database {
    /// Saves one record, if its stored version is still the one that was fetched.
    ///
    /// - Returns: The record as it is stored, with its metadata.
    /// - Throws: `DatabaseError`, of code `serverRecordChanged` when someone else changed the record meanwhile.
    @discardableResult
    public func save(_ record: Record) async throws(DatabaseError) -> Record {
        let result = try modify(ModifyRequest(saves: [record]))
        guard let saved = result.saves.first else { throw DatabaseError(.internalError, "a record was lost") }
        return try saved.result.get()
    }

    /// Deletes one record, and those that refer to it with `deleteSelf`. Nothing happens when there is none.
    ///
    /// - Returns: The identifier.
    /// - Throws: `DatabaseError`, of code `referenceViolation` when the record has children.
    @discardableResult
    public func deleteRecord(withID id: Record.ID) async throws(DatabaseError) -> Record.ID {
        let result = try modify(ModifyRequest(deletes: [id]))
        try result.deletes.first?.result.get()
        return id
    }

    /// Saves and deletes records: all saves first, then all deletes with what goes with them.
    ///
    /// - Parameters:
    ///   - savePolicy: What to do about changes made since a record was fetched.
    ///   - atomically: Whether the items of a zone are saved all or none, in zones that can do so.
    ///   - clientChangeTokenData: The client's own token: a batch that says the same as the last one that the client sent with
    ///     a token, and comes with the same, is taken for a repetition and not applied again, also after the container was
    ///     opened anew. Fetching changes gives the last token back.
    /// - Returns: The record as it is stored, or an error, for each item.
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole, and `partialFailure` with the error of each
    ///   item when an atomic batch has items that fail.
    public func modifyRecords(
        saving records: [Record], deleting ids: [Record.ID],
        savePolicy: SavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        clientChangeTokenData: Data? = nil
    ) async throws(DatabaseError) -> (
        saveResults: [Record.ID: Result<Record, DatabaseError>], deleteResults: [Record.ID: Result<Void, DatabaseError>]
    ) {
        let result = try modify(
            ModifyRequest(
                saves: records, deletes: ids, policy: savePolicy, isAtomic: atomically,
                clientToken: clientChangeTokenData))
        if atomically {
            let errors = result.partialErrors
            if !errors.isEmpty { throw DatabaseError(partialErrors: errors) }
        }
        var saves: [Record.ID: Result<Record, DatabaseError>] = Dictionary(minimumCapacity: result.saves.count)
        for (id, outcome) in result.saves { saves[id] = outcome }
        var deletes: [Record.ID: Result<Void, DatabaseError>] = Dictionary(minimumCapacity: result.deletes.count)
        for (id, outcome) in result.deletes { deletes[id] = outcome }
        return (saves, deletes)
    }

    /// Saves and deletes records on this thread; items fail each with its own error.
    /// Throws: `DatabaseError` for what is wrong with the call as a whole.
    package func modify(_ request: ModifyRequest) throws(DatabaseError) -> ModifyResult {
        try request.checkNames()
        let (caller, stored) = try begin(
            .modifyRecords, itemCount: request.saves.count + request.deletes.count, isWriting: true)
        if request.saves.count + request.deletes.count > caller.configuration.limits.itemsPerRequest {
            try request.checkSize(bytes: 0, caller.configuration.limits)
        }
        // The user's zones have two names: that of the user, and the placeholder for it.
        if let userName = caller.userName, request.names(owner: userName) {
            try request.checkNames(caller.normalized)
        }
        var plan = BatchPlan(request, caller, origin: stored.origin, assets: client.store.assets)
        defer { client.store.assets.release(plan.heldAssets) }
        try request.checkSize(bytes: plan.byteCount, caller.configuration.limits)
        try client.store.checkQuota(
            adding: plan.byteCount, withAssets: !plan.heldAssets.isEmpty, caller.configuration.limits)
        let result = try stored.modify(&plan, client.store)
        client.store.events.deliver()
        client.store.checkpointIfNeeded()
        return result
    }
}

extension StoredDatabase {
    /// Applies a batch as far as its items pass all checks.
    fileprivate func modify(_ plan: inout BatchPlan, _ store: ContainerStore) throws(DatabaseError) -> ModifyResult {
        try state.withLock { state throws(DatabaseError) in
            if let batch = plan.sentBatch, state.repeats(batch, of: plan.caller.client) { return repeated(plan) }
            return try store.schema.withLock { schema throws(DatabaseError) in
                let configuration = plan.caller.configuration
                if state.graph == nil { state.graph = ReferenceGraph(of: records.snapshot, schema) }
                let commit = plan.resolve(on: records.snapshot, state, schema, date: configuration.clock())
                if Task.isCancelled { throw DatabaseError(.operationCancelled, "the task was cancelled") }
                if !commit.isEmpty {
                    let event = try self.commit(
                        commit, to: &state, mayRead: { store.mayRead($0, $1, of: commit.scope, schema) })
                    if let grown = commit.schema { schema = grown }
                    store.events.enqueue(event)
                }
                return plan.result(commit)
            }
        }
    }

    /// The result of a batch that was applied before.
    private func repeated(_ plan: BatchPlan) -> ModifyResult {
        let snapshot = records.snapshot
        var result = ModifyResult()
        for item in plan.saves {
            let stored = snapshot.find(item.id).map { segment, row in
                Record(type: segment.recordType, id: item.record.id, version: RowVersion(segment, row))
            }
            result.saves.append((item.record.id, .success(stored ?? item.record)))
        }
        for item in plan.deletes { result.deletes.append((item.requested, .success(()))) }
        return result
    }
}

extension ContainerStore {
    /// Checks that values still fit the store; files of assets are in its folder by now. Those that no record names any more
    /// make room for them.
    /// Complexity: O(segments + files of assets), and O(rows with assets) where the store is full.
    /// Throws: `DatabaseError` of code `quotaExceeded`.
    func checkQuota(
        adding bytes: Int, withAssets hasAssets: Bool, _ limits: Limits
    ) throws(DatabaseError) {
        guard let limit = limits.bytesPerStore, bytes > 0 || hasAssets else { return }
        if valueByteCount + assets.byteCount + bytes <= limit { return }
        if removeUnusedAssets() > 0, valueByteCount + assets.byteCount + bytes <= limit { return }
        throw DatabaseError(.quotaExceeded, "the store holds \(limit) bytes", hint: "delete what is not needed")
    }

    /// Bytes of the values of all records. Complexity: O(segments).
    private var valueByteCount: Int {
        databases.reduce(0) { total, database in
            database.records.snapshot.segments.reduce(total) { $0 + $1.segment.byteCount }
        }
    }
}
