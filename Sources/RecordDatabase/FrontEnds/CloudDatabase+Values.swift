// Swift values in a database.

public import PredicateSemantics
public import QueryFrontEnds
public import RecordModel

extension CloudDatabase {
    // MARK: Reading

    /// The values of all records that match, in order.
    ///
    ///     let large = try await database.values(
    ///         of: City.self, matching: .where { $0.population > 1_000_000 }, sortedBy: [.descending(\.population)])
    ///
    /// A type that nobody has saved yet has no values.
    ///
    /// - Parameters:
    ///   - predicate: What they must satisfy.
    ///   - keys: The order; ties come by record name.
    ///   - zones: The zones whose records are meant.
    ///   - limit: The largest number of values, the first in that order.
    ///   - offset: How many of the first are left out.
    /// - Throws: `DatabaseError` as `records(matching:in:desiredKeys:limit:offset:)`; `RecordCodingError` when a
    ///   record that matches is no value of the type.
    public func values<Value: RecordConvertible>(
        of _: Value.Type = Value.self, matching predicate: RecordPredicate.Of<Value> = .all,
        sortedBy keys: [SortKey.Of<Value>] = [], in zones: QueryZones = .all, limit: Int? = nil, offset: Int = 0
    ) async throws -> [Value] {
        try await values(
            matching: predicate.untyped, sortedBy: keys.map(\.untyped), in: zones, limit: limit, offset: offset)
    }

    /// The values of all records that match, in order, by a predicate that does not know the type.
    ///
    /// - Throws: As the call with a predicate of the type.
    @_disfavoredOverload
    public func values<Value: RecordConvertible>(
        of _: Value.Type = Value.self, matching predicate: RecordPredicate, sortedBy keys: [SortKey] = [],
        in zones: QueryZones = .all, limit: Int? = nil, offset: Int = 0
    ) async throws -> [Value] {
        let query = Query(Value.recordType, predicate, sortedBy: keys)
        return try await records(matching: query, in: zones, limit: limit, offset: offset).map { try $0.value() }
    }

    /// The value of the record of an identifier.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none, and others; `RecordCodingError` when it is
    ///   no value of the type.
    public func value<Value: RecordConvertible>(
        for id: Record.ID, as _: Value.Type = Value.self
    ) async throws -> Value { try await record(for: id).value() }

    // MARK: Saving

    /// Saves a value, if nobody changed its record since the value was read.
    ///
    /// That can be told of types that keep the change tag (`RecordMetadata`); a value of these without one is new. Of
    /// other types the last writer wins, as with `upsert(_:)`. A value without an identifier makes a new record.
    ///
    /// - Returns: The value as it is stored, with its new metadata.
    /// - Throws: `DatabaseError`, of code `serverRecordChanged` when the record was changed since, or exists although
    ///   the value is new, and `unknownItem` when it was deleted since; `RecordCodingError` for a value that no record
    ///   can hold.
    @discardableResult
    public func save<Value: RecordConvertible>(_ value: Value) async throws -> Value {
        let encoded = try EncodedRecord(value)
        return try await store(encoded, encoded.savePolicy).value()
    }

    /// Saves values, all or none of them, each as `save(_:)` does.
    ///
    /// - Returns: The values as they are stored, in the order given.
    /// - Throws: As `save(_:)`; `DatabaseError` of code `partialFailure` when several fail.
    @discardableResult
    public func save<Value: RecordConvertible>(_ values: [Value]) async throws -> [Value] {
        let encoded = try values.map { try EncodedRecord($0) }
        // One type: all of its values keep the tag, or none.
        return try await store(encoded, encoded.first?.savePolicy ?? .allKeys)
    }

    /// Saves a value as a new record.
    ///
    /// - Returns: The value as it is stored, with its metadata.
    /// - Throws: `DatabaseError`, of code `serverRecordChanged` when a record of the identifier exists;
    ///   `RecordCodingError` for a value that no record can hold.
    @discardableResult
    public func insert<Value: RecordConvertible>(_ value: Value) async throws -> Value {
        try await store(try EncodedRecord(value).withoutVersion(), .ifServerRecordUnchanged).value()
    }

    /// Saves values as new records, all or none of them.
    ///
    /// - Returns: The values as they are stored, in the order given.
    /// - Throws: As `insert(_:)`; `DatabaseError` of code `partialFailure` when several fail.
    @discardableResult
    public func insert<Value: RecordConvertible>(_ values: [Value]) async throws -> [Value] {
        try await store(values.map { try EncodedRecord($0).withoutVersion() }, .ifServerRecordUnchanged)
    }

    /// Saves a value over the record of its identifier, whatever that holds, or as a new one where there is none.
    ///
    /// Fields that the value's type has no property for stay.
    ///
    /// - Returns: The value as it is stored, with its new metadata.
    /// - Throws: `DatabaseError`; `RecordCodingError` for a value that no record can hold, or without an identifier.
    @discardableResult
    public func upsert<Value: RecordConvertible>(_ value: Value) async throws -> Value {
        try await store(try EncodedRecord(identified: value), .allKeys).value()
    }

    /// Saves values over the records of their identifiers, or as new ones, all or none of them.
    ///
    /// - Returns: The values as they are stored, in the order given.
    /// - Throws: As `upsert(_:)`; `DatabaseError` of code `partialFailure` when several fail.
    @discardableResult
    public func upsert<Value: RecordConvertible>(_ values: [Value]) async throws -> [Value] {
        try await store(values.map { try EncodedRecord(identified: $0) }, .allKeys)
    }

    // MARK: Deleting

    /// Deletes the record of a value, whoever changed it since. Nothing happens when there is none.
    ///
    /// - Throws: `DatabaseError`, of code `referenceViolation` when the record has children; `RecordCodingError` for a
    ///   value without an identifier.
    public func delete<Value: RecordConvertible>(_ value: Value) async throws {
        _ = try await deleteRecord(withID: try EncodedRecord(identified: value).record().id)
    }

    /// Deletes the records of values, all or none of them.
    ///
    /// - Throws: As `delete(_:)`; `DatabaseError` of code `partialFailure` when several fail.
    public func delete<Value: RecordConvertible>(_ values: [Value]) async throws {
        let ids = try values.map { try EncodedRecord(identified: $0).record().id }
        _ = try await modifyTogether(saving: [], deleting: ids, savePolicy: .ifServerRecordUnchanged)
    }

    private func store(_ encoded: EncodedRecord, _ policy: SavePolicy) async throws(DatabaseError) -> Record {
        let record = encoded.record()
        let results = try await modifyRecords(
            saving: [record], deleting: [], savePolicy: policy, atomically: false
        ).saveResults
        return try results.first(record.id)
    }

    private func store<Value: RecordConvertible>(_ encoded: [EncodedRecord], _ policy: SavePolicy) async throws
        -> [Value]
    {
        let saved = try await modifyTogether(saving: encoded.map { $0.record() }, deleting: [], savePolicy: policy)
        return try saved.map { try $0.value() }
    }
}

extension EncodedRecord {
    /// What `save` does about changes that others made: what the value's type can tell.
    fileprivate var savePolicy: SavePolicy { keepsChangeTag ? .ifServerRecordUnchanged : .allKeys }
}
