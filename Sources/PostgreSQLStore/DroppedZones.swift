// Rows of zones that were deleted.

/// Deletes the rows of zones that were deleted, portion by portion.
///
/// A commit that deletes a zone moves its number from `zone` to `dropped_zone`, however many records there are. Whoever
/// looks for rows goes by the numbers in `zone`, so that nobody finds those that are left.
///
/// Nobody adds to them either. Whoever saves reads the numbers of zones under the lock of the database, a row or, for a
/// migration, the whole table, and keeps it until the records are stored; whoever deletes a zone has the same lock. So
/// when a number is seen in `dropped_zone`, each commit that knew it has ended, and later ones read none such. A zone
/// that is made again under the name gets another number: they come from a sequence.
struct DroppedZones {
    let connection: Connection
    /// Whether others are to go on: looked at between transactions.
    let isToEnd: () -> Bool

    /// Rows of a table that are deleted in one transaction.
    private static let portion = 5_000

    /// A table with rows of zones.
    private struct Table {
        let name: String
        let zone: String
        /// What an index has behind the zone.
        let key: (name: String, type: String)

        /// Links between nodes are not among them: only default zones are spread, and these stay.
        static let ofAllTypes = [
            Table(name: "link", zone: "zone", key: ("target", "text")),
            Table(name: "tombstone", zone: "zone", key: ("name", "text")),
            Table(name: "share_move", zone: "zone", key: ("change", "int8")),
            Table(name: "asset_holder", zone: "zone", key: ("name", "text")),
        ]

        /// - Parameter name: In quotes.
        static func ofRecords(_ name: String) -> Table { Table(name: name, zone: "_z", key: ("_n", "text")) }
    }

    /// Deletes the rows of all deleted zones, then their numbers.
    ///
    /// - Returns: How many records there were.
    func sweep() throws(CallError) -> Int {
        let found = try connection.call([
            Statement("SELECT number FROM dropped_zone ORDER BY number"),
            // Types that the schema has no more have rows of such zones, too.
            Statement(
                """
                SELECT quote_ident(c.relname) FROM pg_catalog.pg_class c
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = '_z' AND NOT a.attisdropped
                WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND starts_with(c.relname, 'r_')
                ORDER BY c.relname
                """),
        ])
        let (numbers, names) = (found[0], found[1])
        let tables = (0..<names.count).compactMap { names.text($0, 0) }.map(Table.ofRecords)
        var count = 0
        for row in 0..<numbers.count {
            guard let number = numbers.int64(row, 0) else { throw MomentReader.damaged }
            let zone = Parameter.int32(Int32(truncatingIfNeeded: number))
            for table in tables { count += try empty(table, of: zone) }
            for table in Table.ofAllTypes { _ = try empty(table, of: zone) }
            if isToEnd() { break }
            try connection.call([Statement("DELETE FROM dropped_zone WHERE number = $1", [zone])])
        }
        return count
    }

    /// Deletes the rows of a zone from a table: a portion at least, and the others unless others are to go on. So even
    /// processes that end soon get on.
    ///
    /// - Returns: How many there were.
    private func empty(_ table: Table, of zone: Parameter) throws(CallError) -> Int {
        defer { connection.rollBack() }
        var (count, last): (Int, String?) = (0, nil)
        repeat {
            let gone = try connection.call([
                // Those who sweep at a time take turns: none waits for rows of another, or takes them for its own.
                Statement("BEGIN"), Statement("SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), 6))"),
                portion(of: table, zone, from: last), Statement("COMMIT"),
            ])[2]
            guard let number = gone.int64(0, 0) else { throw MomentReader.damaged }
            count += Int(number)
            if number >= Self.portion {
                last = gone.text(0, 1)
            } else if last == nil {
                break
            } else {
                // Where the table is distributed, rows of several shards are at one place: others than the first went.
                last = nil
            }
        } while !isToEnd()
        return count
    }

    /// The statement that deletes the first rows of a zone, and gives their number and the last key.
    ///
    /// - Parameter key: Nothing is left before it: an index would lead to what was deleted just now, again and again.
    private func portion(of table: Table, _ zone: Parameter, from key: String?) -> Statement {
        let start = key == nil ? "" : " AND \(table.key.name) >= $3::text::\(table.key.type)"
        return Statement(
            """
            WITH portion AS (SELECT ctid AS place FROM \(table.name) WHERE \(table.zone) = $1\(start)
              ORDER BY \(table.key.name) LIMIT $2),
            gone AS (DELETE FROM \(table.name) WHERE \(table.zone) = $1
              AND ctid = ANY(ARRAY(SELECT place FROM portion)) RETURNING \(table.key.name) AS key)
            SELECT count(*), max(key)::text FROM gone
            """, [zone, .int64(Int64(Self.portion))] + (key.map { [.text($0)] } ?? []))
    }
}
