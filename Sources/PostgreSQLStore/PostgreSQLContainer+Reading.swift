// Rows of one moment.

import FoundationEssentials
package import RecordDatabase
package import RecordModel

extension PostgreSQLContainer {
    package func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        try read(origin, need, of: nil)
    }

    /// - Parameter pool: Where the connection is from; `nil` for that of all calls.
    func read(
        _ origin: DatabaseOrigin, _ need: ServerNeed, of pool: ConnectionPool?
    ) throws(DatabaseError) -> ServerMoment {
        try beginReading(origin, need, of: pool) { moment, _ in moment }
    }

    package func reading<Outcome>(
        _ origin: DatabaseOrigin, _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        try beginReading(origin, ServerNeed()) { moment, reader throws(CallError) in
            let reading = OpenReading(reader)
            defer { reading.end() }
            // What the body throws is not tried again, whatever it is.
            do throws(DatabaseError) { return try body(moment, reading) } catch { throw .database(error) }
        }
    }

    /// Reads what is needed of a database, and goes on in the transaction that is open then.
    private func beginReading<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed, of pool: ConnectionPool? = nil,
        _ body: (ServerMoment, MomentReader) throws(CallError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        let number = try number(of: origin, of: pool)
        return try retrying { () throws(CallError) in
            try withConnection(of: pool) { connection throws(CallError) in
                defer { connection.rollBack() }
                let reader = reader(of: number, on: connection)
                let begin = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                guard let read = try reader.read(need, beginning: [begin], mayWait: false) else {
                    connection.rollBack()
                    try readSchema(connection)
                    throw .staleSchema
                }
                let outcome = try body(read.moment, reader)
                connection.endReading()
                return outcome
            }
        }
    }

    /// What reads a database by the schema that is known.
    func reader(of database: Int32, on connection: Connection) -> MomentReader {
        MomentReader(
            database: database, known: knownSchema, connection: connection, coding: RowCoding(assets: assetPaths))
    }

    /// The number of a database, which is made when it is first used.
    func number(of origin: DatabaseOrigin, of pool: ConnectionPool? = nil) throws(DatabaseError) -> Int32 {
        if let known = knownNumber(of: origin) { return known }
        let key: [Parameter] = [.int32(Int32(origin.scope.rawValue)), .text(origin.user ?? "")]
        let number = try retrying { () throws(CallError) in
            try withConnection(of: pool) { connection throws(CallError) in
                let select = Statement("SELECT number FROM database WHERE scope = $1 AND owner = $2", key)
                if let number = try connection.call([select]).first?.int64(0, 0) { return number }
                let made = try connection.call([
                    Statement("INSERT INTO database(scope, owner) VALUES ($1, $2) ON CONFLICT DO NOTHING", key),
                    Statement(
                        """
                        INSERT INTO zone(number, database, name, made, last_change)
                        SELECT -number, number, $3, 0, 0 FROM database WHERE scope = $1 AND owner = $2
                        ON CONFLICT DO NOTHING
                        """, key + [.text(RecordZone.ID.defaultZoneName)]),
                    select,
                ])
                guard let number = made.last?.int64(0, 0) else {
                    throw .database(DatabaseError(.internalError, "a database of the server was lost"))
                }
                return number
            }
        }
        remember(Int32(truncatingIfNeeded: number), of: origin)
        return Int32(truncatingIfNeeded: number)
    }
}

/// Reads what a call needs of one database, in a transaction.
struct MomentReader {
    /// What was read, with the numbers of zones by their names.
    typealias Read = (moment: ServerMoment, zones: [String: Int64])

    var database: Int32
    let known: PostgreSQLContainer.KnownSchema
    let connection: Connection
    let coding: RowCoding

    private var types: [String] { known.schema.recordTypes.keys.sorted() }
    var number: Parameter { .int32(database) }

