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
    }

    /// A row that is there, with other values in some fields.
    struct Changed {
        var row: SnapshotRow
        var values: [String: FieldValue]
    }

    private(set) var saved: [Group: [Saved]] = [:]
    private(set) var changed: [Group: [Changed]] = [:]
    /// Rows that no longer count, by segment.
    private(set) var removed: [Int: [Int]] = [:]
    private(set) var summary = CommitSummary()
    private(set) var nextSequence: Int

    private enum Outcome {
        case save(Record)
        case change([String: FieldValue])
        case delete
    }

    /// - Parameter nextSequence: The number of the first record that is new.
    /// Throws: `CommitError.unknownRecord`.
    init(_ batch: RecordBatch, on snapshot: Snapshot, nextSequence: Int) throws(CommitError) {
        self.nextSequence = nextSequence
        for (id, outcome) in try Self.outcomes(of: batch) { try add(outcome, of: id, on: snapshot) }
        // Records of one commit keep the order of their sequence within their segment.
        for group in saved.keys { saved[group]?.sort { $0.sequence < $1.sequence } }
        for group in changed.keys { changed[group]?.sort { $0.row.sequence < $1.row.sequence } }
    }

    /// What becomes of each record that the batch names, in order of its first mention.
    private static func outcomes(of batch: RecordBatch) throws(CommitError) -> [(Record.ID, Outcome)] {
        var outcomes: [(id: Record.ID, outcome: Outcome)] = []
        outcomes.reserveCapacity(batch.count)
        var positions: [Record.ID: Int] = [:]
        positions.reserveCapacity(batch.count)
        for (id, operation) in batch.operations {
            let position = positions[id]
            let outcome: Outcome
            switch (operation, position.map { outcomes[$0].outcome }) {
            case (.save(let record), _): outcome = .save(record)
            case (.delete, _): outcome = .delete
            case (.change(let values), nil): outcome = .change(values)
            case (.change(let values), .change(let earlier)?): outcome = .change(earlier.merging(values) { $1 })
            case (.change(let values), .save(var record)?):
                for (field, value) in values { record[field] = value }
                outcome = .save(record)
            case (.change, .delete?): throw .unknownRecord(id)
            }
            if let position {
                outcomes[position].outcome = outcome
            } else {
                positions[id] = outcomes.count
                outcomes.append((id, outcome))
            }
        }
        return outcomes.map { ($0.id, $0.outcome) }
    }

    private mutating func add(_ outcome: Outcome, of id: Record.ID, on snapshot: Snapshot) throws(CommitError) {
        let existing = snapshot.locate(id)
        if let existing { removed[existing.segment, default: []].append(existing.row) }
        switch outcome {
        case .delete:
            if existing != nil { summary.deleted += 1 }
        case .save(let record):
            let group = Group(recordType: record.type, zoneID: id.zoneID)
            saved[group, default: []].append(Saved(sequence: existing?.sequence ?? nextSequence, record: record))
            if existing == nil {
                summary.inserted += 1
                nextSequence += 1
            } else {
                summary.updated += 1
            }
        case .change(let values):
            guard let existing else { throw .unknownRecord(id) }
            let segment = snapshot.segments[existing.segment].segment
            let group = Group(recordType: segment.recordType, zoneID: id.zoneID)
            changed[group, default: []].append(Changed(row: existing, values: values))
            summary.updated += 1
        }
    }
}
