// What a database must hold, the simplest way: records in a dictionary, and rules applied one after another.

import FoundationEssentials
import PredicateSemantics
import RecordDatabase
import RecordModel

/// A database at one moment.
struct DatabaseModel {
    struct Stored {
        var seen: SeenRecord
        /// Number of the change that wrote the record.
        var change: Int64
    }

    struct Zone {
        var made: Int64
        var lastChange: Int64
        /// The server that has it, where there are several.
        var node: Int32 = 0
        /// Records that were deleted and not saved again.
        var deleted: [Record.ID: (type: String, change: Int64)] = [:]
        /// The newest deletions, those of records saved again among them.
        var deletions: [Int64] = []
    }

    struct Watching {
        let userName: String
        let subscription: Subscription
        /// Its zone as the store knows it.
        let zoneID: RecordZone.ID?
    }

    let key: DatabaseKey
    /// Deletions that a zone remembers at least.
    let deletionLimit: Int
    /// The servers that have zones: each numbers and dates its commits by itself.
    let nodes: [Int32]
    /// Whether deletions count among these whose records were saved again: not where a server counts them.
    let countsUndone: Bool
    var zones: [RecordZone.ID: Zone] = [.default: Zone(made: 0, lastChange: 0)]
    var deletedZones: [RecordZone.ID: (node: Int32, change: Int64)] = [:]
    var records: [Record.ID: Stored] = [:]
    var subscriptions: [Watching] = []
    /// The number of the last change on each node.
    var lastChanges: [Int32: Int64]
    private var lastDates: [Int32: Date] = [:]

    /// A database that has the records of its users and nothing else, in the default zone, which is on the first node.
    init(_ key: DatabaseKey, deletionLimit: Int, countsUndone: Bool = true, nodes: [Int32] = [0]) {
        (self.key, self.deletionLimit, self.countsUndone, self.nodes) = (key, deletionLimit, countsUndone, nodes)
        lastChanges = [0: key.scope == .public ? Int64(DatabaseScene.users.count) : 1]
    }

    func lastChange(on node: Int32) -> Int64 { lastChanges[node] ?? 0 }

    // MARK: Names and permissions

    /// The identifier that the store knows a zone by.
    static func known(_ id: RecordZone.ID, to user: String) -> RecordZone.ID {
        id.ownerName == user ? RecordZone.ID(id.zoneName) : id
    }

    /// The identifier that the store knows a record by.
    static func known(_ id: Record.ID, to user: String) -> Record.ID {
        Record.ID(id.recordName, zoneID: known(id.zoneID, to: user))
    }

    /// Whether a user may read a record.
    func mayRead(_ record: SeenRecord, _ user: String) -> Bool {
        key.scope == .private || record.type != "Diary" || record.creator == user
    }

    /// Whether a user may change and delete a record.
    func mayWrite(_ record: SeenRecord, _ user: String) -> Bool {
        key.scope == .private || record.type == "Wiki" || record.creator == user
    }

    // MARK: References

    /// The records that are deleted with those that they own: owned ones, what these own, and so on.
    func closure(of id: Record.ID) -> Set<Record.ID> {
        var found: Set<Record.ID> = [id]
        var isGrowing = true
        while isGrowing {
            let more = records.values.filter { stored in
                !found.contains(stored.seen.id) && !stored.seen.owners.isDisjoint(with: found)
            }
            for stored in more { found.insert(stored.seen.id) }
            isGrowing = !more.isEmpty
        }
        return found
    }

    /// Whether a record has children outside of a set.
    func leavesChildren(_ id: Record.ID, outside set: Set<Record.ID>) -> Bool {
        records.values.contains { $0.seen.parent == id && !set.contains($0.seen.id) }
    }

    // MARK: Commits

    /// What is wrong with the numbers and the date of a commit that is the next one on its node.
    func numberFaults(of commit: LoggedCommit) -> [String] {
        var faults: [String] = []
        let last = lastChange(on: commit.node)
        let expected = (0..<commit.changes.count).map { last + Int64($0) + 1 }
        if commit.changes != expected { faults.append("changes \(commit.changes) follow \(last)") }
        if isDated(commit), let date = lastDates[commit.node], commit.date < date {
            faults.append("the date of a commit went back")
        }
        return faults
    }

    /// Whether the date of a commit is kept: that of subscriptions, which several nodes save each by itself, is not.
    private func isDated(_ commit: LoggedCommit) -> Bool { nodes.count == 1 || !commit.changes.isEmpty }

    /// Takes in the records and zones of a commit.
    mutating func apply(_ commit: LoggedCommit) {
        if isDated(commit) { lastDates[commit.node] = commit.date }
        for zone in commit.madeZones {
            zones[zone.id] = Zone(made: zone.change, lastChange: zone.change, node: commit.node)
            deletedZones[zone.id] = nil
        }
        for zone in commit.deletedZones {
            zones[zone.id] = nil
            deletedZones[zone.id] = (commit.node, zone.change)
            records = records.filter { $0.key.zoneID != zone.id }
        }
        for save in commit.saves {
            records[save.record.id] = Stored(seen: save.record, change: save.change)
            zones[save.record.id.zoneID]?.deleted[save.record.id] = nil
            zones[save.record.id.zoneID]?.lastChange = save.change
        }
        for deletion in commit.deletions {
            records[deletion.id] = nil
            zones[deletion.id.zoneID]?.bury(deletion.id, deletion.type, deletion.change, limit: deletionLimit)
        }
        if let last = commit.changes.max() { lastChanges[commit.node] = last }
    }

    /// Takes in the subscriptions of a commit, which watch the next one.
    mutating func subscribe(_ commit: LoggedCommit) {
        for zone in commit.deletedZones { subscriptions.removeAll { $0.zoneID == zone.id } }
        guard let userName = commit.userName else { return }
        for subscription in commit.savedSubscriptions { save(subscription, userName) }
        for id in commit.deletedSubscriptions { remove(id, userName) }
    }

    private mutating func save(_ subscription: Subscription, _ userName: String) {
        remove(subscription.id, userName)
        let zoneID: RecordZone.ID? =
            switch subscription.subject {
            case .query(_, _, let zoneID, _): zoneID
            case .zone(let zoneID, _): zoneID
            case .database: nil
            }
        subscriptions.append(
            Watching(
                userName: userName, subscription: subscription, zoneID: zoneID.map { Self.known($0, to: userName) }))
    }

    private mutating func remove(_ id: Subscription.ID, _ userName: String) {
        subscriptions.removeAll { $0.subscription.id == id && $0.userName == userName }
    }
}

extension DatabaseModel.Zone {
    fileprivate mutating func bury(_ id: Record.ID, _ type: String, _ change: Int64, limit: Int) {
        deleted[id] = (type, change)
        lastChange = change
        deletions.append(change)
        // More than a store keeps, whatever the moment at which it forgets.
        if deletions.count > 4 * limit + 8 { deletions.removeFirst(deletions.count - 2 * limit - 4) }
    }
}

extension SeenRecord {
    /// The records that this one goes with.
    var owners: Set<Record.ID> {
        var owners: Set<Record.ID> = []
        for value in fields.values {
            for case .reference(let reference) in value.parts where reference.action == .deleteSelf {
                owners.insert(reference.recordID)
            }
        }
        return owners
    }
}

extension FieldValue {
    /// The elements of a list, or the value itself.
    var parts: [FieldValue] {
        if case .list(let elements) = self { return elements }
        return [self]
    }
}
