// From a batch to what it means for the rows of a snapshot.

import OrdinalSets
import RecordColumns
import RecordModel

/// The rows that a batch takes away and those that it adds.
struct CommitPlan {
    /// Rows of one type and zone that become a segment.
    struct Group: Hashable {
        var recordType: String
        var zoneID: RecordZone.ID
    }

    /// A record saved as a whole.
    struct Saved {
        var sequence: Int
        var record: Record
        /// Values beside those of the record.
        var entries: [FieldEntry]
    }

    /// A row that is there, with other values in some fields.
    struct Changed {
        var row: SnapshotRow
        var values: [String: FieldValue]
    }

    /// What happens to the records of one type and zone.
    struct Changes {
        let group: Group
        var saved: [Saved] = []
        var changed: [Changed] = []
    }

    /// Types and zones that get rows, in order of first mention.
    private(set) var groups: [Changes] = []
    private var positions: [Group: Int] = [:]
    /// The place of the group that came last.
    private var last: Int?
    /// Rows that no longer count, by segment.
    private(set) var removed: [Int: [Int]] = [:]
    private(set) var nextSequence: Int
    /// The number of the first record that comes in columns.
    private(set) var firstRow = 0

    private enum Outcome {
        case save(Record, [FieldEntry])
        case rewrite(Record, [FieldEntry], keeping: Set<String>)
        case change([String: FieldValue])
        case delete
    }

    /// - Parameter nextSequence: The number of the first record that is new.
    /// - Throws: `CommitError.unknownRecord`.
    init(_ batch: RecordBatch, on snapshot: Snapshot, nextSequence: Int) throws(CommitError) {
        self.nextSequence = nextSequence
        let batchChanges = try Self.batchChanges(in: batch, on: snapshot)
        // A record that is new, as whoever made the batch knows, is in no segment: looking for it costs the most.
        let sought = batchChanges.indices.filter { !batchChanges[$0].isNew && batchChanges[$0].address == nil }
        let found = snapshot.find(sought.map { batchChanges[$0].id }, hashes: sought.map { batchChanges[$0].hash })
        var next = 0
        for change in batchChanges {
            var address = change.address
            if !change.isNew, address == nil {
                address = found[next]
                next += 1
            }
            try add(change, address.map(snapshot.row), on: snapshot)
        }
        firstRow = self.nextSequence
        for rows in batch.rows {
            self.nextSequence += rows.count
        }
        // Records of one commit keep the order of their sequence within their segment.
        for group in groups.indices {
            groups[group].saved.sort { $0.sequence < $1.sequence }
            groups[group].changed.sort { $0.row.sequence < $1.row.sequence }
        }
    }

    /// A record that a batch names.
    private struct BatchChange {
        var id: Record.ID
        /// Hash of the name, for all who look it up.
        var hash: UInt32
        /// Whether the snapshot does not have the record.
        var isNew: Bool
        /// Where the snapshot has the record, if that is known.
        var address: RowAddress?
        var outcome: Outcome
    }

    /// The change of each record that the batch names, in order of its first mention.
    private static func batchChanges(
        in batch: RecordBatch, on snapshot: Snapshot
    ) throws(CommitError) -> [BatchChange] {
        var batchChanges: [BatchChange] = []
        batchChanges.reserveCapacity(batch.count)
        let index = ByteIndex(capacity: batch.count)
        for (id, operation) in batch.operations {
            let hash = Snapshot.hash(id)
            let position = index.find(hash) { batchChanges[$0].id == id }
            let outcome: Outcome
            switch (operation, position.map { batchChanges[$0].outcome }) {
            case (.save(let record, let entries, _), _): outcome = .save(record, entries)
            case (.rewrite(let record, let entries, let kept), _): outcome = .rewrite(record, entries, keeping: kept)
            case (.delete, _): outcome = .delete
            case (.change(let values, _), nil): outcome = .change(values)
            case (.change(let values, _), .change(let earlier)?): outcome = .change(earlier.merging(values) { $1 })
            case (.change(let values, _), .save(var record, var entries)?):
                for (field, value) in values {
                    entries.removeAll { $0.name == field }
                    record[field] = value
                }
                outcome = .save(record, entries)
            case (.change, .delete?), (.change, .rewrite?): throw .unknownRecord(id)
            }
            if let position {
                batchChanges[position].outcome = outcome
            } else {
                index.insert(hash, batchChanges.count)
                var change = BatchChange(id: id, hash: hash, isNew: false, outcome: outcome)
                switch operation {
                case .save(_, _, let isNew): change.isNew = isNew
                case .change(_, let address?) where snapshot.holds(id, at: address): change.address = address
                default: break
                }
                batchChanges.append(change)
            }
        }
        return batchChanges
    }

    /// The place of a type and zone among the groups.
    private mutating func position(_ recordType: String, _ zoneID: RecordZone.ID) -> Int {
        // Most of a batch is of one kind.
        if let group = last.map({ groups[$0].group }), group.recordType == recordType, group.zoneID == zoneID {
            return last ?? 0
        }
        let group = Group(recordType: recordType, zoneID: zoneID)
        let position = positions[group, default: groups.count]
        if position == groups.count {
            groups.append(Changes(group: group))
            positions[group] = position
        }
        last = position
        return position
    }

    /// - Parameter existing: The row that the record has.
    private mutating func add(
        _ change: BatchChange, _ existing: SnapshotRow?, on snapshot: Snapshot
    ) throws(CommitError) {
        let id = change.id
        if let existing { removed[existing.segment, default: []].append(existing.row) }
        switch change.outcome {
        case .delete: break
        case .rewrite(let record, let entries, let kept):
            guard let existing else { throw .unknownRecord(id) }
            let segment = snapshot.segments[existing.segment].segment
            let others = kept.subtracting(entries.map(\.name)).sorted().map { name in
                (name: name, value: segment.value(of: name, row: existing.row))
            }
            let saved = Saved(sequence: existing.sequence, record: record, entries: entries + others)
            groups[position(record.type, id.zoneID)].saved.append(saved)
        case .save(let record, let entries):
            let saved = Saved(sequence: existing?.sequence ?? nextSequence, record: record, entries: entries)
            groups[position(record.type, id.zoneID)].saved.append(saved)
            if existing == nil { nextSequence += 1 }
        case .change(let values):
            guard let existing else { throw .unknownRecord(id) }
            let segment = snapshot.segments[existing.segment].segment
            let changed = Changed(row: existing, values: values)
            groups[position(segment.recordType, id.zoneID)].changed.append(changed)
        }
    }
}
