// What a call needs of a database on a server.

package import FoundationEssentials
package import PredicateSemantics
package import RecordModel

/// Which rows of a database a call needs.
package struct ServerNeed: Sendable {
    /// Records by their identifiers.
    package var records: [Record.ID] = []
    /// Records that may go: with all that would go with them, and what refers to these.
    package var roots: [Record.ID] = []
    /// Records that matter only where they are beside those that change.
    package var neighbours: [Record.ID] = []
    /// Records whose holders are counted.
    package var targets: [Record.ID] = []
    /// How many holders such a record may have.
    package var holderLimit = Int.max
    /// Records whose links to records of other nodes are needed.
    package var heldBy: [Record.ID] = []
    /// Types all of whose records are needed.
    package var wholeTypes: Set<String> = []
    /// The records that a query may find.
    package var selection: ServerSelection?
    /// The names of the records of a zone that satisfy conditions.
    package var conditions: ServerTargets?
    /// The changes of a zone.
    package var changes: ServerChanges?
    /// The batch of a client, which may be a repetition.
    package var batch: ServerBatch?
    /// The subscriptions.
    package var subscribers: Subscribers?
    /// Whether a commit is made, which those are told of who watch their shared database and see something of this one:
    /// the names of users who may come to see something. `nil` where nobody is told.
    package var watchers: Set<String>?
    /// The zones of which it is needed whether they are there, and what is known of them. A commit needs all zones
    /// that it has something to store of.
    package var zoneStates = Zones.all
    /// The zones that a commit changes, where they are known before.
    package var zones: [RecordZone.ID] = []
    /// The records that a commit changes, where they are known before.
    package var changed: [Record.ID] = []
    /// Whether the selection is that of records with values that those of a commit are to have alone: each node looks
    /// among its own, and what is known of others is given, too.
    package var isOfRivals = false
    /// Whether records of other nodes than that of the commit are given as they are by then.
    package var leadsElsewhere = false
    /// Zones whose shares are needed.
    package var shares: Zones?
    /// Whether what is above the needed records is needed: their parents, and the roots of shares.
    package var leadsUp = false
    /// Records that are needed with all below them.
    package var trees: [Record.ID] = []
    /// Zones all of whose records are needed.
    package var wholeZones: [RecordZone.ID] = []
    /// Zones of which it is needed what came into shares and left them.
    package var moves: [RecordZone.ID] = []

    /// Whether a commit is made in no time: it may be stored together with others of the process.
    package var isBrief = false
    /// Whether a commit to a shared database reads those that share something with its user, and changes one of them.
    /// Nobody else changes any of these meanwhile.
    package var locksOwners = false

    /// Some zones of a database, or all.
    package enum Zones: Hashable, Sendable {
        case all
        case named(Set<RecordZone.ID>)

        /// The zones of both.
        package func union(_ others: Zones) -> Zones {
            guard case .named(let own) = self, case .named(let named) = others else { return .all }
            return .named(own.union(named))
        }

        /// Whether all others are among these.
        package func isSuperset(of others: Zones) -> Bool {
            guard case .named(let own) = self else { return true }
            guard case .named(let named) = others else { return false }
            return own.isSuperset(of: named)
        }
    }

    /// Whose subscriptions are needed.
    package enum Subscribers: Hashable, Sendable {
        case everyone
        case user(String)
        /// A user who sees something of the database, and the subscriptions to their shared one. Where it is locked,
        /// nobody else ends one before the end of the commit.
        case participant(String, isLocked: Bool)
    }

    package init() {}

    /// Whether nothing but records is needed, each by its identifier, and zones and watchers.
    package var isOfRecordsAlone: Bool {
        let isOfLinks = !roots.isEmpty || !targets.isEmpty || !heldBy.isEmpty || !trees.isEmpty || leadsUp
        let isOfMany = !wholeTypes.isEmpty || !wholeZones.isEmpty || selection != nil || conditions != nil
        let isOfOthers = changes != nil || batch != nil || subscribers != nil || shares != nil || !moves.isEmpty
        return !isOfLinks && !isOfMany && !isOfOthers && !locksOwners
    }
}

/// The records that a query may find.
package struct ServerSelection: Sendable {
    package let type: String
    /// The zone that they are in; `nil` for all.
    package let zoneID: RecordZone.ID?
    /// What they satisfy; rows that do not may be given, too.
    package let predicate: BoundPredicate
    /// Whether records that they refer to are needed, and those that these refer to.
    package let followsReferences: Bool
    /// The order in which they are wanted.
    package let order: [SortKey]
    /// Where in the order the wanted ones begin; `nil` for all. Rows before it may be given, too.
    package let start: Start?
    /// How many are enough, the first in the order of those that satisfy the predicate; `nil` for all.
    package let limit: Int?
    /// How many of the first keys of the order tell which rows share the place of the last one that is enough: these
    /// are given, too, and all rows in order of insertion. `nil` where none but those that are enough are wanted.
    package var tiedKeys: Int?
    /// How many of these rows are probably enough of one of several servers that have equal shares of the records;
    /// `nil` where it gives as many as are enough of all. Where it is sure of as many rows, it gives no more, and says
    /// so.
    package var share: Int?
    /// Whether the server tells how it found the rows, which costs it a second look.
    package var explains = false
    /// Whether rows of which the server is certain may be counted instead of being given.
    package var counts = false
    /// A field by whose values the rows are counted, where the server decides on all of them; no row is given.
    package var groupField: String?
    /// Whether references lead to records of other servers, too.
    package var referencesLeadElsewhere = false
    /// What was found of these before, by condition.
    package var foundTargets: [TargetCondition: FoundTargets] = [:]

    /// The last record of a page.
    package struct Start: Sendable {
        /// What the record has of each key of the order.
        package let values: [FieldValue]
        /// The zone of the record, where the query is about several.
        package let zoneName: String?

        package init(values: [FieldValue], zoneName: String?) { (self.values, self.zoneName) = (values, zoneName) }
    }
}

/// Records that references of others lead to.
package struct ServerTargets: Sendable {
    package let zoneID: RecordZone.ID
    package let conditions: [TargetCondition]
    /// What is known of those that they lead to.
    package let foundTargets: [TargetCondition: FoundTargets]
    /// Names that are enough: of a condition with more none are given.
    package let limit: Int

    package init(
        _ zoneID: RecordZone.ID, _ conditions: [TargetCondition], foundTargets: [TargetCondition: FoundTargets],
        limit: Int
    ) { (self.zoneID, self.conditions, self.foundTargets, self.limit) = (zoneID, conditions, foundTargets, limit) }
}

/// A stretch of the changes of a zone.
package struct ServerChanges: Sendable {
    package let zoneID: RecordZone.ID
    /// Number of the last change that is known.
    package let position: Int64
    /// Deletions up to this change are not needed; `nil` where none is.
    package let deletionsAfter: Int64?
    /// Rows, and deletions, that are needed at most.
    package let limit: Int
}

/// A batch that came with the client's own token.
package struct ServerBatch: Hashable, Sendable {
    /// The client, among those of its process.
    package var client: Int
    package let token: Data
    /// The digest of what the batch says; `nil` for one that is not taken for a repetition.
    package let digest: String?

    package init(client: Int, token: Data, digest: String?) {
        (self.client, self.token, self.digest) = (client, token, digest)
    }
}
