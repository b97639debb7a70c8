// What a server must offer that keeps the databases of a container: rows of one moment, and commits.

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
    /// Has the server look at the tables of record types again, so that its plans fit what they hold by now.
    /// - Throws: `DatabaseError`.
    func analyze(_ types: [String]) throws(DatabaseError)
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
    /// Of a shared database, those that share something with its user are read and changed, as `need` says.
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
    /// What is shared with a user who has accepted it: the databases, node by node, in a fixed order.
    /// - Throws: `DatabaseError`.
    func sharers(of userName: String) throws(DatabaseError) -> [ServerSharer]
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
    /// Links between nodes whose target was deleted, and whose holder has to go, or to lose its parent.
    ///
    /// - Parameter targets: Those that were deleted; `nil` for all that were a minute ago.
    /// - Returns: Those that were a minute ago are not fresh any more.
    /// - Throws: `DatabaseError` where a node does not tell.
    func endedLinks(
        _ origin: DatabaseOrigin, of targets: Set<Record.ID>?
    ) throws(DatabaseError) -> [ServerLink]
    /// Forgets links between nodes that ended, when their holders are what they have to be.
    /// - Throws: `DatabaseError`.
    func forgetEnded(_ links: [ServerLink], _ origin: DatabaseOrigin) throws(DatabaseError)
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
    /// The users with shares that a user has accepted, in a fixed order.
    /// - Throws: `DatabaseError`.
    package func owners(ofSharesAcceptedBy userName: String) throws(DatabaseError) -> [String] {
        Set(try sharers(of: userName).map(\.owner)).sorted()
    }

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

    package func endedLinks(
        _: DatabaseOrigin, of _: Set<Record.ID>?
    ) throws(DatabaseError) -> [ServerLink] { [] }

    package func forgetEnded(_: [ServerLink], _: DatabaseOrigin) throws(DatabaseError) {}
}

/// Reads more of a database, of the moment that a call is about. May be used from any thread until the call ends.
package protocol ServerReading: Sendable {
    /// - Throws: `DatabaseError`, of code `badDatabase` after the end of the call. After another one the moment is
    ///   lost: further reads throw the same.
    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment
    /// Begins to read all records of some types in portions, in order of insertion.
    ///
    /// - Parameter types: Types that the schema has.
    /// - Throws: `DatabaseError`.
    func portions(of types: [String]) throws(DatabaseError) -> any ServerPortions
    /// The users who share something with the one whose shared database a call is about, in a fixed order.
    var owners: [String] { get }
    /// Reads the private database of such a user, of the moment that the call is about; `nil` for another user.
    func reading(of owner: String) -> (any ServerReading)?
}

/// Records that a server gives portion by portion, until the end of the call that reads it.
package protocol ServerPortions: AnyObject {
    /// The next records; none at the end.
    /// - Throws: `DatabaseError`.
    func next() throws(DatabaseError) -> [ServerRow]
}

/// All records in one portion.
private final class WholePortion: ServerPortions {
    private var rows: [ServerRow]

    init(_ rows: [ServerRow]) { self.rows = rows }

    func next() -> [ServerRow] {
        defer { rows = [] }
        return rows
    }
}

extension ServerReading {
    package func portions(of types: [String]) throws(DatabaseError) -> any ServerPortions {
        var need = ServerNeed()
        need.wholeTypes = Set(types)
        return WholePortion(try read(need).rows)
    }

    package var owners: [String] { [] }
    package func reading(of _: String) -> (any ServerReading)? { nil }
}
