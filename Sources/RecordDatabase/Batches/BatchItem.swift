// The items of a batch on their way through its checks.

import RecordColumns
import RecordModel
import RecordStore

/// A record to save.
struct SaveItem {
    let record: Record
    /// The identifier as the store knows it.
    let id: Record.ID
    /// What is written: the fields of the save policy, later as their types store them; `.null` takes a field away.
    var values: [String: FieldValue]
    /// What is encrypted before it is written; `.null` takes a field away.
    private(set) var encryptedValues: [String: FieldValue]
    /// The encrypted fields of the record's type.
    var encryptedKeys: [String] = []
    /// Whether all there is of the record is sent, and not only its changes.
    private let isWhole: Bool
    /// The stored record of the identifier.
    private(set) var stored: RowVersion?
    /// Where it is stored, in the snapshot that it was looked up in.
    private(set) var address: RowAddress?
    var failure: ItemFailure?

    init(_ record: Record, id: Record.ID, policy: SavePolicy) {
        self.record = record
        self.id = id
        values = record.changes
        encryptedValues = record.encryptedValues.edits
        isWhole = policy == .allKeys
        if policy == .allKeys, let version = record.version {
            // Assets without a file come from the server record of a conflict: they are stored already.
            let known = record.encryptedValues.stored
            values = version.fields.filter { field, value in
                known[field] == nil && !value.assets.contains { $0.path.isEmpty }
            }
            values.merge(record.changes) { $1 }
            // Values that could not be shown stay as they are stored.
            encryptedValues = known.filter { !$0.value.isNull }.merging(encryptedValues) { $1 }
        }
    }

    /// Notes where the record of the identifier is stored.
    mutating func note(_ address: RowAddress, in snapshot: Snapshot) -> RowVersion {
        let version = RowVersion(snapshot.segments[address.segment].segment, address.row)
        (stored, self.address) = (version, address)
        return version
    }

    /// Whether the parent is sent: when it was set, and when a record that is gone is saved again as a whole.
    var setsParent: Bool { record.hasParentChange || (isWhole && stored == nil) }

    /// The new parent, `.some(nil)` for none; `nil` when it stays.
    var parent: RecordReference?? { setsParent ? .some(record.parent) : stored == nil ? .some(nil) : nil }
}

/// A record to delete.
struct DeleteItem {
    /// How the record is treated.
    enum Effect {
        case deleted
        /// The caller leaves a share of another user.
        case leaves
        /// Nothing: the caller does not see the record.
        case nothing
    }

    /// The identifier as the caller wrote it.
    let requested: Record.ID
    let id: Record.ID
    var failure: ItemFailure?
    var effect = Effect.deleted
}
