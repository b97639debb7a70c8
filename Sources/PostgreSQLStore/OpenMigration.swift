// What is stored, on its way to another schema.

import FoundationEssentials
import RecordDatabase
import RecordModel
import RecordPushdown

/// All databases of a container in a transaction that keeps everybody else from writing. Used by one thread.
final class OpenMigration: MigrationGround {
    private let container: PostgreSQLContainer
    private let connection: Connection
    private let earlier: ContainerSchema
    let schema: ContainerSchema
    /// With the types and fields of both.
    private let both: PostgreSQLContainer.KnownSchema
    private var numbers: [(origin: DatabaseOrigin, number: Int32)] = []
    /// Why something failed: the transaction is lost.
    private var failure: CallError?
    /// Types whose rows were written again in their tables.
    private var rewritten: Set<String> = []

    /// Rows of a portion.
    private static let portion = 1_000

    init(
        _ container: PostgreSQLContainer, _ connection: Connection, from known: PostgreSQLContainer.KnownSchema,
        to schema: ContainerSchema
    ) {
        (self.container, self.connection, self.schema, earlier) = (container, connection, schema, known.schema)
        var both = schema
        both.recordTypes.merge(known.schema.recordTypes) { new, _ in new }
        self.both = PostgreSQLContainer.KnownSchema(
            schema: both, version: known.version, incarnation: known.incarnation, roles: known.roles,
            textVersion: known.textVersion)
    }

    /// Runs work in the transaction.
    func perform(_ work: (any MigrationGround) throws(DatabaseError) -> Void) throws(CallError) {
        do throws(DatabaseError) { try work(self) } catch { throw failure ?? .database(error) }
    }

    /// Begins the transaction, which is left open.
    func begin() throws(CallError) {
        let results = try connection.call([
            Statement("BEGIN"), Statement("SET LOCAL lock_timeout = '10s'"),
            // Commits lock their database's row, and read the schema behind that.
            Statement("LOCK TABLE database IN EXCLUSIVE MODE"),
            Statement("SELECT scope, owner, number FROM database ORDER BY scope, owner"),
        ])
        guard let rows = results.last else { throw MomentReader.damaged }
        for row in 0..<rows.count {
            guard let scope = rows.int64(row, 0).flatMap({ DatabaseScope(rawValue: Int($0)) }),
                let owner = rows.text(row, 1), let number = rows.int64(row, 2)
            else { throw MomentReader.damaged }
            let origin = DatabaseOrigin(
                container: container.identifier, scope: scope, user: scope == .public ? nil : owner)
            numbers.append((origin, Int32(truncatingIfNeeded: number)))
        }
    }

    /// Runs a body whose failure is that of the transaction, and may be tried again.
    private func failing<Outcome>(_ body: () throws(CallError) -> Outcome) throws(DatabaseError) -> Outcome {
        do throws(CallError) {
            return try body()
        } catch {
            if case .database = error {} else { failure = error }
            throw error.databaseError
        }
    }

    private func reader(of origin: DatabaseOrigin) throws(CallError) -> MomentReader {
        guard let found = numbers.first(where: { $0.origin == origin }) else { throw MomentReader.damaged }
        return MomentReader(database: found.number, known: both, connection: connection, coding: coding)
    }

    private var coding: RowCoding { RowCoding(assets: container.assetPaths) }

    // MARK: Reading

    var origins: [DatabaseOrigin] { numbers.map(\.origin) }

