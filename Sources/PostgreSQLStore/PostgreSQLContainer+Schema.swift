// The schema on the server, tables that it needs, and roles.

import FoundationEssentials
package import RecordDatabase
package import RecordModel

extension PostgreSQLContainer {
    package func schema() throws(DatabaseError) -> ContainerSchema {
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                try readSchema(connection).schema
            }
        }
    }

    static let selectRoles = Statement("SELECT name, roles FROM account")

    /// Reads the schema and the roles, and remembers them.
    @discardableResult
    func readSchema(_ connection: Connection) throws(CallError) -> KnownSchema {
        // Later roles may come with an earlier version: they are read again then.
        let rows = try connection.call([
            Statement("SELECT schema, schema_version, incarnation, text_version FROM container"), Self.selectRoles,
        ])
        guard let roles = rows.last.flatMap(BinaryForm.roles) else {
            throw .database(DatabaseError(.internalError, "roles on the server cannot be read"))
        }
        guard let row = rows.first, let bytes = row.bytes(0, 0), let version = row.int64(0, 1),
            let schema = BinaryForm.schema(bytes), let textVersion = row.text(0, 3)
        else { throw .database(DatabaseError(.internalError, "the schema on the server cannot be read")) }
        guard row.text(0, 2) == incarnation else {
            throw .database(
                DatabaseError(
                    .badContainer, "the container was made again on the server, or got another node",
                    hint: "open it again"))
        }
        let known = KnownSchema(
            schema: schema, version: version, incarnation: incarnation, roles: roles, textVersion: textVersion)
        remember(known)
        return known
    }

    package func changeSchema(
        _ change: (ContainerSchema) throws(DatabaseError) -> ServerSchemaChange?
    ) throws(DatabaseError) {
        while true {
            let end = try retrying { () throws(CallError) -> TransactionEnd in
                try withConnection { connection throws(CallError) -> TransactionEnd in
                    defer { connection.rollBack() }
                    return try changeSchema(change, connection)
                }
            }
            // A change that is stored is not made again: whose it was would not be told.
            switch try settled(end) {
            case .nothing: return
            case .stored: return notifier.note()
            case .notStored, .unknown: continue
            }
        }
    }

    private func changeSchema(
        _ change: (ContainerSchema) throws(DatabaseError) -> ServerSchemaChange?, _ connection: Connection
    ) throws(CallError) -> TransactionEnd {
        let known = try readSchema(connection)
        let changed: ServerSchemaChange?
        do throws(DatabaseError) {
            changed = try change(known.schema)
            if changed != nil { try known.checkTexts() }
        } catch {
            throw .database(error)
        }
        guard let changed else { return .nothing }
        if let work = changed.work {
            return try migrate(to: changed.schema, from: known, connection) { migration throws(CallError) in
                try migration.perform(work)
            }
        }
        try makeTables(of: changed.schema, connection)
        let next = known.next(changed.schema)
        try connection.call([Self.replacement(of: known, by: next)])
        remember(next)
        return .stored
    }

    private typealias Migrating = (OpenMigration) throws(CallError) -> Void

    /// Does work in one transaction with a change of the schema.
    private func migrate(
        to schema: ContainerSchema, from known: KnownSchema, _ connection: Connection, _ work: Migrating
    ) throws(CallError) -> TransactionEnd {
        try makeTables(of: schema, connection)
        let migration = OpenMigration(self, connection, from: known, to: schema)
        try migration.begin()
        try work(migration)
        try migration.forgetFields()
        let next = known.next(schema)
        let end = try StoredToken(writer: Int64.random(in: .min ... .max), database: 0)
            .end([Self.replacement(of: known, by: next)], lastChange: 0, on: connection)
        if case .stored = end { remember(next) }
        return end
    }

    /// Does this server's part of the work of several nodes, in one transaction with a change of the schema.
    ///
    /// - Parameters:
    ///   - isMade: Whether this part was done: its transaction keeps others from writing, and changes nothing.
    ///   - work: Called once.
    func migrating(
        to schema: ContainerSchema, isMade: Bool, _ work: (OpenMigration) throws(CallError) -> Void
    ) throws(CallError) {
        var end = try withConnection { connection throws(CallError) -> TransactionEnd in
            defer { connection.rollBack() }
            let known = try readSchema(connection)
            do throws(DatabaseError) { try known.checkTexts() } catch { throw .database(error) }
            if !isMade { return try migrate(to: schema, from: known, connection, work) }
            let migration = OpenMigration(self, connection, from: known, to: schema)
            try migration.begin()
            try work(migration)
            return .nothing
        }
        do throws(DatabaseError) { end = try settled(end) } catch { throw .database(error) }
        switch end {
        case .nothing: return
        case .stored: notifier.note()
        case .notStored, .unknown: throw .server(Connection.lost)
        }
    }

    /// Replaces a schema; fails, and the transaction with it, where the server has another one by now, or columns that
    /// were derived from texts by others.
    static func replacement(of known: KnownSchema, by next: KnownSchema) -> Statement {
        Statement(
            """
            WITH changed AS
            (UPDATE container SET schema = $1, schema_version = $2 WHERE schema_version = $3 AND text_version = $4
             RETURNING 1)
            SELECT 1 / count(*) FROM changed
            """,
            [
                .bytes(BinaryForm.bytes(of: next.schema)), .int64(next.version), .int64(known.version),
                .text(known.textVersion),
            ])
    }

    /// Whether an error is that of a schema which others replaced meanwhile.
    static func isOfStaleSchema(_ error: ServerError) -> Bool { error.sqlState == "22012" }

    /// Makes the tables, columns and indexes that a schema needs and that are not there, type by type.
    func makeTables(of schema: ContainerSchema, _ connection: Connection) throws(CallError) {
        for (type, missing) in missing(schema) {
            if !missing.tables.isEmpty { try define(missing.tables, of: type, connection) }
            var indexes = missing.indexes
            if !missing.trigrams.isEmpty, let operators = try Self.trigramOperators(connection) {
                indexes += missing.trigrams.map { "\($0)\(operators))" }
            }
            try makeIndexes(indexes, of: type, connection)
            rememberMade(missing.all)
        }
    }

    /// The operators for indexes of trigrams; `nil` for a database without the extension that has them.
    private static func trigramOperators(_ connection: Connection) throws(CallError) -> String? {
        let found = try connection.call([
            Statement(
                """
                SELECT quote_ident(n.nspname) || '.gin_trgm_ops' FROM pg_extension e
                JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'
                """)
        ])
        return found.first.flatMap { $0.count > 0 ? $0.text(0, 0) : nil }
    }

    /// Runs statements that need a table for themselves. They wait for it briefly and often: a statement that waits
    /// behind a long reader keeps everybody else waiting, too.
    private func define(_ statements: [String], of type: String, _ connection: Connection) throws(CallError) {
        // Processes that meet a type at the same time make its table one after another.
        let lock = Statement(
            "SELECT pg_advisory_xact_lock($1)",
            [.int64(Int64(bitPattern: Layout.hash("\(identifier) \(type)")))])
        let all =
            [Statement("BEGIN"), lock, Statement("SET LOCAL lock_timeout = '50ms'")]
            + statements.map { Statement($0) } + [Statement("COMMIT")]
        var attempts = 0
        while true {
            do throws(ServerError) {
                try connection.run(all)
                return
            } catch {
                connection.rollBack()
                attempts += 1
                guard error.sqlState == "55P03", attempts < 200 else { throw .server(error) }
                Self.pause(attempts)
            }
        }
    }

    /// Rows beyond which an index is made while others write.
    private static var largeTable: Double { 100_000 }

    private func makeIndexes(_ indexes: [String], of type: String, _ connection: Connection) throws(CallError) {
        if indexes.isEmpty { return }
        let size = try connection.call([
            Statement(
                "SELECT reltuples::float8 FROM pg_class WHERE oid = to_regclass($1)",
                [.text(Layout.table(of: type))])
        ])
        if let rows = size.first?.double(0, 0), rows > Self.largeTable {
            try makeIndexesAmongWriters(indexes, of: type, connection)
        } else {
            try define(indexes.map { "CREATE " + $0 }, of: type, connection)
        }
    }

    /// Makes indexes of a large table, unless another process is about to.
    private func makeIndexesAmongWriters(
        _ indexes: [String], of type: String, _ connection: Connection
    ) throws(CallError) {
        let key = Parameter.int64(Int64(bitPattern: Layout.hash("indexes \(identifier) \(type)")))
        let lock = try connection.call([Statement("SELECT pg_try_advisory_lock($1)", [key])])
        guard lock.first?.bool(0, 0) == true else { return }
        defer { _ = try? connection.run(Statement("SELECT pg_advisory_unlock($1)", [key])) }
        // One that was not finished is there, is never used, and has the name.
        let broken = try connection.call([
            Statement(
                """
                SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                WHERE i.indrelid = to_regclass($1) AND NOT i.indisvalid
                """, [.text(Layout.table(of: type))])
        ])
        if let rows = broken.first {
            for name in (0..<rows.count).compactMap({ rows.text($0, 0) }) {
                try connection.call([Statement("DROP INDEX CONCURRENTLY IF EXISTS \(Statement.name(name))")])
            }
        }
        for index in indexes {
            try connection.call([Statement("CREATE " + index.replacingFirst("INDEX", with: "INDEX CONCURRENTLY"))])
        }
    }

    package func analyze(_ types: [String]) throws(DatabaseError) {
        let types = types.sorted()
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                let known = try readSchema(connection).schema.recordTypes
                // One that somebody analyses already is left to them.
                for type in types where known[type] != nil {
                    try connection.call([Statement("ANALYZE (SKIP_LOCKED) \(Layout.table(of: type))")])
                }
            }
        }
    }

    // MARK: Roles

    package func roles() throws(DatabaseError) -> [String: Set<String>] {
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in try readSchema(connection).roles }
        }
    }

    package func setRoles(_ roles: Set<String>, of userName: String) throws(DatabaseError) {
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                _ = try connection.call([
                    Statement(
                        "INSERT INTO account VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET roles = excluded.roles",
                        [.text(userName), .bytes(BinaryForm.bytes(of: roles))]),
                    // Whoever knows other roles reads them again, with the schema.
                    Statement("UPDATE container SET schema_version = schema_version + 1"),
                ])
                notifier.note()
            }
        }
    }

    // MARK: Keys

    package func encryptionKey(noting name: String?) throws(DatabaseError) -> String? {
        try retrying { () throws(CallError) in
            // Whoever saves may have a connection of the other pool, and keep it.
            try withConnection(of: assetPool) { connection throws(CallError) in
                try connection.call(Self.noting(name)).last?.text(0, 0)
            }
        }
    }

    /// The statements that note a key where none is, and give the one that is noted.
    static func noting(_ name: String?) -> [Statement] {
        let insert = name.map { name in
            Statement("INSERT INTO encryption_key VALUES (1, $1) ON CONFLICT DO NOTHING", [.text(name)])
        }
        return (insert.map { [$0] } ?? []) + [Statement("SELECT name FROM encryption_key")]
    }

    // MARK: Trying again

    /// Runs what has the same effect when it is run again, up to five times where others are in the way, and once more
    /// where a connection was lost, or led to a server that can only be read: of several that the connection string
    /// names, the next connection finds one that can be written.
    func retrying<Outcome>(_ body: () throws(CallError) -> Outcome) throws(DatabaseError) -> Outcome {
        var (conflicts, losses, misses) = (0, 0, 0)
        while true {
            do throws(CallError) {
                return try body()
            } catch {
                switch error {
                case .staleSchema: conflicts += 1
                case .server(let failure) where failure.isTransient || Self.isOfStaleSchema(failure): conflicts += 1
                case .server(let failure) where failure.isOfMissingTable && misses == 0:
                    // Another process may have changed the schema, and the tables with it.
                    misses += 1
                    try followSchema()
                case .server(let failure)
                where failure.kind == .lost || failure.isOfReadOnlyServer || failure.sqlState?.hasPrefix("57P") == true:
                    losses += 1
                    pool.forgetIdle()
                    assetPool.forgetIdle()
                default: throw error.databaseError
                }
                if conflicts > 20 || losses > 1 { throw error.databaseError }
                Self.pause(conflicts)
            }
        }
    }

    /// Takes over the schema that the server has by now.
    private func followSchema() throws(DatabaseError) {
        do throws(CallError) {
            _ = try withConnection { connection throws(CallError) in try readSchema(connection) }
        } catch {
            throw error.databaseError
        }
    }

    /// Waits a little, longer after more attempts, each time another time.
    static func pause(_ attempts: Int) {
        if attempts > 0 { Thread.sleep(microseconds: Int.random(in: 200...(1_000 * min(attempts, 20)))) }
    }
}

extension String {
    /// The text with a beginning replaced.
    fileprivate func replacingFirst(_ beginning: String, with other: String) -> String {
        hasPrefix(beginning) ? other + dropFirst(beginning.count) : self
    }
}
