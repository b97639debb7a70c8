// One zone of a stored database: when it was made and changed, and which of its records are no more.

import FoundationEssentials
import RecordModel

/// What a database knows of one of its zones besides the records.
struct ZoneState: Sendable {
    let id: RecordZone.ID
    /// Number of the change that made the zone: tells it from an earlier zone of its name.
    let made: Int64
    let capabilities: RecordZone.Capabilities
    /// Number of the last change of the zone or of one of its records.
    var lastChange: Int64
    /// The client's own token of the last batch that came with one.
    var clientToken: Data?
    /// Deletions in order; those of records that were saved again since have no entry in `deletionChanges`.
    private(set) var tombstones = Tombstones()
    /// The change that deleted a record, by its name.
    private var deletionChanges = PartitionedDictionary<String, Int64>()
    /// Deletions up to this change are forgotten.
    private(set) var forgottenThrough: Int64 = 0
    /// Number of deletions that are forgotten.
    private(set) var forgottenCount = 0
    /// Number of the last change of the node that has the zone, where others have numbers of their own.
    var nodeChange: Int64?
    /// Where records went that are or were part of a share.
    var moves = ShareMoves()

    init(id: RecordZone.ID, made: Int64, capabilities: RecordZone.Capabilities) {
        self.id = id
        self.made = made
        self.capabilities = capabilities
        lastChange = made
    }

    /// Takes the deletions of the zone as they were stored.
    ///
    /// - Parameter tombstones: The deletions in order, and which of them still tell the last of their records.
    mutating func restore(
        _ tombstones: [(tombstone: Tombstone, isCurrent: Bool)], forgotten: (through: Int64, count: Int)
    ) {
        (forgottenThrough, forgottenCount) = forgotten
        for (tombstone, isCurrent) in tombstones {
            self.tombstones.append(tombstone)
            if isCurrent { deletionChanges[tombstone.recordName] = tombstone.change }
        }
    }

    var zone: RecordZone { RecordZone(id: id, capabilities: capabilities) }

    /// Remembers a deletion, and forgets the oldest beyond a limit. Complexity: amortised O(1).
    mutating func bury(_ tombstone: Tombstone, limit: Int) {
        tombstones.append(tombstone)
        deletionChanges[tombstone.recordName] = tombstone.change
        let limit = max(0, limit)
        // Half as many again before the oldest go: each is moved twice at most.
        guard tombstones.count - limit > limit / 2 + 1 else { return }
        for old in tombstones.prefix(tombstones.count - limit) {
            forgottenThrough = old.change
            if deletionChanges[old.recordName] == old.change { deletionChanges[old.recordName] = nil }
        }
        forgottenCount += tombstones.count - limit
        tombstones.removeFirst(tombstones.count - limit)
    }

    /// Takes back the deletions of records that are saved again.
    mutating func unbury(_ recordNames: some Sequence<String>) {
        if deletionChanges.isEmpty { return }
        for name in recordNames { deletionChanges[name] = nil }
    }

    /// The first deletions after a change, in order, of records that were not saved again.
    /// - Complexity: O(log deletions + those after the change).
    func deletions(after change: Int64, limit: Int) -> [Tombstone] {
        var (low, high) = (0, tombstones.count)
        while low < high {
            let middle = (low + high) / 2
            if tombstones[middle].change <= change { low = middle + 1 } else { high = middle }
        }
        return Array(tombstones[low...].lazy.filter(isCurrent).prefix(limit))
    }

    /// Whether a tombstone still tells the last that happened to its record.
    func isCurrent(_ tombstone: Tombstone) -> Bool { deletionChanges[tombstone.recordName] == tombstone.change }
}
