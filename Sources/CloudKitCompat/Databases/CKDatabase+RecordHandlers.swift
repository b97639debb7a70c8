// Records by identifier and by query, with handlers that any thread may call.

public import RecordDatabase

extension CKDatabase {
    /// Fetches a record with all of its fields; the error is `unknownItem` when there is none.
    @preconcurrency
    public func fetch(
        withRecordID id: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        later {
            try self.fetchNow(id)
        } _: {
            completionHandler($0.success, $0.failure)
        }
    }

    /// Fetches records, each or an error; of all fields, or of those wanted.
    @preconcurrency
    public func fetch(
        withRecordIDs ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
        completionHandler: @escaping @Sendable (Result<ItemResults<CKRecord.ID, CKRecord>, any Error>) -> Void
    ) {
        later {
            try self.fetchNow(ids, desiredKeys)
        } _: {
            completionHandler($0)
        }
    }

    /// The handler gets the record that was to be saved also when that fails.
    @preconcurrency
    public func save(
        _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        later {
            try self.saveNow(record)
        } _: {
            completionHandler($0.success ?? record, $0.failure)
        }
    }

    /// The handler gets the identifier that was to be deleted also when that fails.
    @preconcurrency
    public func delete(
        withRecordID id: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) {
        later {
            try self.deleteNow(id)
        } _: {
            completionHandler(id, $0.failure)
        }
    }

    /// Saves and deletes records together, with a result for each.
    @preconcurrency
    public func modifyRecords(
        saving records: [CKRecord], deleting ids: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        completionHandler: @escaping @Sendable (Result<ModifyRecordsResults, any Error>) -> Void
    ) {
        later {
            try self.modifyNow(records, ids, savePolicy, atomically)
        } _: {
            completionHandler($0)
        }
    }

    /// The first page of the records that match, all at once, in a zone or, with `nil`, in the default zone.
    @preconcurrency
    public func perform(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
    ) {
        later {
            let zones = QueryZones.zone(zoneID?.zone ?? .default)
            return try self.findNow(query, zones, nil, CKQueryOperation.maximumResults).matchResults
                .map { try $1.get() }
        } _: {
            completionHandler($0.success, $0.failure)
        }
    }

    /// The first page of the records that match, in a zone or, with `nil`, in all zones of the database.
    @preconcurrency
    public func fetch(
        withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler: @escaping @Sendable (Result<MatchPage, any Error>) -> Void
    ) {
        later {
            try self.findNow(query, QueryZones(zoneID), desiredKeys, resultsLimit)
        } _: {
            completionHandler($0)
        }
    }

    /// The page behind a cursor.
    @preconcurrency
    public func fetch(
        withCursor cursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler: @escaping @Sendable (Result<MatchPage, any Error>) -> Void
    ) {
        later {
            try self.continueNow(cursor, desiredKeys, resultsLimit)
        } _: {
            completionHandler($0)
        }
    }
}
