// A database at one moment.

import RecordColumns
public import RecordModel
import RecordStore
import Synchronization

/// A database at one moment: all queries and fetches of a snapshot see the same records, whatever is saved meanwhile.
///
/// Taking one costs nothing, and nobody waits for it; it keeps the memory of its records for as long as it is there.
/// What references lead to is of the same moment.
public struct DatabaseSnapshot: Sendable {
    let records: Snapshot
    let schema: ContainerSchema
    let caller: Caller
    let scope: DatabaseScope

    /// The records of a type, to be counted, filtered, sorted and searched with predicates.
    ///
    /// A type that nobody has saved yet has no records. What the database keeps about a record (dates, users, change
    /// tag) are fields like others. Files of assets are not looked at.
    ///
    /// - Parameter zones: The zones whose records are meant.
    /// - Throws: `DatabaseError` of code `permissionFailure` where the user may not read all records of the type, and
    ///   `invalidArguments` for a name that no type can have.
    /// - Complexity: O(segments + fields).
    public func records(ofType type: String, in zones: QueryZones = .all) throws(DatabaseError) -> RecordSet {
        try NameRules.check(type: type)
        let declared = schema.recordTypes[type]
        guard scope == .private || caller.may(.read, type: declared) else {
            throw DatabaseError(
                .permissionFailure, "the user may not read all records of type \(type)",
                hint: "query the database: it gives the records that the user may read")
        }
        let shown = zones.zoneID(for: caller).map(records.only) ?? records
        var set = RecordSet(
            shown, recordType: type, source: RecordSet.Source(schema: schema, isOfDatabase: true), declared: declared)
        set.declaredIndexes = ContainerSchema.indexDeclaration(of: declared.map { [$0] } ?? [])
        return set
    }

    /// The records of all types, of users aside, as `RecordSet(storedAt:)` gives them.
    ///
    /// - Throws: `DatabaseError` of code `permissionFailure` where the user may not read all records of every type.
    /// - Complexity: O(segments + fields).
    package func allRecords() throws(DatabaseError) -> RecordSet {
        for (name, type) in schema.recordTypes where scope == .public && !caller.may(.read, type: type) {
            throw DatabaseError(.permissionFailure, "the user may not read all records of type \(name)")
        }
        let shown = records.sealed(withoutType: ContainerSchema.userRecordType)
        var set = RecordSet(shown, recordType: nil, source: RecordSet.Source(schema: schema))
        set.declaredIndexes = ContainerSchema.indexDeclaration(of: schema.recordTypes.values)
        return set
    }

    /// The record of an identifier, with all of its fields.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none, and `permissionFailure`.
    /// - Complexity: O(segments), all but a few of them small.
    public func record(for id: Record.ID) throws(DatabaseError) -> Record {
        guard let found = records.find(caller.normalized(id)) else {
            throw DatabaseError(.unknownItem, "there is no record \(id.recordName)")
        }
        let version = RowVersion(found.segment, found.row)
        guard scope == .private || caller.mayRead(version, schema) else {
            throw DatabaseError(.permissionFailure, "the user may not read record \(id.recordName)")
        }
        var opener = RecordOpener(caller.keys)
        return try Database.result(id, version, schema.recordTypes[found.segment.recordType], &opener).get()
    }
}

extension Database {
    /// The database at this moment.
    ///
    /// - Throws: `DatabaseError` when nobody is signed in to whom the database belongs, and others.
    /// - Complexity: O(1).
    public func snapshot() throws(DatabaseError) -> DatabaseSnapshot {
        let (caller, stored) = try beginLocal(.query)
        return client.store.schema.withCurrent { schema in
            DatabaseSnapshot(records: stored.records.snapshot, schema: schema, caller: caller, scope: scope)
        }
    }

    /// Runs queries and fetches that all see the database at one moment.
    ///
    ///     let (count, large) = try await database.read { snapshot in
    ///         let cities = try snapshot.records(ofType: "City")
    ///         return (cities.count, try cities.count(matching: "population > \(1_000_000)"))
    ///     }
    ///
    /// - Parameter body: Runs on a thread of the database, so that long queries keep no task waiting.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `DatabaseError` as `snapshot()`, and of code `operationCancelled`.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSnapshot) throws -> Value
    ) async throws -> Value {
        let snapshot = try snapshot()
        return try await QueryThreads.shared.perform { () throws(DatabaseError) in
            Result { try body(snapshot) }
        }.get()
    }
}
