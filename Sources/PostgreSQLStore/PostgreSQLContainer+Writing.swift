// Commits: under the lock of their database, exactly once.

import FoundationEssentials
package import RecordDatabase
package import RecordModel

extension PostgreSQLContainer {
    /// How long a commit whose outcome is not known is looked for.
    private static var patience: Duration { .seconds(30) }

    package func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        guard knowsTexts else {
            throw DatabaseError(
                .incompatibleVersion, "the container's texts were folded with other tables of Unicode",
                hint: "read it here, and write with the version of ICU that made it")
        }
        let number = try number(of: origin)
        return try withWriter { writer throws(DatabaseError) in
            let attempt = WriteAttempt(container: self, origin: origin, database: number, writer: writer)
            let end = ContinuousClock.now + Self.patience
            while true {
                // One attempt: what it stored, if its outcome is not known.
                let done = try retrying { () throws(CallError) in
                    try withConnection { connection throws(CallError) in
                        try attempt.run(on: connection, need, body)
                    }
                }
                switch done {
                case .nothing(let outcome): return outcome
                case .stored(let outcome):
                    notifier.note()
                    return outcome
                case .unknown(let outcome, let token, let database):
                    if try !attempt.wasStored(token, in: database, until: end) { continue }
                    notifier.note()
                    return outcome
                }
            }
        }
    }
}

/// Attempts at one commit.
private struct WriteAttempt {
    /// How an attempt ended.
    enum End<Outcome> {
        /// Nothing was to be stored.
        case nothing(Outcome)
        case stored(Outcome)
        /// The connection was lost after the commit to a database was sent.
        case unknown(Outcome, token: [UInt8], database: Int32)
    }

    let container: PostgreSQLContainer
    let origin: DatabaseOrigin
    let database: Int32
    /// The number by which the server knows the commit among those under way.
    let writer: Int64

    /// The server ends a transaction whose process does nothing: a machine that vanished keeps nobody from writing.
    /// This process gives up first.
    private var begin: [Statement] {
        let (seconds, attoseconds) = (container.patience * 7 / 6).components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return [
            Statement("BEGIN"), Statement("SET LOCAL lock_timeout = '10s'"),
            Statement("SET LOCAL idle_in_transaction_session_timeout = \(milliseconds)"),
        ]
    }

