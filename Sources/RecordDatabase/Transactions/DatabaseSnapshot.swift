// A database at one moment.

import RecordColumns
public import RecordModel
import RecordStore
import Synchronization

/// A database at one moment: all queries and fetches of a snapshot see the same records, whatever is saved meanwhile.
///
/// Taking one costs nothing, and nobody waits for it; it keeps the memory of its records for as long as it is there.
/// What references lead to is of the same moment.
///
/// Of a private or public database on a server, a snapshot lives as long as the body of `Database.read` that it was
/// given to, and its calls wait for the server.
public struct DatabaseSnapshot: Sendable {
    private enum Source: Sendable {
        case here(Snapshot)
        case server(any ServedRecords)
    }

    private let source: Source
    let schema: ContainerSchema
    let caller: Caller
    let scope: DatabaseScope

    init(records: Snapshot, schema: ContainerSchema, caller: Caller, scope: DatabaseScope) {
        (source, self.schema, self.caller, self.scope) = (.here(records), schema, caller, scope)
    }

    /// The records; `nil` where they are on a server.
    var records: Snapshot? { if case .here(let records) = source { records } else { nil } }

    /// A database on a server.
    init(_ server: any ServedRecords, caller: Caller, scope: DatabaseScope) {
        (source, schema, self.caller, self.scope) = (.server(server), server.schema, caller, scope)
    }

    /// The records of a type, to be counted, filtered, sorted and searched with predicates.
    ///
    /// A type that nobody has saved yet has no records. What the database keeps about a record (dates, users, change
    /// tag) are fields like others. Files of assets are not looked at. References lead to no record of a type of which
    /// the user may not read all records. From a server all records of the type are fetched;
    /// `values(of:matching:)` and `count(ofType:matching:in:)` leave the search to the server.
    ///
    /// - Parameter zones: The zones whose records are meant.
    /// - Throws: `DatabaseError` of code `permissionFailure` where the user may not read all records of the type, and
    ///   `invalidArguments` for a name that no type can have.
    /// - Complexity: O(segments + fields).
    public func records(ofType type: String, in zones: QueryZones = .all) throws(DatabaseError) -> RecordSet {
        try records(ofType: type, in: zones, toFind: nil)
    }

    /// As `records(ofType:in:)`.
    ///
    /// - Parameter pushed: What a server did to find the records.
    func records(
        ofType type: String, in zones: QueryZones, pushed: QueryExplanation.Pushed?
    ) throws(DatabaseError) -> RecordSet {
        try found(type, zones, RecordSet.Source(schema: schema, pushed: pushed, isOfDatabase: true), nil).set
    }

    /// How many records of a type match. On a server they are counted there.
    ///
    /// - Parameter zones: The zones whose records are meant.
    /// - Throws: `RecordPredicateError` for a predicate that does not suit the type, and `DatabaseError` as
    ///   `records(ofType:in:)`.
    public func count(
        ofType type: String, matching predicate: RecordPredicate, in zones: QueryZones = .all
    ) throws -> Int {
        var wanted = WantedRecords(predicate: predicate)
        wanted.counts = true
        let (set, counted) = try found(type, zones, RecordSet.Source(schema: schema, isOfDatabase: true), wanted)
        return try counted + set.count(matching: predicate)
    }

    /// The types of which the user may not read all records.
    private var deniedTypes: Set<String> {
        guard scope == .public else { return [] }
        return Set(schema.recordTypes.lazy.filter { !caller.may(.read, type: $0.value) }.map(\.key))
    }

    /// The records of a type, and how many of those that were wanted are counted and not in the set.
    private func found(
        _ type: String, _ zones: QueryZones, _ source: RecordSet.Source, _ wanted: WantedRecords?
    ) throws(DatabaseError) -> (set: RecordSet, counted: Int) {
        try NameRules.check(type: type)
        let declared = schema.recordTypes[type]
        guard scope != .public || caller.may(.read, type: declared) else {
            throw DatabaseError(
                .permissionFailure, "the user may not read all records of type \(type)",
                hint: "query the database: it gives the records that the user may read")
        }
        var source = source
        if scope == .shared { source.reader = caller.userName }
        let zone = zones.zoneID(for: caller)
        let denied = deniedTypes
        var wanted = wanted
        // A server would count by what it has behind references.
        if !denied.isEmpty { wanted?.counts = false }
        let shown: (records: Snapshot, counted: Int)
        switch self.source {
        case .here(let records): shown = (records, 0)
        case .server(let server): shown = try server.records(ofType: type, in: zone, wanted)
        }
        let visible = zone.map(shown.records.only) ?? shown.records
        // A set gives its records as those of other types, too, and paths through references lead to them.
        let records = denied.isEmpty ? visible : visible.sealed(withoutTypes: denied)
        var set = RecordSet(records, recordType: type, source: source, declared: declared)
        set.declaredIndexes = ContainerSchema.indexDeclaration(of: declared.map { [$0.fields] } ?? [])
        return (set, shown.counted)
    }

