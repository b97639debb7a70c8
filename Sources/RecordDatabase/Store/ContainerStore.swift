// The data of one container, which its clients share.

import FoundationEssentials
import RecordModel
import RecordStorage
import RecordStore
import Synchronization

/// What the clients of a container share: its databases, its schema, and who watches its commits.
final class ContainerStore: Sendable {
    private struct Directory {
        var privateDatabases: [String: StoredDatabase] = [:]
        var clientCount = 0
        /// Clients that were not closed yet.
        var openClients = 0
    }

    let identifier: String
    /// Tells the history of changes from all others: what change tokens are moments of. `nil` for a store that only
    /// older versions have written, open for reading.
    let incarnation: String?
    /// As in `CheckpointImage`.
    private let lastForeignChange: Int64
    let publicDatabase: StoredDatabase
    let schema: Published<ContainerSchema>
    let events = CommitEvents()
    let counters = ActivityCounters()
    let log = StoreLog()
    /// Predicates of queries that were bound before.
    let templates = TemplateCache<QuerySurroundings>()
    let assets: AssetFolder
    /// Where changes are written before they count; `nil` for a store in memory.
    let journal: Journal?
    /// The server that has the databases; `nil` where they are in this process.
    let remote: RemoteStore?
    /// Where the key of encrypted values is, unless a client says otherwise.
    let keys: any EncryptionKeyProvider
    /// Held while the first key is made.
    let keyMaking = Mutex<Void>(())
    private let directory: Mutex<Directory>
    /// Roles given to users, by user. The last lock of all: commits read roles while they hold theirs.
    let roles: Mutex<[String: Set<String>]>
    /// Held by whoever changes anything, from the first look at what there is until the change is stored. No reader
    /// takes it.
    let writer = Mutex<Void>(())
    /// Saves that wait for others.
    let queue = CommitQueue()
    /// The users who watch their shared database.
    let sharedSubscribers: Mutex<Set<String>>
    /// Who is told that something of what is shared has changed.
    let sharedReaders = CommitReaders()
    /// Transactions that wait for others.
    let turns = TransactionTurns()

    /// A store of given data; by default an empty one in memory.
    init(_ image: CheckpointImage, assets: AssetFolder, journal: Journal? = nil, remote: RemoteStore? = nil) {
        self.remote = remote
        let folder = journal?.environment.folder.path
        keys = remote != nil ? NoKeys() : folder.map { KeyFile(besideStore: $0) } ?? MemoryKeys()
        (identifier, incarnation, lastForeignChange) = (image.identifier, image.incarnation, image.lastForeignChange)
        self.assets = assets
        self.journal = journal
        schema = Published(image.schema)
        var privateDatabases: [String: StoredDatabase] = [:]
        var publicDatabase: StoredDatabase?
        for part in image.databases {
            let database = StoredDatabase(
                origin: part.origin, records: part.records, state: part.state,
                lastForeignChange: image.lastForeignChange)
            if let user = part.origin.user { privateDatabases[user] = database } else { publicDatabase = database }
        }
        self.publicDatabase =
            publicDatabase
            ?? StoredDatabase(
                origin: DatabaseOrigin(container: image.identifier, scope: .public, user: nil),
                lastForeignChange: image.lastForeignChange)
        directory = Mutex(Directory(privateDatabases: privateDatabases))
        sharedSubscribers = Mutex(
            Set(image.databases.lazy.filter { !$0.state.sharedSubscriptions.isEmpty }.compactMap(\.origin.user)))
        roles = Mutex(image.roles)
    }

    /// The private database of a user.
    func privateDatabase(of userName: String) -> StoredDatabase {
        directory.withLock { directory in
            if let known = directory.privateDatabases[userName] { return known }
            let database = StoredDatabase(
                origin: DatabaseOrigin(container: identifier, scope: .private, user: userName),
                lastForeignChange: lastForeignChange)
            directory.privateDatabases[userName] = database
            return database
        }
    }

    /// The private database of a user; `nil` for one of whom nothing is known.
    func knownPrivateDatabase(of userName: String) -> StoredDatabase? {
        directory.withLock { $0.privateDatabases[userName] }
    }

    /// Calls a body with all databases in a fixed order, while there can be no new ones.
    func withDatabases<Result: Sendable>(_ body: ([StoredDatabase]) -> Result) -> Result {
        directory.withLock { directory in
            let privateDatabases = directory.privateDatabases.sorted { $0.key < $1.key }.map(\.value)
            return body([publicDatabase] + privateDatabases)
        }
    }

    /// All databases there are by now.
    var databases: [StoredDatabase] {
        [publicDatabase] + directory.withLock { Array($0.privateDatabases.values) }
    }

    /// A number that no other client of the store has.
    func addClient() -> Int {
        directory.withLock { directory in
            directory.clientCount += 1
            directory.openClients += 1
            return directory.clientCount
        }
    }

    /// Notes that a client was closed; with the last one a store in a folder is closed.
    func removeClient() {
        let isLast = directory.withLock { directory in
            directory.openClients -= 1
            return directory.openClients == 0
        }
        if isLast {
            remote?.leftHolders.end()
            remote?.server.close()
        }
        guard isLast, let journal else { return }
        // Earlier requests are saved.
        queue.waitUntilIdle()
        // What cannot be written now is in the log.
        if !journal.isReadOnly { try? checkpoint(rewrites: true) }
        journal.close()
    }

