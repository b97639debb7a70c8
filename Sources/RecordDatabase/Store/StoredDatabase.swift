// One database as it is stored: its records, and what is known about zones, changes and references.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore
import Synchronization

/// What a database knows besides its records.
struct DatabaseState {
    /// The zones by name; all belong to the database's user.
    var zones = [RecordZone.ID.defaultZoneName: ZoneState(id: .default, made: 0, capabilities: [])]
    /// Zones that were purged and not made again.
    var purgedZones: Set<String> = []
    /// Zones that went with the key of their encrypted values, and were neither deleted nor made again.
    var resetZones: Set<String> = []
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
    /// Clients of this process that sent a batch with a token: each process numbers its own.
    var presentClients: Set<Int> = []
    var subscriptions = SubscriptionTable()
    /// Those of the user to the shared database.
    var sharedSubscriptions = SubscriptionTable()

    /// The zone of an identifier.
    /// - Throws: `DatabaseError` of code `zoneNotFound` or `userDeletedZone`.
    func zone(_ id: RecordZone.ID) throws(DatabaseError) -> ZoneState {
        if let zone = zones[id.zoneName], zone.id == id { return zone }
        if resetZones.contains(id.zoneName) { throw DatabaseError(ofResetZone: id.zoneName) }
        throw purgedZones.contains(id.zoneName)
            ? DatabaseError(.userDeletedZone, "the zone \(id.zoneName) was purged", hint: "save it again")
            : DatabaseError(.zoneNotFound, "there is no zone \(id.zoneName)", hint: "save the zone first")
    }
}

/// A database of a store: its records and its state, as of the last commit. Readers take both and wait for nobody;
/// commits go one after another (`CommitGroup`).
final class StoredDatabase: Sendable {
    let origin: DatabaseOrigin
    let records: RecordStore
    let liveQueries = LiveQueries()
    /// Who reads again after commits.
    let readers = CommitReaders()
    /// Locked for moments, and never while a disk is waited for. A commit publishes its records under this lock:
    /// whoever takes a snapshot here has state and records of one moment.
    let state: Mutex<DatabaseState>

    /// A database of given records and state; by default an empty one.
    ///
    /// - Parameter lastForeignChange: As in `CheckpointImage`.
    init(
        origin: DatabaseOrigin, records: RecordStore = RecordStore(),
        state: DatabaseState = DatabaseState(), lastForeignChange: Int64
    ) {
        var state = state
        state.lastChange = max(state.lastChange, lastForeignChange)
        self.origin = origin
        self.records = records
        self.state = Mutex(state)
    }

    /// Makes a commit part of the state: the only way in which a state becomes the next one.
    func apply(_ commit: Commit, to state: inout DatabaseState) {
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
        if commit.saves.first?.isRewritten == true {
            // References may be in other fields.
            state.graph = nil
        }
        state.lastDate = commit.date
        if commit.clientToken != nil { state.sentBatches[commit.client] = commit.sentBatch }
        for zone in commit.deletedZones { state.subscriptions.removeZone(zone.id) }
        for subscription in commit.savedSubscriptions { state.subscriptions.insert(subscription) }
        for (userName, id) in commit.deletedSubscriptions {
            state.subscriptions.remove(SubscriptionTable.Key(userName: userName, id: id))
        }
        state.take(commit.sharing, limit: commit.deletionsKept)
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

    /// Commits as the engine takes them: what the database writes about a record are columns like others.
    static func batch(of commits: [Commit]) -> RecordBatch {
        var batch = RecordBatch()
        for commit in commits { add(commit, to: &batch) }
        return batch
    }

    private static func add(_ commit: Commit, to batch: inout RecordBatch) {
        let user = commit.userName.map { FieldValue.reference(RecordReference(recordID: Record.ID($0))) } ?? .null
        let date = FieldValue.date(commit.date)
        let ofEach: [FieldEntry] = [(MetadataColumn.modificationDate, date), (MetadataColumn.lastModifier, user)]
        let ofNew = ofEach + [(MetadataColumn.creationDate, date), (MetadataColumn.creator, user)]
        for type in commit.rewrittenTypes { batch.rewrite(type: type) }
        for save in commit.saves {
            if save.isRewritten {
                batch.rewrite(
                    Record(type: save.type, id: save.id, fields: save.fields),
                    beside: [
                        (MetadataColumn.modificationDate, date), (MetadataColumn.changeTag, .int64(save.change)),
                    ], keeping: MetadataColumn.all)
                continue
            }
            var entries = save.isNew ? ofNew : ofEach
            entries.append((MetadataColumn.changeTag, .int64(save.change)))
            if let parent = save.parent, parent != nil || !save.isNew {
                entries.append((MetadataColumn.parent, parent.map { .reference($0) } ?? .null))
            }
            if let share = save.share, share != nil || !save.isNew {
                entries.append((MetadataColumn.share, share.map { .reference($0) } ?? .null))
            }
            if save.isNew {
                batch.insert(Record(type: save.type, id: save.id, fields: save.fields), beside: entries)
            } else {
                let values = save.fields.merging(entries.map { ($0.name, $0.value) }) { $1 }
                batch.change(save.id, values, foundAt: save.address)
            }
        }
        for deletion in commit.deletions { batch.delete(deletion.id) }
        for zone in commit.deletedZones { batch.deleteZone(zone.id) }
        if let rows = commit.rows { batch.append(rows) }
    }

    private static func make(_ id: RecordZone.ID, _ change: Int64, in state: inout DatabaseState) {
        state.zones[id.zoneName] = ZoneState(id: id, made: change, capabilities: .ofCustomZones)
        state.purgedZones.remove(id.zoneName)
        state.resetZones.remove(id.zoneName)
        state.deletedZones[id.zoneName] = nil
        state.lastChange = max(state.lastChange, change)
    }

    private static func delete(
        _ zone: (id: RecordZone.ID, change: Int64, reason: ZoneDeletionReason), in state: inout DatabaseState
    ) {
        state.zones[zone.id.zoneName] = nil
        state.graph?.removeZone(zone.id)
        state.deletedZones[zone.id.zoneName] = zone.change
        state.resetZones.remove(zone.id.zoneName)
        switch zone.reason {
        case .deleted: break
        case .purged: state.purgedZones.insert(zone.id.zoneName)
        case .encryptedDataReset: state.resetZones.insert(zone.id.zoneName)
        }
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
    mutating func touch(_ id: RecordZone.ID, _ change: Int64, _ clientToken: Data?) {
        lastChange = max(lastChange, change)
        zones[id.zoneName]?.lastChange = change
        if let clientToken { zones[id.zoneName]?.clientToken = clientToken }
    }
}