    /// The records of all types, of users aside, as `RecordSet(storedAt:)` gives them.
    ///
    /// - Throws: `DatabaseError` of code `permissionFailure` where the user may not read all records of every type.
    /// - Complexity: O(segments + fields).
    package func allRecords() throws(DatabaseError) -> RecordSet {
        if let denied = deniedTypes.min() {
            throw DatabaseError(.permissionFailure, "the user may not read all records of type \(denied)")
        }
        let records =
            switch source {
            case .here(let records): records
            case .server(let server): try server.allRecords()
            }
        let shown = records.sealed(withoutTypes: [ContainerSchema.userRecordType])
        var set = RecordSet(shown, recordType: nil, source: RecordSet.Source(schema: schema))
        set.declaredIndexes = ContainerSchema.indexDeclaration(of: schema.recordTypes.values.map(\.fields))
        return set
    }

    /// The record of an identifier, with all of its fields.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none, and `permissionFailure`.
    /// - Complexity: O(segments), all but a few of them small.
    public func record(for id: Record.ID) throws(DatabaseError) -> Record {
        let known = caller.normalized(id)
        guard let found = try find(known) else {
            throw DatabaseError(.unknownItem, "there is no record \(id.recordName)")
        }
        let version = RowVersion(found.segment, found.row)
        guard scope != .public || caller.mayRead(version, schema) else {
            throw DatabaseError(.permissionFailure, "the user may not read record \(id.recordName)")
        }
        var opener = RecordOpener(caller.keys)
        let facts = schema.recordTypes[found.segment.recordType]?.facts
        let record = try Database.result(id, version, facts, &opener).get()
        guard scope == .shared, let userName = caller.userName else { return record }
        return record.seen(by: userName)
    }

    /// Whether there is a record, readable or not.
    func has(_ id: Record.ID) throws(DatabaseError) -> Bool { try find(id) != nil }

    /// The records that a record, readable or not, is deleted with; none where it is not there.
    func owners(of id: Record.ID) throws(DatabaseError) -> Set<Record.ID> {
        guard let found = try find(id) else { return [] }
        let version = RowVersion(found.segment, found.row)
        var links = ReferenceGraph.Links()
        for field in found.segment.schema.fields { links.insertOwners(in: version.value(of: field.name)) }
        return links.owners
    }

    private func find(_ id: Record.ID) throws(DatabaseError) -> (segment: Segment, row: Int)? {
        switch source {
        case .here(let records): records.find(id)
        case .server(let server): try server.record(for: id).find(id)
        }
    }
}

extension DatabaseSnapshot: SelectiveReading {
    func records(
        ofType type: String, in zones: QueryZones, toFind wanted: WantedRecords?
    ) throws(DatabaseError) -> RecordSet {
        try found(type, zones, RecordSet.Source(schema: schema, isOfDatabase: true), wanted).set
    }
}

extension Database {
    /// The database at this moment.
    ///
    /// Of a shared database on a server, all that is shared is fetched: it may be kept, and the call waits for the
    /// server on the thread that makes it.
    ///
    /// - Throws: `DatabaseError` when nobody is signed in to whom the database belongs, of code `badDatabase` for a
    ///   private or public one on a server, which only `read` gives snapshots of, and others.
    /// - Complexity: O(1); of a shared database, O(rows of the segments with records that are shared).
    public func snapshot() throws(DatabaseError) -> DatabaseSnapshot {
        // All that is shared is fetched, and may be kept.
        if client.store.isRemote, scope != .shared {
            throw DatabaseError(
                .badDatabase, "a database on a server gives no snapshots to keep",
                hint: "call read: its body has a snapshot")
        }
        let (caller, storing) = try begin(.query)
        return try snapshot(caller, storing)
    }

    private func snapshot(
        _ caller: Caller, _ storing: any DatabaseStoring
    ) throws(DatabaseError) -> DatabaseSnapshot {
        if let shared = storing as? SharedDatabase { return try shared.snapshot(caller) }
        guard let stored = (storing as? LocalDatabase)?.stored else { throw .unknownStoring }
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
    /// On a server the body reads within one transaction, which keeps a connection for as long as it runs.
    ///
    /// - Parameter body: Runs on a thread of the database, so that long queries keep no task waiting.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `DatabaseError` as `snapshot()`, and of code `operationCancelled`.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSnapshot) throws -> Value
    ) async throws -> Value {
        let (caller, storing) = try begin(.query)
        if let remote = storing as? RemoteDatabase {
            return try await remote.run { () throws(DatabaseError) in try remote.read(body, caller) }.get()
        }
        if let shared = storing as? SharedDatabase {
            return try await shared.performQuery { () throws(DatabaseError) in
                let snapshot = try shared.snapshot(caller)
                return Result { try body(snapshot) }
            }.get()
        }
        let snapshot = try snapshot(caller, storing)
        return try await QueryThreads.shared.perform { () throws(DatabaseError) in Result { try body(snapshot) } }.get()
    }
}
