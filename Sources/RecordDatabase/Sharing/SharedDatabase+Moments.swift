// All that is shared with a user at one moment: what snapshots, live queries and transactions of shared databases read.

import FoundationEssentials
import Glibc
import RecordModel
import RecordStore

extension SharedDatabase {
    /// How often a moment is looked for on a server while others write there.
    private static let attempts = 50

    /// What the user sees of the databases of all others at one moment, with the schema of that moment.
    ///
    /// - Throws: `DatabaseError` when a server cannot be read, and of code `zoneBusy` where others always write there.
    func moment() throws(DatabaseError) -> (schema: ContainerSchema, records: Snapshot) {
        var attempt = 0
        while true {
            let schema = store.schema.current
            let parts = try parts()
            var moments: [SharedMoment] = []
            for part in parts { moments.append(try part.moment(for: userName, .all)) }
            // Commits are of one database, and go one after another: where none of these has another one by now, all of
            // them are of the moment at which the last one was looked at.
            if try isOneMoment(moments, parts, schema) {
                return (schema, Snapshot(joining: moments.map(\.seen)))
            }
            attempt += 1
            if store.isRemote, attempt == Self.attempts {
                throw DatabaseError(
                    .zoneBusy, "what is shared changes too often to be read at one moment",
                    retryAfter: .milliseconds(200))
            }
        }
    }

    private func isOneMoment(
        _ moments: [SharedMoment], _ parts: [any SharingStoring], _ schema: ContainerSchema
    ) throws(DatabaseError) -> Bool {
        guard moments.allSatisfy({ $0.schema == schema }), schema == store.schema.current else { return false }
        // A database on a server may have changed while it was looked at, on another node.
        let looked = zip(moments, parts)
        for (moment, part) in store.isRemote ? Array(looked) : Array(looked.dropLast()) {
            if try !part.isCurrent(moment) { return false }
        }
        return try self.parts().map(\.origin) == parts.map(\.origin)
    }

    func snapshot(_ caller: Caller) throws(DatabaseError) -> DatabaseSnapshot {
        let (schema, records) = try moment()
        return DatabaseSnapshot(records: records, schema: schema, caller: caller, scope: .shared)
    }

    func watch(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        if let remote = store.remote {
            let (server, number) = (remote.server, remote.server.watch(origin, tell))
            return { server.endWatching(number) }
        }
        let (readers, number) = (store.sharedReaders, store.sharedReaders.add(tell))
        return { readers.remove(number) }
    }

    /// A live query that runs again after commits, and when something is shared or is not any more; `nil` when the
    /// caller may read nothing.
    func liveQuery(
        _ query: Query, _ zones: QueryZones, _ caller: Caller
    ) throws(DatabaseError) -> RunningQuery? {
        let zone = zones.zoneID(for: caller)
        if let zone { _ = try self.zones([zone], caller)[zone]?.get() }
        let subject = LiveSubject(query: query, zoneID: zone, scope: .shared, caller: caller, store: store)
        // On a server at most five times a second.
        let pause = store.isRemote ? 200_000 : 20_000
        return try RunningQuery(subject, pause: useconds_t(pause), watching: self) { known throws(DatabaseError) in
            let (schema, records) = try moment()
            return try subject.binding(to: schema, known: known).map { ($0, records) }
        }
    }
}

/// What others share with a user, under the lock of the store.
struct SharedGround: TransactionGround {
    let base: DatabaseSnapshot
    private let database: SharedDatabase
    private let parts: [StoredDatabase]
    private let moments: [SharedMoment]
    private let group: CommitGroup
    private let caller: Caller

