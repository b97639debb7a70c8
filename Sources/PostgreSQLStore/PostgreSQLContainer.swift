// A container on a PostgreSQL server: its tables, its schema, and who may use it.

import FoundationEssentials
package import RecordDatabase
package import RecordModel
import Synchronization

/// The databases of a container on one server.
package final class PostgreSQLContainer: RecordServer {
    /// The schema with the number that the server has for it.
    struct KnownSchema: Sendable {
        let schema: ContainerSchema
        let version: Int64
        /// Tells the container from one that is made in its place.
        let incarnation: String
        /// The roles given to users, which the version is of, too.
        let roles: [String: Set<String>]
        /// What derived the columns that depend on texts: see `Layout.textVersion`.
        let textVersion: String

        /// The schema that takes the place of this one.
        func next(_ schema: ContainerSchema) -> KnownSchema {
            KnownSchema(
                schema: schema, version: version + 1, incarnation: incarnation, roles: roles, textVersion: textVersion)
        }
    }

    let identifier: String
    package let incarnation: String
    package let callCount: Int
    let pool: ConnectionPool
    /// Connections for bytes of assets: who waits for one may have another one of the pool.
    let assetPool: ConnectionPool
    /// New records of one type that a commit copies, and does not insert, when it has so many.
    let copiesFrom: Int
    let assetPaths: AssetPaths
    /// How long a transaction may leave the server waiting, which holds the lock of its database meanwhile.
    let patience: Duration
    let notifier: CommitNotifier
    private let listener: CommitListener
    /// Commits that wait for each other.
    let turns = CommitTurns()
    private let known: Mutex<KnownSchema>
    /// The numbers of databases.
    private let databases = Mutex<[DatabaseOrigin: Int32]>([:])
    /// Statements of tables, columns and indexes that are there.
    private let made: Mutex<Set<String>>
    /// Tells this process from others: of batches that clients send again.
    let process = Int64.random(in: .min ... .max)
    /// Numbers by which the server knows commits that are under way: each is of one at a time.
    private let writers = Mutex<[Int64]>([])

    /// Connects to a server, and makes the container's tables unless they are there.
    ///
    /// - Parameters:
    ///   - identifier: Names the container, and the schema of the server that has its tables.
    ///   - address: A connection string.
    ///   - connectionCount: Connections that there may be at a time.
    ///   - patience: How long a transaction may do nothing on the server before it is ended there.
    ///   - copiesFrom: New records of one type that a commit copies, and does not insert, when it has so many.
    /// - Throws: `DatabaseError` when the server cannot be reached, does not let the user in, or has a container of a
    ///   newer version.
    package convenience init(
        identifier: String, connectingTo address: String, connectionCount: Int = 8, patience: Duration = .seconds(60),
        copiesFrom: Int = 200
    ) throws(DatabaseError) {
        try self.init(
            identifier: identifier, connectingTo: address, connectionCount: connectionCount, patience: patience,
            copiesFrom: copiesFrom, assetPaths: nil)
    }

    /// - Parameter assetPaths: Where the files of assets are, for one of several servers; `nil` for a folder of its
    ///   own.
    init(
        identifier: String, connectingTo address: String, connectionCount: Int, patience: Duration, copiesFrom: Int,
        assetPaths: AssetPaths?
    ) throws(DatabaseError) {
        guard !identifier.isEmpty, !identifier.utf8.contains(0) else {
            throw DatabaseError(.invalidArguments, "the identifier of the container is empty or has U+0000")
        }
        self.identifier = identifier
        // Commits that wait for each other need no connection meanwhile.
        (callCount, self.patience, self.copiesFrom) = (connectionCount * 4, patience, copiesFrom)
        self.assetPaths =
            assetPaths
            ?? AssetPaths(
                folder: FileManager.default.temporaryDirectory.path + "/record-assets-" + UUID().uuidString)
        let schemaName = Layout.schemaName(of: identifier)
        let path = Statement("SELECT set_config('search_path', $1, false)", [.text(Statement.name(schemaName))])
        let channel = "commits \(String(Layout.hash(schemaName), radix: 16))"
        let made: (address: ConnectionString, pool: ConnectionPool, opened: Opened)
        do throws(ServerError) {
            let address = try ConnectionString(address)
            listener = CommitListener(address, channel: channel, preparation: [path])
            let pool = ConnectionPool(address, count: connectionCount, preparation: [path])
            let opened = try pool.withConnection { connection throws(ServerError) in
                try Self.open(connection, identifier, schemaName)
            }
            guard let opened else {
                throw ServerError(.protocolViolation, "the server's tables of the container cannot be read")
            }
            made = (address, pool, opened)
        } catch {
            throw error.databaseError
        }
        (pool, incarnation) = (made.pool, made.opened.incarnation)
        assetPool = ConnectionPool(made.address, count: 2, preparation: [path])
        notifier = CommitNotifier(made.address, channel: channel, preparation: [path])
        known = Mutex(made.opened.known)
        // No schema is stored before the tables of its types are made.
        self.made = Mutex(Self.statements(made.opened.known.schema))
        if made.opened.known.version < 0 {
            throw DatabaseError(
                .incompatibleVersion, "the container was made by another version, or is another one",
                hint: "use the version that made it, or another identifier")
        }
    }

    /// What a container is as it is opened.
    private struct Opened {
        let incarnation: String
        let known: KnownSchema
    }

    private static func statements(_ schema: ContainerSchema) -> Set<String> {
        Set(Layout.definitions(schema).flatMap(\.definition.all))
    }

    /// Reads what the container is, and makes its tables where they are not there. The version is negative for one
    /// that this version cannot read.
    private static func open(
        _ connection: Connection, _ identifier: String, _ schemaName: String
    ) throws(ServerError) -> Opened? {
        let select = Statement(
            """
            SELECT format, identifier, incarnation, schema, schema_version,
            to_jsonb(c) ->> 'text_version' FROM container c
            """)
        var rows: RowSet?
        do throws(ServerError) {
            rows = try connection.run(select)
        } catch {
            if error.sqlState != "42P01" { throw error }
        }
        if (rows?.count ?? 0) == 0 {
            let schema = ContainerSchema()
            let insert = Statement(
                """
                INSERT INTO container SELECT $1, $2, gen_random_uuid()::text, $3, 1, $4
                WHERE NOT EXISTS (SELECT 1 FROM container)
                """,
                [
                    .int64(Layout.format), .text(identifier), .bytes(BinaryForm.bytes(of: schema)),
                    .text(Layout.textVersion),
                ])
            // Processes that make the same container at a time do so one after another.
            let lock = Statement(
                "SELECT pg_advisory_xact_lock($1)", [.int64(Int64(bitPattern: Layout.hash("container " + schemaName)))])
            var tables = Layout.tables(schemaName)
            for (_, definition) in Layout.definitions(schema) {
                tables += definition.tables + definition.indexes.map { "CREATE " + $0 }
            }
            try connection.run([lock] + tables.map { Statement($0) } + [insert])
            rows = try connection.run(select)
        }
        guard let rows, let format = rows.int64(0, 0), let name = rows.text(0, 1), let incarnation = rows.text(0, 2),
            let bytes = rows.bytes(0, 3), let version = rows.int64(0, 4)
        else { return nil }
        guard format == Layout.format, name == identifier else {
            return Opened(
                incarnation: incarnation,
                known: KnownSchema(
                    schema: ContainerSchema(), version: -1, incarnation: incarnation, roles: [:], textVersion: ""))
        }
        guard let schema = BinaryForm.schema(bytes), let roles = BinaryForm.roles(try connection.run(selectRoles))
        else {
            return nil
        }
        return Opened(
            incarnation: incarnation,
            known: KnownSchema(
                schema: schema, version: version, incarnation: incarnation, roles: roles,
                textVersion: rows.text(0, 5) ?? ""))
    }

    /// Calls a body with a connection; what the server rejects becomes the error that callers get.
    ///
    /// - Parameter pool: Where the connection is from; `nil` for that of all calls.
    func withConnection<Outcome>(
        of pool: ConnectionPool? = nil, _ body: (Connection) throws(CallError) -> Outcome
    ) throws(CallError) -> Outcome {
        var result: Result<Outcome, CallError>?
        do throws(ServerError) {
            try (pool ?? self.pool).withConnection { connection throws(ServerError) in
                result = Result { () throws(CallError) in try body(connection) }
            }
        } catch {
            throw .server(error)
        }
        guard let result else { throw .database(DatabaseError(.internalError, "a call was lost")) }
        return try result.get()
    }

    package func watch(_ origin: DatabaseOrigin, _ tell: @escaping @Sendable () -> Void) -> Int {
        listener.add(origin, tell)
    }

    package func endWatching(_ number: Int) { listener.remove(number) }

    package func close() {
        notifier.close()
        listener.close()
        pool.close()
        assetPool.close()
    }

    // MARK: What is remembered

    /// The schema as it was last read.
    var knownSchema: KnownSchema { known.withLock { $0 } }

    /// Takes in a schema of the server, unless a later one is known.
    func remember(_ schema: KnownSchema) {
        rememberMade(Self.statements(schema.schema))
        known.withLock { known in
            // Columns are derived again under the same schema.
            let isOfOtherTexts = known.version == schema.version && known.textVersion != schema.textVersion
            if known.version < schema.version || isOfOtherTexts { known = schema }
        }
    }

    /// The number of a database, if it was met before.
    func knownNumber(of origin: DatabaseOrigin) -> Int32? { databases.withLock { $0[origin] } }

    func remember(_ number: Int32, of origin: DatabaseOrigin) { databases.withLock { $0[origin] = number } }

    /// What a schema needs that is not known to be there.
    func missing(_ schema: ContainerSchema) -> [(type: String, definition: Layout.Definition)] {
        let definitions = Layout.definitions(schema)
        return made.withLock { made in
            definitions.compactMap { type, definition in
                let missing = Layout.Definition(
                    tables: definition.tables.filter { !made.contains($0) },
                    indexes: definition.indexes.filter { !made.contains($0) },
                    trigrams: definition.trigrams.filter { !made.contains($0) })
                return missing.all.isEmpty ? nil : (type, missing)
            }
        }
    }

    func rememberMade(_ statements: some Sequence<String>) { made.withLock { $0.formUnion(statements) } }

    /// Calls a body with a number that names its commit among those under way.
    func withWriter<Outcome>(_ body: (Int64) throws(DatabaseError) -> Outcome) throws(DatabaseError) -> Outcome {
        let number = writers.withLock { $0.popLast() } ?? Int64.random(in: .min ... .max)
        let outcome = try body(number)
        // After an error it may still be looked for: such numbers are not used again.
        writers.withLock { $0.append(number) }
        return outcome
    }
}

