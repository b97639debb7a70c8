// Reading a database at one moment: what snapshots and transactions share.

public import PredicateSemantics
public import QueryFrontEnds
public import RecordModel

/// A database at one moment: a `DatabaseSnapshot`, or a `DatabaseTransaction` with what it changed.
///
/// Functions of an application that only read may take either: `func balance(_ source: some RecordReading)`.
public protocol RecordReading {
    /// The record of an identifier, with all of its fields.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none, and `permissionFailure`.
    func record(for id: Record.ID) throws(DatabaseError) -> Record

    /// The records of a type, to be counted, filtered, sorted and searched with predicates.
    ///
    /// - Parameter zones: The zones whose records are meant.
    /// - Throws: `DatabaseError` of code `permissionFailure` where the user may not read all records of the type, and
    ///   `invalidArguments` for a name that no type can have.
    func records(ofType type: String, in zones: QueryZones) throws(DatabaseError) -> RecordSet
}

extension DatabaseSnapshot: RecordReading {}
extension DatabaseTransaction: RecordReading {}

/// What a set of records is wanted for: those that cannot matter may be missing from it.
struct WantedRecords {
    let predicate: RecordPredicate
    var keys: [SortKey] = []
    /// Whether records that certainly match may be counted instead.
    var counts = false
}

/// Reading where the search may be left to a server.
protocol SelectiveReading: RecordReading {
    /// As `records(ofType:in:)`.
    ///
    /// - Parameter wanted: What the records are for; `nil` for anything.
    func records(
        ofType type: String, in zones: QueryZones, toFind wanted: WantedRecords?
    ) throws(DatabaseError) -> RecordSet
}

// MARK: Values

extension RecordReading {
    /// The records of a type in all zones, to be counted, filtered, sorted and searched with predicates.
    ///
    /// - Throws: `DatabaseError` as `records(ofType:in:)`.
    public func records(ofType type: String) throws(DatabaseError) -> RecordSet {
        try records(ofType: type, in: .all)
    }

    /// The values of all records that match, in order.
    ///
    /// - Parameters:
    ///   - predicate: What they must satisfy.
    ///   - keys: The order; none for the order of insertion.
    ///   - zones: The zones whose records are meant.
    ///   - limit: The largest number of values, the first in that order.
    ///   - offset: How many of the first are left out.
    /// - Throws: `RecordPredicateError` for a predicate that does not suit the type; `DatabaseError` as
    ///   `records(ofType:in:)`; `RecordCodingError` when a record that matches is no value of the type.
    public func values<Value: RecordConvertible>(
        of _: Value.Type = Value.self, matching predicate: RecordPredicate.Of<Value> = .all,
        sortedBy keys: [SortKey.Of<Value>] = [], in zones: QueryZones = .all, limit: Int? = nil, offset: Int = 0
    ) throws -> [Value] {
        let wanted = WantedRecords(predicate: predicate.untyped, keys: keys.map(\.untyped))
        return try records(ofType: Value.recordType, in: zones, for: wanted)
            .values(matching: predicate, sortedBy: keys, limit: limit, offset: offset)
    }

    private func records(
        ofType type: String, in zones: QueryZones, for wanted: WantedRecords
    ) throws(DatabaseError) -> RecordSet {
        guard let reading = self as? any SelectiveReading else { return try records(ofType: type, in: zones) }
        return try reading.records(ofType: type, in: zones, toFind: wanted)
    }

    /// The values of all records that match, by a predicate that does not know the type.
    ///
    /// - Throws: As the call with a predicate of the type.
    @_disfavoredOverload
    public func values<Value: RecordConvertible>(
        of _: Value.Type = Value.self, matching predicate: RecordPredicate, sortedBy keys: [SortKey] = [],
        in zones: QueryZones = .all, limit: Int? = nil, offset: Int = 0
    ) throws -> [Value] {
        try records(ofType: Value.recordType, in: zones, for: WantedRecords(predicate: predicate, keys: keys))
            .values(matching: predicate, sortedBy: keys, limit: limit, offset: offset)
    }

    /// The value of the record of an identifier.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none; `RecordCodingError` when it is no value of
    ///   the type.
    public func value<Value: RecordConvertible>(
        for id: Record.ID, as _: Value.Type = Value.self
    ) throws -> Value { try record(for: id).value() }

    /// The record of an identifier; `nil` where there is none that may be read.
    func readable(_ id: Record.ID) throws(DatabaseError) -> Record? {
        do throws(DatabaseError) {
            return try record(for: id)
        } catch {
            if error.isOfNoReadableRecord { return nil }
            throw error
        }
    }
}
