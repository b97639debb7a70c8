// A server with the threads that wait for it, and what this process remembers of it.

import FoundationEssentials
import RecordModel
import RecordStore
import Synchronization

/// Where the databases of a container are, if not in this process.
final class RemoteStore: Sendable {
    let server: any RecordServer
    /// Threads that wait for the server, so that tasks suspend.
    let threads: QueryThreads
    /// Who is told what commits tell subscribers.
    let notices: ServerNotices
    let subscriptions = SubscriptionCache()
    let leftHolders = LeftHolders()
    /// The name of the key that values are encrypted with, as the server last told; `nil` where that is
    /// not known.
    let keyName = Mutex<String?>(nil)
    /// Tells the roles that this process knows from later ones.
    fileprivate let rolesVersion = Mutex<Int64>(0)

    /// - Parameter identifier: Names the container.
    init(_ server: any RecordServer, _ identifier: String) {
        self.server = server
        notices = ServerNotices(server, identifier)
        threads = QueryThreads(count: max(1, server.callCount))
    }
}

extension ContainerStore {
    /// A store whose databases are on a server.
    /// - Throws: `DatabaseError` when the server cannot be read.
    convenience init(identifier: String, on server: any RecordServer) throws(DatabaseError) {
        var image = CheckpointImage(identifier: identifier, incarnation: server.incarnation)
        image.schema = try server.schema()
        image.roles = try server.roles()
        let assets = AssetFolder(URL(filePath: server.assetFolder), source: server)
        self.init(image, assets: assets, remote: RemoteStore(server, identifier))
    }

    /// Whether the databases are on a server.
    var isRemote: Bool { remote != nil }

    /// Checks that the records are in this process.
    /// - Throws: `DatabaseError` of code `badDatabase`.
    func checkIsLocal() throws(DatabaseError) {
        if isRemote {
            throw DatabaseError(
                .badDatabase, "containers on servers do not offer this call",
                hint: "they save, fetch and query records, and tell changes of zones")
        }
    }

    /// Where the database of a user is, or the public one.
    func storing(_ userName: String?) -> any DatabaseStoring {
        guard let remote else {
            return LocalDatabase(
                store: self, stored: userName.map { privateDatabase(of: $0) } ?? publicDatabase)
        }
        return RemoteDatabase(store: self, remote: remote, origin: origin(userName))
    }

    /// The database of a user, or the public one.
    func origin(_ userName: String?) -> DatabaseOrigin {
        DatabaseOrigin(container: identifier, scope: userName == nil ? .public : .private, user: userName)
    }

    /// Takes over the schema of a moment.
    func follow(_ newSchema: ContainerSchema) {
        if schema.current != newSchema { schema.publish(newSchema) }
    }

    /// Takes over schema and roles of a moment.
    func follow(_ moment: ServerMoment) {
        follow(moment.schema)
        guard let remote else { return }
        remote.rolesVersion.withLock { version in
            if version >= moment.roles.version { return }
            version = moment.roles.version
            roles.withLock { $0 = moment.roles.byUser }
        }
    }

    /// Makes the records of a user on a server, unless they exist.
    func register(_ userName: String, client: Int, date: Date, on remote: RemoteStore) throws(DatabaseError) {
        try Record.ID(userName).checkIsServed()
        var need = ServerNeed()
        need.records = [Record.ID(userName)]
        (need.changed, need.zoneStates) = (need.records, .named([.default]))
        for origin in [origin(nil), origin(userName)] {
            let database = RemoteDatabase(store: self, remote: remote, origin: origin)
            if try !remote.server.read(origin, need).rows.isEmpty { continue }
            let told = try remote.server.write(origin, need) {
                moment, reading throws(DatabaseError) -> (commit: ServerCommit?, outcome: ToldCommit?) in
                guard moment.rows.isEmpty else { return (nil, nil) }
                var commit = Commit(
                    origin: origin, client: client, userName: userName, date: max(date, moment.lastDate))
                commit.saves = [
                    Commit.Save(
                        id: Record.ID(userName), type: ContainerSchema.userRecordType, fields: [:], isNew: true,
                        change: moment.lastChange + 1, parent: nil)
                ]
                let stored = try ServerGround.Base(moment).stored(commit, for: database, reading)
                return (stored, stored.told(on: moment.node))
            }
            if let told { remote.notices.follow(origin, told) }
        }
    }

    /// Replaces the schema on a server. What it demands of stored records and subscriptions is checked there.
    ///
    /// - Throws: `DatabaseError`, of code `invalidArguments` for a field with values, or a type with records, that is
    ///   taken away, and for a subscription that would never tell anything again; of code `constraintViolation` for
    ///   records that do not satisfy what is demanded of them.
    func setSchema(
        _ schema: ContainerSchema, _ configuration: Configuration, on remote: RemoteStore
    ) throws(DatabaseError) {
        try schema.check()
        try remote.server.changeSchema { earlier throws(DatabaseError) in
            var schema = schema
            schema.migrations = earlier.migrations
            if schema == earlier { return nil }
            if schema.isOnlyLarger(than: earlier) { return ServerSchemaChange(schema: schema, work: nil) }
            let run = MigrationRun(
                name: nil, steps: [], earlier: earlier, schema: schema, configuration: configuration, store: self)
            return ServerSchemaChange(schema: schema) { ground throws(DatabaseError) in
                try ground.check(run.schema.demands(since: earlier))
                try run.carrySubscriptions(on: ground)
            }
        }
        follow(try remote.server.schema())
    }

    /// Makes a migration on a server, unless it was made.
    ///
    /// - Returns: Whether it was made now.
    func migrate(
        _ migration: SchemaMigration, _ configuration: Configuration, on remote: RemoteStore
    ) throws(DatabaseError) -> Bool {
        var isMade = false
        try remote.server.changeSchema { earlier throws(DatabaseError) in
            // Another process may have made it while this one tried.
            isMade = !earlier.migrations.contains(migration.name)
            if !isMade { return nil }
            var schema = earlier
            for step in migration.steps { try step.apply(to: &schema) }
            schema.migrations.append(migration.name)
            try schema.check()
            let run = MigrationRun(
                name: migration.name, steps: migration.steps, earlier: earlier, schema: schema,
                configuration: configuration, store: self)
            return ServerSchemaChange(schema: schema) { ground throws(DatabaseError) in try run.make(on: ground) }
        }
        follow(try remote.server.schema())
        return isMade
    }
}