    func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        try failing { () throws(CallError) in try moment(of: origin, need).moment }
    }

    private func moment(of origin: DatabaseOrigin, _ need: ServerNeed) throws(CallError) -> MomentReader.Read {
        let read = try reader(of: origin).read(need, beginning: [], mayWait: false)
        guard let read else { throw .staleSchema }
        return read
    }

    func forEachPortion(
        of types: [String], _ origin: DatabaseOrigin, _ body: ([ServerRow]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        // All cursors first: rows that come into the table of another type are not seen again there.
        try failing { () throws(CallError) in
            let database = Parameter.int32(try reader(of: origin).database)
            for (number, type) in types.enumerated() {
                try connection.call([
                    Statement(
                        """
                        DECLARE portions\(number) NO SCROLL CURSOR FOR SELECT \(RowCoding.columns(ofType: type))
                        FROM zone z JOIN \(Layout.table(of: type)) r ON r._z = z.number WHERE z.database = $1
                        ORDER BY r._s, r._n
                        """, [database])
                ])
            }
        }
        for number in types.indices {
            while true {
                let rows = try failing { () throws(CallError) -> [ServerRow] in
                    let fetch = Statement("FETCH \(Self.portion) FROM portions\(number)")
                    guard let rows = try connection.call([fetch]).first else { return [] }
                    return try coding.readRows(rows).map(\.row)
                }
                if rows.isEmpty { break }
                try body(rows)
            }
            try failing { () throws(CallError) in
                _ = try connection.call([Statement("CLOSE portions\(number)")])
            }
        }
    }

    func reading(_ origin: DatabaseOrigin) throws(DatabaseError) -> any ServerReading {
        OpenReading(try failing { () throws(CallError) in try reader(of: origin) })
    }

    func check(_ demands: [ServerDemand]) throws(DatabaseError) {
        try failing { () throws(CallError) in
            try DemandReader(schema: schema, earlier: earlier, connection: connection, coding: coding).check(demands)
        }
    }

    // MARK: Storing

    func store(
        _ commit: ServerCommit, on rows: [ServerRow], _ origin: DatabaseOrigin
    ) throws(DatabaseError) {
        try failing { () throws(CallError) in
            var read = try moment(of: origin, ServerNeed())
            read.moment.rows = rows
            var assets = CommitAssets(commit, on: read.moment, container.assetPaths)
            try assets.prepare(on: connection)
            let parts = CommitStatements(
                commit: commit, moment: read.moment, zones: read.zones, database: try reader(of: origin).database,
                owner: origin.user ?? "", process: container.process, assets: assets, coding: coding,
                copiesFrom: .max)
            let types = Dictionary(commit.saves.map { ($0.row.id, $0.row.type) }) { $1 }
            rewritten.formUnion(types.values)
            let left = Dictionary(grouping: rows.filter { types[$0.id] != $0.type }, by: \.type)
            var statements: [Statement] = []
            do throws(DatabaseError) {
                for (type, rows) in left.sorted(by: { $0.key < $1.key }) {
                    statements += try parts.removal(of: rows.map(\.id), ofType: type)
                }
                statements += try parts.all(schema)
            } catch {
                throw .database(error)
            }
            try connection.call(statements)
        }
    }

    /// Writes the columns of all records again, as this process derives them from their values. Nothing else of the
    /// records changes, their change tags neither.
    ///
    /// - Returns: How many records there are.
    func deriveAgain() throws(DatabaseError) -> Int {
        var count = 0
        for (origin, number) in numbers {
            try forEachPortion(of: schema.recordTypes.keys.sorted(), origin) { rows throws(DatabaseError) in
                count += rows.count
                try failing { () throws(CallError) in
                    let types = Dictionary(grouping: rows, by: \.type)
                    try connection.call(
                        types.map { type, rows in
                            let known = schema.recordTypes[type] ?? ContainerSchema.RecordType()
                            return SavedColumns.replacement(
                                of: rows, Layout.columns(of: type, known), table: Layout.table(of: type), in: number)
                        })
                }
            }
        }
        return count
    }

    /// Notes links of records that other nodes are about to save: they count at once, and stay where this fails.
    func note(_ links: [ServerLink], _ origin: DatabaseOrigin) throws(DatabaseError) {
        try failing { () throws(CallError) in
            let read = try moment(of: origin, ServerNeed())
            var commit = ServerCommit(ofLinksAt: read.moment)
            commit.linksApart.noted = links
            let parts = CommitStatements(
                commit: commit, moment: read.moment, zones: read.zones, database: try reader(of: origin).database,
                owner: origin.user ?? "", process: container.process,
                assets: CommitAssets(commit, on: read.moment, container.assetPaths), coding: coding,
                copiesFrom: .max)
            let statements: [Statement]
            do throws(DatabaseError) { statements = try parts.linksApart() } catch { throw .database(error) }
            // The transaction keeps the targets from being deleted meanwhile.
            try container.withConnection(of: container.assetPool) { other throws(CallError) in
                _ = try other.call(statements)
            }
        }
    }

    func noteEncryptionKey(_ name: String) throws(DatabaseError) {
        try failing { () throws(CallError) in
            _ = try connection.call([
                Statement(
                    """
                    INSERT INTO encryption_key VALUES (1, $1) ON CONFLICT (place) DO UPDATE SET name = excluded.name
                    """, [.text(name)])
            ])
        }
    }

    /// Empties the columns of fields that rewritten records had: a later field of the same name finds none of them.
    /// Rows of deleted zones are left to those who sweep.
    func forgetFields() throws(CallError) {
        for type in rewritten.sorted() {
            guard let known = earlier.recordTypes[type] else { continue }
            let now = schema.recordTypes[type].map { Layout.columns(of: type, $0).fields } ?? [:]
            let kept = Set(now.values.flatMap { $0.columns.map(\.name) })
            let gone = Layout.columns(of: type, known).fields.values.flatMap { $0.columns.map(\.name) }
                .filter { !kept.contains($0) }.sorted().map(Statement.name)
            if gone.isEmpty { continue }
            try connection.call([
                Statement(
                    """
                    UPDATE \(Layout.table(of: type)) SET \(gone.map { $0 + " = NULL" }.joined(separator: ", "))
                    WHERE (\(gone.map { $0 + " IS NOT NULL" }.joined(separator: " OR ")))
                    AND _z IN (SELECT number FROM zone)
                    """)
            ])
        }
    }
}