    /// - Parameters:
    ///   - beginning: What begins the transaction.
    ///   - mayWait: Whether the database is locked for this transaction alone.
    /// - Returns: `nil` where the server has another schema than the one that is known, columns that others derived
    ///   from texts meanwhile, or another container.
    func read(_ need: ServerNeed, beginning: [Statement], mayWait: Bool) throws(CallError) -> Read? {
        var statements = beginning
        let begin = statements.count
        statements.append(
            Statement(
                "SELECT last_change, last_date, watch_version FROM database WHERE number = $1"
                    + (mayWait ? " FOR UPDATE" : ""), [number], keeping: .plan))
        statements.append(
            Statement("SELECT schema_version, incarnation, text_version FROM container", keeping: .plan))
        statements += zoneStatements(need.zoneStates)
        let state = begin..<statements.count
        var selected = need.selection.flatMap { selection in
            known.schema.recordTypes[selection.type].map { _ in
                SelectionReader(selection, database: database, known, coding)
            }
        }
        let explanation = selected?.explanation
        let first = selected?.statements ?? []
        let rows = rowStatements(need) + first
        statements += rows
        let rest = partStatements(need)
        statements += rest
        let results = try connection.call(statements)
        let server = results[state.lowerBound + 1]
        guard let version = server.int64(0, 0) else { throw Self.damaged }
        if version != known.version || server.text(0, 1) != known.incarnation { return nil }
        if server.text(0, 2) != known.textVersion { return nil }
        var read: Read = (ServerMoment(schema: known.schema), [:])
        read.moment.roles = (known.roles, known.version)
        try take(results[state], into: &read)
        var found: [(row: ServerRow, order: Int64)] = []
        let end = state.upperBound + rows.count
        for result in results[state.upperBound..<(end - first.count)] { found += try coding.readRows(result) }
        if !first.isEmpty {
            try selected?.take(Array(results[(end - first.count)..<end]))
            while let statements = selected?.statements, !statements.isEmpty {
                try selected?.take(try connection.call(statements))
            }
        }
        read.moment.countedRows = selected?.countedRows ?? 0
        (read.moment.areRowsSure, read.moment.areRowsShared) = (selected?.isSure, selected?.isCut ?? false)
        read.moment.groups = selected?.groups
        found += selected?.found ?? []
        if need.selection?.explains == true {
            // Nothing is read where no row is possible.
            let plans = try connection.call(explanation.map { [$0] } ?? [])
            read.moment.pushed = selected?.pushed(plans.first?.text(0, 0) ?? "")
        }
        try takeParts(Array(results[end...]), need, into: &read.moment)
        try follow(need, read, &found)
        // The order of the server is almost that of the page.
        if read.moment.areRowsSure != true { Self.settle(&found, need) }
        read.moment.rows = found.map(\.row)
        return read
    }

    /// The statements that give zones, and those that are gone.
    private func zoneStatements(_ zones: ServerNeed.Zones) -> [Statement] {
        var (condition, parameters) = ("database = $1", [number])
        if case .named(let named) = zones {
            condition += " AND name = ANY($2)"
            parameters.append(.texts(named.filter { $0.isStorable }.map(\.zoneName)))
        }
        return [
            Statement(
                """
                SELECT number, name, made, last_change, forgotten, client_token, moves_forgotten FROM zone
                WHERE \(condition)
                """,
                parameters, keeping: .plan),
            Statement("SELECT name, change, reason FROM gone_zone WHERE \(condition)", parameters, keeping: .plan),
        ]
    }

    static var damaged: CallError {
        .database(DatabaseError(.internalError, "the server's rows of the database cannot be read"))
    }

    /// Puts rows in order, each of them once.
    private static func settle(_ found: inout [(row: ServerRow, order: Int64)], _ need: ServerNeed) {
        if need.changes != nil {
            found.sort { $0.row.change < $1.row.change }
        } else {
            found.sort { ($0.order, $0.row.id.recordName) < ($1.order, $1.row.id.recordName) }
        }
        var seen: Set<Record.ID> = []
        found = found.filter { seen.insert($0.row.id).inserted }
    }

    // MARK: State

    private func take(_ results: ArraySlice<RowSet>, into read: inout Read) throws(CallError) {
        let results = Array(results)
        let (database, zones, gone) = (results[0], results[2], results[3])
        guard let lastChange = database.int64(0, 0), let lastDate = database.double(0, 1),
            let watchVersion = database.int64(0, 2)
        else { throw Self.damaged }
        (read.moment.lastChange, read.moment.watchVersion) = (lastChange, watchVersion)
        if lastDate.isFinite { read.moment.lastDate = Date(timeIntervalSinceReferenceDate: lastDate) }
        for row in 0..<zones.count {
            guard let number = zones.int64(row, 0), let name = zones.text(row, 1), let made = zones.int64(row, 2),
                let change = zones.int64(row, 3), let forgotten = zones.int64(row, 4),
                let movesForgotten = zones.int64(row, 6)
            else { throw Self.damaged }
            read.zones[name] = number
            if number < 0 { continue }
            var zone = ServerZone(
                name: name, made: made, lastChange: change, forgottenThrough: forgotten,
                clientToken: zones.bytes(row, 5).map { Data($0) })
            zone.movesForgottenThrough = movesForgotten
            read.moment.zones.append(zone)
        }
        for row in 0..<gone.count {
            guard let name = gone.text(row, 0), let change = gone.int64(row, 1),
                let reason = gone.int64(row, 2).flatMap({ ZoneDeletionReason(rawValue: UInt8(clamping: $0)) })
            else { throw Self.damaged }
            read.moment.goneZones.append((name, change, reason))
        }
    }

