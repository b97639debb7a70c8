// One change of a stored database, as a value: all that a log would have to keep.

package import FoundationEssentials
import RecordColumns
package import RecordModel
package import RecordStore

/// What one call changed: records, zones and schema together, or nothing at all.
///
/// A database's state follows from its commits in their order, through `StoredDatabase.apply` alone.
package struct Commit: Sendable {
    /// A record saved.
    package struct Save: Sendable {
        package let id: Record.ID
        package let type: String
        /// The fields that are written; `.null` takes one away. All of them for a new record.
        package let fields: [String: FieldValue]
        /// Whether no record of the identifier was there.
        package let isNew: Bool
        /// Number of the change: the record's change tag.
        package let change: Int64
        /// The new parent, `.some(nil)` for none; `nil` when it stays.
        let parent: RecordReference??
        /// The share that the record is the root of from now on, `.some(nil)` for none; `nil` when that stays.
        var share: RecordReference??
        /// Whether a migration writes the record again, which keeps what else the database knows of it.
        var isRewritten = false
        /// Where the record was found, in the records that the commit was made on. No log keeps it.
        var address: RowAddress?
    }

    /// A record deleted, by request or with its owner.
    package struct Deletion: Sendable {
        package let id: Record.ID
        package let type: String
        package let change: Int64
    }

    let origin: DatabaseOrigin
    /// The client that made the change, among those of its store.
    package let client: Int
    /// The user that made the change; `nil` for the database itself.
    package let userName: String?
    package let date: Date
    package var saves: [Save] = []
    package var deletions: [Deletion] = []
    /// Records that are all new, as columns with what the database writes about them. Nobody may watch the database, as
    /// they are not told of one by one.
    package var rows: NewRows?
    /// Zones made, with the number of the change.
    package var madeZones: [(id: RecordZone.ID, change: Int64)] = []
    /// Zones deleted with all their records, with the number of the change, and why.
    package var deletedZones: [(id: RecordZone.ID, change: Int64, reason: ZoneDeletionReason)] = []
    /// The schema from now on; `nil` when it stays.
    package var schema: ContainerSchema?
    /// References that matter for deletions, of the records whose references changed. They follow from the records: no
    /// log keeps them.
    var links: [Record.ID: (old: ReferenceGraph.Links, new: ReferenceGraph.Links)] = [:]
    /// Subscriptions saved.
    package var savedSubscriptions: [StoredSubscription] = []
    /// Subscriptions deleted.
    package var deletedSubscriptions: [(userName: String, id: Subscription.ID)] = []
    /// What else sharing needs to know.
    var sharing = SharingChanges()
    /// The client's own token for the zones that the commit changes.
    var clientToken: Data?
    /// The batch that came with the token; `nil` when some of it failed.
    var sentBatch: SentBatch?
    /// The name of the key that values of the commit are encrypted with; `nil` where none is. No log keeps it.
    var keyName: String?
    /// Deletions that a zone remembers.
    var deletionsKept = 0

    /// The scope of the database that was changed.
    package var scope: DatabaseScope { origin.scope }
    /// Whose private database was changed; `nil` for the public one.
    package var owner: String? { origin.user }

    var isEmpty: Bool {
        !changesRecords && madeZones.isEmpty && savedSubscriptions.isEmpty && deletedSubscriptions.isEmpty
            && sharing.isEmpty
    }

    /// The types that a migration begins to write again: nothing of their fields stays as it was.
    var rewrittenTypes: Set<String> {
        schema == nil ? [] : Set(saves.lazy.filter(\.isRewritten).map(\.type))
    }

    /// Whether there is nothing but records saved.
    var onlySaves: Bool {
        !saves.isEmpty && deletions.isEmpty && rows == nil && !changesZones && savedSubscriptions.isEmpty
            && deletedSubscriptions.isEmpty && sharing.isEmpty
    }

    /// Whether zones are made or deleted.
    var changesZones: Bool { !madeZones.isEmpty || !deletedZones.isEmpty }

    /// Whether there are other records than before.
    var changesRecords: Bool { !saves.isEmpty || !deletions.isEmpty || !deletedZones.isEmpty || rows != nil }
}

/// A commit with the records before and after it: what observers see, one after another in order of commits.
package struct CommitEvent: Sendable {
    package let commit: Commit
    package let before: Snapshot
    package let after: Snapshot
    /// What subscribers are to be told.
    package internal(set) var notices: [Notice] = []
    /// The live queries of the database.
    let liveQueries: LiveQueries
    /// The schema with the commit.
    var schema: ContainerSchema?

    /// The encrypted fields of a type; `nil` where they are not known.
    func encryptedKeys(ofType type: String) -> [String]? { schema?.recordTypes[type]?.encryptedKeys }

    /// The record as it is after the commit. Complexity: O(segments).
    package func saved(_ save: Commit.Save) -> Record? { Self.record(save.id, in: after) }

    /// The record as it was before the commit that changed it; `nil` for a new one.
    package func previous(_ save: Commit.Save) -> Record? { save.isNew ? nil : Self.record(save.id, in: before) }

    /// The last state of a deleted record.
    package func deleted(_ deletion: Commit.Deletion) -> Record? { Self.record(deletion.id, in: before) }

    /// The record of an identifier in one of the snapshots.
    static func record(_ id: Record.ID, in snapshot: Snapshot) -> Record? {
        snapshot.find(id).map { RowVersion($0.segment, $0.row).record(id) }
    }
}
