// The commits of a campaign, as they are told.

import FoundationEssentials
import RecordDatabase
import RecordModel
import Synchronization

/// A commit as its observers are told of it.
struct LoggedCommit: Sendable {
    struct Save: Sendable {
        let isNew: Bool
        let change: Int64
        let record: SeenRecord
    }

    let client: Int
    /// The server that has it, where there are several.
    let node: Int32
    let userName: String?
    let date: Date
    let saves: [Save]
    let deletions: [(id: Record.ID, type: String, change: Int64)]
    let madeZones: [(id: RecordZone.ID, change: Int64)]
    let deletedZones: [(id: RecordZone.ID, change: Int64)]
    let savedSubscriptions: [Subscription]
    let deletedSubscriptions: [Subscription.ID]

    init(_ event: CommitEvent) {
        let commit = event.commit
        (client, node, userName, date) = (commit.client, 0, commit.userName, commit.date)
        saves = commit.saves.map { save in
            let record = event.saved(save) ?? Record(type: save.type, id: save.id)
            return Save(isNew: save.isNew, change: save.change, record: SeenRecord(record, id: save.id))
        }
        deletions = commit.deletions.map { ($0.id, $0.type, $0.change) }
        madeZones = commit.madeZones
        deletedZones = commit.deletedZones.map { ($0.id, $0.change) }
        savedSubscriptions = commit.savedSubscriptions.map(\.subscription)
        deletedSubscriptions = commit.deletedSubscriptions.map(\.id)
    }

    /// A commit as a server takes it.
    init(_ commit: ServerCommit, on node: Int32) {
        (client, self.node, userName, date) = (commit.client, node, commit.userName, commit.date)
        saves = commit.saves.map { save in
            Save(isNew: save.isNew, change: save.row.change, record: SeenRecord(save.row))
        }
        deletions = commit.deletions.map { ($0.id, $0.type, $0.change) }
        madeZones = commit.madeZones.map { (RecordZone.ID($0.name), $0.change) }
        deletedZones = commit.deletedZones.map { (RecordZone.ID($0.name), $0.change) }
        savedSubscriptions = commit.savedSubscriptions.map(\.subscription)
        // With records and zones go subscriptions that end by themselves, which nobody asked to delete.
        let changesRecords = commit.lastChange != commit.earlierChange
        deletedSubscriptions = changesRecords ? [] : commit.deletedSubscriptions.map(\.id)
    }

    /// The numbers of its changes.
    var changes: [Int64] {
        saves.map(\.change) + deletions.map(\.change) + madeZones.map(\.change) + deletedZones.map(\.change)
    }
}

/// All commits of a store, in order.
final class DatabaseLog: Sendable {
    struct State {
        var commits: [DatabaseKey: [LoggedCommit]] = [:]
        /// The databases of the commits, in the order in which they were told.
        var order: [DatabaseKey] = []
        /// How many commits each client made, and the last of them.
        var made: [Int: (count: Int, last: Int)] = [:]
    }

    private let state = Mutex(State())

    func append(_ event: CommitEvent) {
        append(LoggedCommit(event), DatabaseKey(scope: event.commit.scope, owner: event.commit.owner))
    }

    func append(_ commit: ServerCommit, _ origin: DatabaseOrigin, on node: Int32) {
        append(LoggedCommit(commit, on: node), DatabaseKey(scope: origin.scope, owner: origin.user))
    }

    private func append(_ commit: LoggedCommit, _ key: DatabaseKey) {
        state.withLock { state in
            let index = state.commits[key]?.count ?? 0
            state.commits[key, default: []].append(commit)
            state.order.append(key)
            state.made[commit.client] = ((state.made[commit.client]?.count ?? 0) + 1, index)
        }
    }

    /// Commits of a database told so far, and those of a client.
    func counts(_ key: DatabaseKey, client: Int) -> (known: Int, made: Int) {
        state.withLock { ($0.commits[key]?.count ?? 0, $0.made[client]?.count ?? 0) }
    }

    /// The commit that a client made after `made` others; more than one is an error of the store.
    func commit(of client: Int, after made: Int) -> (index: Int?, isOne: Bool) {
        state.withLock { state in
            guard let now = state.made[client], now.count > made else { return (nil, true) }
            return (now.last, now.count == made + 1)
        }
    }

    /// Takes all commits out.
    func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