    // MARK: Records

    /// The statements that give rows.
    private func rowStatements(_ need: ServerNeed) -> [Statement] {
        var statements: [Statement] = []
        let named = need.records + need.roots + need.neighbours
        if let statement = statement(forRecords: named) { statements.append(statement) }
        statements += shareStatements(need, types)
        for type in need.wholeTypes where known.schema.recordTypes[type] != nil {
            statements.append(Statement(selection(of: type, "z.database = $1"), [number]))
        }
        if let changes = need.changes, changes.zoneID.ownerName == RecordZone.ID.currentUserName,
            !changes.zoneID.zoneName.utf8.contains(0)
        {
            let limit = min(changes.limit, 1_000_000) + 1
            let parts = types.map { type in
                "(" + selection(of: type, "z.database = $1 AND z.name = $2 AND r._z > 0 AND r._c > $3")
                    + " ORDER BY r._c LIMIT $4)"
            }
            statements.append(
                Statement(
                    "SELECT * FROM (" + parts.joined(separator: " UNION ALL ") + ") c ORDER BY c._c LIMIT $4",
                    [
                        number, .text(changes.zoneID.zoneName), .int64(changes.position), .int64(Int64(limit)),
                    ]))
        }
        return statements
    }

    func selection(of type: String, _ condition: String) -> String {
        "SELECT \(RowCoding.columns(ofType: type)) FROM zone z JOIN \(Layout.table(of: type)) r ON r._z = z.number "
            + "WHERE \(condition)"
    }

    /// So many names may be looked at one after another for each row of a small table.
    static let fewNames = 64

    /// A statement for records of any type; `nil` where none is wanted.
    private func statement(forRecords ids: [Record.ID]) -> Statement? {
        let ids = Set(ids).filter { $0.isStorable && $0.zoneID.ownerName == RecordZone.ID.currentUserName }
        if ids.isEmpty || types.isEmpty { return nil }
        let zones = Set(ids.map(\.zoneID.zoneName))
        if let zone = zones.first, zones.count == 1, ids.count <= Self.fewNames {
            // The number of the zone is known before rows are looked for, which the key gives.
            let parts = types.map { type in
                "SELECT \(RowCoding.columns(ofType: type, zone: "$3::text")) FROM \(Layout.table(of: type)) r "
                    + "WHERE r._z = (SELECT number FROM zone WHERE database = $1 AND name = $3) AND r._n = ANY($2)"
            }
            return Statement(
                parts.joined(separator: " UNION ALL "), [number, .texts(ids.map(\.recordName)), .text(zone)],
                keeping: .plan)
        }
        let parts = types.map { type in
            "SELECT \(RowCoding.columns(ofType: type)) FROM unnest($1::text[], $2::text[]) w(n, z) "
                + "JOIN zone z ON z.database = $3 AND z.name = w.z "
                + "JOIN \(Layout.table(of: type)) r ON r._z = z.number AND r._n = w.n"
        }
        return Statement(
            parts.joined(separator: " UNION ALL "),
            [.texts(ids.map(\.recordName)), .texts(ids.map(\.zoneID.zoneName)), number])
    }

    // MARK: Parts

    /// The statements that give links, deletions and the client's batch, in this order.
    private func partStatements(_ need: ServerNeed) -> [Statement] {
        var statements: [Statement] = []
        if need.looksForLinks {
            let (roots, targets) = (need.roots.filter(\.isStorable), need.targets.filter(\.isStorable))
            statements.append(LinkRows.statement(fromRoots: roots, andTargets: targets, number))
        }
        if !need.heldBy.isEmpty { statements.append(LinkRows.statement(heldBy: need.heldBy, number)) }
        if let targets = need.conditions { statements += TargetNames(targets, self).statements }
        if let changes = need.changes {
            statements.append(
                Statement(
                    """
                    SELECT t.name, t.type, t.change FROM tombstone t JOIN zone z ON z.number = t.zone
                    WHERE z.database = $1 AND z.name = $2 AND t.change > $3 ORDER BY t.change LIMIT $4
                    """,
                    [
                        number, .text(changes.zoneID.isStorable ? changes.zoneID.zoneName : ""),
                        .int64(changes.deletionsAfter ?? .max), .int64(Int64(min(changes.limit, 1_000_000) + 1)),
                    ]))
        }
        if let batch = need.batch {
            statements.append(
                Statement(
                    """
                    SELECT process, client, token, digest FROM batch WHERE database = $1
                    AND (process = $2 AND client = $3 OR process <> $2 AND token = $4 AND digest = $5)
                    """,
                    [
                        number, .int64(process), .int64(Int64(batch.client)), .bytes(Array(batch.token)),
                        .text(batch.digest),
                    ]))
        }
        if !need.trees.isEmpty { statements.append(statement(forTrees: need.trees)) }
        if !need.moves.isEmpty { statements.append(statement(forMoves: need.moves)) }
        if let users = need.watchers, tellsOfShares { statements.append(statement(forWatchersAnd: users)) }
        if let subscribers = need.subscribers { statements += Self.statements(for: subscribers, of: number) }
        return statements
    }

