// A transaction in which commits to one database are made one after another, and stored together.

import RecordDatabase
import RecordModel

/// What became of a commit in a transaction.
enum Made<Outcome> {
    /// It counts with the transaction, and so does the error that its body threw.
    case done(Result<Outcome, DatabaseError>)
    /// It needs a transaction of its own; nothing of it is in this one.
    case apart
}

/// How a transaction ended.
enum TransactionEnd: Sendable {
    /// Nothing was to be stored.
    case nothing
    case stored
    case notStored
    /// The connection was lost after the end of the transaction was sent: the token tells, by the writer's number.
    case unknown(StoredToken)
}

/// What the server has of a transaction that was stored.
struct StoredToken: Sendable {
    let bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
    /// The number by which the server knows the transaction among those under way.
    let writer: Int64
    /// The database whose lock the transaction has; 0 where it keeps everybody from writing.
    let database: Int32

    /// Stores a transaction, and the token with it.
    ///
    /// - Parameter statements: Those before its end.
    /// - Throws: `CallError` where it is not stored.
    func end(
        _ statements: [Statement], lastChange: Int64, on connection: Connection
    ) throws(CallError) -> TransactionEnd {
        let ending = [
            Statement(
                """
                INSERT INTO client(number, token, change) VALUES ($1, $2, $3) ON CONFLICT (number)
                DO UPDATE SET token = excluded.token, change = excluded.change, used = now()
                """, [.int64(writer), .bytes(bytes), .int64(lastChange)], keeping: .plan),
            Statement("COMMIT"),
        ]
        do throws(ServerError) {
            try connection.run(statements + ending)
            return .stored
        } catch {
            let isUnknown = error.isOfConnection || connection.isLost
            if !isUnknown { throw .server(error) }
            return .unknown(self)
        }
    }
}

/// A transaction under the lock of a database.
///
/// The first commit begins it. Others of the process may follow, each on what those before it left. What they make of
/// it goes to the server with the next read, or with the end: it is one round trip, and one wait for the disk, for all.
struct CommitTransaction {
    private let container: PostgreSQLContainer
    private let origin: DatabaseOrigin
    private let connection: Connection
    private let writer: Int64
    private var reader: MomentReader
    private var isBegun = false
    private var unsent = UnsentCommits()
    /// What was read for commits that wait.
    private var ahead: ReadAhead?
    /// Number of the last change; `nil` while nothing is to be stored.
    private var lastChange: Int64?
    /// The schema from then on, where a commit changes it.
    private var next: PostgreSQLContainer.KnownSchema?
    private var keyName: String?
    /// Whether no other commit may follow.
    private(set) var isClosed = false

    init(
        _ container: PostgreSQLContainer, _ origin: DatabaseOrigin, database: Int32, writer: Int64,
        on connection: Connection
    ) {
        (self.container, self.origin, self.connection, self.writer) = (container, origin, connection, writer)
        reader = container.reader(of: database, on: connection)
        reader.process = container.process
    }

    /// The server ends a transaction whose process does nothing: a machine that vanished keeps nobody from writing.
    /// This process gives up first.
    static func beginning(patience: Duration) -> [Statement] {
        let (seconds, attoseconds) = (patience * 7 / 6).components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return [
            Statement("BEGIN"), Statement("SET LOCAL lock_timeout = '10s'"),
            Statement("SET LOCAL idle_in_transaction_session_timeout = \(milliseconds)"),
        ]
    }

    // MARK: Commits

    /// Makes a commit of what a body gives.
    ///
    /// - Parameter others: What commits need that wait for their turn: it is read along.
    /// - Throws: `CallError` where the transaction is lost.
    mutating func make<Outcome>(
        _ need: ServerNeed, besides others: [ServerNeed], _ body: CommitBody<Outcome>
    ) throws(CallError) -> Made<Outcome> {
        let isFirst = !isBegun
        guard let read = try moment(need, besides: others) else {
            isClosed = true
            if !isFirst { return .apart }
            connection.rollBack()
            try container.readSchema(connection)
            throw .staleSchema
        }
        do throws(DatabaseError) { try reader.known.checkTexts() } catch { throw .database(error) }
        let owners = need.locksOwners ? try lockOwners() : [:]
        let reading = OpenReading(reader, after: unsent, patience: container.patience, databases: owners)
        defer { reading.end() }
        let decided: (commit: ServerCommit?, outcome: Outcome)
        do throws(DatabaseError) {
            decided = try body(read.moment, reading)
        } catch {
            if let failure = reading.failure { throw failure }
            if reading.hasRead { unsent = UnsentCommits() }
            return .done(.failure(error))
        }
        try reading.checkIsWhole()
        if reading.hasRead { unsent = UnsentCommits() }
        guard let commit = decided.commit else { return .done(.success(decided.outcome)) }
        if !commit.isPlain || !commit.copiedTypes(from: container.copiesFrom).isEmpty {
            isClosed = true
            if !isFirst { return .apart }
        }
        return try add(commit, on: read, owners, isFirst: isFirst) ? .done(.success(decided.outcome)) : .apart
    }

