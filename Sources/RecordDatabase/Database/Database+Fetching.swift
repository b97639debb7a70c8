// Records by their identifiers.

import FoundationEssentials
import RecordColumns
public import RecordModel
import RecordStore
import Synchronization

extension Database {
    /// The record of an identifier, with all of its fields.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none, `zoneNotFound`, `notAuthenticated` and
    ///   others.
    public func record(for id: Record.ID) async throws(DatabaseError) -> Record {
        let (caller, storing) = try beginFetching(1)
        return try await storing.fetchSuspending(id, caller)
    }

    /// The records of identifiers.
    ///
    /// - Parameter desiredKeys: The fields wanted, those that a record lacks are ignored; `nil` for all, none for
    ///   metadata only.
    /// - Returns: A record or an error for each distinct identifier.
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole, such as `limitExceeded`.
    public func records(
        for ids: [Record.ID], desiredKeys: [String]? = nil
    ) async throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>] {
        let (caller, storing) = try beginFetching(ids.count)
        return try await storing.fetchSuspending(ids, desiredKeys, caller)
    }

    /// As `records(for:desiredKeys:)`, on this thread.
    package func fetch(
        _ ids: [Record.ID], desiredKeys: [String]? = nil
    ) throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>] {
        let (caller, storing) = try beginFetching(ids.count)
        return try storing.fetch(ids, desiredKeys, caller)
    }

    /// Records that are given out in less than about a millisecond.
    static var shortCount: Int { 500 }

    private func beginFetching(_ count: Int) throws(DatabaseError) -> (Caller, any DatabaseStoring) {
        let (caller, storing) = try begin(.fetchRecords, itemCount: count)
        let limit = caller.configuration.limits.itemsPerRequest
        guard count <= limit else {
            throw DatabaseError(
                .limitExceeded, "more than \(limit) records are requested", hint: "request half as many at a time")
        }
        return (caller, storing)
    }

    /// A stored record as it is given to callers, or the error for files of its assets that are not there, and
    /// for values that cannot be decrypted.
    static func result(
        _ id: Record.ID, _ version: RowVersion, _ facts: RecordTypeFacts?, _ opener: inout RecordOpener
    ) -> Result<Record, DatabaseError> {
        let stored = (type: version.segment.recordType, version: version.version)
        return result(id, stored, sealedAs: version.segment.storedID(version.row), facts, &opener)
    }

    /// As above, for a version of whatever rows.
    ///
    /// - Parameter storedID: The identifier that the record was stored by.
    static func result(
        _ id: Record.ID, _ stored: (type: String, version: RecordVersion),
        sealedAs storedID: @autoclosure () -> Record.ID, _ facts: RecordTypeFacts?, _ opener: inout RecordOpener
    ) -> Result<Record, DatabaseError> {
        do throws(DatabaseError) {
            if let keys = facts?.assetKeys, !keys.isEmpty { try opener.checkAssets(keys, of: stored.version) }
            var record = Record(type: stored.type, id: id, version: stored.version)
            if let keys = facts?.encryptedKeys, !keys.isEmpty {
                try opener.open(keys, of: &record, stored.version, sealedAs: storedID())
            }
            return .success(record)
        } catch {
            return .failure(error)
        }
    }
}

extension LocalDatabase {
    func fetch(_ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller) throws(DatabaseError) -> FetchResults {
        fetch(ids, desiredKeys, caller, readsFiles: true) ?? [:]
    }

    func fetchSuspending(
        _ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller
    ) async throws(DatabaseError) -> FetchResults {
        if ids.count <= Database.shortCount, let results = fetch(ids, desiredKeys, caller, readsFiles: false) {
            return results
        }
        return await BackgroundThread.perform { fetch(ids, desiredKeys, caller, readsFiles: true) ?? [:] }
    }

    func fetchSuspending(_ id: Record.ID, _ caller: Caller) async throws(DatabaseError) -> Record {
        if let record = presentRecord(id, caller) { return record }
        return try await fetchSuspending([id], nil, caller).first(id)
    }

    /// A record that is there, may be read whoever calls, and has neither files nor encrypted fields: most are so.
    private func presentRecord(_ id: Record.ID, _ caller: Caller) -> Record? {
        guard stored.origin.scope == .private else { return nil }
        let (schema, found) = store.schema.withCurrent { ($0, stored.records.snapshot.find(caller.normalized(id))) }
        guard let (segment, row) = found else { return nil }
        if let type = schema.recordTypes[segment.recordType], !type.assetKeys.isEmpty || !type.encryptedKeys.isEmpty {
            return nil
        }
        return RowVersion(segment, row).record(id)
    }

