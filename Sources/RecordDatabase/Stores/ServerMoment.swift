// What a server gives of one moment, and what it is given to store.

package import FoundationEssentials
package import PredicateSemantics
package import RecordModel

/// What a call needs of a database, of one moment.
package struct ServerMoment: Sendable {
    package var schema: ContainerSchema
    /// The node that has it; 0 on a server that is alone.
    package var node: Int32 = 0
    /// The roles given to users, and a number that changes with them.
    package var roles: (byUser: [String: Set<String>], version: Int64) = ([:], 0)
    /// Number of the last change.
    package var lastChange: Int64 = 0
    /// Date of the last commit.
    package var lastDate = Date.distantPast
    /// The zones that were needed, without the default one.
    package var zones: [ServerZone] = []
    /// Those among them that were deleted and not made again, with the number of the change and why.
    package var goneZones: [(name: String, change: Int64, reason: ZoneDeletionReason)] = []
    /// The rows that were needed, in order of insertion.
    package var rows: [ServerRow] = []
    package var links: [ServerLink] = []
    /// The links of records to those of other nodes, as far as they were needed.
    package var heldLinks: [ServerLink] = []
    /// Records of which other nodes have holders or children, or had them.
    package var targetsApart: Set<Record.ID> = []
    /// The records among the rows that are on other nodes than the commit, as they are by then.
    package var apart: Set<Record.ID> = []
    /// What came into shares and left them, of the zones of which that was needed, in order.
    package var moves: [ShareMove] = []
    /// Deletions of the zone whose changes are needed, in order.
    package var deletions: [(name: String, type: String, change: Int64)] = []
    /// The last batch of the client; `nil` for a client of which the server knows nothing.
    package var ownBatch: ServerBatch?
    /// Whether a client of another process sent the batch.
    package var isSentBefore = false
    /// Changes with the subscriptions of the database; 0 where there never was one.
    package var watchVersion: Int64 = 0
    /// The users with subscriptions to their shared database who see something of this one, or may come to, each with a
    /// number that changes with these.
    package var watchers: [String: Int64] = [:]
    /// The subscriptions that were needed, in order of saving, their predicates not bound.
    package var subscriptions: [StoredSubscription] = []
    /// The names of records that satisfy conditions, but for conditions that too many satisfy.
    package var foundTargets: [TargetCondition: FoundTargets] = [:]
    /// Rows of a selection that the server is certain of, and counted instead of giving them.
    package var countedRows = 0
    /// Whether the server was sure of each row of a selection, and gave the first in its order and no others; `nil`
    /// where nothing was selected.
    package var areRowsSure: Bool?
    /// Whether the server has more rows of a selection than its share, and gave these.
    package var areRowsShared = false
    /// How the rows of a selection were found, where that was requested.
    package var pushed: QueryExplanation.Pushed?
    /// How many rows have each value of the field that was named; `nil` where the server does not tell.
    package var groups: [(value: FieldValue, count: Int)]?

    package init(schema: ContainerSchema) { self.schema = schema }
}

/// What is to be stored together.
package struct ServerCommit: Sendable {
    /// A record deleted.
    package struct Deletion: Sendable {
        package let id: Record.ID
        package let type: String
        package let change: Int64
    }

    /// Whose private database is changed by a commit to a shared one; `nil` for the database of the call.
    package var owner: String?
    package let userName: String?
    /// The client that made the change, among those of its process.
    package let client: Int
    package let date: Date
    /// Number of the last change before the commit.
    package let earlierChange: Int64
    /// Number of the last change of the commit.
    package var lastChange: Int64
    /// The records saved, each as it is afterwards, and whether it is new.
    package var saves: [(row: ServerRow, isNew: Bool)] = []
    package var deletions: [Deletion] = []
    package var madeZones: [(name: String, change: Int64)] = []
    package var deletedZones: [(name: String, change: Int64, reason: ZoneDeletionReason)] = []
    /// References that are no longer there, and those that are new.
    package var removedLinks: [ServerLink] = []
    /// Who may find each share that is saved, and how.
    package var shares: [ServerShare] = []
    /// Records that came into shares or left them.
    package var moves: [ShareMove] = []
    package var addedLinks: [ServerLink] = []
    /// What changes of links between nodes.
    package var linksApart = LinksApart()
    /// The schema from now on; `nil` when it stays.
    package var schema: ContainerSchema?
    /// The client's batch, without digest where some of it failed.
    package var batch: ServerBatch?
    /// The name of the key that values of the commit are encrypted with; `nil` where none is. The server does not
    /// store what is under another key than the one that is noted by then.
    package var keyName: String?
    /// Deletions that a zone remembers.
    package var deletionsKept: Int
    /// Subscriptions saved, each in place of the one of its user and identifier, and those deleted.
    package var savedSubscriptions: [StoredSubscription] = []
    package var deletedSubscriptions: [(userName: String, id: Subscription.ID)] = []
    /// Subscriptions of others to their shared databases that have told all they tell.
    package var endedSharedSubscriptions: [(userName: String, id: Subscription.ID)] = []
    /// What subscribers are to be told.
    package var notices: [NoticeContent] = []

    /// Whether there are other subscriptions than before.
    package var changesSubscriptions: Bool { !savedSubscriptions.isEmpty || !deletedSubscriptions.isEmpty }

    /// A commit without changes.
    ///
    /// - Parameter earlierChange: Number of the last change that there is.
    package init(userName: String?, client: Int, date: Date, after earlierChange: Int64, deletionsKept: Int) {
        (self.userName, self.client, self.date) = (userName, client, date)
        (self.earlierChange, lastChange, self.deletionsKept) = (earlierChange, earlierChange, deletionsKept)
    }
}