    /// What a commit rests on; `nil` where the server has another schema by now.
    private mutating func moment(
        _ need: ServerNeed, besides others: [ServerNeed]
    ) throws(CallError) -> MomentReader.Read? {
        if let read = ahead?.read(need) { return read }
        let all = ReadAhead.need(need, others)
        let beginning: [Statement]
        if isBegun {
            do throws(DatabaseError) { beginning = try unsent.statements() } catch { throw .database(error) }
            unsent = UnsentCommits()
        } else {
            beginning = CommitTransaction.beginning(patience: container.patience)
        }
        // Owners come before the users they share with in the order of locks.
        let locks = !isBegun && !need.locksOwners
        isBegun = true
        guard let read = try reader.read(all ?? need, beginning: beginning, mayWait: locks) else { return nil }
        guard let all else { return read }
        let ahead = ReadAhead(read, all)
        self.ahead = ahead
        return ahead.read(need) ?? read
    }

    /// Takes a commit in; false where it needs a transaction of its own.
    private mutating func add(
        _ commit: ServerCommit, on read: MomentReader.Read, _ owners: [String: Int32], isFirst: Bool
    ) throws(CallError) -> Bool {
        var read = read
        if let owner = commit.owner {
            guard let number = owners[owner] else { throw MomentReader.damaged }
            reader.database = number
            // Its lock is held since before the body began.
            guard let changed = try reader.read(ServerNeed(), beginning: [], mayWait: false) else {
                throw .staleSchema
            }
            read = changed
        }
        if let name = commit.keyName, name != keyName {
            try checkKey(name)
            keyName = name
        }
        if let schema = commit.schema, !container.missing(schema).isEmpty {
            // A table is made in a transaction of its own, without the lock of the database.
            connection.rollBack()
            try container.makeTables(of: schema, connection)
            throw .staleSchema
        }
        var assets = CommitAssets(commit, on: read.moment, container.assetPaths)
        try assets.lookUp(commit, read, reader.known.schema, on: connection)
        if !assets.isEmpty {
            isClosed = true
            if !isFirst { return false }
            try assets.prepare(on: connection)
        }
        let known = reader.known
        next = commit.schema.map(known.next)
        let parts = CommitStatements(
            commit: commit, moment: read.moment, zones: read.zones, database: reader.database,
            owner: commit.owner ?? origin.user ?? "",
            process: container.process, assets: assets, coding: reader.coding, copiesFrom: container.copiesFrom)
        let schema = commit.schema ?? known.schema
        for rows in parts.copies(schema) { try rows.copy(on: connection) }
        do throws(DatabaseError) {
            try unsent.add(parts, schema)
        } catch {
            throw .database(error)
        }
        if let next { unsent.add(PostgreSQLContainer.replacement(of: known, by: next)) }
        lastChange = commit.lastChange
        ahead?.note(commit)
        return true
    }

    /// Locks the databases of those who share something with the user, all of them in one order.
    ///
    /// - Returns: Their numbers, by owner.
    private func lockOwners() throws(CallError) -> [String: Int32] {
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
    private func checkKey(_ name: String) throws(CallError) {
        let noted = try connection.call(PostgreSQLContainer.noting(name)).last?.text(0, 0)
        if noted != name { throw .database(.ofOtherKey) }
    }

    // MARK: The end

    /// Stores the commits.
    /// - Throws: `CallError` where they are not stored.
    mutating func end() throws(CallError) -> TransactionEnd {
        isClosed = true
        guard let lastChange else { return .nothing }
        let statements: [Statement]
        do throws(DatabaseError) { statements = try unsent.statements() } catch { throw .database(error) }
        let end = try StoredToken(writer: writer, database: reader.database)
            .end(statements, lastChange: lastChange, on: connection)
        if case .stored = end, let next { container.remember(next) }
        return end
    }
}

extension ServerCommit {
    /// Whether others may follow in its transaction: it changes nothing but records and the links between them.
    var isPlain: Bool {
        owner == nil && schema == nil && madeZones.isEmpty && deletedZones.isEmpty && !changesSubscriptions
            && endedSharedSubscriptions.isEmpty && shares.isEmpty && moves.isEmpty
    }

    /// The types with so many new records, or more: these are copied, and not inserted.
    func copiedTypes(from count: Int) -> Set<String> {
        guard saves.count >= count else { return [] }
        let counts = Dictionary(grouping: saves.lazy.filter(\.isNew), by: \.row.type).mapValues(\.count)
        return Set(counts.filter { $0.value >= count }.keys)
    }
}
