// One database as it is stored: its records, and what is known about zones, changes and references.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore
import Synchronization

/// What only one commit at a time uses.
struct DatabaseState {
    /// The zones by name; all belong to the database's user.
    var zones = [RecordZone.ID.defaultZoneName: ZoneState(id: .default, made: 0, capabilities: [])]
    /// Zones that were purged and not made again.
    var purgedZones: Set<String> = []
    /// Zones that were deleted and not made again, with the number of the change.
    var deletedZones: [String: Int64] = [:]
    /// The references that matter for deletions; `nil` until they are read from the records.
    var graph: ReferenceGraph?
    /// Number of the last change of anything.
    var lastChange: Int64 = 0
    /// Dates of commits never go back.
    var lastDate = Date.distantPast
    /// The last batch that each client sent with a token of its own, if all of it was saved.
    var sentBatches: [Int: SentBatch] = [:]
    /// Clients of this process that sent a batch with a token: numbers are given anew in each.
    var presentClients: Set<Int> = []
    var subscriptions = SubscriptionTable()

    /// The zone of an identifier.
    /// Throws: `DatabaseError` of code `zoneNotFound` or `userDeletedZone`.
    func zone(_ id: RecordZone.ID) throws(DatabaseError) -> ZoneState {
        if let zone = zones[id.zoneName], zone.id == id { return zone }
        throw ZoneNames.missing(id, isPurged: purgedZones.contains(id.zoneName))
    }
}

/// Which zones there are and were: what readers of records ask of a database's state.
struct ZoneNames: Sendable {
    private let known: [String: RecordZone.ID]
    private let purged: Set<String>

    init(_ state: DatabaseState) {
        known = state.zones.mapValues(\.id)
        purged = state.purgedZones
    }

    /// Throws: `DatabaseError` of code `zoneNotFound` or `userDeletedZone` unless the zone is there.
    func check(_ id: RecordZone.ID) throws(DatabaseError) {
        guard known[id.zoneName] != id else { return }
        throw Self.missing(id, isPurged: purged.contains(id.zoneName))
    }

    /// What callers are told of a zone that is not there.
    static func missing(_ id: RecordZone.ID, isPurged: Bool) -> DatabaseError {
        isPurged
            ? DatabaseError(.userDeletedZone, "the zone \(id.zoneName) was purged", hint: "save it anew")
            : DatabaseError(.zoneNotFound, "there is no zone \(id.zoneName)", hint: "save the zone first")
    }
}

/// A database of a store. Readers take snapshots; commits go one after another.
final class StoredDatabase: Sendable {
    let origin: DatabaseOrigin
    let records: RecordStore
    let liveQueries = LiveQueries()
    /// Locked by a commit until it is stored, which may take as long as the disk: readers of records ask `zoneNames`.
    let state: Mutex<DatabaseState>
    /// The zones that `state` has; locked by commits only when they make or delete some.
    let zoneNames: Mutex<ZoneNames>
    /// Where commits are written before they count; `nil` for a store in memory.
    private let journal: Journal?

    /// A database of given records and state; by default an empty one.
    ///
    /// - Parameter lastForeignChange: As in `StoreImage`.
    init(
        origin: DatabaseOrigin, journal: Journal? = nil, records: RecordStore = RecordStore(),
        state: DatabaseState = DatabaseState(), lastForeignChange: Int64
    ) {
        var state = state
        state.lastChange = max(state.lastChange, lastForeignChange)
        self.origin = origin
        self.journal = journal
        self.records = records
        self.state = Mutex(state)
        zoneNames = Mutex(ZoneNames(state))
    }

    /// Makes a commit part of the database, after it was written to the journal.
    ///
    /// - Parameter mayRead: Whether a user may read a record, and so be told of it.
    /// - Returns: The records before and after it.
    /// Throws: `DatabaseError` when the records do not fit the store or the commit cannot be written; then nothing has
    /// changed.
    func commit(
        _ commit: Commit, to state: inout DatabaseState,
        mayRead: (_ userName: String, Record) -> Bool = { _, _ in true }
    ) throws(DatabaseError) -> CommitEvent {
        let event = try apply(commit, to: &state, mayRead: mayRead) { added throws(DatabaseError) in
            try journal?.write(commit, added)
        }
        if commit.clientToken != nil { state.presentClients.insert(commit.client) }
        return event
    }

