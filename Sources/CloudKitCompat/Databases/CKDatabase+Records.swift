// Records by identifier and by query: one call each.

public import RecordDatabase

extension CKDatabase {
    /// Records of a page in their order, each or an error.
    public typealias MatchResults = [(CKRecord.ID, Result<CKRecord, any Error>)]
    /// A page of a result, and where the next one begins.
    public typealias MatchPage = (matchResults: MatchResults, queryCursor: CKQueryOperation.Cursor?)
    /// What became of each record of a batch.
    public typealias ModifyRecordsResults = (
        saveResults: ItemResults<CKRecord.ID, CKRecord>, deleteResults: ItemResults<CKRecord.ID, Void>
    )

    /// The record of an identifier.
    public nonisolated(nonsending) func record(for id: CKRecord.ID) async throws -> CKRecord {
        try await calling { database async throws(DatabaseError) in
            CKRecord.of(try await database.record(for: id.record))
        }
    }

    /// The records of identifiers, each or an error.
    ///
    /// - Parameter desiredKeys: The fields wanted; `nil` for all.
    public nonisolated(nonsending) func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> ItemResults<CKRecord.ID, CKRecord> {
        Self.compat(
            try await calling { database async throws(DatabaseError) in
                try await database.records(for: ids.map(\.record), desiredKeys: desiredKeys)
            })
    }

    /// Saves a record if its stored version is still the one that was fetched; the object gets the new metadata, and
    /// what is set in it meanwhile stays set, for the next save.
    ///
    /// - Returns: A separate object that says what was saved.
    @discardableResult
    public nonisolated(nonsending) func save(_ record: CKRecord) async throws -> CKRecord {
        let sent = record.record
        let stored = try await calling { database async throws(DatabaseError) in try await database.save(sent) }
        record.take(stored, sent: sent)
        return CKRecord.of(stored)
    }

    /// Deletes a record and those that refer to it with `deleteSelf`.
    @discardableResult
    public nonisolated(nonsending) func deleteRecord(withID id: CKRecord.ID) async throws -> CKRecord.ID {
        _ = try await calling { database async throws(DatabaseError) in
            try await database.deleteRecord(withID: id.record)
        }
        return id
    }

