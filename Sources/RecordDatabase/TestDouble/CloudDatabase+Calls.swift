// The shorter calls of a database, for code that is written against the protocol.

public import RecordModel

extension CloudDatabase {
    /// The records of identifiers with all fields, each or an error.
    public func records(
        for ids: [Record.ID]
    ) async throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>] {
        try await records(for: ids, desiredKeys: nil)
    }

    /// Saves and deletes records together: all or none of a zone, in zones that can do so.
    public func modifyRecords(
        saving records: [Record] = [], deleting ids: [Record.ID] = [],
        savePolicy: SavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = true
    ) async throws(DatabaseError) -> (
        saveResults: [Record.ID: Result<Record, DatabaseError>], deleteResults: [Record.ID: Result<Void, DatabaseError>]
    ) {
        try await modifyRecords(
            saving: records, deleting: ids, savePolicy: savePolicy, atomically: atomically, clientChangeTokenData: nil)
    }

    /// Saves and deletes records in one atomic batch.
    public func modifyTogether(
        saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy
    ) async throws(DatabaseError) -> [Record] {
        let results = try await modifyRecords(saving: records, deleting: ids, savePolicy: savePolicy).saveResults
        var saved: [Record] = []
        for record in records {
            guard let result = results[record.id] else { throw DatabaseError(.internalError, "a record was lost") }
            saved.append(try result.get())
        }
        return saved
    }

    /// The first page of the records that match, with all fields.
    public func recordPage(
        matching query: Query, in zones: QueryZones
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        try await recordPage(
            matching: query, in: zones, desiredKeys: nil, resultsLimit: Query.maximumResults)
    }

    /// The page behind a cursor, with all fields.
    public func recordPage(
        after cursor: Query.Cursor
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        try await recordPage(after: cursor, desiredKeys: nil, resultsLimit: Query.maximumResults)
    }

    /// A stretch of the changes of a zone, with all fields.
    public func recordZoneChanges(
        inZoneWith zoneID: RecordZone.ID, since token: ChangeToken? = nil
    ) async throws(DatabaseError) -> RecordZoneChanges {
        try await recordZoneChanges(inZoneWith: zoneID, since: token, desiredKeys: nil, resultsLimit: nil)
    }

    /// A stretch of the changes of the database.
    public func databaseChanges(since token: ChangeToken? = nil) async throws(DatabaseError) -> DatabaseChanges {
        try await databaseChanges(since: token, resultsLimit: nil)
    }

    // MARK: One zone, one subscription

    /// The zone of an identifier.
    public func recordZone(for id: RecordZone.ID) async throws(DatabaseError) -> RecordZone {
        try Self.only(try await recordZones(for: [id]))
    }

    /// Makes a zone, unless it exists.
    @discardableResult
    public func save(_ zone: RecordZone) async throws(DatabaseError) -> RecordZone {
        try Self.only(try await modifyRecordZones(saving: [zone], deleting: []).saveResults)
    }

    /// Deletes a zone with all of its records.
    @discardableResult
    public func deleteRecordZone(withID id: RecordZone.ID) async throws(DatabaseError) -> RecordZone.ID {
        try Self.only(try await modifyRecordZones(saving: [], deleting: [id]).deleteResults)
        return id
    }

    /// The subscription of an identifier.
    public func subscription(for id: Subscription.ID) async throws(DatabaseError) -> Subscription {
        try Self.only(try await subscriptions(for: [id]))
    }

    /// Saves a subscription; one of the same identifier is replaced.
    @discardableResult
    public func save(_ subscription: Subscription) async throws(DatabaseError) -> Subscription {
        try Self.only(try await modifySubscriptions(saving: [subscription], deleting: []).saveResults)
    }

    /// Deletes a subscription.
    @discardableResult
    public func deleteSubscription(withID id: Subscription.ID) async throws(DatabaseError) -> Subscription.ID {
        try Self.only(try await modifySubscriptions(saving: [], deleting: [id]).deleteResults)
        return id
    }

    /// The result of a call about one item.
    /// - Throws: `DatabaseError`, of code `internalError` where the database gave none.
    private static func only<ID, Value>(_ results: [ID: Result<Value, DatabaseError>]) throws(DatabaseError) -> Value {
        guard let result = results.values.first else { throw DatabaseError(.internalError, "an item was lost") }
        return try result.get()
    }
}