    /// Makes a commit part of the database: the only way in which a state becomes the next one.
    ///
    /// - Parameters:
    ///   - mayRead: As in `commit(_:to:mayRead:)`.
    ///   - confirm: Called when all that can fail is done, and nothing has changed yet; nothing will, if it throws.
    /// - Returns: The records before and after it.
    /// Throws: `DatabaseError` when the records do not fit the store, and what `confirm` throws.
    func apply(
        _ commit: Commit, to state: inout DatabaseState, mayRead: (_ userName: String, Record) -> Bool,
        confirm: (_ added: [StoredSegment]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> CommitEvent {
        guard commit.changesZones else {
            return try applyAll(commit, to: &state, mayRead: mayRead, confirm: confirm)
        }
        // Nobody sees records of a zone that is gone, or a zone without its records.
        return try zoneNames.withLock { names throws(DatabaseError) in
            let event = try applyAll(commit, to: &state, mayRead: mayRead, confirm: confirm)
            names = ZoneNames(state)
            return event
        }
    }

    private func applyAll(
        _ commit: Commit, to state: inout DatabaseState, mayRead: (_ userName: String, Record) -> Bool,
        confirm: (_ added: [StoredSegment]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> CommitEvent {
        let before = records.snapshot
        if commit.changesRecords { try changeRecords(commit, confirm) } else { try confirm([]) }
        for zone in commit.madeZones { Self.make(zone.id, zone.change, in: &state) }
        for zone in commit.deletedZones { Self.delete(zone, in: &state) }
        for (id, links) in commit.links { state.graph?.replace(id, links.old, by: links.new) }
        Self.note(commit.saves, commit.clientToken, in: &state)
        if let rows = commit.rows { state.note(rows, commit.clientToken) }
        for deletion in commit.deletions {
            let tombstone = Tombstone(
                recordName: deletion.id.recordName, recordType: deletion.type, change: deletion.change)
            state.zones[deletion.id.zoneID.zoneName]?.bury(tombstone, limit: commit.deletionsKept)
            state.touch(deletion.id.zoneID, deletion.change, commit.clientToken)
        }
        state.lastDate = commit.date
        if commit.clientToken != nil { state.sentBatches[commit.client] = commit.sentBatch }
        var event = CommitEvent(
            commit: commit, before: before, after: records.snapshot, liveQueries: liveQueries)
        event.notices = state.subscriptions.notices(of: event, mayRead: mayRead)
        for zone in commit.deletedZones { state.subscriptions.removeZone(zone.id) }
        for subscription in commit.savedSubscriptions { state.subscriptions.insert(subscription) }
        for (userName, id) in commit.deletedSubscriptions {
            state.subscriptions.remove(SubscriptionTable.Key(userName: userName, id: id))
        }
        return event
    }

    private func changeRecords(
        _ commit: Commit, _ confirm: (_ added: [StoredSegment]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        var refusal: DatabaseError?
        do throws(CommitError) {
            try records.commit(Self.batch(of: commit)) { added in
                do throws(DatabaseError) { try confirm(added) } catch { refusal = error }
                return refusal == nil
            }
        } catch {
            throw refusal
                ?? DatabaseError(.internalError, "the records do not fit the store", hint: "\(error)")
        }
    }

    /// Notes saves, which come in the order of their changes, those of one zone at once.
    private static func note(_ saves: [Commit.Save], _ clientToken: Data?, in state: inout DatabaseState) {
        var rest = saves[...]
        while let first = rest.first {
            let zoneID = first.id.zoneID
            let run = rest.prefix { $0.id.zoneID == zoneID }
            state.zones[zoneID.zoneName]?.unbury(run.lazy.map(\.id.recordName))
            state.touch(zoneID, run.last?.change ?? first.change, clientToken)
            rest = rest[run.endIndex...]
        }
    }

    /// The commit as the engine takes it: what the database writes about a record are columns like others.
    private static func batch(of commit: Commit) -> RecordBatch {
        var batch = RecordBatch()
        let user = commit.userName.map { FieldValue.reference(Reference(recordID: Record.ID($0))) } ?? .null
        let date = FieldValue.date(commit.date)
        let ofEach: [FieldEntry] = [(MetadataColumn.modificationDate, date), (MetadataColumn.lastModifier, user)]
        let ofNew = ofEach + [(MetadataColumn.creationDate, date), (MetadataColumn.creator, user)]
        for save in commit.saves {
            var entries = save.isNew ? ofNew : ofEach
            entries.append((MetadataColumn.changeTag, .int64(save.change)))
            if let parent = save.parent, parent != nil || !save.isNew {
                entries.append((MetadataColumn.parent, parent.map { .reference($0) } ?? .null))
            }
            if save.isNew {
                batch.insert(Record(type: save.type, id: save.id, fields: save.fields), beside: entries)
            } else {
                batch.change(save.id, save.fields.merging(entries.map { ($0.name, $0.value) }) { $1 })
            }
        }
        for deletion in commit.deletions { batch.delete(deletion.id) }
        for zone in commit.deletedZones { batch.deleteZone(zone.id) }
        if let rows = commit.rows { batch.append(rows) }
        return batch
    }

    private static func make(_ id: RecordZone.ID, _ change: Int64, in state: inout DatabaseState) {
        state.zones[id.zoneName] = ZoneState(id: id, made: change, capabilities: [.fetchChanges, .atomic])
        state.purgedZones.remove(id.zoneName)
        state.deletedZones[id.zoneName] = nil
        state.lastChange = max(state.lastChange, change)
    }

    private static func delete(
        _ zone: (id: RecordZone.ID, change: Int64, isPurged: Bool), in state: inout DatabaseState
    ) {
        state.zones[zone.id.zoneName] = nil
        state.graph?.removeZone(zone.id)
        state.deletedZones[zone.id.zoneName] = zone.change
        if zone.isPurged { state.purgedZones.insert(zone.id.zoneName) }
        state.lastChange = max(state.lastChange, zone.change)
    }
}

extension DatabaseState {
    /// Notes that records came as columns.
    fileprivate mutating func note(_ rows: NewRows, _ clientToken: Data?) {
        let name = rows.zoneID.zoneName
        zones[name]?.unbury((0..<rows.count).lazy.map { rows.names.string($0) })
        let tags = rows.columns.first { $0.name == MetadataColumn.changeTag }
        guard case .int64(let change)? = tags?.column.value(rows.count - 1) else { return }
        touch(rows.zoneID, change, clientToken)
    }

    /// Notes that a change concerned a zone.
    fileprivate mutating func touch(_ id: RecordZone.ID, _ change: Int64, _ clientToken: Data?) {
        lastChange = max(lastChange, change)
        zones[id.zoneName]?.lastChange = change
        if let clientToken { zones[id.zoneName]?.clientToken = clientToken }
    }
}
