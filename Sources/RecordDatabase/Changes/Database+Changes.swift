// What changed since an earlier moment: in a zone, and in a database.

public import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordColumns
public import RecordModel
import RecordStore
import Synchronization

/// A record that was deleted.
public struct RecordDeletion: Hashable, Sendable {
    /// Which record it was.
    public let recordID: Record.ID
    /// The type it had.
    public let recordType: String
}

/// A stretch of the changes of a zone, in order of the last change of each record.
public struct RecordZoneChanges: Sendable {
    /// The records saved, as they are now, or an error for one that cannot be given.
    public var modifications: [(id: Record.ID, result: Result<Record, DatabaseError>)] = []
    /// The records deleted.
    public var deletions: [RecordDeletion] = []
    /// Where the next stretch begins.
    public var changeToken: ChangeToken
    /// Whether there are more changes by now.
    public var moreComing = false
    /// The client's own token of the last batch of the zone that came with one.
    public var clientChangeTokenData: Data?

    /// The records saved, by identifier.
    public var modificationResultsByID: [Record.ID: Result<Record, DatabaseError>] {
        Dictionary(modifications.map { ($0.id, $0.result) }) { $1 }
    }
}

/// A stretch of the changes of a database.
public struct DatabaseChanges: Sendable {
    /// Zones made, or with records saved or deleted.
    public var modifications: [RecordZone.ID] = []
    /// Zones that were deleted, purged ones too.
    public var deletions: [RecordZone.ID] = []
    /// Those of `deletions` that were purged.
    public var purges: [RecordZone.ID] = []
    /// Those of `deletions` whose records went with the key of their encrypted values.
    public var encryptedDataResets: [RecordZone.ID] = []
    /// Where the next stretch begins.
    public var changeToken: ChangeToken
    /// Whether there are more changes by now.
    public var moreComing = false
}

extension Database {
    /// The records of a zone that were saved and deleted since a moment, those of this client included.
    ///
    /// A record that changed often is listed once, as it is now; one that was deleted and saved again is only saved.
    ///
    /// - Parameters:
    ///   - token: Where an earlier stretch ended; `nil` for all records there are.
    ///   - desiredKeys: The fields wanted; `nil` for all.
    ///   - resultsLimit: At most so many records and deletions; `nil` or 0 leaves it to the database.
    /// - Throws: `DatabaseError` of code `changeTokenExpired` when deletions since the token are no longer known, and
    ///   for a token of changes that the store does not have, as after a backup was restored; `invalidArguments` for
    ///   the default zone and for the token of another zone, `badDatabase` for the public database, `zoneNotFound` and
    ///   others.
    public func recordZoneChanges(
        inZoneWith zoneID: RecordZone.ID, since token: ChangeToken? = nil, desiredKeys: [String]? = nil,
        resultsLimit: Int? = nil
    ) async throws(DatabaseError) -> RecordZoneChanges {
        let (caller, storing) = try beginChanges()
        let request = ZoneChangesRequest(zoneID, token, desiredKeys, limit: resultsLimit ?? 0, caller)
        return try await storing.changesSuspending(request, caller)
    }

    /// The zones that were made, changed or deleted since a moment; in the shared database, those that came into sight,
    /// changed there, or went out of it.
    ///
    /// - Parameters:
    ///   - token: Where an earlier stretch ended; `nil` for all but the default zone.
    ///   - resultsLimit: At most so many zones; `nil` or 0 leaves it to the database.
    /// - Throws: `DatabaseError` of code `changeTokenExpired` for a token of changes that the store does not have, as
    ///   after a backup was restored; `invalidArguments` for the token of a zone or another database, `badDatabase` for
    ///   the public database and others.
    public func databaseChanges(
        since token: ChangeToken? = nil, resultsLimit: Int? = nil
    ) async throws(DatabaseError) -> DatabaseChanges {
        let (storing, limit) = try beginZoneList(since: token, limit: resultsLimit ?? 0)
        return try await storing.run { () throws(DatabaseError) in try storing.zoneList(since: token, limit: limit) }
    }
}

// MARK: On this thread

