// What others share with a user on servers, read as it is needed.

import RecordModel
import RecordStore
import Synchronization

/// What reads all that is shared with a user, of databases that nobody changes meanwhile, with what a transaction
/// changed.
struct SharedServerSnapshot: ServedRecords {
    /// The database of an owner.
    private struct Part: Sendable {
        let owner: String
        let database: RemoteDatabase
        let reading: any ServerReading
    }

    /// What was read of the part of an owner.
    private enum Piece: Hashable {
        case all(owner: String)
        case zone(RecordZone.ID)
        /// One record, and what tells whether it is seen.
        case record(Record.ID)
    }

    private let userName: String
    private let parts: [Part]
    private(set) var schema: ContainerSchema
    private let rows = KnownPieces<Piece, ServerMoment>()
    /// The records of these as the user sees them, with what the transaction changed.
    private var shown = KnownPieces<Piece, Snapshot>()
    private var change: ServerCommit?

    init(_ database: SharedDatabase, on remote: RemoteStore, _ reading: any ServerReading, _ schema: ContainerSchema) {
        (userName, self.schema) = (database.userName, schema)
        parts = reading.owners.compactMap { owner in
            reading.reading(of: owner).map { reading in
                Part(
                    owner: owner,
                    database: RemoteDatabase(
                        store: database.store, remote: remote, origin: database.store.origin(owner)),
                    reading: reading)
            }
        }
    }

    /// The same with what a transaction changed, in place of what it changed before.
    func changed(by commit: ServerCommit) -> SharedServerSnapshot {
        var changed = self
        changed.schema = commit.schema ?? schema
        (changed.change, changed.shown) = (commit, KnownPieces())
        return changed
    }

    func records(
        ofType _: String, in zoneID: RecordZone.ID?, _: WantedRecords?
    ) throws(DatabaseError) -> (records: Snapshot, counted: Int) {
        guard let zoneID else { return (try allRecords(), 0) }
        return (try seen(.zone(zoneID), of: zoneID.ownerName), 0)
    }

    func allRecords() throws(DatabaseError) -> Snapshot {
        var seen: [Snapshot] = []
        for part in parts { seen.append(try self.seen(.all(owner: part.owner), of: part.owner)) }
        return Snapshot(joining: seen)
    }

    func record(for id: Record.ID) throws(DatabaseError) -> Snapshot {
        let owner = id.zoneID.ownerName
        // Who read more is likely to want more than one of these.
        if let known = shown[.zone(id.zoneID)] ?? shown[.all(owner: owner)] { return known }
        return try seen(.record(id), of: owner)
    }

    /// What the user sees of an owner's database; nothing of somebody who shares nothing.
    private func seen(_ piece: Piece, of owner: String) throws(DatabaseError) -> Snapshot {
        if let known = shown[piece] { return known }
        guard let part = parts.first(where: { $0.owner == owner }) else { return Snapshot(joining: []) }
        var moment = try read(piece, of: part)
        if let change, change.owner == owner { moment = moment.changed(by: change) }
        let all = try part.database.moment(moment, userName)
        let seen: Snapshot
        if case .record(let id) = piece { seen = all.seen(id.known(to: owner)) } else { seen = all.seen }
        shown[piece] = seen
        return seen
    }

    private func read(_ piece: Piece, of part: Part) throws(DatabaseError) -> ServerMoment {
        if let known = rows[piece] { return known }
        let wanted: SharedPart =
            switch piece {
            case .all: .all
            case .zone(let zoneID): .zone(zoneID.known(to: part.owner))
            case .record(let id): .records([id.known(to: part.owner)])
            }
        let moment = try part.database.rows(of: wanted, for: userName, part.reading)
        rows[piece] = moment
        return moment
    }
}

extension Record.ID {
    /// The record in the zone as its owner names it.
    fileprivate func known(to owner: String) -> Record.ID { Record.ID(recordName, zoneID: zoneID.known(to: owner)) }
}

/// What was read, which nobody changes meanwhile. May be used from any thread.
private final class KnownPieces<Piece: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values = Mutex<[Piece: Value]>([:])

    subscript(piece: Piece) -> Value? {
        get { values.withLock { $0[piece] } }
        set { values.withLock { $0[piece] = newValue } }
    }
}
