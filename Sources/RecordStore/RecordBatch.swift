// What is written at once.

package import RecordColumns
package import RecordModel

/// Changes that become visible together, or not at all.
///
/// Of several changes of one record each builds on the one before, and the outcome counts: a record that is deleted and
/// saved again is updated. New records are numbered in order of their first mention.
package struct RecordBatch: Sendable {
    enum Operation: Sendable {
        case save(Record, beside: [FieldEntry], isNew: Bool)
        case rewrite(Record, beside: [FieldEntry], keeping: Set<String>)
        case change([String: FieldValue], at: RowAddress?)
        case delete
    }

    private(set) var operations: [(id: Record.ID, operation: Operation)] = []
    /// Zones whose records go, before anything else is done.
    private(set) var deletedZones: Set<RecordZone.ID> = []

    /// Types whose fields are no more what they were: every record of them is in this batch or in those staged with it.
    private(set) var rewrittenTypes: Set<String> = []

    /// Records that are all new, as columns; behind all others in the order of insertion.
    private(set) var rows: [NewRows] = []

    /// No change.
    package init() {}

    /// Number of changes to single records.
    package var count: Int { operations.count }

    /// Adds records as columns. None of them is there, or named by another change of the batch.
    package mutating func append(_ rows: NewRows) { self.rows.append(rows) }

    /// Saves a record as a whole: a new one, or in place of the one of that identifier.
    ///
    /// - Parameter entries: Values of fields that the record does not have, stored like its own.
    package mutating func save(_ record: Record, beside entries: [FieldEntry] = []) {
        operations.append((record.id, .save(record, beside: entries, isNew: false)))
    }

    /// As `save`, for a record that the store does not have before the batch: it is not looked for, which the caller
    /// has done.
    package mutating func insert(_ record: Record, beside entries: [FieldEntry] = []) {
        operations.append((record.id, .save(record, beside: entries, isNew: true)))
    }

    /// Begins to write all records of a type again: what its fields were does not count any more.
    package mutating func rewrite(type: String) { rewrittenTypes.insert(type) }

    /// Saves a record in place of the one of that identifier, which may be of another type.
    ///
    /// - Parameters:
    ///   - entries: As of `save`.
    ///   - kept: Fields that keep their values, unless `entries` has them.
    package mutating func rewrite(_ record: Record, beside entries: [FieldEntry], keeping kept: Set<String>) {
        operations.append((record.id, .rewrite(record, beside: entries, keeping: kept)))
    }

    /// Gives fields of a record new values, `.null` for none, and leaves its other fields.
    ///
    /// - Parameter address: Where the record was found; it is looked for where it is not there any more.
    package mutating func change(
        _ id: Record.ID, _ values: [String: FieldValue], foundAt address: RowAddress? = nil
    ) {
        operations.append((id, .change(values, at: address)))
    }

    /// Deletes a record; nothing happens when there is none.
    package mutating func delete(_ id: Record.ID) { operations.append((id, .delete)) }

    /// Deletes all records that a zone has before the batch.
    package mutating func deleteZone(_ zoneID: RecordZone.ID) { deletedZones.insert(zoneID) }
}

/// New records of one type and zone, column by column.
package struct NewRows: Sendable {
    package let recordType: String
    package let zoneID: RecordZone.ID
    package let names: TextColumn
    /// The columns with values, each as long as `names`.
    package private(set) var columns: [(name: String, column: Column)]

    package init(
        recordType: String, zoneID: RecordZone.ID, names: TextColumn, columns: [(name: String, column: Column)]
    ) {
        (self.recordType, self.zoneID, self.names, self.columns) = (recordType, zoneID, names, columns)
    }

    /// All rows of a segment.
    package init(_ segment: Segment) {
        self.init(
            recordType: segment.recordType, zoneID: segment.zoneID, names: segment.names,
            columns: zip(segment.schema.fields, segment.columns).map { ($0.name, $1) })
    }

    package var count: Int { names.count }
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
