// The tables of a container, in a schema of the server that has the container's name.

import RecordModel

/// The statements that make tables. All of them may be run again.
enum Layout {
    /// The number of this layout; a server with a larger one is of a newer version.
    static let format: Int64 = 1

    /// The schema of the server for a container.
    static func schemaName(of identifier: String) -> String {
        if identifier.utf8.count <= 60, !identifier.hasPrefix("pg_") { return identifier }
        return "container_" + String(hash(identifier), radix: 16)
    }

    /// The table of a record type.
    static func table(of type: String) -> String {
        // Names of tables are cut after 63 bytes.
        let name = type.utf8.count <= 58 ? "r_" + type : "r_" + type.prefix(40) + "_" + String(hash(type), radix: 16)
        return Statement.name(String(name))
    }

    /// FNV-1a, 64 bits.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The bucket of a record: by its name in a default zone, else by owner and zone.
    static func bucket(of id: Record.ID, owner: String) -> Int16 {
        let text = id.zoneID.isDefault ? id.recordName : owner + "\n" + id.zoneID.zoneName
        return Int16(hash(text) % 1024)
    }

    /// The tables that every container has. A text is compared byte by byte.
    static func tables(_ schemaName: String) -> [String] {
        [
            "CREATE SCHEMA IF NOT EXISTS \(Statement.name(schemaName))",
            """
            CREATE TABLE IF NOT EXISTS container(format bigint NOT NULL, identifier text NOT NULL,
            incarnation text NOT NULL, schema bytea NOT NULL, schema_version bigint NOT NULL)
            """,
            "CREATE TABLE IF NOT EXISTS node(number int PRIMARY KEY, connection text NOT NULL, buckets int4range)",
            "CREATE TABLE IF NOT EXISTS account(name text COLLATE \"C\" PRIMARY KEY, roles bytea NOT NULL)",
            """
            CREATE TABLE IF NOT EXISTS database(number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            scope int NOT NULL, owner text COLLATE "C" NOT NULL, last_change bigint NOT NULL DEFAULT 0,
            last_date float8 NOT NULL DEFAULT '-Infinity', watch_version bigint NOT NULL DEFAULT 0,
            UNIQUE(scope, owner)) WITH (fillfactor=20)
            """,
            "CREATE SEQUENCE IF NOT EXISTS zone_number AS int",
            """
            CREATE TABLE IF NOT EXISTS zone(number int PRIMARY KEY, database int NOT NULL,
            name text COLLATE "C" NOT NULL, made bigint NOT NULL, last_change bigint NOT NULL,
            forgotten bigint NOT NULL DEFAULT 0, client_token bytea, UNIQUE(database, name)) WITH (fillfactor=50)
            """,
            """
            CREATE TABLE IF NOT EXISTS gone_zone(database int, name text COLLATE "C", change bigint NOT NULL,
            is_purged bool NOT NULL, PRIMARY KEY(database, name))
            """,
            """
            CREATE TABLE IF NOT EXISTS client(number bigint PRIMARY KEY, token bytea NOT NULL,
            change bigint NOT NULL, used timestamptz NOT NULL DEFAULT now()) WITH (fillfactor=50)
            """,
            """
            CREATE TABLE IF NOT EXISTS batch(database int, process bigint, client bigint, token bytea NOT NULL,
            digest text, PRIMARY KEY(database, process, client)) WITH (fillfactor=50)
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
        ]
    }

    /// The table of a record type with its indexes.
    static func table(ofType type: String) -> [String] {
        let table = table(of: type)
        func index(_ suffix: String, _ definition: String) -> String {
            let name = Statement.name("i\(suffix)_" + String(hash(type), radix: 16))
            return "CREATE INDEX IF NOT EXISTS \(name) ON \(table)\(definition)"
        }
        return [
            """
            CREATE TABLE IF NOT EXISTS \(table)(_b smallint NOT NULL, _z int NOT NULL,
            _n text COLLATE "C" NOT NULL, _s bigint NOT NULL, _c bigint NOT NULL, _t0 float8, _u0 text COLLATE "C",
            _t1 float8, _u1 text COLLATE "C", _p text COLLATE "C", _r bytea NOT NULL, PRIMARY KEY(_z, _n, _b))
            """,
            index("c", "(_z, _c) WHERE _z > 0"), index("s", "(_z, _s)"),
        ]
    }
}
