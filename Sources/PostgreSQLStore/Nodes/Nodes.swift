// Looking after the nodes of a container.

import FoundationEssentials
import RecordDatabase
package import RecordModel

/// The nodes of a container, for those who look after it.
package struct Nodes {
    /// What there is to say about a node.
    package struct Report: Hashable, Sendable {
        /// 0 for the control node.
        package let number: Int
        /// The connection string; `nil` for the control node.
        package let connection: String?
        /// Zones that have their place there, or records of a default zone.
        package let zoneCount: Int
        /// What is wrong with it; `nil` for nothing, and where nobody looked.
        package var problem: String?
        /// Settings of the server by which what was saved may be lost.
        package var warnings: [String] = []
    }

    private let identifier: String
    private let address: String

    /// The nodes of a container, which is made where it is not there.
    package init(identifier: String, connectingTo address: String) {
        (self.identifier, self.address) = (identifier, address)
    }

    /// Calls a body with the control node as it is now: a container that got another node is opened again.
    func withControl<Outcome>(
        _ body: (PostgreSQLContainer) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        let control = try open(address)
        defer { control.close() }
        return try body(control)
    }

    // MARK: Looking

    /// The nodes by their numbers, the control node first.
    /// - Throws: `DatabaseError`.
    package func list() throws(DatabaseError) -> [Report] {
        try withControl { control throws(DatabaseError) in try list(control) }
    }

    private func list(_ control: PostgreSQLContainer) throws(DatabaseError) -> [Report] {
        let entries = try control.nodeList()
        let counts = entries.isEmpty ? [:] : try zoneCounts(control)
        let others = entries.map { entry in
            Report(
                number: Int(entry.number), connection: entry.connection, zoneCount: counts[Int64(entry.number)] ?? 0)
        }
        return [Report(number: 0, connection: nil, zoneCount: counts[0] ?? 0)] + others
    }

    /// The nodes, each with what is wrong with it.
    /// - Throws: `DatabaseError` where the control node cannot be read.
    package func check() throws(DatabaseError) -> [Report] {
        try withControl { control throws(DatabaseError) in try check(control) }
    }

    private func check(_ control: PostgreSQLContainer) throws(DatabaseError) -> [Report] {
        let known = try control.current()
        let entries = try control.nodeList()
        return try list(control).map { report in
            var report = report
            do throws(DatabaseError) {
                if let entry = entries.first(where: { Int($0.number) == report.number }) {
                    let node = try open(entry)
                    defer { node.close() }
                    report.problem = Self.problem(of: try node.current(), beside: known)
                    report.warnings = try node.warnings()
                } else {
                    report.problem = Self.problem(of: known, beside: known)
                    report.warnings = try control.warnings()
                }
            } catch {
                report.problem = error.reason
            }
            return report
        }
    }

    /// - Parameters:
    ///   - found: What a node has.
    ///   - known: What the control node has.
    private static func problem(
        of found: PostgreSQLContainer.KnownSchema, beside known: PostgreSQLContainer.KnownSchema
    ) -> String? {
        if !found.knowsTexts { return "\(found.otherTexts): rebuild derives them again" }
        if found.schema.migrations != known.schema.migrations {
            return "a migration was made there and not on the control node: migrate with it again"
        }
        return found.version == known.version
            ? nil : "schema or roles are not those of the control node: the next change settles that"
    }

    private func zoneCounts(_ control: PostgreSQLContainer) throws(DatabaseError) -> [Int64: Int] {
        try control.retrying { () throws(CallError) in
            try control.withConnection { connection throws(CallError) in
                var counts: [Int64: Int] = [:]
                let statement = Statement(
                    """
                    SELECT s.n, count(*) FROM place p CROSS JOIN unnest(COALESCE(p.spread, ARRAY[p.node])) s(n)
                    GROUP BY s.n
                    """)
                for rows in try connection.call([statement]) {
                    for row in 0..<rows.count { counts[rows.int64(row, 0) ?? 0] = Int(rows.int64(row, 1) ?? 0) }
                }
                return counts
            }
        }
    }

    private func open(_ connection: String) throws(DatabaseError) -> PostgreSQLContainer {
        try PostgreSQLContainer(identifier: identifier, connectingTo: connection, connectionCount: 2)
    }

    /// A node that the control node lists.
    func open(_ entry: NodeEntry) throws(DatabaseError) -> PostgreSQLContainer {
        let node = try open(entry.connection)
        if node.incarnation == entry.incarnation { return node }
        node.close()
        throw DatabaseError(
            .badContainer, "it has another container than the one that was added",
            hint: "restore the server's part of the container")
    }

    // MARK: Adding

    /// Adds a server. Zones that are made later are placed on it, too; those that there are stay where they are.
    ///
    /// Whoever has the container open has to open it again, and change tokens are of another history then.
    ///
    /// - Parameter connection: A connection string that leads every process to the server, without a password.
    /// - Returns: The number of the node.
    /// - Throws: `DatabaseError` of code `invalidArguments` for a string with a password and for a server that has the
    ///   container already, of code `badDatabase` for a container that cannot be on several nodes, of code `zoneBusy`
    ///   where others change the schema meanwhile.
    package func add(_ connection: String) throws(DatabaseError) -> Int {
        let address: ConnectionString
        do throws(ServerError) { address = try ConnectionString(connection) } catch { throw error.databaseError }
        if address.hasPassword {
            throw DatabaseError(
                .invalidArguments,
                "the connection string of the node has a password, which the control node would keep",
                hint: "leave it out, and set PGPASSWORD or ~/.pgpass")
        }
        return try withControl { control throws(DatabaseError) in try add(connection, to: control) }
    }

    private func add(_ connection: String, to control: PostgreSQLContainer) throws(DatabaseError) -> Int {
        let (entries, known) = (try control.nodeList(), try control.current())
        try known.checkTexts()
        let node = try open(connection)
        defer { node.close() }
        if node.incarnation == control.incarnation || entries.contains(where: { $0.incarnation == node.incarnation }) {
            throw DatabaseError(.invalidArguments, "the server is a node of the container already")
        }
        if try node.count("database") > 0 {
            throw DatabaseError(
                .invalidArguments, "the server has a container of this name, with databases",
                hint: "drop its schema there, if nobody needs it")
        }
        try node.current().checkTexts()
        try node.changeSchema { $0 == known.schema ? nil : known.schema.change(since: $0) }
        try node.settle(known.roles, known.version)
        let number = (entries.map(\.number).max() ?? 0) + 1
        try control.insert(
            NodeEntry(number: number, connection: connection, incarnation: node.incarnation), node, known,
            isFirst: entries.isEmpty)
        return Int(number)
    }
}