/// Why a call on a connection failed: because of the server, or of what was requested.
enum CallError: Error {
    case server(ServerError)
    case database(DatabaseError)
    /// The schema that the call rests on is no longer that of the server.
    case staleSchema

    /// The error as callers get it.
    var databaseError: DatabaseError {
        switch self {
        case .server(let error): error.databaseError
        case .database(let error): error
        case .staleSchema:
            DatabaseError(.zoneBusy, "the schema changes too often", retryAfter: .milliseconds(200))
        }
    }
}

extension Connection {
    /// As `run`, with the error that calls have.
    @discardableResult
    func call(_ statements: [Statement]) throws(CallError) -> [RowSet] {
        do throws(ServerError) { return try run(statements) } catch { throw .server(error) }
    }

    /// Ends a transaction whose outcome nobody needs; a connection that cannot is lost.
    func rollBack() {
        guard !isLost, isInTransaction else { return }
        _ = try? run(Statement("ROLLBACK"))
        forgetPlanning()
    }
}

/// Values as bytes.
enum BinaryForm {
    /// - Throws: `DatabaseError` for a value that nests too deeply.
    static func bytes(_ value: some BinaryCodable) throws(DatabaseError) -> [UInt8] {
        var writer = BinaryWriter()
        do throws(BinaryError) { try value.write(to: &writer) } catch {
            throw DatabaseError(.invalidArguments, "a value nests too deeply to be stored")
        }
        return writer.bytes
    }

