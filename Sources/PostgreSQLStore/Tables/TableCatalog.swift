// What the server's catalogue says of a table that is no container's.

import RecordDatabase
import RecordModel
import RecordPushdown

/// A table, as the catalogue describes it.
struct TableCatalog {
    let schemaName: String
    let name: String
    let columns: [TableColumn]
    /// The column that is the primary key by itself.
    let key: String?
    /// The columns that begin an index.
    let indexed: Set<String>

    /// Looks a table up.
    ///
    /// - Parameter wanted: Its name, perhaps with that of its schema and a dot before it.
    /// - Throws: `DatabaseError` of code `invalidArguments` where there is none or more than one; it names others.
    init(_ wanted: String, on connection: Connection) throws(DatabaseError) {
        let found: RowSet
        do throws(ServerError) {
            found = try connection.run(Statement(Self.search, [.text(wanted)]))
        } catch {
            throw error.databaseError
        }
        let tables = (0..<found.count).map { row in
            (
                number: found.int64(row, 0) ?? 0, schemaName: found.text(row, 1) ?? "", name: found.text(row, 2) ?? "",
                rank: found.int64(row, 3) ?? 9
            )
        }
        let best = tables.filter { $0.rank < 9 && $0.rank == tables.first?.rank }
        guard best.count == 1, let table = best.first else {
            throw Self.failure(wanted, (best.isEmpty ? tables : best).map { "\($0.schemaName).\($0.name)" }, best.count)
        }
        (schemaName, name) = (table.schemaName, table.name)
        let parts: [RowSet]
        do throws(ServerError) {
            parts = try connection.run([
                Statement(Self.columns, [.int64(table.number)]), Statement(Self.key, [.int64(table.number)]),
                Statement(Self.indexes, [.int64(table.number)]),
            ])
        } catch {
            throw error.databaseError
        }
        columns = (0..<parts[0].count).map { row in Self.column(parts[0], row) }
        key = parts[1].text(0, 0)
        indexed = Set((0..<parts[2].count).compactMap { row in parts[2].text(row, 0) })
    }

    private static func failure(_ wanted: String, _ names: [String], _ count: Int) -> DatabaseError {
        if count > 1 {
            return DatabaseError(
                .invalidArguments, "the database has \(count) tables '\(wanted)'",
                hint: "with its schema: \(names.prefix(5).joined(separator: ", "))")
        }
        let words = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " …" : "")
        return DatabaseError(
            .invalidArguments, "the database has no table '\(wanted)' that this user can see",
            hint: names.isEmpty ? nil : "its tables are \(words)")
    }

    /// Tables, those that the name means first: as it is, then in other letter case. The server's own are found, but
    /// not told of.
    private static let search = """
        SELECT c.oid::int8, n.nspname::text, c.relname::text, m.rank::int8
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace, LATERAL (SELECT CASE
          WHEN c.relname = $1 AND pg_catalog.pg_table_is_visible(c.oid) OR n.nspname || '.' || c.relname = $1 THEN 1
          WHEN lower(c.relname) = lower($1) AND pg_catalog.pg_table_is_visible(c.oid)
            OR lower(n.nspname || '.' || c.relname) = lower($1) THEN 2
          WHEN c.relname = $1 THEN 3 ELSE 9 END AS rank) m
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND (m.rank < 9 OR n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_toast%')
        ORDER BY m.rank, n.nspname, c.relname LIMIT 100
        """

    /// Columns with their types, a domain's being that below it: name, type, category, element of an array, whether its
    /// collation compares bytes.
    private static let columns = """
        WITH RECURSIVE base(number, type) AS (
          SELECT attnum, atttypid FROM pg_catalog.pg_attribute
          WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped
          UNION ALL SELECT b.number, t.typbasetype FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type
          WHERE t.typtype = 'd')
        SELECT a.attname::text, t.oid::int8, t.typcategory::text,
          CASE WHEN t.typlen = -1 THEN (
            WITH RECURSIVE element(type) AS (
              SELECT t.typelem
              UNION ALL SELECT d.typbasetype FROM element e JOIN pg_catalog.pg_type d ON d.oid = e.type
              WHERE d.typtype = 'd')
            SELECT e.type FROM element e JOIN pg_catalog.pg_type d ON d.oid = e.type WHERE d.typtype <> 'd')
          ELSE 0 END::int8,
          COALESCE((SELECT collisdeterministic FROM pg_catalog.pg_collation WHERE oid = a.attcollation), true)
        FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type
        JOIN pg_catalog.pg_attribute a ON a.attrelid = $1::oid AND a.attnum = b.number
        WHERE t.typtype <> 'd' ORDER BY a.attnum
        """

    /// The name of the one column of the primary key.
    private static let key = """
        SELECT a.attname::text FROM pg_catalog.pg_index i
        JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = $1::oid AND i.indisprimary AND i.indnkeyatts = 1
        """

    /// The names of the columns that begin an index of all rows.
    private static let indexes = """
        SELECT a.attname::text FROM pg_catalog.pg_index i
        JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = $1::oid AND i.indisvalid AND i.indpred IS NULL
        """

    private static func column(_ rows: RowSet, _ row: Int) -> TableColumn {
        let (name, type, element) = (rows.text(row, 0) ?? "", rows.int64(row, 1) ?? 0, rows.int64(row, 3) ?? 0)
        let isBytewise = rows.bool(row, 4) ?? true
        if rows.text(row, 2) == "A", element != 0, type != 22, type != 30 {
            return TableColumn(name, .list(form(element, isBytewise: isBytewise)))
        }
        return TableColumn(name, form(type, isBytewise: isBytewise))
    }

    /// How values of a type are read, by its number, which is the same on all servers for the types named here.
    private static func form(_ type: Int64, isBytewise: Bool) -> TableColumn.Form {
        switch type {
        case 16: .bool
        case 17: .bytes
        case 20, 21, 23, 26: .int64
        case 114, 3802: .json
        case 700: .real
        case 701: .double
        case 1082: .day
        case 1114: .moment(hasZone: false)
        case 1184: .moment(hasZone: true)
        case 1700: .numeric
        case 2950: .uuid
        default: .text(isBytewise: isBytewise)
        }
    }
}
