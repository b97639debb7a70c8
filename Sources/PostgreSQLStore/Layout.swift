// The tables of a container, in a schema of the server that has the container's name.

package import RecordDatabase
import RecordModel
package import RecordPushdown
import TextAnalysis

/// The statements that make tables. All of them may be run again.
package enum Layout {
    /// The number of this layout; a server with another one is of another version.
    static let format: Int64 = 8

    /// What columns that are derived from texts depend on: a process with other tables cannot rely on them.
    static let textVersion = "ICU \(TextVersions.icu), Unicode \(TextVersions.unicode), words 1"

    /// The schema of the server for a container.
    package static func schemaName(of identifier: String) -> String {
        if identifier.utf8.count <= 60, !identifier.hasPrefix("pg_") { return identifier }
        return "container_" + String(hash(identifier), radix: 16)
    }

    /// The table of a record type, in quotes.
    static func table(of type: String) -> String { Statement.name(tableName(of: type)) }

    private static func tableName(of type: String) -> String {
        // Names of tables are cut after 63 bytes.
        type.utf8.count <= 58 ? "r_" + type : "r_" + String(type.prefix(40)) + "_" + String(hash(type), radix: 16)
    }

    /// The columns of a record type.
    package static func columns(of name: String, _ type: ContainerSchema.RecordType) -> ColumnLayout {
        ColumnLayout(type.fields.mapValues(\.storedType), table: tableName(of: name))
    }

    /// The columns of all types.
    package static func columns(_ schema: ContainerSchema) -> [ColumnLayout] {
        schema.recordTypes.sorted { $0.key < $1.key }.map { columns(of: $0.key, $0.value) }
    }

    /// FNV-1a, 64 bits.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    static let bucketCount = 1024

    /// The bucket of a record: by its name in a default zone, else by owner and zone.
    static func bucket(of id: Record.ID, owner: String) -> Int16 {
        let text = id.zoneID.isDefault ? id.recordName : owner + "\n" + id.zoneID.zoneName
        return Int16(hash(text) % UInt64(bucketCount))
    }

    /// The tables that every container has. A text is compared byte by byte.
    static func tables(_ schemaName: String) -> [String] {
        [
            "CREATE SCHEMA IF NOT EXISTS \(Statement.name(schemaName))",
            """
            CREATE TABLE IF NOT EXISTS container(format bigint NOT NULL, identifier text NOT NULL,
            incarnation text NOT NULL, schema bytea NOT NULL, schema_version bigint NOT NULL,
            text_version text NOT NULL)
            """,
            """
            CREATE OR REPLACE FUNCTION heads(text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
            AS 'SELECT ARRAY(SELECT left(e, 256) FROM unnest($1) e)'
            """,
            """
            CREATE TABLE IF NOT EXISTS node(number int PRIMARY KEY, connection text NOT NULL, incarnation text NOT NULL)
            """,
            place,
            "CREATE TABLE IF NOT EXISTS encryption_key(place int PRIMARY KEY, name text NOT NULL)",
            "CREATE TABLE IF NOT EXISTS account(name text COLLATE \"C\" PRIMARY KEY, roles bytea NOT NULL)",
            """
            CREATE TABLE IF NOT EXISTS database(number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            scope int NOT NULL, owner text COLLATE "C" NOT NULL, last_change bigint NOT NULL DEFAULT 0,
            last_date float8 NOT NULL DEFAULT '-Infinity', watch_version bigint NOT NULL DEFAULT 0,
            UNIQUE(scope, owner)) WITH (fillfactor=20)
            """,
            // It never begins again: the number of a deleted zone is not given to another one.
            "CREATE SEQUENCE IF NOT EXISTS zone_number AS int NO CYCLE",
            """
            CREATE TABLE IF NOT EXISTS zone(number int PRIMARY KEY, database int NOT NULL,
            name text COLLATE "C" NOT NULL, made bigint NOT NULL, last_change bigint NOT NULL,
            forgotten bigint NOT NULL DEFAULT 0, moves_forgotten bigint NOT NULL DEFAULT 0, client_token bytea,
            UNIQUE(database, name)) WITH (fillfactor=50)
            """,
            """
            CREATE TABLE IF NOT EXISTS gone_zone(database int, name text COLLATE "C", change bigint NOT NULL,
            reason smallint NOT NULL, PRIMARY KEY(database, name))
            """,
            // Deleted zones with rows that nobody has swept yet: never a default zone, whose number is below zero.
            """
            CREATE TABLE IF NOT EXISTS dropped_zone(number int PRIMARY KEY CHECK (number > 0),
            made timestamptz NOT NULL DEFAULT now())
            """,
            """
            CREATE TABLE IF NOT EXISTS client(number bigint PRIMARY KEY, token bytea NOT NULL,
            change bigint NOT NULL, used timestamptz NOT NULL DEFAULT now()) WITH (fillfactor=50)
            """,
            """
            CREATE TABLE IF NOT EXISTS batch(database int, process bigint, client bigint, token bytea NOT NULL,
            digest text, used timestamptz NOT NULL DEFAULT now(), PRIMARY KEY(database, process, client))
            WITH (fillfactor=50)
            """,
            """
            CREATE TABLE IF NOT EXISTS tombstone(zone int, name text COLLATE "C", type text NOT NULL,
            change bigint NOT NULL, PRIMARY KEY(zone, name))
            """,
            "CREATE INDEX IF NOT EXISTS tombstone_change ON tombstone(zone, change)",
            """
            CREATE TABLE IF NOT EXISTS link(zone int, target text COLLATE "C", kind smallint,
            holder text COLLATE "C", holder_type text NOT NULL, PRIMARY KEY(zone, target, kind, holder))
            """,
            // Links between nodes: at the target, at the holder, and those whose target was deleted.
            """
            CREATE TABLE IF NOT EXISTS link_apart(zone int, target text COLLATE "C", kind smallint,
            holder text COLLATE "C", holder_type text NOT NULL, mark bigint, made timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY(zone, target, kind, holder, mark))
            """,
            """
            CREATE TABLE IF NOT EXISTS held_link(zone int, holder text COLLATE "C", target text COLLATE "C",
            kind smallint, mark bigint NOT NULL, PRIMARY KEY(zone, holder, target, kind))
            """,
            """
            CREATE TABLE IF NOT EXISTS pending_deletion(zone int, target text COLLATE "C", kind smallint,
            holder text COLLATE "C", mark bigint, made timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY(zone, target, kind, holder, mark))
            """,
            // Which records have values that one alone may have, where several servers have the records.
            """
            CREATE TABLE IF NOT EXISTS claim(digest bytea, zone text COLLATE "C", name text COLLATE "C",
            PRIMARY KEY(digest, zone, name))
            """,
            // Shares by their URLs, and those who have accepted them.
            """
            CREATE TABLE IF NOT EXISTS share(zone int, name text COLLATE "C", token text COLLATE "C" NOT NULL UNIQUE,
            PRIMARY KEY(zone, name))
            """,
            """
            CREATE TABLE IF NOT EXISTS participant(user_name text COLLATE "C", zone int, share text COLLATE "C",
            PRIMARY KEY(user_name, zone, share))
            """,
            "CREATE INDEX IF NOT EXISTS participant_share ON participant(zone, share)",
            """
            CREATE TABLE IF NOT EXISTS share_move(zone int, change bigint, name text COLLATE "C", type text NOT NULL,
            from_share text, to_share text, PRIMARY KEY(zone, change, name))
            """,
            """
            CREATE TABLE IF NOT EXISTS subscription(number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            database int NOT NULL, user_name text COLLATE "C" NOT NULL, id bytea NOT NULL, content bytea NOT NULL,
            UNIQUE(database, user_name, id))
            """,
            """
            CREATE TABLE IF NOT EXISTS notice(database int, change bigint, place int,
            user_name text COLLATE "C" NOT NULL, process bigint NOT NULL, client bigint NOT NULL,
            content bytea NOT NULL, made timestamptz NOT NULL DEFAULT now(), PRIMARY KEY(database, change, place))
            """,
            "CREATE INDEX IF NOT EXISTS notice_made ON notice(made)",
            """
            CREATE TABLE IF NOT EXISTS asset(digest text COLLATE "C", part int, bytes bytea NOT NULL,
            made timestamptz NOT NULL DEFAULT now(), PRIMARY KEY(digest, part))
            """,
            // Most files are compressed already.
            "ALTER TABLE asset ALTER bytes SET STORAGE EXTERNAL",
            """
            CREATE TABLE IF NOT EXISTS asset_holder(digest text COLLATE "C", zone int, name text COLLATE "C",
            PRIMARY KEY(digest, zone, name))
            """,
            "CREATE TABLE IF NOT EXISTS sweep(number int PRIMARY KEY, last timestamptz NOT NULL)",
            "INSERT INTO sweep VALUES (1, now()) ON CONFLICT DO NOTHING",
            "CREATE INDEX IF NOT EXISTS asset_holder_record ON asset_holder(zone, name)",
        ]
    }

    /// Makes the table of the nodes of zones: the one, or for default zones those that share its records. Its rows
    /// never change.
    static let place = """
        CREATE TABLE IF NOT EXISTS place(scope int, owner text COLLATE "C", zone text COLLATE "C", node int NOT NULL,
        spread int[], PRIMARY KEY(scope, owner, zone))
        """

    /// Statements that make tables or columns, and those that make indexes, which may take long.
    struct Definition {
        var tables: [String] = []
        var indexes: [String] = []
        /// Indexes of trigrams, for databases that have these: behind each come the operators, and a parenthesis.
        var trigrams: [String] = []

        var all: [String] { tables + indexes + trigrams }
    }

    /// The table of a record type with a column for each field, and its indexes.
    static func definition(ofType type: String, _ recordType: ContainerSchema.RecordType) -> Definition {
        let table = table(of: type)
        var definition = Definition()
        func statement(_ mark: String, _ text: String, _ field: String) -> String {
            // As explanations show it, where it is short enough.
            let readable = [type, field, mark].filter { !$0.isEmpty }.joined(separator: ".")
            let name = Statement.name(
                readable.utf8.count <= 63 ? readable : "i\(mark)_" + String(hash("\(type) \(field)"), radix: 16))
            return "INDEX IF NOT EXISTS \(name) ON \(table)\(text)"
        }
        func index(_ mark: String, _ text: String, _ field: String = "") {
            definition.indexes.append(statement(mark, text, field))
        }
        let derived = ColumnLayout.derived.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
        definition.tables.append(
            """
            CREATE TABLE IF NOT EXISTS \(table)(_b smallint NOT NULL, _z int NOT NULL,
            _n text COLLATE "C" NOT NULL, _s bigint NOT NULL, _c bigint NOT NULL, _t0 float8, _u0 text COLLATE "C",
            _t1 float8, _u1 text COLLATE "C", _p text COLLATE "C", _h text COLLATE "C", _r bytea NOT NULL, \(derived),
            PRIMARY KEY(_z, _n, _b))
            """)
        index("c", "(_z, _c) WHERE _z > 0")
        index("s", "(_z, _s)")
        index("o", "(_z) WHERE _odd")
        index("p", "(_z, _p) WHERE _p IS NOT NULL")
        if recordType.fields.values.contains(where: { $0.indexes.contains(.searchable) }) {
            index("w", " USING gin (_w)")
        }
        let columns = columns(of: type, recordType)
        for (field, column) in columns.fields.sorted(by: { $0.key < $1.key }) {
            for (name, type) in column.columns {
                definition.tables.append(
                    "ALTER TABLE \(table) ADD COLUMN IF NOT EXISTS \(Statement.name(name)) \(type)")
            }
            let marks = recordType.fields[field]?.indexes ?? []
            // Another type of the field has another column, and an index of that.
            for (mark, text) in column.indexes(marks) { index(mark, text, column.name) }
            if let text = column.looksInto(marks) {
                definition.trigrams.append(statement("t", " USING gin ((\(text)) ", column.name))
            }
        }
        return definition
    }

    /// What a schema needs, type by type.
    static func definitions(_ schema: ContainerSchema) -> [(type: String, definition: Definition)] {
        schema.recordTypes.sorted { $0.key < $1.key }.map { ($0.key, definition(ofType: $0.key, $0.value)) }
    }
}
