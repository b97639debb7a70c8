// What a save does about changes that others made meanwhile.

/// Which fields a save writes, and whether it minds changes made since the record was fetched; raw values are
/// CloudKit's.
public enum SavePolicy: Int, Hashable, Sendable, Codable, CaseIterable {
    /// Writes the changed fields of a record whose stored version is still the one that was fetched, else fails with
    /// `serverRecordChanged`.
    case ifServerRecordUnchanged = 0
    /// Writes the changed fields, even over a newer stored record.
    case changedKeys = 1
    /// Writes all fields of the record, even over a newer stored one; fields that only the stored record has stay.
    case allKeys = 2
}