extension PostgreSQLContainer {
    /// Rows of a table of the container.
    fileprivate func count(_ table: String) throws(DatabaseError) -> Int64 {
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                try connection.call([Statement("SELECT count(*) FROM \(Statement.name(table))")]).first?.int64(0, 0)
                    ?? 0
            }
        }
    }

    /// Adds a node to the list, while nobody commits.
    ///
    /// - Parameters:
    ///   - server: The node, which gets the subscriptions.
    ///   - known: Schema and roles that the node has.
    ///   - isFirst: Whether this server was alone: zones that are there get their place, which is here, and values that
    ///     one record alone may have their claims.
    fileprivate func insert(
        _ node: NodeEntry, _ server: PostgreSQLContainer, _ known: KnownSchema, isFirst: Bool
    ) throws(DatabaseError) {
        do throws(CallError) {
            try withConnection { connection throws(CallError) in
                defer { connection.rollBack() }
                let ground = OpenMigration(self, connection, from: known, to: known.schema)
                try ground.begin()
                try connection.call([
                    Statement(Layout.place),
                    // Containers made before there were nodes have no such column.
                    Statement("ALTER TABLE node ADD COLUMN IF NOT EXISTS incarnation text"),
                    Statement("ALTER TABLE place ADD COLUMN IF NOT EXISTS spread int[]"),
                    // Commits lock their database's row, and read the incarnation behind that.
                    Statement(
                        """
                        SELECT 1 / count(*) FROM
                        (SELECT 1 FROM container WHERE schema_version = $1 AND text_version = $2 FOR UPDATE) c
                        """, [.int64(known.version), .text(known.textVersion)]),
                    Statement(
                        "INSERT INTO node(number, connection, incarnation) VALUES ($1, $2, $3)",
                        [.int32(node.number), .text(node.connection), .text(node.incarnation)]),
                ])
                if isFirst {
                    try connection.call([Self.placing])
                    try claimValues(known.schema, ground, connection)
                }
                try ground.perform { ground throws(DatabaseError) in try copySubscriptions(ground, to: server) }
                try connection.call([
                    Statement("UPDATE container SET incarnation = gen_random_uuid()::text"), Statement("COMMIT"),
                ])
            }
        } catch {
            if case .server(let failure) = error, Self.isOfStaleSchema(failure) {
                throw DatabaseError(
                    .zoneBusy, "the schema was changed meanwhile", hint: "try again",
                    retryAfter: .milliseconds(200))
            }
            throw error.databaseError
        }
        notifier.note()
    }

    /// Gives the zones that are there their place on the control node.
    private static let placing = Statement(
        """
        INSERT INTO place(scope, owner, zone, node) SELECT d.scope, d.owner, z.name, 0 FROM zone z
        JOIN database d ON d.number = z.database ON CONFLICT DO NOTHING
        """)

    /// Adds the claims of values that stored records have and others may not. They are where those of the default zone
    /// are: here, also where a database has no such zone yet.
    private func claimValues(
        _ schema: ContainerSchema, _ ground: OpenMigration, _ connection: Connection
    ) throws(CallError) {
        let types = schema.typesWithUniqueFields
        if types.isEmpty { return }
        try connection.call([
            Statement(
                """
                INSERT INTO place(scope, owner, zone, node) SELECT scope, owner, $1, 0 FROM database
                ON CONFLICT DO NOTHING
                """, [.text(RecordZone.ID.default.zoneName)])
        ])
        try ground.perform { ground throws(DatabaseError) in
            for origin in ground.origins {
                try ground.forEachPortion(of: types, origin) { rows throws(DatabaseError) in
                    let claims = rows.flatMap { $0.claims(schema, in: origin) }
                    do throws(CallError) { try connection.call([Self.addition(of: claims)]) } catch {
                        throw error.databaseError
                    }
                }
            }
        }
    }
    /// Gives another server all subscriptions.
    private func copySubscriptions(
        _ ground: any MigrationGround, to server: PostgreSQLContainer
    ) throws(DatabaseError) {
        var need = ServerNeed()
        need.subscribers = .everyone
        for origin in ground.origins {
            let stored = Dictionary(grouping: try ground.read(origin, need).subscriptions, by: \.userName)
            for (user, subscriptions) in stored.sorted(by: { $0.key < $1.key }) {
                try server.store(subscriptions, deleting: [], origin, user)
            }
        }
    }
}