    func run<Outcome>(
        on connection: Connection, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(CallError) -> End<Outcome> {
        defer { connection.rollBack() }
        var reader = container.reader(of: database, on: connection)
        let known = reader.known
        reader.process = container.process
        // Owners come before the users they share with in the order of locks.
        guard var read = try reader.read(need, beginning: begin, mayWait: !need.locksOwners) else {
            connection.rollBack()
            try container.readSchema(connection)
            throw .staleSchema
        }
        let decided: (commit: ServerCommit?, outcome: Outcome)
        let owners = need.locksOwners ? try lockOwners(on: connection) : [:]
        let reading = OpenReading(reader, patience: container.patience, databases: owners)
        defer { reading.end() }
        do throws(DatabaseError) {
            decided = try body(read.moment, reading)
        } catch {
            throw reading.failure ?? .database(error)
        }
        try reading.checkIsWhole()
        guard let commit = decided.commit else { return .nothing(decided.outcome) }
        if let owner = commit.owner {
            guard let number = owners[owner] else { throw MomentReader.damaged }
            reader.database = number
            // Its lock is held since before the body began.
            guard let changed = try reader.read(ServerNeed(), beginning: [], mayWait: false) else {
                throw .staleSchema
            }
            read = changed
        }
        if let name = commit.keyName { try checkKey(name, connection) }
        if let schema = commit.schema, !container.missing(schema).isEmpty {
            // A table is made in a transaction of its own, without the lock of the database.
            connection.rollBack()
            try container.makeTables(of: schema, connection)
            throw .staleSchema
        }
        let token = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let deleted = commit.deletedZones.compactMap { read.zones[$0.name] }
        var assets = CommitAssets(commit, on: read.moment, deleting: deleted, container.assetPaths)
        try assets.prepare(on: connection)
        let next = commit.schema.map(known.next)
        let parts = CommitStatements(
            commit: commit, moment: read.moment, zones: read.zones, database: reader.database,
            owner: commit.owner ?? origin.user ?? "",
            process: container.process, assets: assets, coding: reader.coding, copiesFrom: container.copiesFrom)
        var statements: [Statement]
        let schema = commit.schema ?? known.schema
        for rows in parts.copies(schema) { try rows.copy(on: connection) }
        do throws(DatabaseError) { statements = try parts.all(schema) } catch { throw .database(error) }
        if let next { statements.append(PostgreSQLContainer.replacement(of: known, by: next)) }
        statements.append(
            Statement(
                """
                INSERT INTO client(number, token, change) VALUES ($1, $2, $3) ON CONFLICT (number)
                DO UPDATE SET token = excluded.token, change = excluded.change, used = now()
                """, [.int64(writer), .bytes(token), .int64(commit.lastChange)], isRepeated: true))
        statements.append(Statement("COMMIT"))
        do throws(ServerError) {
            try connection.run(statements)
        } catch {
            let isUnknown = error.isOfConnection || connection.isLost
            if !isUnknown { throw .server(error) }
            return .unknown(decided.outcome, token: token, database: reader.database)
        }
        if let next { container.remember(next) }
        return .stored(decided.outcome)
    }

    /// Locks the databases of those who share something with the user, all of them in one order.
    ///
    /// - Returns: Their numbers, by owner.
    private func lockOwners(on connection: Connection) throws(CallError) -> [String: Int32] {
        let select = """
            SELECT d.number, d.owner FROM database d WHERE d.number IN (SELECT z.database FROM participant p
            JOIN zone z ON z.number = p.zone WHERE p.user_name = $1) ORDER BY d.number
            """
        let user: [Parameter] = [.text(origin.user ?? "")]
        func numbers(_ rows: RowSet) -> [String: Int32] {
            var numbers: [String: Int32] = [:]
            for row in 0..<rows.count {
                guard let number = rows.int64(row, 0), let owner = rows.text(row, 1) else { continue }
                numbers[owner] = Int32(truncatingIfNeeded: number)
            }
            return numbers
        }
        // Somebody may begin to share, or end it, while others are waited for.
        for _ in 0..<5 {
            let results = try connection.call([
                Statement(select + " FOR UPDATE", user), Statement(select, user),
            ])
            if let locked = results.first.map(numbers), locked == results.last.map(numbers) { return locked }
        }
        throw .database(
            DatabaseError(
                .zoneBusy, "what is shared with the user changes too often", retryAfter: .milliseconds(200)))
    }

    /// Checks that values are encrypted with the key that is noted, and notes it where none is. Whoever notes another
    /// one keeps everybody from writing, and waits for this commit.
    private func checkKey(_ name: String, _ connection: Connection) throws(CallError) {
        let noted = try connection.call(PostgreSQLContainer.noting(name)).last?.text(0, 0)
        if noted != name { throw .database(.ofOtherKey) }
    }

    /// Whether a commit was stored whose connection was lost: looked up under the lock that it had, so that it cannot
    /// be stored later.
    /// - Throws: `DatabaseError` of code `serverResponseLost` where that cannot be told in time.
    func wasStored(
        _ token: [UInt8], in database: Int32, until end: ContinuousClock.Instant
    ) throws(DatabaseError) -> Bool {
        let statements =
            begin + [
                Statement("SELECT 1 FROM database WHERE number = $1 FOR UPDATE", [.int32(database)]),
                Statement("SELECT token FROM client WHERE number = $1", [.int64(writer)]), Statement("COMMIT"),
            ]
        container.pool.forgetIdle()
        while ContinuousClock.now < end {
            do throws(ServerError) {
                let results = try container.pool.withConnection { connection throws(ServerError) in
                    defer { connection.rollBack() }
                    return try connection.run(statements)
                }
                return results[results.count - 2].bytes(0, 0) == token
            } catch {
                if case .interrupted = error.kind { break }
                container.pool.forgetIdle()
                PostgreSQLContainer.pause(20)
            }
        }
        throw DatabaseError(
            .serverResponseLost, "the connection was lost while the commit was stored",
            hint: "send the batch again, with its client change token if it has one")
    }
}