    /// Gives a user the roles that a log or a state says.
    func restoreRoles(_ roles: Set<String>, of userName: String) {
        self.roles.withLock { $0[userName] = roles }
    }

    /// The roles of a user besides those that everyone has.
    func roles(of userName: String) -> Set<String> { roles.withLock { $0[userName] ?? [] } }

    /// Gives a user roles, in place of those given before.
    /// - Throws: `DatabaseError` when the change cannot be written.
    func setRoles(_ roles: Set<String>, of userName: String) throws(DatabaseError) {
        if let remote {
            try remote.server.setRoles(roles, of: userName)
            return restoreRoles(roles, of: userName)
        }
        try writer.withLock { _ throws(DatabaseError) in
            try journal?.write(.roles(roles, userName: userName))
            if self.roles(of: userName) == roles { return }
            restoreRoles(roles, of: userName)
            followRights(of: userName)
        }
        events.deliver()
        checkpointIfNeeded()
    }

    /// Has a user's live queries of the public database follow what the user may read from now on.
    private func followRights(of userName: String) {
        if publicDatabase.liveQueries.isEmpty { return }
        var event = SchemaEvent(schema.current, changed: [], of: publicDatabase)
        event.userName = userName
        events.enqueue(event)
    }

    /// Makes the records of a user, one in the public and one in the user's own database, unless they exist.
    func register(_ userName: String, client: Int, date: Date) throws(DatabaseError) {
        if let remote { return try register(userName, client: client, date: date, on: remote) }
        let id = Record.ID(userName)
        for database in [publicDatabase, privateDatabase(of: userName)] {
            if database.records.snapshot.find(id) != nil || journal?.isReadOnly == true { continue }
            try writing(to: [database]) { group throws(DatabaseError) in
                if try group.snapshot(of: database).find(id) != nil { return }
                let state = try group.state(of: database)
                var commit = Commit(
                    origin: database.origin, client: client, userName: userName, date: max(date, state.lastDate))
                commit.saves = [
                    Commit.Save(
                        id: id, type: ContainerSchema.userRecordType, fields: [:], isNew: true,
                        change: state.lastChange + 1, parent: nil)
                ]
                try group.add(commit, to: database)
                try group.commit()
            }
        }
        events.deliver()
    }
}

/// A schema, or rights, that live queries of a database have to follow.
struct SchemaEvent: Sendable {
    let schema: ContainerSchema
    /// The types that it changed, or all of whose records.
    let changed: Set<String>
    /// The user whose rights changed; all types are concerned then, and nobody else.
    var userName: String?
    /// The records when it was published.
    let records: Snapshot
    let liveQueries: LiveQueries
    /// The number of the first live query that was made with the schema.
    let end: Int

    /// What the live queries have to follow that a database has by now: made under the lock that commits take.
    init(_ schema: ContainerSchema, changed: Set<String>, of database: StoredDatabase) {
        (self.schema, self.changed, records) = (schema, changed, database.records.snapshot)
        (liveQueries, end) = (database.liveQueries, database.liveQueries.nextNumber)
    }
}

/// What those who watch a store are told of.
private enum StoreEvent: Sendable {
    case commit(CommitEvent)
    case schema(SchemaEvent)
}

/// Delivers commits to those who watch them, in order.
final class CommitEvents: Sendable {
    typealias Observer = @Sendable (CommitEvent) -> Void

    private struct Observers {
        var all: [Int: Observer] = [:]
        var next = 0
    }

    private let observers = Mutex(Observers())
    private let queue = Mutex<[StoreEvent]>([])
    /// Held while commits are delivered: whoever committed waits until that commit was.
    private let delivery = Mutex<Void>(())

    /// Watches commits from the next one on; the number ends it.
    func add(_ observer: @escaping Observer) -> Int {
        observers.withLock { observers in
            observers.next += 1
            observers.all[observers.next] = observer
            return observers.next
        }
    }

    /// Whether nobody watches.
    var isUnwatched: Bool { observers.withLock { $0.all.isEmpty } }

    func remove(_ number: Int) { observers.withLock { $0.all[number] = nil } }

    /// Puts a commit behind those before it; called while its database is locked.
    func enqueue(_ event: CommitEvent) {
        if event.liveQueries.isEmpty, observers.withLock({ $0.all.isEmpty }) { return }
        queue.withLock { $0.append(.commit(event)) }
    }

    /// Puts a schema behind the commits before it.
    func enqueue(_ event: SchemaEvent) { queue.withLock { $0.append(.schema(event)) } }

    /// Delivers what waits. When it returns, the caller's commits are delivered.
    func deliver() {
        delivery.withLock { _ in
            while true {
                let events = queue.withLock { queue in
                    defer { queue = [] }
                    return queue
                }
                if events.isEmpty { return }
                let observers = observers.withLock { $0.all.sorted { $0.key < $1.key }.map(\.value) }
                for event in events {
                    switch event {
                    case .schema(let event): event.liveQueries.follow(event)
                    case .commit(let event):
                        event.liveQueries.take(event)
                        for observer in observers { observer(event) }
                    }
                }
            }
        }
    }
}
