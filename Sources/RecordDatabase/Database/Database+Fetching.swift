// Records by their identifiers.

import FoundationEssentials
import RecordColumns
public import RecordModel
import RecordStore
import Synchronization

extension Database {
    /// The record of an identifier, with all of its fields.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none, `zoneNotFound`, `notAuthenticated` and others.
    public func record(for id: Record.ID) async throws(DatabaseError) -> Record {
        try fetch([id]).first(id)
    }

    /// The records of identifiers.
    ///
    /// - Parameter desiredKeys: The fields wanted, those that a record lacks are ignored; `nil` for all, none for metadata
    ///   only.
    /// - Returns: A record or an error for each distinct identifier.
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole, such as `limitExceeded`.
    public func records(
        for ids: [Record.ID], desiredKeys: [String]? = nil
    ) async throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>] {
        try fetch(ids, desiredKeys: desiredKeys)
    }

    /// As `records(for:desiredKeys:)`, on this thread.
    package func fetch(
        _ ids: [Record.ID], desiredKeys: [String]? = nil
    ) throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>] {
        let (caller, stored) = try begin(.fetchRecords, itemCount: ids.count)
        let limit = caller.configuration.limits.itemsPerRequest
        guard ids.count <= limit else {
            throw DatabaseError(.limitExceeded, "more than \(limit) records are asked for", hint: "ask in halves")
        }
        let schema = client.store.schema.current
        let known = ids.map(caller.normalized)
        let (snapshot, missing) = stored.moment(of: known)
        let desired = desiredKeys.map { Set($0) }
        var results: [Record.ID: Result<Record, DatabaseError>] = Dictionary(minimumCapacity: ids.count)
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
            let version = RowVersion(segment, address.row, desiredKeys: desired)
            if scope == .public, !caller.mayRead(version, schema) {
                results[id] = .failure(
                    DatabaseError(.permissionFailure, "the user may not read record \(id.recordName)"))
                continue
            }
            if last?.segment != address.segment { last = (address.segment, schema.recordTypes[segment.recordType]) }
            results[id] = Self.result(id, version, last?.type)
        }
        return results
    }

    /// A stored record as it is given to callers, or the error for files of its assets that are not there.
    static func result(
        _ id: Record.ID, _ version: RowVersion, _ type: ContainerSchema.RecordType?
    ) -> Result<Record, DatabaseError> {
        if let keys = type?.assetKeys, !keys.isEmpty {
            do throws(DatabaseError) { try version.checkAssets(keys) } catch { return .failure(error) }
        }
        return .success(Record(type: version.segment.recordType, id: id, version: version))
    }
}

extension [Record.ID: Result<Record, DatabaseError>] {
    /// The record of an identifier that was asked for.
    func first(_ id: Record.ID) throws(DatabaseError) -> Record {
        guard let result = self[id] else { throw DatabaseError(.internalError, "a record was lost") }
        return try result.get()
    }
}

extension StoredDatabase {
    /// The records, and the errors for zones of identifiers that are not there, both of one moment.
    fileprivate func moment(of ids: [Record.ID]) -> (Snapshot, missing: [RecordZone.ID: DatabaseError]) {
        zoneNames.withLock { names in
            var errors: [RecordZone.ID: DatabaseError] = [:]
            var last: RecordZone.ID?
            for id in ids where id.zoneID != last {
                last = id.zoneID
                do throws(DatabaseError) { try names.check(id.zoneID) } catch { errors[id.zoneID] = error }
            }
            return (records.snapshot, errors)
        }
    }

    /// The records at a moment at which the zone is there; `nil` stands for all zones.
    /// Throws: `DatabaseError` of code `zoneNotFound` or `userDeletedZone`.
    func snapshot(with zoneID: RecordZone.ID?) throws(DatabaseError) -> Snapshot {
        guard let zoneID else { return records.snapshot }
        return try zoneNames.withLock { names throws(DatabaseError) in
            try names.check(zoneID)
            return records.snapshot
        }
    }
}

extension Caller {
    /// Whether the user may read a record of the public database.
    func mayRead(_ version: RowVersion, _ schema: ContainerSchema) -> Bool {
        let type = schema.recordTypes[version.segment.recordType]
        return may(.read, type: type, creator: version.metadata.creatorUserRecordID?.recordName)
    }
}