    init(
        _ database: SharedDatabase, _ parts: [StoredDatabase], _ group: CommitGroup, _ caller: Caller
    ) throws(DatabaseError) {
        (self.database, self.parts, self.group, self.caller) = (database, parts, group, caller)
        var moments: [SharedMoment] = []
        for part in parts {
            let state = try group.state(of: part, hasGraph: true)
            moments.append(
                SharedMoment(
                    try group.snapshot(of: part), state, of: part.origin.user ?? "", database.userName, group.schema))
        }
        self.moments = moments
        base = DatabaseSnapshot(
            records: Snapshot(joining: moments.map(\.seen)), schema: group.schema, caller: caller, scope: .shared)
    }

    /// The owner whose records a batch is about.
    func place(of request: ModifyRequest) throws(DatabaseError) -> (origin: DatabaseOrigin, caller: Caller) {
        guard let zone = try SharedDatabase.zone(of: request) else { return (database.origin, caller) }
        return (try part(of: zone).origin, caller.visiting(zone.ownerName))
    }

    private func part(of zoneID: RecordZone.ID) throws(DatabaseError) -> StoredDatabase {
        guard let part = parts.first(where: { $0.origin.user == zoneID.ownerName }) else {
            throw SharedDatabase.missing(zoneID)
        }
        return part
    }

    /// The part that a batch or commit is of.
    private func part(at origin: DatabaseOrigin) throws(DatabaseError) -> StoredDatabase {
        guard let part = parts.first(where: { $0.origin == origin }) else {
            throw DatabaseError(.internalError, "a commit is of a database that is not shared")
        }
        return part
    }

    func check(_: ModifyRequest, _ plan: BatchPlan) throws(DatabaseError) {
        try database.store.checkQuota(
            adding: plan.byteCount, withAssets: !plan.heldAssets.isEmpty, caller.configuration.limits, isWriting: true)
    }

    func resolve(_ plan: inout BatchPlan, date: Date) throws(DatabaseError) -> Commit {
        let part = try part(at: plan.origin)
        return plan.resolve(
            on: try group.snapshot(of: part), try group.state(of: part, hasGraph: true), group.schema, date: date)
    }

    func shown(_ error: DatabaseError, at origin: DatabaseOrigin) -> DatabaseError {
        error.seen(inZonesOf: origin.user ?? "", by: database.userName)
    }

    func preview(_ commit: Commit) throws(DatabaseError) -> DatabaseSnapshot {
        let part = try part(at: commit.origin)
        let schema = commit.schema ?? group.schema
        var state = try group.state(of: part, hasGraph: true)
        part.apply(commit, to: &state)
        let records = try group.preview(commit, of: part)
        let seen = zip(parts, moments).map { known, moment in
            known === part
                ? SharedMoment(records, state, of: part.origin.user ?? "", database.userName, schema).seen : moment.seen
        }
        return DatabaseSnapshot(
            records: Snapshot(joining: seen), schema: schema, caller: caller, scope: .shared)
    }

    func store(_ commit: Commit) throws(DatabaseError) {
        try group.add(commit, to: try part(at: commit.origin))
        try group.commit()
    }
}

extension SharedDatabase {
    /// A zone that a batch of one owner's records is about; `nil` for a batch without items.
    /// - Throws: `DatabaseError` for records of several owners.
    static func zone(of request: ModifyRequest) throws(DatabaseError) -> RecordZone.ID? {
        let zones = request.saves.map(\.id.zoneID) + request.deletes.map(\.zoneID)
        guard let first = zones.first else { return nil }
        guard zones.allSatisfy({ $0.ownerName == first.ownerName }) else { throw severalOwners }
        return first
    }

    /// Runs a body under the lock of the store, with what is shared by then.
    func writing<Outcome: Sendable>(
        _ caller: Caller, _ body: (SharedGround) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        func isSeen(_ stored: StoredDatabase) -> Bool {
            guard let owner = stored.origin.user, owner != userName else { return false }
            return !SharedAccess(of: userName, in: stored.records.snapshot).grants.isEmpty
        }
        return try store.writingToAll(where: isSeen) { group, parts throws(DatabaseError) in
            try body(try SharedGround(self, parts, group, caller))
        }
    }
}