    /// The value of bytes; `nil` where they are none.
    static func value<Value: BinaryCodable>(_: Value.Type, _ bytes: [UInt8]) -> Value? {
        do throws(BinaryError) {
            var reader = BinaryReader(bytes)
            let value = try Value(from: &reader)
            try reader.finish()
            return value
        } catch {
            return nil
        }
    }

    static func bytes(of schema: ContainerSchema) -> [UInt8] {
        var writer = BinaryWriter()
        do throws(BinaryError) { try schema.write(to: &writer) } catch { return [] }
        return writer.bytes
    }

    static func schema(_ bytes: [UInt8]) -> ContainerSchema? { value(ContainerSchema.self, bytes) }

    static func bytes(of names: Set<String>) -> [UInt8] {
        var writer = BinaryWriter()
        do throws(BinaryError) { try writer.write(list: names.sorted()) } catch { return [] }
        return writer.bytes
    }

    /// The roles of users; `nil` for rows that are none.
    static func roles(_ rows: RowSet) -> [String: Set<String>]? {
        var roles: [String: Set<String>] = [:]
        for row in 0..<rows.count {
            guard let name = rows.text(row, 0), let names = rows.bytes(row, 1).flatMap(names) else { return nil }
            roles[name] = names
        }
        return roles
    }

    static func names(_ bytes: [UInt8]) -> Set<String>? {
        do throws(BinaryError) {
            var reader = BinaryReader(bytes)
            return Set(try reader.list(of: String.self))
        } catch {
            return nil
        }
    }
}
