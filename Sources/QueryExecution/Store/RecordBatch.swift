// What is written at once.

package import RecordColumns
package import RecordModel

/// Changes that become visible together, or not at all.
///
/// Of several changes of one record each builds on the one before, and the outcome counts: a record that is deleted and
/// saved again is updated. New records are numbered in order of their first mention.
package struct RecordBatch: Sendable {
    enum Operation: Sendable {
        case save(Record, beside: [FieldEntry])
        case change([String: FieldValue])
        case delete
    }

    private(set) var operations: [(id: Record.ID, operation: Operation)] = []
    /// Zones whose records go, before anything else is done.
    private(set) var deletedZones: Set<RecordZone.ID> = []

    /// No change.
    package init() {}

    /// Number of changes.
    package var count: Int { operations.count }

    /// Saves a record as a whole: a new one, or in place of the one of that identifier.
    ///
    /// - Parameter entries: Values of fields that the record does not have, stored like its own.
    package mutating func save(_ record: Record, beside entries: [FieldEntry] = []) {
        operations.append((record.id, .save(record, beside: entries)))
    }

    /// Gives fields of a record new values, `.null` for none, and leaves its other fields.
    package mutating func change(_ id: Record.ID, _ values: [String: FieldValue]) {
        operations.append((id, .change(values)))
    }

    /// Deletes a record; nothing happens when there is none.
    package mutating func delete(_ id: Record.ID) { operations.append((id, .delete)) }

    /// Deletes all records that a zone has before the batch.
    package mutating func deleteZone(_ zoneID: RecordZone.ID) { deletedZones.insert(zoneID) }
}

/// What a batch did.
package struct CommitSummary: Hashable, Sendable {
    /// Version of the first snapshot that has the changes.
    package var version = 0
    package var inserted = 0
    package var updated = 0
    package var deleted = 0
}

/// Why a batch was not taken.
package enum CommitError: Error, Hashable, Sendable {
    /// A record whose fields were to be changed does not exist.
    case unknownRecord(Record.ID)
    /// Whoever had the last word said no.
    case notConfirmed
    /// A value does not fit its field, or a limit was met.
    case column(ColumnError, recordType: String)
}
