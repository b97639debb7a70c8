// Zones: one call each.

import RecordDatabase

extension CKDatabase {
    /// What became of each item of a batch.
    public typealias ModifyRecordZonesResults = (
        saveResults: ItemResults<CKRecordZone.ID, CKRecordZone>, deleteResults: ItemResults<CKRecordZone.ID, Void>
    )

    /// All zones, the default zone first.
    public nonisolated(nonsending) func allRecordZones() async throws -> [CKRecordZone] { try fetchAllZonesNow() }

    /// The zone of an identifier; `zoneNotFound` when there is none.
    public nonisolated(nonsending) func recordZone(for id: CKRecordZone.ID) async throws -> CKRecordZone {
        try fetchNow(id)
    }

    /// The zones of identifiers, each or an error.
    public nonisolated(nonsending) func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> ItemResults<CKRecordZone.ID, CKRecordZone> { try fetchNow(ids) }

    /// Makes a zone, unless it exists.
    @discardableResult
    public nonisolated(nonsending) func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        CKRecordZone(try await calling { database async throws(DatabaseError) in try await database.save(zone.zone) })
    }

    /// Deletes a zone with all of its records.
    @discardableResult
    public nonisolated(nonsending) func deleteRecordZone(withID id: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        _ = try await calling { database async throws(DatabaseError) in
            try await database.deleteRecordZone(withID: id.zone)
        }
        return id
    }

    /// Makes and deletes zones, each on its own.
    @discardableResult
    public nonisolated(nonsending) func modifyRecordZones(
        saving zones: [CKRecordZone], deleting ids: [CKRecordZone.ID]
    ) async throws -> ModifyRecordZonesResults {
        Self.compat(
            try await calling { database async throws(DatabaseError) in
                try await database.modifySuspending(saving: zones.map(\.zone), deleting: ids.map(\.zone))
            })
    }
}

// MARK: With handlers

extension CKDatabase {
    /// Fetches all zones, the default zone first.
    @preconcurrency
    public func fetchAllRecordZones(completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void) {
        later {
            try self.fetchAllZonesNow()
        } _: {
            completionHandler($0.success, $0.failure)
        }
    }

    /// Fetches a zone; the error is `zoneNotFound` when there is none.
    @preconcurrency
    public func fetch(
        withRecordZoneID id: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        later {
            try self.fetchNow(id)
        } _: {
            completionHandler($0.success, $0.failure)
        }
    }

    /// The handler gets the zone that was to be saved also when that fails.
    @preconcurrency
    public func save(
        _ zone: CKRecordZone, completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        later {
            try self.saveNow(zone)
        } _: {
            completionHandler($0.success ?? zone, $0.failure)
        }
    }

    /// The handler gets the identifier that was to be deleted also when that fails.
    @preconcurrency
    public func delete(
        withRecordZoneID id: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
    ) {
        later {
            try self.deleteNow(id)
        } _: {
            completionHandler(id, $0.failure)
        }
    }

    /// Fetches zones, each or an error.
    @preconcurrency
    public func fetch(
        withRecordZoneIDs ids: [CKRecordZone.ID],
        completionHandler: @escaping @Sendable (Result<ItemResults<CKRecordZone.ID, CKRecordZone>, any Error>) -> Void
    ) {
        later {
            try self.fetchNow(ids)
        } _: {
            completionHandler($0)
        }
    }

    /// Saves and deletes zones, each on its own.
    @preconcurrency
    public func modifyRecordZones(
        saving zones: [CKRecordZone], deleting ids: [CKRecordZone.ID],
        completionHandler: @escaping @Sendable (Result<ModifyRecordZonesResults, any Error>) -> Void
    ) {
        later {
            try self.modifyNow(zones, ids)
        } _: {
            completionHandler($0)
        }
    }
}

// MARK: On this thread

extension CKDatabase {
    private func fetchAllZonesNow() throws -> [CKRecordZone] {
        try call { database throws(DatabaseError) in try database.fetchAllZones() }.map { CKRecordZone($0) }
    }

    private func fetchNow(_ id: CKRecordZone.ID) throws -> CKRecordZone {
        try call { database throws(DatabaseError) in
            guard let result = try database.fetchZones([id.zone])[id.zone] else {
                throw DatabaseError(.internalError, "a zone was lost")
            }
            return CKRecordZone(try result.get())
        }
    }

    private func saveNow(_ zone: CKRecordZone) throws -> CKRecordZone {
        try call { database throws(DatabaseError) in
            guard let saved = try database.modifyZones(saving: [zone.zone], deleting: []).saves.first else {
                throw DatabaseError(.internalError, "a zone was lost")
            }
            return CKRecordZone(try saved.result.get())
        }
    }

    private func deleteNow(_ id: CKRecordZone.ID) throws -> CKRecordZone.ID {
        try call { database throws(DatabaseError) in
            try database.modifyZones(saving: [], deleting: [id.zone]).deletes.first?.result.get()
            return id
        }
    }

    private func fetchNow(
        _ ids: [CKRecordZone.ID]
    ) throws -> ItemResults<CKRecordZone.ID, CKRecordZone> {
        let found = try call { database throws(DatabaseError) in try database.fetchZones(ids.map(\.zone)) }
        return Dictionary(found.map { (CKRecordZone.ID($0), $1.compat { CKRecordZone($0) }) }) { $1 }
    }

    private func modifyNow(
        _ zones: [CKRecordZone], _ ids: [CKRecordZone.ID]
    ) throws -> ModifyRecordZonesResults {
        Self.compat(
            try call { database throws(DatabaseError) in
                try database.modifyZones(saving: zones.map(\.zone), deleting: ids.map(\.zone))
            })
    }

    private static func compat(_ result: ModifyZonesResult) -> ModifyRecordZonesResults {
        (
            Dictionary(result.saves.map { (CKRecordZone.ID($0.id), $0.result.compat { CKRecordZone($0) }) }) { $1 },
            Dictionary(result.deletes.map { (CKRecordZone.ID($0.id), $0.result.compat { $0 }) }) { $1 }
        )
    }
}