    /// Saves and deletes records together; what is set meanwhile in those to save stays set.
    ///
    /// - Throws: `CKError`: `partialFailure` when an atomic batch has an item that fails.
    @discardableResult
    public nonisolated(nonsending) func modifyRecords(
        saving records: [CKRecord], deleting ids: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> ModifyRecordsResults {
        let request = ModifyRequest(
            saves: records.map(\.record), deletes: ids.map(\.record), policy: savePolicy, isAtomic: atomically)
        let result = try await calling { database async throws(DatabaseError) in
            try await database.modifySuspending(request)
        }
        return try Self.compat(result, of: request, to: records)
    }

    /// The first page of the records that match, in a zone or, with `nil`, in all zones of the database.
    public nonisolated(nonsending) func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> MatchPage {
        let page = try await calling { database async throws(DatabaseError) in
            try await database.findSuspending(
                try query.query(), in: QueryZones(zoneID), desiredKeys: desiredKeys, limit: resultsLimit)
        }
        return Self.compat(page)
    }

    /// The first page of the records that match, all at once, in a zone or, with `nil`, in the default zone.
    public nonisolated(nonsending) func perform(_ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?) async throws
        -> [CKRecord]
    {
        try await records(matching: query, inZoneWith: zoneID ?? .default).matchResults.map { try $1.get() }
    }

    /// The page behind a cursor.
    public nonisolated(nonsending) func records(
        continuingMatchFrom cursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> MatchPage {
        let page = try await calling { database async throws(DatabaseError) in
            try await database.recordPage(
                after: cursor.cursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
        return Self.compat((page.matchResults, page.queryCursor))
    }
}

// MARK: On this thread

extension CKDatabase {
    func fetchNow(
        _ ids: [CKRecord.ID], _ desiredKeys: [String]?
    ) throws -> ItemResults<CKRecord.ID, CKRecord> {
        Self.compat(
            try call { database throws(DatabaseError) in
                try database.fetch(ids.map(\.record), desiredKeys: desiredKeys)
            })
    }

    private static func compat(
        _ found: [Record.ID: Result<Record, DatabaseError>]
    ) -> ItemResults<CKRecord.ID, CKRecord> {
        Dictionary(found.map { (CKRecord.ID($0), $1.compat { CKRecord.of($0) }) }) { $1 }
    }

    func fetchNow(_ id: CKRecord.ID) throws -> CKRecord {
        try call { database throws(DatabaseError) in
            guard let result = try database.fetch([id.record])[id.record] else {
                throw DatabaseError(.internalError, "a record was lost")
            }
            return CKRecord.of(try result.get())
        }
    }

    func saveNow(_ record: CKRecord) throws -> CKRecord {
        try call { database throws(DatabaseError) in
            let sent = record.record
            guard let saved = try database.modify(ModifyRequest(saves: [sent])).saves.first else {
                throw DatabaseError(.internalError, "a record was lost")
            }
            let stored = try saved.result.get()
            record.take(stored, sent: sent)
            return CKRecord.of(stored)
        }
    }

    func deleteNow(_ id: CKRecord.ID) throws -> CKRecord.ID {
        try call { database throws(DatabaseError) in
            try database.modify(ModifyRequest(deletes: [id.record])).deletes.first?.result.get()
            return id
        }
    }

    func modifyNow(
        _ records: [CKRecord], _ ids: [CKRecord.ID], _ policy: SavePolicy, _ isAtomic: Bool
    ) throws -> ModifyRecordsResults {
        let request = ModifyRequest(
            saves: records.map(\.record), deletes: ids.map(\.record), policy: policy, isAtomic: isAtomic)
        let result = try call { database throws(DatabaseError) in try database.modify(request) }
        return try Self.compat(result, of: request, to: records)
    }

    private static func compat(
        _ result: ModifyResult, of request: ModifyRequest, to records: [CKRecord]
    ) throws -> ModifyRecordsResults {
        records.take(result, of: request)
        let errors = result.partialErrors
        if request.isAtomic, !errors.isEmpty { throw CKError(DatabaseError(partialErrors: errors)) }
        return (
            Dictionary(result.saves.map { (CKRecord.ID($0.id), $0.result.compat { CKRecord.of($0) }) }) { $1 },
            Dictionary(result.deletes.map { (CKRecord.ID($0.id), $0.result.compat { $0 }) }) { $1 }
        )
    }

    func findNow(
        _ query: CKQuery, _ zones: QueryZones, _ desiredKeys: [String]?, _ limit: Int
    ) throws -> MatchPage {
        let page = try call { database throws(DatabaseError) in
            try database.find(try query.query(), in: zones, desiredKeys: desiredKeys, limit: limit)
        }
        return Self.compat(page)
    }

    func continueNow(
        _ cursor: CKQueryOperation.Cursor, _ desiredKeys: [String]?, _ limit: Int
    ) throws -> MatchPage {
        let page = try call { database throws(DatabaseError) in
            try database.find(after: cursor.cursor, desiredKeys: desiredKeys, limit: limit)
        }
        return Self.compat(page)
    }

    private static func compat(
        _ page: (matches: [(Record.ID, Result<Record, DatabaseError>)], cursor: Query.Cursor?)
    ) -> MatchPage {
        (
            page.matches.map { (CKRecord.ID($0), $1.compat { CKRecord.of($0) }) },
            page.cursor.map { CKQueryOperation.Cursor($0) }
        )
    }
}

extension [CKRecord] {
    /// Gives the records that were saved, in the order of the request, their new metadata.
    func take(_ result: ModifyResult, of request: ModifyRequest) {
        for (record, (sent, saved)) in zip(self, zip(request.saves, result.saves)) {
            if case .success(let stored) = saved.result { record.take(stored, sent: sent) }
        }
    }
}
