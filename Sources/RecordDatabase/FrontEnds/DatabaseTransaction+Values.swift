// Swift values that a transaction saves and deletes.

public import PredicateSemantics
public import QueryFrontEnds
import RecordModel

extension DatabaseTransaction {
    /// Saves a value when the transaction ends, if nobody changed its record since the value was read.
    ///
    /// That can be told of types that keep the change tag (`RecordMetadata`); a value of these without one is new. Of
    /// other types the last writer wins, as with `upsert(_:)`. A value without an identifier makes a new record.
    ///
    /// - Throws: `RecordCodingError` for a value that no record can hold; `DatabaseError` as `save(_:)` of a record.
    public func save<Value: RecordConvertible>(_ value: Value) throws {
        let encoded = try EncodedRecord(value)
        if encoded.keepsChangeTag || encoded.id == nil { try save(encoded.record()) } else { try upsert(value) }
    }

    /// Saves a value as a new record when the transaction ends.
    ///
    /// - Throws: `DatabaseError` of code `serverRecordChanged` when a record of the identifier exists, also when the
    ///   transaction saved it; `RecordCodingError` for a value that no record can hold.
    public func insert<Value: RecordConvertible>(_ value: Value) throws {
        let record = try EncodedRecord(value).withoutVersion().record()
        if let stored = try stored(record.id) {
            throw DatabaseError(DatabaseError.Conflict(server: stored, client: record, ancestor: nil))
        }
        try save(record)
    }

    /// Saves a value over the record of its identifier when the transaction ends, or as a new one where there is none.
    ///
    /// Fields that the value's type has no property for stay.
    ///
    /// - Throws: `RecordCodingError` for a value that no record can hold, or without an identifier, or whose identifier
    ///   is that of a record of another type.
    public func upsert<Value: RecordConvertible>(_ value: Value) throws {
        let record = try EncodedRecord(identified: value).record()
        guard var stored = try stored(record.id) else { return try save(record) }
        try stored.update(with: value)
        try save(stored)
    }

    /// Deletes the record of a value when the transaction ends. Nothing happens when there is none.
    ///
    /// - Throws: `RecordCodingError` for a value without an identifier.
    public func delete<Value: RecordConvertible>(_ value: Value) throws {
        deleteRecord(withID: try EncodedRecord(identified: value).record().id)
    }

    /// Saves values, each as `save(_:)` does.
    public func save<Value: RecordConvertible>(_ values: [Value]) throws { for value in values { try save(value) } }

    /// Saves values as new records, each as `insert(_:)` does.
    public func insert<Value: RecordConvertible>(_ values: [Value]) throws { for value in values { try insert(value) } }

    /// Saves values over the records of their identifiers, each as `upsert(_:)` does.
    public func upsert<Value: RecordConvertible>(_ values: [Value]) throws { for value in values { try upsert(value) } }

    /// Deletes the records of values, each as `delete(_:)` does.
    public func delete<Value: RecordConvertible>(_ values: [Value]) throws { for value in values { try delete(value) } }

    /// Changes the values of all records that match.
    ///
    ///     try transaction.updateAll(Place.where { $0.category == "bar" }) { $0.category = "pub" }
    ///
    /// - Parameters:
    ///   - zones: The zones whose records are meant.
    ///   - change: Called with each value, in order of insertion.
    /// - Returns: How many they are.
    /// - Throws: As `values(of:matching:sortedBy:in:limit:offset:)` and `save(_:)`, and what `change` throws.
    @discardableResult
    public func updateAll<Value: RecordConvertible>(
        _ predicate: RecordPredicate.Of<Value>, in zones: QueryZones = .all, _ change: (inout Value) throws -> Void
    ) throws -> Int {
        try updateAll(Value.recordType, where: predicate.untyped, in: zones) { record in
            var value: Value = try record.value()
            try change(&value)
            try record.update(with: value)
        }
    }

    /// Deletes all records of a type that match.
    ///
    /// - Returns: How many they are, without those that go with them.
    /// - Throws: `RecordPredicateError` for a predicate that does not suit the type, and `DatabaseError` as
    ///   `records(ofType:in:)`.
    @discardableResult
    public func deleteAll<Value: RecordConvertible>(
        _ predicate: RecordPredicate.Of<Value>, in zones: QueryZones = .all
    ) throws -> Int { try deleteAll(Value.recordType, where: predicate.untyped, in: zones) }

    /// The record of an identifier; `nil` where there is none.
    private func stored(_ id: Record.ID) throws(DatabaseError) -> Record? {
        do throws(DatabaseError) {
            return try record(for: id)
        } catch {
            if error.code == .unknownItem { return nil }
            throw error
        }
    }
}
