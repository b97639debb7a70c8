// What a server must offer that keeps the databases of a container: rows of one moment, and commits.

package import FoundationEssentials
package import RecordModel

/// A server that keeps the databases of a container.
///
/// It locks, reads and writes; what may be saved and what a query finds is decided by this module, from the rows that
/// the server gives. Functions wait for the server on the thread that calls them. None is called once for each record.
package protocol RecordServer: AssetSource {
    /// Tells the history of changes from all others: what change tokens are moments of.
    var incarnation: String { get }
    /// Calls that may wait for the server at a time.
    var callCount: Int { get }
    /// Servers that the zones are on.
    var nodeCount: Int { get }

    /// The folder of this process that the files of assets are in, as rows say: each named by the digest of its bytes.
    var assetFolder: String { get }
    /// Stores the bytes of files of that folder, unless the server has them.
    /// - Throws: `DatabaseError`.
    func storeAssets(_ assets: [Asset]) throws(DatabaseError)
    /// Removes bytes that no record names.
    ///
    /// - Returns: Their digests.
    /// - Throws: `DatabaseError`.
    func removeUnusedAssets() throws(DatabaseError) -> [String]
    /// The digests that records name, among some.
    /// - Throws: `DatabaseError`.
    func assetsInUse(among digests: [String]) throws(DatabaseError) -> Set<String>

    /// The schema by now.
    /// - Throws: `DatabaseError`.
    func schema() throws(DatabaseError) -> ContainerSchema
    /// Replaces the schema.
    ///
    /// Nobody changes a record while those that are stored are checked.
    ///
    /// - Parameter change: Gives the new schema from the one by now; `nil` for none. It may be called again.
    /// - Throws: `DatabaseError`, also what `change` throws, and of code `constraintViolation` where stored records do
    ///   not satisfy a demand; then nothing is changed.
    func changeSchema(
        _ change: (ContainerSchema) throws(DatabaseError) -> ServerSchemaChange?
    ) throws(DatabaseError)
    /// The roles given to users, by user.
    /// - Throws: `DatabaseError`.
    func roles() throws(DatabaseError) -> [String: Set<String>]
    /// Gives a user roles, in place of those given before.
    /// - Throws: `DatabaseError`.
    func setRoles(_ roles: Set<String>, of userName: String) throws(DatabaseError)

    /// The name of the key that values of the container are encrypted with; `nil` while none is known.
    ///
    /// - Parameter name: What it is from now on where none is known; `nil` to leave it so.
    /// - Throws: `DatabaseError`.
    func encryptionKey(noting name: String?) throws(DatabaseError) -> String?

    /// What there is of a database, of one moment.
    /// - Throws: `DatabaseError`.
    func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment
    /// Calls a body that reads a database as often as it likes, always of the same moment.
    ///
    /// - Parameter body: Gets the moment without rows, and what reads more of it until the body returns. It is called
    ///   once at most.
    /// - Throws: `DatabaseError`, also what the body throws.
    func reading<Outcome>(
        _ origin: DatabaseOrigin, _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome
    /// Changes a database by what a body makes of the rows that it needs. Nobody else changes the database meanwhile,
    /// and the commit counts exactly once, also when connections are lost.
    ///
    /// - Parameter body: Gives what is to be stored, `nil` for nothing, and its outcome. It may read more rows of the
    ///   same moment, and it may be called again, on other rows; what it gave last counts.
    /// - Throws: `DatabaseError`, also what the body throws: then nothing is stored. Of code `serverResponseLost` when
    ///   it cannot be told whether something was.
    func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome
    /// Whose the share of a URL is, and its name; `nil` for none.
    ///
    /// - Parameter token: What makes the URL that of one share.
    /// - Throws: `DatabaseError`.
    func share(withToken token: String) throws(DatabaseError) -> (owner: String, id: Record.ID)?
    /// The users with shares that a user has accepted, in a fixed order.
    /// - Throws: `DatabaseError`.
    func owners(ofSharesAcceptedBy userName: String) throws(DatabaseError) -> [String]
    /// Whether anything is known of a database, which is not made.
    /// - Throws: `DatabaseError`.
    func isKnown(_ origin: DatabaseOrigin) throws(DatabaseError) -> Bool
    /// Zones by what changes together: those of each part.
    ///
    /// - Parameter isMaking: Whether zones are to be made.
    /// - Throws: `DatabaseError`.
    func parts(
        of zones: [RecordZone.ID], in origin: DatabaseOrigin, isMaking: Bool
    ) throws(DatabaseError) -> [[RecordZone.ID]]
    /// The nodes that have records, or would have them; none of a server that is alone. Default zones that were never
    /// written get their place.
    ///
    /// - Throws: `DatabaseError`.
    func nodes(of records: Set<Record.ID>, in origin: DatabaseOrigin) throws(DatabaseError) -> [Record.ID: Int32]
    /// What each node knows of a database besides its records, each at a moment of its own, by the nodes' numbers.
    ///
    /// - Throws: `DatabaseError` where a node does not tell.
    func moments(_ origin: DatabaseOrigin) throws(DatabaseError) -> [(node: Int32, moment: ServerMoment)]
    /// The numbers of the nodes, each of which has its own order of commits.
    var nodeNumbers: [Int32] { get }
    /// What commits of a node tell subscribers of a database, in their order, whichever process made them.
    ///
    /// - Parameters:
    ///   - users: Whose subscriptions are meant.
    ///   - node: The number of the node.
    ///   - place: Notices up to this one are known.
    ///   - end: The last commit that is meant; `nil` for the last there is.
    /// - Returns: The first notices behind the place, up to `limit`, and the last commit that was meant.
    /// - Throws: `DatabaseError`.
    func notices(
        _ origin: DatabaseOrigin, of users: Set<String>, on node: Int32, after place: NoticePlace,
        through end: Int64?, limit: Int
    ) throws(DatabaseError) -> (notices: [ServerNotice], end: Int64)
    /// Tells of the commits of a database, whichever process makes them.
    ///
    /// - Parameter tell: Called soon, then after commits, once for several of them, also when the schema is another
    ///   one. It must not wait for the server.
    /// - Returns: A number that ends it.
    func watch(_ origin: DatabaseOrigin, _ tell: @escaping @Sendable () -> Void) -> Int
    /// As `watch`, of the commits of one node.
    func watch(_ origin: DatabaseOrigin, on node: Int32, _ tell: @escaping @Sendable () -> Void) -> Int
    /// Ends what `watch` began.
    func endWatching(_ number: Int)
    /// Ends all use of the server.
    func close()
}

extension RecordServer {
    package var nodeCount: Int { 1 }
    package var nodeNumbers: [Int32] { [0] }

    package func watch(
        _ origin: DatabaseOrigin, on _: Int32, _ tell: @escaping @Sendable () -> Void
    ) -> Int { watch(origin, tell) }

    package func parts(
        of zones: [RecordZone.ID], in _: DatabaseOrigin, isMaking _: Bool
    ) throws(DatabaseError) -> [[RecordZone.ID]] { [zones] }

    package func moments(
        _ origin: DatabaseOrigin
    ) throws(DatabaseError) -> [(node: Int32, moment: ServerMoment)] { [(0, try read(origin, ServerNeed()))] }

    package func nodes(
        of _: Set<Record.ID>, in _: DatabaseOrigin
    ) throws(DatabaseError) -> [Record.ID: Int32] { [:] }
}

/// Reads more of a database, of the moment that a call is about. May be used from any thread until the call ends.
package protocol ServerReading: Sendable {
    /// - Throws: `DatabaseError`, of code `badDatabase` after the end of the call. After another one the moment is
    ///   lost: further reads throw the same.
    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment
}

/// A record as a server keeps it.
package struct ServerRow: Sendable {
    package let id: Record.ID
    package let type: String
    package var fields: [String: FieldValue]
    package var parent: RecordReference?
    /// The share that the record is the root of.
    package var share: RecordReference?
    package let creationDate: Date
    package let creator: String?
    package var modificationDate: Date
    package var lastModifier: String?
    /// Number of the change that made the row what it is.
    package var change: Int64

    package init(
        _ id: Record.ID, type: String, fields: [String: FieldValue], parent: RecordReference?,
        made: (date: Date, user: String?), changed: (date: Date, user: String?, number: Int64)
    ) {
        (self.id, self.type, self.fields, self.parent) = (id, type, fields, parent)
        (creationDate, creator) = made
        (modificationDate, lastModifier, change) = changed
    }
}

/// A zone as a server keeps it.
package struct ServerZone: Hashable, Sendable {
    package let name: String
    /// Number of the change that made the zone.
    package let made: Int64
    /// Number of the last change of the zone.
    package let lastChange: Int64
    /// Deletions up to this change are forgotten.
    package let forgottenThrough: Int64
    /// What came into shares and left them up to this change is forgotten.
    package var movesForgottenThrough: Int64 = 0
    /// Number of the last change of the node that has it, where there are several.
    package var nodeChange: Int64?
    package let clientToken: Data?

    package init(name: String, made: Int64, lastChange: Int64, forgottenThrough: Int64, clientToken: Data?) {
        (self.name, self.made, self.lastChange) = (name, made, lastChange)
        (self.forgottenThrough, self.clientToken) = (forgottenThrough, clientToken)
    }
}

/// A reference that matters when its target is deleted.
package struct ServerLink: Hashable, Sendable {
    package let target: Record.ID
    package let holder: Record.ID
    package let holderType: String
    /// Whether the holder goes with its target; otherwise it is below it.
    package let isOwning: Bool

    package init(target: Record.ID, holder: Record.ID, holderType: String, isOwning: Bool) {
        (self.target, self.holder, self.holderType, self.isOwning) = (target, holder, holderType, isOwning)
    }
}

/// What a server finds a share by.
package struct ServerShare: Sendable {
    package let id: Record.ID
    /// What makes its URL that of one share.
    package let token: String
    /// The users who have accepted it.
    package let participants: Set<String>
}

/// The place of a notice among those of its database.
package struct NoticePlace: Hashable, Sendable {
    /// Number of the last change of the commit.
    package let change: Int64
    /// Its place among those of the commit.
    package let number: Int32

    package init(change: Int64, number: Int32) { (self.change, self.number) = (change, number) }

    /// The place behind all notices of a commit.
    package init(behind change: Int64) { self.init(change: change, number: .max) }
}

/// What a commit told a subscription.
package struct ServerNotice: Sendable {
    package let place: NoticePlace
    /// The client that made the change; `nil` for one of another process.
    package let client: Int?
    package let content: NoticeContent

    package init(_ content: NoticeContent, at place: NoticePlace, by client: Int?) {
        (self.content, self.place, self.client) = (content, place, client)
    }
}

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
    /// All zones but the default one.
    package var zones: [ServerZone] = []
    /// Zones that were deleted and not made again, with the number of the change and why.
    package var goneZones: [(name: String, change: Int64, reason: ZoneDeletionReason)] = []
    /// The rows that were needed, in order of insertion.
    package var rows: [ServerRow] = []
    package var links: [ServerLink] = []
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
    /// The subscriptions that were needed, in order of saving, their predicates not bound.
    package var subscriptions: [StoredSubscription] = []
    /// Rows of a selection that the server is certain of, and counted instead of giving them.
    package var countedRows = 0
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
