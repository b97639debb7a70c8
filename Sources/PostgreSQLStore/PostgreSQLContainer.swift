// A container on a PostgreSQL server: its tables, its schema, and who may use it.

import FoundationEssentials
import RecordDatabase
package import RecordModel
import Synchronization

/// The databases of a container on one server.
package final class PostgreSQLContainer: RecordServer {
    /// The schema with the number that the server has for it.
    struct KnownSchema: Sendable {
        let schema: ContainerSchema
        let version: Int64
    }

    let identifier: String
    package let incarnation: String
    package let callCount: Int
    let pool: ConnectionPool
    private let known: Mutex<KnownSchema>
    /// The numbers of databases.
    private let databases = Mutex<[DatabaseOrigin: Int32]>([:])
    /// Types whose tables are there.
    private let tables: Mutex<Set<String>>
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
    /// - Throws: `DatabaseError` when the server cannot be reached, does not let the user in, or has a container of a
    ///   newer version.
    package init(
        identifier: String, connectingTo address: String, connectionCount: Int = 8
    ) throws(DatabaseError) {
        guard !identifier.isEmpty, !identifier.utf8.contains(0) else {
            throw DatabaseError(.invalidArguments, "the identifier of the container is empty or has U+0000")
        }
        self.identifier = identifier
        callCount = connectionCount
        let schemaName = Layout.schemaName(of: identifier)
        let path = Statement("SELECT set_config('search_path', $1, false)", [.text(Statement.name(schemaName))])
        let made: (pool: ConnectionPool, opened: (incarnation: String, known: KnownSchema))
        do throws(ServerError) {
            let pool = ConnectionPool(
                try ConnectionString(address), count: connectionCount, preparation: [path])
            let opened = try pool.withConnection { connection throws(ServerError) in
                try Self.open(connection, identifier, schemaName)
            }
            guard let opened else {
                throw ServerError(.protocolViolation, "the server's tables of the container cannot be read")
            }
            made = (pool, opened)
        } catch {
            throw error.databaseError
        }
        (pool, incarnation) = (made.pool, made.opened.incarnation)
        known = Mutex(made.opened.known)
        // No schema is stored before the tables of its types are made.
        tables = Mutex(Set(made.opened.known.schema.recordTypes.keys))
        if made.opened.known.version < 0 {
            throw DatabaseError(
                .incompatibleVersion, "the container was made by a newer version, or is another one",
                hint: "update the program, or use another identifier")
        }
    }

    /// Reads what the container is, and makes its tables where they are not there. The version is negative for one
    /// that this version cannot read.
    private static func open(
        _ connection: Connection, _ identifier: String, _ schemaName: String
    ) throws(ServerError) -> (incarnation: String, known: KnownSchema)? {
        let select = Statement("SELECT format, identifier, incarnation, schema, schema_version FROM container")
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
                INSERT INTO container SELECT $1, $2, gen_random_uuid()::text, $3, 1
                WHERE NOT EXISTS (SELECT 1 FROM container)
                """, [.int64(Layout.format), .text(identifier), .bytes(BinaryForm.bytes(of: schema))])
            // Processes that make the same container at a time do so one after another.
            let lock = Statement(
                "SELECT pg_advisory_xact_lock($1)", [.int64(Int64(bitPattern: Layout.hash("container " + schemaName)))])
            let tables = Layout.tables(schemaName) + schema.recordTypes.keys.sorted().flatMap(Layout.table(ofType:))
            try connection.run([lock] + tables.map { Statement($0) } + [insert])
            rows = try connection.run(select)
        }
        guard let rows, let format = rows.int64(0, 0), let name = rows.text(0, 1), let incarnation = rows.text(0, 2),
            let bytes = rows.bytes(0, 3), let version = rows.int64(0, 4)
        else { return nil }
        guard format <= Layout.format, name == identifier else {
            return (incarnation, KnownSchema(schema: ContainerSchema(), version: -1))
        }
        try connection.run(Statement("DELETE FROM client WHERE used < now() - interval '1 day'"))
        guard let schema = BinaryForm.schema(bytes) else { return nil }
        return (incarnation, KnownSchema(schema: schema, version: version))
    }

    /// Calls a body with a connection; what the server rejects becomes the error that callers get.
    func withConnection<Outcome>(
        _ body: (Connection) throws(CallError) -> Outcome
    ) throws(CallError) -> Outcome {
        var result: Result<Outcome, CallError>?
        do throws(ServerError) {
            try pool.withConnection { connection throws(ServerError) in
                result = Result { () throws(CallError) in try body(connection) }
            }
        } catch {
            throw .server(error)
        }
        guard let result else { throw .database(DatabaseError(.internalError, "a call was lost")) }
        return try result.get()
    }

    package func close() { pool.close() }

    // MARK: What is remembered

    /// The schema as it was last read.
    var knownSchema: KnownSchema { known.withLock { $0 } }

    /// Takes in a schema of the server, unless a later one is known.
    func remember(_ schema: KnownSchema) {
        rememberTables(schema.schema.recordTypes.keys)
        known.withLock { if $0.version < schema.version { $0 = schema } }
    }

    /// The number of a database, if it was met before.
    func knownNumber(of origin: DatabaseOrigin) -> Int32? { databases.withLock { $0[origin] } }

    func remember(_ number: Int32, of origin: DatabaseOrigin) { databases.withLock { $0[origin] = number } }

    /// The types of a schema whose tables are not known to be there.
    func typesWithoutTable(_ schema: ContainerSchema) -> [String] {
        tables.withLock { tables in schema.recordTypes.keys.filter { !tables.contains($0) }.sorted() }
    }

    func rememberTables(_ types: some Sequence<String>) { tables.withLock { $0.formUnion(types) } }

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
    }
}

/// Schemas and sets of names as bytes.
enum BinaryForm {
    static func bytes(of schema: ContainerSchema) -> [UInt8] {
        var writer = BinaryWriter()
        do throws(BinaryError) { try schema.write(to: &writer) } catch { return [] }
        return writer.bytes
    }

    static func schema(_ bytes: [UInt8]) -> ContainerSchema? {
        do throws(BinaryError) {
            var reader = BinaryReader(bytes)
            return try ContainerSchema(from: &reader)
        } catch {
            return nil
        }
    }

    static func bytes(of names: Set<String>) -> [UInt8] {
        var writer = BinaryWriter()
        do throws(BinaryError) { try writer.write(list: names.sorted()) } catch { return [] }
        return writer.bytes
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