extension Database {
    /// As `recordZoneChanges(…)`.
    package func zoneChanges(
        _ requested: RecordZone.ID, since token: ChangeToken?, desiredKeys: [String]? = nil, limit: Int = 0
    ) throws(DatabaseError) -> RecordZoneChanges {
        let (caller, storing) = try beginChanges()
        let request = ZoneChangesRequest(requested, token, desiredKeys, limit: limit, caller)
        return try storing.changes(request, caller)
    }

    private func beginChanges() throws(DatabaseError) -> (Caller, any DatabaseStoring) {
        let (caller, storing) = try begin(.fetchZoneChanges, itemCount: 1)
        if scope == .public { throw Self.publicChanges }
        return (caller, storing)
    }

    private static let publicChanges = DatabaseError(
        .badDatabase, "the public database does not list changes", hint: "use a zone of the private database")

    // MARK: Databases

    /// As `databaseChanges(…)`.
    package func zoneList(since token: ChangeToken?, limit: Int = 0) throws(DatabaseError) -> DatabaseChanges {
        let (storing, limit) = try beginZoneList(since: token, limit: limit)
        return try storing.zoneList(since: token, limit: limit)
    }

    /// Where the zones are, and how many of them are wanted.
    private func beginZoneList(
        since token: ChangeToken?, limit: Int
    ) throws(DatabaseError) -> (any DatabaseStoring, Int) {
        let caller = try beginCall(.fetchDatabaseChanges)
        if scope == .public { throw Self.publicChanges }
        let storing = try client.storing(scope, caller)
        if let token { try token.check(isOf: storing.origin) }
        return (storing, limit > 0 ? limit : caller.configuration.limits.changesPerRequest)
    }
}

extension ChangeToken {
    /// - Throws: `DatabaseError` of code `invalidArguments` for the token of a zone or of another database.
    fileprivate func check(isOf origin: DatabaseOrigin) throws(DatabaseError) {
        guard self.origin == origin, subject == .database else {
            throw DatabaseError(.invalidArguments, "the token is not of this database")
        }
    }
}

extension LocalDatabase {
    func changes(_ request: ZoneChangesRequest, _ caller: Caller) throws(DatabaseError) -> RecordZoneChanges {
        try moment(for: request).changes()
    }

    func changesSuspending(
        _ request: ZoneChangesRequest, _ caller: Caller
    ) async throws(DatabaseError) -> RecordZoneChanges {
        let moment = try moment(for: request)
        if let changes = try moment.shortChanges() { return changes }
        return try await QueryThreads.shared.perform { () throws(DatabaseError) in try moment.changes() }
    }

    private func moment(for request: ZoneChangesRequest) throws(DatabaseError) -> ZoneMoment {
        // Schema, records, deletions and the number of the last change are of one moment.
        try store.schema.withCurrent { schema throws(DatabaseError) in
            try stored.state.withLock { state throws(DatabaseError) in
                try ZoneMoment(
                    for: request, state, stored.records.snapshot, schema,
                    ChangeHistory(origin: stored.origin, incarnation: store.incarnation))
            }
        }
    }

    func zoneList(since token: ChangeToken?, limit: Int) throws(DatabaseError) -> DatabaseChanges {
        let state = stored.state.withLock { $0.zoneHistory }
        return try state.changes(
            since: token, limit: limit, ChangeHistory(origin: stored.origin, incarnation: store.incarnation))
    }
}

/// Of what changes tokens are moments.
struct ChangeHistory: Hashable, Sendable {
    let origin: DatabaseOrigin
    /// Tells the history from those of restored backups; `nil` for one that only older versions have written.
    let incarnation: String?
}

/// The zones of a database, as readers of its changes see them.
struct ZoneHistory {
    let zones: [String: ZoneState]
    let deleted: [String: Int64]
    let purged: Set<String>
    let reset: Set<String>
    let lastChange: Int64