    /// - Parameter readsFiles: Whether files of assets are looked at; if not, the result is `nil` where there are some.
    private func fetch(
        _ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller, readsFiles: Bool
    ) -> FetchResults? {
        let known = ids.map(caller.normalized)
        let (schema, moment) = store.schema.withCurrent { ($0, stored.moment(of: known)) }
        let records = FetchedRecords(
            snapshot: moment.0, missing: moment.missing, schema: schema, caller: caller, scope: stored.origin.scope)
        return records.results(ids, known, desiredKeys, readsFiles: readsFiles)
    }
}

/// Records of one moment, as far as somebody requested them.
struct FetchedRecords {
    let snapshot: Snapshot
    /// The errors of zones that are not there.
    let missing: [RecordZone.ID: DatabaseError]
    let schema: ContainerSchema
    let caller: Caller
    let scope: DatabaseScope

    /// A record or an error for each identifier.
    ///
    /// - Parameters:
    ///   - known: The identifiers by the names that the store knows.
    ///   - readsFiles: Whether files of assets are looked at; if not, the result is `nil` where there are some.
    func results(
        _ ids: [Record.ID], _ known: [Record.ID], _ desiredKeys: [String]?, readsFiles: Bool
    ) -> FetchResults? {
        let desired = desiredKeys.map { Set($0) }
        var rows = ResultRows(snapshot, desiredKeys: desired)
        var opener = RecordOpener(caller.keys)
        var results: FetchResults = Dictionary(minimumCapacity: ids.count)
        // Records of one segment come together, mostly: their type is looked up once.
        var last: (segment: Int, type: ContainerSchema.RecordType?)?
        for (id, address) in zip(ids, snapshot.find(known)) {
            guard let address else {
                let error = missing[caller.normalized(id.zoneID)]
                results[id] = .failure(
                    error ?? DatabaseError(.unknownItem, "there is no record \(id.recordName)"))
                continue
            }
            let segment = snapshot.segments[address.segment].segment
            let version = rows.version(segment: address.segment, row: address.row)
            if scope == .public, !caller.mayRead(version, schema) {
                results[id] = .failure(
                    DatabaseError(.permissionFailure, "the user may not read record \(id.recordName)"))
                continue
            }
            if last?.segment != address.segment { last = (address.segment, schema.recordTypes[segment.recordType]) }
            if !readsFiles, last?.type?.holdsAssets(in: desired) == true { return nil }
            results[id] = Database.result(id, version, last?.type?.facts, &opener)
        }
        return results
    }
}

extension [Record.ID: Result<Record, DatabaseError>] {
    /// The record of a requested identifier.
    func first(_ id: Record.ID) throws(DatabaseError) -> Record {
        guard let result = self[id] else { throw DatabaseError(.internalError, "a record was lost") }
        return try result.get()
    }
}

extension StoredDatabase {
    /// The records, and the errors for zones of identifiers that are not there, both of one moment.
    fileprivate func moment(of ids: [Record.ID]) -> (Snapshot, missing: [RecordZone.ID: DatabaseError]) {
        state.withLock { state in (records.snapshot, state.missingZones(of: ids)) }
    }

    /// The records at a moment at which the zone is there; `nil` stands for all zones.
    /// - Throws: `DatabaseError` of code `zoneNotFound` or `userDeletedZone`.
    func snapshot(with zoneID: RecordZone.ID?) throws(DatabaseError) -> Snapshot {
        guard let zoneID else { return records.snapshot }
        return try state.withLock { state throws(DatabaseError) in
            _ = try state.zone(zoneID)
            return records.snapshot
        }
    }
}

extension DatabaseState {
    /// The errors for zones of identifiers that are not there.
    func missingZones(of ids: [Record.ID]) -> [RecordZone.ID: DatabaseError] {
        var errors: [RecordZone.ID: DatabaseError] = [:]
        var last: RecordZone.ID?
        for id in ids where id.zoneID != last {
            last = id.zoneID
            do throws(DatabaseError) { _ = try zone(id.zoneID) } catch { errors[id.zoneID] = error }
        }
        return errors
    }
}

extension ContainerSchema.RecordType {
    /// Whether some of the fields may hold assets; `nil` stands for all fields.
    package func holdsAssets(in keys: Set<String>?) -> Bool {
        keys.map { !$0.isDisjoint(with: assetKeys) } ?? !assetKeys.isEmpty
    }
}

extension Caller {
    /// Whether the user may read a record of the public database.
    func mayRead(_ version: RowVersion, _ schema: ContainerSchema) -> Bool {
        let type = schema.recordTypes[version.segment.recordType]
        return may(.read, type: type, creator: version.metadata.creatorUserRecordID?.recordName)
    }
}