    /// The process whose clients the batches are of.
    var process: Int64 = 0

    /// Whether there may be shares.
    private var tellsOfShares: Bool { known.schema.recordTypes[NameRules.shareType] != nil }

    private func takeParts(
        _ results: [RowSet], _ need: ServerNeed, into moment: inout ServerMoment
    ) throws(CallError) {
        var results = results[...]
        if need.looksForLinks, let links = results.popFirst() { moment.links = try LinkRows.links(links) }
        if !need.heldBy.isEmpty, let links = results.popFirst() { moment.heldLinks = try LinkRows.links(links) }
        if let targets = need.conditions { moment.foundTargets = try TargetNames(targets, self).found(&results) }
        if need.changes != nil, let deletions = results.popFirst() {
            for row in 0..<deletions.count {
                guard let name = deletions.text(row, 0), let type = deletions.text(row, 1),
                    let change = deletions.int64(row, 2)
                else { throw Self.damaged }
                moment.deletions.append((name, type, change))
            }
        }
        if let batch = need.batch, let rows = results.popFirst() {
            for row in 0..<rows.count {
                guard let sender = rows.int64(row, 0), let token = rows.bytes(row, 2) else { throw Self.damaged }
                if sender == process {
                    moment.ownBatch = ServerBatch(
                        client: batch.client, token: Data(token), digest: rows.text(row, 3))
                } else {
                    moment.isSentBefore = true
                }
            }
        }
        if !need.trees.isEmpty, let links = results.popFirst() { moment.links += try LinkRows.links(links) }
        if !need.moves.isEmpty, let rows = results.popFirst() { moment.moves = try Self.moves(rows) }
        if need.watchers != nil, tellsOfShares, let rows = results.popFirst() {
            moment.watchers = try Self.watchers(rows)
        }
        if need.subscribers != nil, let rows = results.popLast() {
            moment.subscriptions = try Self.subscriptions(rows)
        }
    }

    // MARK: What rows lead to

    /// Reads the rows that go with those that may go, those below others, and those that references and parents lead
    /// to, as far as they are needed.
    private func follow(
        _ need: ServerNeed, _ read: Read, _ found: inout [(row: ServerRow, order: Int64)]
    ) throws(CallError) {
        var known = Set(found.map(\.row.id))
        var wanted: Set<Record.ID> = []
        if !need.roots.isEmpty { wanted = Set(read.moment.links.lazy.filter(\.isOwning).map(\.holder)) }
        if !need.trees.isEmpty {
            wanted.formUnion(need.trees)
            wanted.formUnion(read.moment.links.lazy.filter { !$0.isOwning }.map(\.holder))
        }
        let followsReferences = need.selection?.followsReferences == true
        func lead(_ row: ServerRow, to targets: inout Set<Record.ID>) {
            if followsReferences { row.collectTargets(into: &targets) }
            if need.leadsUp { row.collectAbove(into: &targets) }
        }
        for (row, _) in found { lead(row, to: &wanted) }
        while true {
            wanted.subtract(known)
            known.formUnion(wanted)
            guard let statement = statement(forRecords: Array(wanted)) else { return }
            var next: Set<Record.ID> = []
            for result in try connection.call([statement]) {
                let rows = try coding.readRows(result)
                found += rows
                for (row, _) in rows { lead(row, to: &next) }
            }
            wanted = next
        }
    }
}

extension ServerNeed {
    /// Whether links to records are looked for: the server plans that for longer than it reads a record.
    fileprivate var looksForLinks: Bool { !roots.isEmpty || !targets.isEmpty }
}

extension RecordZone.ID {
    /// Whether the server can have a zone of the name.
    var isStorable: Bool { !zoneName.utf8.contains(0) }
}