    /// The zones that changed since a token.
    /// - Throws: `DatabaseError` of code `changeTokenExpired`.
    func changes(
        since token: ChangeToken?, limit: Int, _ history: ChangeHistory
    ) throws(DatabaseError) -> DatabaseChanges {
        let incarnation = history.incarnation
        try token?.check(isOf: incarnation, upTo: lastChange)
        let start = (position: token?.position ?? 0, deletionsAfter: token?.deletionsAfter ?? lastChange)
        let made = zones.values.filter { !$0.id.isDefault && $0.lastChange > start.position }
        let gone = deleted.filter { $0.value > max(start.position, start.deletionsAfter) }
        var entries = made.map { (change: $0.lastChange, id: $0.id, isDeleted: false) }
        entries += gone.map { (change: $0.value, id: RecordZone.ID($0.key), isDeleted: true) }
        entries.sort { $0.change < $1.change }
        let page = entries.prefix(limit)
        let isLast = page.count == entries.count
        let deletions = page.filter(\.isDeleted).map(\.id)
        return DatabaseChanges(
            modifications: page.filter { !$0.isDeleted }.map(\.id), deletions: deletions,
            purges: deletions.filter { purged.contains($0.zoneName) },
            encryptedDataResets: deletions.filter { reset.contains($0.zoneName) },
            changeToken: ChangeToken(
                incarnation: incarnation, origin: history.origin, subject: .database,
                position: isLast ? lastChange : page.last?.change ?? start.position,
                deletionsAfter: isLast ? 0 : start.deletionsAfter),
            moreComing: !isLast)
    }
}

extension DatabaseState {
    /// The zones with their changes.
    var zoneHistory: ZoneHistory {
        ZoneHistory(
            zones: zones, deleted: deletedZones, purged: purgedZones, reset: resetZones, lastChange: lastChange)
    }
}

/// A request for the changes of a zone.
struct ZoneChangesRequest: Sendable {
    /// The zone by the name that the reader uses.
    let requested: RecordZone.ID
    /// The zone by the name that the store knows.
    let zoneID: RecordZone.ID
    let token: ChangeToken?
    /// The fields wanted; `nil` for all.
    let desiredKeys: Set<String>?
    /// Records and deletions that are given at most.
    let limit: Int
    let keys: ContainerKeys

    /// - Parameter limit: 0 leaves it to the database.
    init(
        _ requested: RecordZone.ID, _ token: ChangeToken?, _ desiredKeys: [String]?, limit: Int, _ caller: Caller
    ) {
        keys = caller.keys
        (self.requested, zoneID, self.token) = (requested, caller.normalized(requested), token)
        self.desiredKeys = desiredKeys.map { Set($0) }
        // One more than the limit is looked for.
        self.limit = limit > 0 ? min(limit, .max - 1) : caller.configuration.limits.changesPerRequest
    }
}

/// A zone at one moment, as a reader of its changes sees it.
struct ZoneMoment: Sendable {
    let request: ZoneChangesRequest
    let schema: ContainerSchema
    let history: ChangeHistory
    let subject: ChangeToken.Subject
    let snapshot: Snapshot
    let lastChange: Int64
    /// The reader's position.
    let start: (position: Int64, deletionsAfter: Int64)
    /// The first deletions that the reader has not seen.
    let deleted: [Tombstone]
    let clientToken: Data?

    /// - Throws: `DatabaseError` for a zone or a token that cannot be served.
    init(
        for request: ZoneChangesRequest, _ state: DatabaseState, _ snapshot: Snapshot, _ schema: ContainerSchema,
        _ history: ChangeHistory
    ) throws(DatabaseError) {
        (self.request, self.schema, self.history, self.snapshot) = (request, schema, history, snapshot)
        let zone = try state.zone(request.zoneID)
        guard zone.capabilities.contains(.fetchChanges) else {
            throw DatabaseError(.invalidArguments, "the default zone does not list changes", hint: "use a custom zone")
        }
        subject = .zone(request.zoneID, made: zone.made)
        lastChange = state.lastChange
        start = try Self.start(of: request.token, zone, history, lastChange: state.lastChange)
        deleted = zone.deletions(after: max(start.position, start.deletionsAfter), limit: request.limit + 1)
        clientToken = zone.clientToken
    }

    private static func start(
        of token: ChangeToken?, _ zone: ZoneState, _ history: ChangeHistory, lastChange: Int64
    ) throws(DatabaseError) -> (position: Int64, deletionsAfter: Int64) {
        guard let token else { return (0, lastChange) }
        guard token.shares == nil, token.origin == history.origin, case .zone(let id, let made) = token.subject,
            id == zone.id
        else {
            throw DatabaseError(.invalidArguments, "the token is of another zone or database")
        }
        try token.check(isOf: history.incarnation, upTo: lastChange)
        let known = max(token.position, token.deletionsAfter)
        guard made == zone.made, known >= zone.forgottenThrough else {
            throw DatabaseError(
                .changeTokenExpired, "the deletions since the token are no longer known",
                hint: "drop what is cached and start without a token")
        }
        return (token.position, token.deletionsAfter)
    }

