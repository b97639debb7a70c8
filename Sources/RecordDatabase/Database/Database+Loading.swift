// Records of a set into a database.

package import FoundationEssentials
import RecordColumns
package import RecordModel
import RecordStore
import Synchronization

extension Database {
    /// Saves a stretch of the records of a set, each in place of the one of its name; all of them together, without
    /// those that are rejected.
    ///
    /// Records that are all new and of one type are taken column by column, which is several times as fast as one by
    /// one; the outcome is the same.
    ///
    /// - Parameters:
    ///   - ordinals: A stretch of the ordinals of all records of the set, or of all of one type; ascending.
    ///   - declared: The types of fields by record type: they define fields that are new.
    ///   - clientToken: The client's own token for the zones; what was loaded is not taken for a repetition.
    ///   - record: The record of an ordinal, where records go one by one: those of a set with fields that the database
    ///     writes itself, among others.
    /// - Returns: The records that were rejected.
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole; then nothing was saved.
    package func load(
        _ ordinals: some RandomAccessCollection<Int>, of set: RecordSet, declared: [String: [String: FieldType]] = [:],
        clientToken: Data? = nil, record: (Int) throws(DatabaseError) -> Record?
    ) throws(DatabaseError) -> [(id: Record.ID, error: DatabaseError)] {
        if try loadColumns(ordinals, of: set, declared, clientToken) { return [] }
        var records: [Record] = []
        records.reserveCapacity(ordinals.count)
        for ordinal in ordinals {
            if let found = try record(ordinal) { records.append(found) }
        }
        var request = ModifyRequest(saves: records, policy: .allKeys, isAtomic: false, clientToken: clientToken)
        request.isLimited = false
        let result = try modify(request)
        return result.saves.compactMap { id, outcome in
            if case .failure(let error) = outcome { (id, error) } else { nil }
        }
    }

    /// As `load(_:of:clientToken:record:)`, with the records as the set has them.
    package func load(
        _ ordinals: some RandomAccessCollection<Int>, of set: RecordSet, clientToken: Data? = nil
    ) throws(DatabaseError) -> [(id: Record.ID, error: DatabaseError)] {
        try load(ordinals, of: set, clientToken: clientToken) { set.record(at: $0) }
    }

    /// False when the records have to be saved one by one.
    private func loadColumns(
        _ ordinals: some RandomAccessCollection<Int>, of set: RecordSet, _ declared: [String: [String: FieldType]],
        _ clientToken: Data?
    ) throws(DatabaseError) -> Bool {
        guard let lowest = ordinals.first, let highest = ordinals.last, lowest >= 0, highest < set.snapshot.count else {
            return false
        }
        let (first, last) = (set.snapshot.address(ofNumber: lowest), set.snapshot.address(ofNumber: highest))
        // A segment is of one type: where as many of its rows lie between both, they are the stretch.
        guard first.segment == last.segment, last.row - first.row == ordinals.count - 1 else { return false }
        if client.store.isRemote || scope == .shared { return false }
        let (caller, stored) = try beginLocal(.modifyRecords, itemCount: ordinals.count, isWriting: true)
        let store = client.store
        let segment = set.snapshot.segments[first.segment].segment
        guard
            let load = ColumnLoad(
                first.row..<last.row + 1, of: segment, declared: declared[segment.recordType] ?? [:], caller)
        else { return false }
        try store.checkQuota(adding: load.byteCount, withAssets: false, caller.configuration.limits)
        let isLoaded = try store.withoutCheckpoints { () throws(DatabaseError) in
            try stored.add(load, clientToken, caller, store)
        }
        guard isLoaded else { return false }
        store.events.deliver()
        store.checkpointIfNeeded()
        return true
    }
}

extension ContainerStore {
    /// Runs a body that writes files which the state does not name yet: a checkpoint would remove them.
    fileprivate func withoutCheckpoints(
        _ body: () throws(DatabaseError) -> Bool
    ) throws(DatabaseError) -> Bool {
        guard let journal else { return try body() }
        return try journal.checkpointing.withLock { _ throws(DatabaseError) in try body() }
    }
}

extension StoredDatabase {
    /// Adds records in columns; false when they have to be saved one by one.
    fileprivate func add(
        _ load: ColumnLoad, _ clientToken: Data?, _ caller: Caller, _ store: ContainerStore
    ) throws(DatabaseError) -> Bool {
        try store.writing(to: [self]) { group throws(DatabaseError) in
            let state = try group.state(of: self)
            // Who watches is told of records one by one.
            guard liveQueries.isEmpty, store.events.isUnwatched, state.subscriptions.count == 0 else { return false }
            var commit = Commit(
                origin: origin, client: caller.client, userName: caller.userName,
                date: max(caller.configuration.clock(), state.lastDate))
            commit.clientToken = clientToken
            commit.deletionsKept = caller.configuration.limits.deletionsPerZone
            let snapshot = try group.snapshot(of: self)
            guard load.add(to: &commit, on: snapshot, group.schema, firstChange: state.lastChange + 1) else {
                return false
            }
            if Task.isCancelled { throw .cancelled }
            try group.add(commit, to: self)
            try group.commit()
            return true
        }
    }
}
