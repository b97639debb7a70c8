// Records by identifier and by query: one call each.

public import RecordDatabase

extension CKDatabase {
    public typealias MatchResults = [(CKRecord.ID, Result<CKRecord, any Error>)]

    /// The record of an identifier.
    public func record(for id: CKRecord.ID) async throws -> CKRecord { try fetchNow(id) }

    /// The records of identifiers, each or an error.
    ///
    /// - Parameter desiredKeys: The fields wanted; `nil` for all.
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        let found = try call { database throws(DatabaseError) in
            try database.fetch(ids.map(\.record), desiredKeys: desiredKeys)
        }
        return Dictionary(found.map { (CKRecord.ID($0), $1.compat { CKRecord($0) }) }) { $1 }
    }

    /// Saves a record if its stored version is still the one that was fetched; the object gets the new metadata.
    ///
    /// - Returns: A separate object that says the same.
    @discardableResult
    public func save(_ record: CKRecord) async throws -> CKRecord { try saveNow(record) }

    /// Deletes a record and those that refer to it with `deleteSelf`.
    @discardableResult
    public func deleteRecord(withID id: CKRecord.ID) async throws -> CKRecord.ID { try deleteNow(id) }

    /// Saves and deletes records together.
    ///
    /// - Throws: `CKError`: `partialFailure` when an atomic batch has an item that fails.
    public func modifyRecords(
        saving records: [CKRecord], deleting ids: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) { try modifyNow(records, ids, savePolicy, atomically) }

    /// The first page of the records that match.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (matchResults: MatchResults, queryCursor: CKQueryOperation.Cursor?) {
        try findNow(query, zoneID, desiredKeys, resultsLimit)
    }

    /// The page behind a cursor.
    public func records(
        continuingMatchFrom cursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (matchResults: MatchResults, queryCursor: CKQueryOperation.Cursor?) {
        try continueNow(cursor, desiredKeys, resultsLimit)
    }
}

// MARK: With handlers

extension CKDatabase {
    public func fetch(
        withRecordID id: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        later {
            try self.fetchNow(id)
        } _: {
            completionHandler($0.success, $0.failure)
        }
    }

    /// The handler gets the record that was to be saved also when that fails.
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
    public func delete(
        withRecordID id: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) {
        later {
            try self.deleteNow(id)
        } _: {
            completionHandler(id, $0.failure)
        }
    }

    public func modifyRecords(
        saving records: [CKRecord], deleting ids: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
                        deleteResults: [CKRecord.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        later {
            try self.modifyNow(records, ids, savePolicy, atomically)
        } _: {
            completionHandler($0)
        }
    }

    /// The first page of the records that match, all at once.
    public func perform(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
    ) {
        later {
            try self.findNow(query, zoneID, nil, CKQueryOperation.maximumResults).matchResults.map { try $1.get() }
        } _: {
            completionHandler($0.success, $0.failure)
        }
    }

    public func fetch(
        withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<(matchResults: MatchResults, queryCursor: CKQueryOperation.Cursor?), any Error>
            ) -> Void
    ) {
        later {
            try self.findNow(query, zoneID, desiredKeys, resultsLimit)
        } _: {
            completionHandler($0)
        }
    }

    public func fetch(
        withCursor cursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<(matchResults: MatchResults, queryCursor: CKQueryOperation.Cursor?), any Error>
            ) -> Void
    ) {
        later {
            try self.continueNow(cursor, desiredKeys, resultsLimit)
        } _: {
            completionHandler($0)
        }
    }
}

// MARK: On this thread

extension CKDatabase {
    private func fetchNow(_ id: CKRecord.ID) throws -> CKRecord {
        try call { database throws(DatabaseError) in
            guard let result = try database.fetch([id.record])[id.record] else {
                throw DatabaseError(.internalError, "a record was lost")
            }
            return CKRecord(try result.get())
        }
    }

    private func saveNow(_ record: CKRecord) throws -> CKRecord {
        try call { database throws(DatabaseError) in
            guard let saved = try database.modify(ModifyRequest(saves: [record.record])).saves.first else {
                throw DatabaseError(.internalError, "a record was lost")
            }
            record.record = try saved.result.get()
            return CKRecord(record.record)
        }
    }

    private func deleteNow(_ id: CKRecord.ID) throws -> CKRecord.ID {
        try call { database throws(DatabaseError) in
            try database.modify(ModifyRequest(deletes: [id.record])).deletes.first?.result.get()
            return id
        }
    }

    private func modifyNow(
        _ records: [CKRecord], _ ids: [CKRecord.ID], _ policy: SavePolicy, _ isAtomic: Bool
    ) throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        let request = ModifyRequest(
            saves: records.map(\.record), deletes: ids.map(\.record), policy: policy, isAtomic: isAtomic)
        let result = try call { database throws(DatabaseError) in try database.modify(request) }
        records.take(result)
        let errors = result.partialErrors
        if isAtomic, !errors.isEmpty { throw CKError(DatabaseError(partialErrors: errors)) }
        return (
            Dictionary(result.saves.map { (CKRecord.ID($0.id), $0.result.compat { CKRecord($0) }) }) { $1 },
            Dictionary(result.deletes.map { (CKRecord.ID($0.id), $0.result.compat { $0 }) }) { $1 }
        )
    }

    private func findNow(
        _ query: CKQuery, _ zoneID: CKRecordZone.ID?, _ desiredKeys: [String]?, _ limit: Int
    ) throws -> (matchResults: MatchResults, queryCursor: CKQueryOperation.Cursor?) {
        let page = try call { database throws(DatabaseError) in
            try database.find(try query.query(), zoneID?.zone, desiredKeys: desiredKeys, limit: limit)
        }
        return Self.compat(page)
    }

    private func continueNow(
        _ cursor: CKQueryOperation.Cursor, _ desiredKeys: [String]?, _ limit: Int
    ) throws -> (matchResults: MatchResults, queryCursor: CKQueryOperation.Cursor?) {
        let page = try call { database throws(DatabaseError) in
            try database.find(after: cursor.cursor, desiredKeys: desiredKeys, limit: limit)
        }
        return Self.compat(page)
    }

    private static func compat(
        _ page: (matches: [(Record.ID, Result<Record, DatabaseError>)], cursor: Query.Cursor?)
    ) -> (matchResults: MatchResults, queryCursor: CKQueryOperation.Cursor?) {
        (
            page.matches.map { (CKRecord.ID($0), $1.compat { CKRecord($0) }) },
            page.cursor.map { CKQueryOperation.Cursor($0) }
        )
    }
}

extension [CKRecord] {
    /// Gives the records that were saved, in the order of the request, their new metadata.
    func take(_ result: ModifyResult) {
        for (record, saved) in zip(self, result.saves) {
            if case .success(let stored) = saved.result { record.record = stored }
        }
    }
}
