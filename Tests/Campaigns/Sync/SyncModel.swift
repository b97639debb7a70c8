// What sync engines are told, against the model of the database that its commits make.

import FoundationEssentials
import RecordDatabase
import RecordModel
import Synchronization

/// Follows the commits of a private database in the model of the database campaign, and compares what copies are told
/// with it.
///
/// Nobody else commits while an engine tells its delegate something: what is told is what is there. A save of a record
/// that is there must rest on a version that its copy was told, or somebody's change would be lost unseen.
final class SyncModel: Sendable {
    private struct State {
        var model: DatabaseModel
        /// The tags of records that each copy was told, by the number of the copy.
        var told: [Int: [Record.ID: Set<String>]] = [:]
        /// The numbers of copies by those of their clients.
        var copies: [Int: Int] = [:]
        var comparisons = 0
        var faults: [String] = []
    }

    private let state: Mutex<State>

    /// A model of what the database holds by now, which follows what is committed from now on.
    init(_ store: SyncStore) async throws {
        var model = DatabaseModel(DatabaseKey(scope: .private, owner: nil), deletionLimit: 5)
        // The first commit on each node tells.
        model.lastChanges = [:]
        let database = store.containers[0].privateDatabase
        for zone in try await database.allRecordZones() where zone.id != .default {
            model.zones[zone.id] = DatabaseModel.Zone(made: 0, lastChange: 0)
            let changes = try await database.recordZoneChanges(inZoneWith: zone.id, since: nil, resultsLimit: 10_000)
            for (id, result) in changes.modifications {
                model.records[id] = DatabaseModel.Stored(seen: SeenRecord(try result.get(), id: id), change: 0)
            }
        }
        var state = State(model: model)
        for (number, container) in store.containers.enumerated() { state.copies[container.clientNumber] = number }
        self.state = Mutex(state)
        store.follow { [self] in take($0) }
    }

    var faults: [String] { state.withLock { $0.faults } }
    var comparisons: Int { state.withLock { $0.comparisons } }

    /// The records of all zones but the default one, as copies have them.
    var texts: [Record.ID: String] {
        state.withLock { state in
            state.model.records.filter { $0.key.zoneID != .default }.mapValues { SyncReplica.text(of: $0.seen.fields) }
        }
    }

    private func take(_ commit: LoggedCommit) {
        state.withLock { state in
            if let first = commit.changes.min(), state.model.lastChanges[commit.node] == nil {
                state.model.lastChanges[commit.node] = first - 1
            }
            state.comparisons += 1
            state.faults += state.model.numberFaults(of: commit)
            for save in commit.saves {
                let (id, before) = (save.record.id, state.model.records[save.record.id])
                if save.isNew != (before == nil) { state.faults.append("new and old were confused: \(save.record)") }
                guard let before, let tag = before.seen.tag, let copy = state.copies[commit.client] else { continue }
                if state.told[copy]?[id]?.contains(tag) != true {
                    state.faults.append("copy \(copy) saved \(id.short) over a version that it was not told")
                }
            }
            state.model.apply(commit)
        }
    }

    // MARK: What copies are told

    /// A version that a copy had from the beginning.
    func begin(_ copy: Int, _ record: Record) {
        guard let tag = record.recordChangeTag else { return }
        _ = state.withLock { $0.told[copy, default: [:]][record.id, default: []].insert(tag) }
    }

    /// A record as it is by now: fetched, saved by the copy, or in its way.
    func tell(_ copy: Int, _ record: Record) {
        state.withLock { state in
            state.comparisons += 1
            let stored = state.model.records[record.id]?.seen
            let (text, expected) = (SyncReplica.text(of: record.fields), stored.map { SyncReplica.text(of: $0.fields) })
            if record.recordChangeTag == nil || record.recordChangeTag != stored?.tag || text != expected {
                state.faults.append(
                    "copy \(copy) was told \(record.id.short) #\(record.recordChangeTag ?? "") \(text), stored is "
                        + "#\(stored?.tag ?? "") \(expected ?? "nothing")")
            }
            if SyncReplica.secret(of: record) != "s" + text {
                state.faults.append("copy \(copy) was told another secret of \(record.id.short)")
            }
        }
        begin(copy, record)
    }

    /// A record that is not there by now.
    func tellDeletion(_ copy: Int, _ id: Record.ID) {
        state.withLock { state in
            state.comparisons += 1
            guard let stored = state.model.records[id] else { return }
            state.faults.append("copy \(copy) was told that \(id.short) is gone, stored is \(stored.seen)")
        }
    }

    /// A zone that is not there by now.
    func tellDeletion(_ copy: Int, of zoneID: RecordZone.ID) {
        state.withLock { state in
            state.comparisons += 1
            if state.model.zones[zoneID] == nil { return }
            state.faults.append("copy \(copy) was told that zone \(zoneID.zoneName) is gone, and it is there")
        }
    }
}
