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
        let result = try await modifySuspending(ModifyRequest(saves: [record]))
        guard let saved = result.saves.first else { throw DatabaseError(.internalError, "a record was lost") }
        return try saved.result.get()
    }

    /// Deletes one record, and those that refer to it with `deleteSelf`. Nothing happens when there is none.
    ///
    /// - Returns: The identifier.
    /// - Throws: `DatabaseError`, of code `referenceViolation` when the record has children.
    @discardableResult
    public func deleteRecord(withID id: Record.ID) async throws(DatabaseError) -> Record.ID {
        let result = try await modifySuspending(ModifyRequest(deletes: [id]))
        try result.deletes.first?.result.get()
        return id
    }

    /// Saves and deletes records: all saves first, then all deletes with what goes with them.
    ///
    /// - Parameters:
    ///   - savePolicy: What to do about changes made since a record was fetched.
    ///   - atomically: Whether the items of a zone are saved all or none, in zones that can do so.
    ///   - clientChangeTokenData: The client's own token: a batch that says the same as the last one that the client
    ///     sent with a token, and comes with the same, is taken for a repetition and not applied again, also after the
    ///     container was opened again. Fetching changes gives the last token back.
    /// - Returns: The record as it is stored, or an error, for each item.
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole, and `partialFailure` with the error of
    ///   each item when an atomic batch has items that fail.
    public func modifyRecords(
        saving records: [Record] = [], deleting ids: [Record.ID] = [],
        savePolicy: SavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        clientChangeTokenData: Data? = nil
    ) async throws(DatabaseError) -> (
        saveResults: [Record.ID: Result<Record, DatabaseError>], deleteResults: [Record.ID: Result<Void, DatabaseError>]
    ) {
        let result = try await modifySuspending(
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

    /// Saves and deletes records, all or none of them, in all zones and however many they are.
    ///
    /// - Returns: The records as they are stored, in the order given.
    /// - Throws: `DatabaseError` of the item that failed, and `partialFailure` with the error of each for several.
    public func modifyTogether(
        saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy
    ) async throws(DatabaseError) -> [Record] {
        var request = ModifyRequest(saves: records, deletes: ids, policy: savePolicy)
        (request.isWhole, request.isLimited) = (true, false)
        let result = try await modifySuspending(request)
        if let error = result.wholeError() { throw error }
        var saved: [Record] = []
        saved.reserveCapacity(result.saves.count)
        for (_, outcome) in result.saves { saved.append(try outcome.get()) }
        return saved
    }

    /// Saves and deletes records on this thread; items fail each with its own error.
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole.
    package func modify(_ request: ModifyRequest) throws(DatabaseError) -> ModifyResult {
        let (caller, storing) = try beginModifying(request)
        return try storing.modify(request, caller)
    }

    /// As `modify`, for a task, which is suspended where it has to wait.
    package func modifySuspending(_ request: ModifyRequest) async throws(DatabaseError) -> ModifyResult {
        let (caller, storing) = try beginModifying(request)
        return try await storing.modifySuspending(request, caller)
    }

    private func beginModifying(_ request: ModifyRequest) throws(DatabaseError) -> (Caller, any DatabaseStoring) {
        try request.checkNames()
        let (caller, storing) = try begin(
            .modifyRecords, itemCount: request.saves.count + request.deletes.count, isWriting: true)
        try request.checkSize(bytes: 0, caller.configuration.limits)
        // The user's zones have two names: that of the user, and the placeholder for it.
        if let userName = caller.userName, request.names(owner: userName) {
            try request.checkNames(caller.normalized)
        }
        return (caller, storing)
    }
}

extension LocalDatabase {
    func modify(_ request: ModifyRequest, _ caller: Caller) throws(DatabaseError) -> ModifyResult {
        let plan = try plan(request, caller)
        defer { store.assets.release(plan.heldAssets) }
        return try store.save(plan, to: stored)
    }

    func modifySuspending(_ request: ModifyRequest, _ caller: Caller) async throws(DatabaseError) -> ModifyResult {
        let isLong = request.mayTakeLong || caller.configuration.limits.bytesPerStore != nil
        let plan =
            isLong
            ? try await BackgroundThread.perform { () throws(DatabaseError) in try self.plan(request, caller) }
            : try self.plan(request, caller)
        defer { store.assets.release(plan.heldAssets) }
        return try await store.saveSuspending(plan, to: stored)
    }

    /// A batch with the files of its assets copied, which are held until somebody releases them.
    private func plan(_ request: ModifyRequest, _ caller: Caller) throws(DatabaseError) -> BatchPlan {
        let limits = caller.configuration.limits
        let plan = BatchPlan(request, caller, origin: stored.origin, assets: store.assets)
        do throws(DatabaseError) {
            try request.checkSize(bytes: plan.byteCount, limits)
            try store.checkQuota(adding: plan.byteCount, withAssets: !plan.heldAssets.isEmpty, limits)
        } catch {
            store.assets.release(plan.heldAssets)
            throw error
        }
        return plan
    }
}

extension ModifyRequest {
    /// Whether to look at the request may take longer than a task may hold its thread: it has many items, or files.
    fileprivate var mayTakeLong: Bool {
        saves.count + deletes.count > 64 || clientToken != nil
            || saves.contains { record in
                let fields = policy == .allKeys ? record.fields : record.changes
                return fields.values.contains(where: \.holdsAssets)
            }
    }
}

extension ContainerStore {
    /// Checks that values still fit the store; files of assets are in its folder by now. Those that no record names any
    /// more make room for them.
    ///
    /// - Parameter isWriting: Whether the caller writes already: a checkpoint that waits for it is not waited for, and
    ///   no room is made then.
    /// - Complexity: O(segments + files of assets), and O(rows with assets) where the store is full.
    /// - Throws: `DatabaseError` of code `quotaExceeded`.
    func checkQuota(
        adding bytes: Int, withAssets hasAssets: Bool, _ limits: Limits, isWriting: Bool = false
    ) throws(DatabaseError) {
        guard let limit = limits.bytesPerStore, bytes > 0 || hasAssets else { return }
        if valueByteCount + assets.byteCount + bytes <= limit { return }
        if removeUnusedAssets(isWriting: isWriting) > 0, valueByteCount + assets.byteCount + bytes <= limit { return }
        throw DatabaseError(.quotaExceeded, "the store holds \(limit) bytes", hint: "delete what is not needed")
    }

    /// Bytes of the values of all records. Complexity: O(segments).
    private var valueByteCount: Int {
        databases.reduce(0) { total, database in
            database.records.snapshot.segments.reduce(total) { $0 + $1.segment.byteCount }
        }
    }
}