    /// The first rows that were changed after the reader's position, in order, one more than the limit.
    private func saved() throws(DatabaseError) -> [(change: Int64, row: SnapshotRow)] {
        do {
            let predicate: RecordPredicate = "\(key: MetadataColumn.changeTag) > \(start.position)"
            let schema = RecordSchema(
                recordType: "", fields: [FieldDefinition(name: MetadataColumn.changeTag, type: .int64)])
            let plan = SnapshotQuery(
                try Binder(schema: schema).bind(predicate), over: snapshot, type: nil, zoneID: request.zoneID)
            let page = try plan.page(sortedBy: [.ascending(MetadataColumn.changeTag)], limit: request.limit + 1)
            return page.rows.compactMap { row in
                snapshot.segments[row.segment].segment.change(row.row).map { ($0, row) }
            }
        } catch PageError.evaluation(let error) where error.kind == .cancelled || error.kind == .timeLimit {
            throw DatabaseError(evaluation: error)
        } catch {
            throw DatabaseError(.internalError, "the changes of a zone cannot be listed", hint: "\(error)")
        }
    }

    private func token(position: Int64, deletionsAfter: Int64) -> ChangeToken {
        ChangeToken(
            incarnation: history.incarnation, origin: history.origin, subject: subject, position: position,
            deletionsAfter: deletionsAfter)
    }

    /// Saves and deletions in one order, up to the limit.
    func changes() throws(DatabaseError) -> RecordZoneChanges { changes(try saved()) }

    /// The changes, if they are found in about a millisecond and without a look at files; else `nil`.
    func shortChanges() throws(DatabaseError) -> RecordZoneChanges? {
        let hasFiles = schema.recordTypes.values.contains { $0.holdsAssets(in: request.desiredKeys) }
        guard request.limit <= Database.shortCount, !hasFiles else { return nil }
        do throws(DatabaseError) {
            return try QueryDeadline.run(
                within: Database.shortTime, failure: { DatabaseError(evaluation: $0) },
                { () throws(DatabaseError) in try changes() })
        } catch {
            if error.code == .limitExceeded { return nil }
            throw error
        }
    }

    private func changes(
        _ saved: [(change: Int64, row: SnapshotRow)]
    ) -> RecordZoneChanges {
        var (nextSaved, nextDeleted, position) = (0, 0, start.position)
        var rows = ResultRows(snapshot, desiredKeys: request.desiredKeys)
        var opener = RecordOpener(request.keys)
        var changes = RecordZoneChanges(
            changeToken: token(position: lastChange, deletionsAfter: 0),
            clientChangeTokenData: clientToken)
        while nextSaved + nextDeleted < request.limit, nextSaved < saved.count || nextDeleted < deleted.count {
            let save = nextSaved < saved.count ? saved[nextSaved].change : Int64.max
            let deletion = nextDeleted < deleted.count ? deleted[nextDeleted].change : Int64.max
            position = min(save, deletion)
            if save < deletion {
                let row = saved[nextSaved].row
                let segment = snapshot.segments[row.segment].segment
                let id = Record.ID(segment.names.string(row.row), zoneID: request.requested)
                let version = rows.version(segment: row.segment, row: row.row)
                changes.modifications.append(
                    (id, Database.result(id, version, schema.recordTypes[segment.recordType]?.facts, &opener)))
                nextSaved += 1
            } else {
                let tombstone = deleted[nextDeleted]
                changes.deletions.append(
                    RecordDeletion(
                        recordID: Record.ID(tombstone.recordName, zoneID: request.requested),
                        recordType: tombstone.recordType))
                nextDeleted += 1
            }
        }
        changes.moreComing = nextSaved < saved.count || nextDeleted < deleted.count
        if changes.moreComing {
            changes.changeToken = token(position: position, deletionsAfter: start.deletionsAfter)
        }
        return changes
    }
}
