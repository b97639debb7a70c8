// Tables that others made on a server: their columns as fields, and random predicates on them.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ServerTableTests {
    @Test(arguments: [UInt64](1...2))
    func rowsAreThoseThatTheEvaluatorFinds(_ seed: UInt64) throws {
        var campaign = TableCampaign()
        let differences = try campaign.run(
            seed: seed, predicates: 150, records: 90, address: PostgreSQLServer.shared().address)
        #expect(differences.isEmpty, "\(differences.prefix(3).joined(separator: "\n"))")
        #expect(campaign.shortCount > 3, "first rows in an order are not all rows")
        #expect(campaign.groupCount > 5 && campaign.predicateCount > 60 && campaign.exact > 15 && campaign.partly > 15)
    }

    /// A schema of its own on the shared server.
    private struct Place {
        let schema = "place " + UUID().uuidString
        let connection: Connection
        let address: String

        init(_ statements: String...) throws {
            address = try PostgreSQLServer.shared().address
            connection = try Connection(ConnectionString(address))
            try connection.run(
                [
                    Statement("CREATE SCHEMA \(Statement.name(schema))"),
                    Statement("SELECT set_config('search_path', $1, false)", [.text(Statement.name(schema))]),
                ] + statements.map { Statement($0) })
        }

        func table(_ name: String, key: String? = nil) throws(DatabaseError) -> ServerTable {
            try ServerTable(named: schema + "." + name, at: address, key: key)
        }
    }

    private static func only(_ table: ServerTable, _ predicate: RecordPredicate = "TRUEPREDICATE") throws -> Record {
        let set = try table.rows(TableRequest(predicate)).rest()
        return try #require(set.ordinals(matching: predicate).first.flatMap { set.record(at: $0) })
    }

    @Test func columnsOfAllTypesAreFields() throws {
        let place = try Place(
            "CREATE TYPE mood AS ENUM ('low', 'high')", "CREATE DOMAIN small AS int4 CHECK (value < 100)",
            """
            CREATE TABLE kinds AS SELECT 7::int2 AS two, 8::int4 AS four, -9::int8 AS eight, 5::small AS domain,
              0.1::real AS single, 0.1::float8 AS double, 9007199254740993.00::numeric AS whole, 1.10::numeric AS part,
              'NaN'::numeric AS nan, true AS flag, 'Zoë'::text AS text, 'x'::char(5) AS padded, 'low'::mood AS mood,
              '2026-02-28'::date AS day, '2026-02-28 12:00:00.123456'::timestamp AS moment,
              '2026-02-28 12:00:00+02'::timestamptz AS zoned, 'infinity'::timestamptz AS never, '1 day'::interval AS span,
              'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid AS uuid, '\\x00ff'::bytea AS bytes,
              '{"user": {"name": "ann"}, "n": [1, 2.5]}'::jsonb AS payload, 'null'::json AS nothing,
              ARRAY['a', NULL, 'b'] AS texts, ARRAY[1, 2]::int4[] AS numbers, '{{1,2},{3,4}}'::int8[] AS matrix,
              '{}'::text[] AS empty, ARRAY[1.5]::numeric[] AS parts, NULL::int4 AS missing
            """)
        let table = try place.table("kinds")
        #expect(table.table.name == "kinds" && table.table.key == nil)
        let record = try Self.only(table)
        func date(_ text: String) -> FieldValue { .date(RFC3339.date(text) ?? .distantPast) }
        let expected: [String: FieldValue] = [
            "two": 7, "four": 8, "eight": -9, "domain": 5, "single": 0.1, "double": 0.1,
            "whole": .int64(9_007_199_254_740_993), "part": 1.1, "flag": true, "text": "Zoë", "padded": "x",
            "mood": "low", "day": date("2026-02-28"), "moment": date("2026-02-28T12:00:00.123456Z"),
            "zoned": date("2026-02-28T10:00:00Z"), "span": "1 day",
            "never": .date(Date(timeIntervalSinceReferenceDate: .infinity)),
            "uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "bytes": .data(Data([0, 255])),
            "payload": .object(["user": .object(["name": "ann"]), "n": [1, 2.5]]),
            "texts": ["a", .null, "b"], "numbers": [1, 2], "matrix": [[1, 2], [3, 4]], "empty": [], "parts": [1.5],
        ]
        for (field, value) in expected { #expect(record[field] == value, "\(field)") }
        guard case .double(let nan) = record["nan"] else {
            Issue.record("NaN is no number")
            return
        }
        #expect(nan.isNaN && record["missing"].isNull && record["nothing"].isNull)
        let predicates: [RecordPredicate] = [
            "payload.user.name == 'ann'", "uuid == 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "single == 0.1",
            "moment == '2026-02-28T12:00:00.123456Z'", "whole == 9007199254740993", "never > '9999-01-01'",
            "ANY texts == 'b' AND ANY numbers == 2", "nothing == nil AND missing == nil",
            "day BETWEEN {'2026-02-28', '2026-03-01'}",
            "padded == 'x' AND mood IN {'low'} AND flag == YES", "uuid BEGINSWITH[c] 'A0EE'", "nan > 1e300",
        ]
        for predicate in predicates { _ = try Self.only(table, predicate) }
    }

    @Test("Values at the ends of their types, and before the server's year 0")
    func valuesAtTheEnds() throws {
        let place = try Place(
            """
            CREATE TABLE ends AS SELECT '1999-12-31 23:59:59.25'::timestamp AS moment, '1999-12-31'::date AS day,
              '2000-01-01'::date AS first, 'infinity'::date AS late, '-infinity'::date AS early,
              '-infinity'::timestamp AS never, 12345678901234567890::numeric AS huge, (-0.5)::numeric AS half,
              9223372036854775807::numeric AS most, 1000.000::numeric AS whole, false AS flag,
              (-9223372036854775808)::int8 AS least, 'Infinity'::real AS endless, ARRAY[true, false, NULL] AS flags,
              ARRAY['1999-12-31'::date, NULL] AS days, '{{1,NULL},{3,4}}'::int4[] AS matrix, ''::bytea AS bytes,
              '{"a": null, "b": [false]}'::jsonb AS payload
            """)
        let record = try Self.only(place.table("ends"))
        func date(_ text: String) -> FieldValue { .date(RFC3339.date(text) ?? .distantPast) }
        func end(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        let expected: [String: FieldValue] = [
            "moment": date("1999-12-31T23:59:59.25Z"), "day": date("1999-12-31"), "first": date("2000-01-01"),
            "late": end(.infinity), "early": end(-.infinity), "never": end(-.infinity),
            "huge": .double(12_345_678_901_234_567_168), "half": -0.5, "most": .int64(.max), "whole": .int64(1000),
            "flag": false, "least": .int64(.min), "endless": .double(.infinity), "flags": [true, false, .null],
            "days": [date("1999-12-31"), .null], "matrix": [[1, .null], [3, 4]], "bytes": .data(Data()),
            "payload": .object(["a": .null, "b": [false]]),
        ]
        for (field, value) in expected { #expect(record[field] == value, "\(field)") }
    }

    @Test func tablesAreFoundByTheirNames() throws {
        let place = try Place(
            #"CREATE TABLE "Mixed Case" (id int PRIMARY KEY, type text)"#,
            "CREATE TABLE pairs (a int, b int, PRIMARY KEY (a, b))",
            #"INSERT INTO "Mixed Case" VALUES (7, NULL), (3, 'x')"#, "INSERT INTO pairs VALUES (1, 1), (1, 2)",
            "CREATE VIEW seen AS SELECT a + b AS sum FROM pairs")
        #expect(try place.table("Mixed Case").table.key == "id")
        #expect(try place.table("mixed case").table.key == "id")
        #expect(try place.table("pairs").table.key == nil)
        #expect(try Self.only(place.table("seen"), "sum > 2")["sum"] == 3)
        // Names of parts of records are names of columns here.
        let record = try Self.only(place.table("Mixed Case"), "type == nil AND id > 5")
        #expect(record.id.recordName == "7" && record["id"] == 7 && record["type"].isNull)
        let missing = #expect(throws: DatabaseError.self) { try place.table("nothing") }
        #expect(missing?.reason.contains("no table") == true && missing?.hint?.contains("its tables are") == true)
        let ambiguous = #expect(throws: DatabaseError.self) { try place.table("pairs", key: "a").rows("TRUEPREDICATE") }
        #expect(ambiguous?.reason.contains("row 2") == true)
        #expect(throws: DatabaseError.self) { try place.table("pairs", key: "c") }
        let unknown = #expect(throws: RecordPredicateError.self) {
            try place.table("pairs").rows(TableRequest("aa == 1"))
        }
        #expect(unknown?.stage == .binding)
    }

    @Test func readsSeeOneMomentAndWriteNothing() throws {
        let place = try Place(
            "CREATE TABLE many AS SELECT n, n % 7 AS rest, 'text ' || n AS name FROM generate_series(1, 30000) n",
            "CREATE INDEX ON many(n)", "ANALYZE many",
            "CREATE FUNCTION noted(int) RETURNS int LANGUAGE sql VOLATILE AS 'INSERT INTO many VALUES ($1) RETURNING n'",
            "CREATE VIEW writing AS SELECT noted(1) AS n")
        let table = try place.table("many")
        let rows = try table.rows(TableRequest("rest == 3"))
        var (count, pieces) = (try #require(try rows.next()).count, 1)
        try place.connection.run(Statement("DELETE FROM many"))
        while let piece = try rows.next() {
            count += piece.count
            pieces += 1
            #expect(piece.count <= 10_000)
        }
        #expect(count == 4_286 && pieces > 2)
        #expect(try table.rows(TableRequest("TRUEPREDICATE")).rest().count == 0)
        let writing = try place.table("writing")
        #expect(throws: DatabaseError.self) { try writing.rows(TableRequest("TRUEPREDICATE")).rest() }
        #expect(try place.connection.run(Statement("SELECT count(*) FROM many")).int64(0, 0) == 0)
    }

    @Test func theFirstInAnOrderAreReadAlone() throws {
        let place = try Place(
            """
            CREATE TABLE many AS SELECT n AS id, n % 1000 AS few, (n * 7919 % 30011)::numeric / 4 AS price,
            CASE WHEN n % 4 > 0 THEN 'name ' || n END AS name, (n % 3 = 0) AS flag,
            CASE WHEN n % 4 > 0 THEN n END AS gap FROM generate_series(1, 30000) n
            """, "ALTER TABLE many ADD PRIMARY KEY (id)", "CREATE INDEX ON many(price)", "ANALYZE many")
        let table = try place.table("many")
        let all = try table.rows(TableRequest("TRUEPREDICATE")).rest()
        let cases: [(predicate: RecordPredicate, order: [SortKey], most: Int)] = [
            ("TRUEPREDICATE", [.ascending("price")], 500), ("flag == YES", [.descending("price")], 500),
            ("few > 990", [.ascending("price"), .ascending("name")], 500),
            ("TRUEPREDICATE", [.descending("few"), .ascending("name")], 500),
            ("name CONTAINS '77'", [.descending("few"), .descending("id")], 3_000),
            ("TRUEPREDICATE", [.ascending("flag"), .descending("id")], 500),
            ("TRUEPREDICATE", [.ascending("name")], 30_000), ("few / (id - 5) > 1", [.ascending("id")], 30_000),
            ("TRUEPREDICATE", [.descending("gap")], 500),
            ("gap == nil", [.descending("gap"), .descending("id")], 500),
            ("few == 5000", [.ascending("id")], 0),
        ]
        for (predicate, order, most) in cases {
            var request = TableRequest(predicate)
            (request.order, request.limit) = (order, 10)
            let rows = try table.rows(request)
            let set = try rows.rest()
            let exact = order + [.ascending("recordName")]
            let found = Result { () throws(RecordPredicateError) in
                try set.ordinals(matching: predicate, sortedBy: exact, limit: 10).map { set.recordName(at: $0) }
            }
            let expected = Result { () throws(RecordPredicateError) in
                try all.ordinals(matching: predicate, sortedBy: exact, limit: 10).map { all.recordName(at: $0) }
            }
            #expect("\(found)" == "\(expected)", "\(predicate), \(order)")
            #expect(rows.rowCount <= most, "\(predicate), \(order): \(rows.rowCount)")
        }
    }

    @Test("Texts that are one for their collation are counted by whoever has the rows")
    func textsThatAreOneForTheServer() throws {
        let place = try Place(
            "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
            "CREATE TABLE names (plain text, loose text COLLATE loose)",
            "INSERT INTO names VALUES ('a', 'a'), ('A', 'A'), ('b', 'b')")
        let table = try place.table("names")
        func counts(_ field: String) throws -> [Int]? {
            try table.rows(TableRequest("TRUEPREDICATE")).groups(by: field)?.map(\.count)
        }
        #expect(try counts("plain") == [1, 1, 1])
        #expect(try counts("loose") == nil)
    }

    /// Lists in arrays, arrays of domains, fractions and patterns are on a server what they are elsewhere.
    @Test func whatServersTakeOtherwise() throws {
        let place = try Place(
            "CREATE DOMAIN positive AS int CHECK (value > 0)",
            "CREATE TABLE odd (id int PRIMARY KEY, xs int[], ss text[], ds positive[], re real, s text)",
            """
            INSERT INTO odd VALUES (1, '{{1,2},{3,4}}', '{{a,b},{c,d}}', '{1,2}', 0.1234567, 'abc'),
              (2, '{1}', '{a}', '{3}', 16777216, 'x')
            """)
        // A server may be set to write fewer digits.
        let address = place.address + " options='-c extra_float_digits=0'"
        let table = try ServerTable(named: place.schema + ".odd", at: address, key: "id")
        let cases = [
            ("xs CONTAINS {1, 2}", ["1"]), ("{3, 4} IN xs", ["1"]), ("NOT xs CONTAINS {1, 2}", ["2"]),
            ("{'a', 'b'} IN ss", ["1"]), ("NOT ss CONTAINS {'a', 'b'}", ["2"]), ("ANY ds == 1", ["1"]),
            ("ANY ds > 2", ["2"]), ("re == 16777216", ["2"]), ("re == 0.1234567", ["1"]), ("re < 1", ["1"]),
            ("s == 'x' OR s MATCHES 'x\u{0}y'", ["2"]), ("s MATCHES 'a\u{0}b|abc'", ["1"]),
        ]
        for (text, ids) in cases {
            let predicate = try RecordPredicate(format: text)
            let rows = try table.rows(TableRequest(predicate)).rest()
            #expect(try rows.records(matching: predicate).map(\.id.recordName).sorted() == ids, "\(text)")
        }
    }

    @Test func explanationsTellWhatTheServerDid() throws {
        let place = try Place(
            "CREATE TABLE many AS SELECT n, 'name ' || n || CASE n % 10 WHEN 0 THEN 'é' ELSE '' END AS name "
                + "FROM generate_series(1, 20000) n", "CREATE INDEX many_n ON many(n)", "ANALYZE many")
        var request = TableRequest("n BETWEEN {100, 119} AND name CONTAINS[cd] 'NAME 1'")
        request.explains = true
        let set = try place.table("many").rows(request).rest()
        let pushed = try #require(try set.explain(request.predicate).pushed)
        #expect(pushed.indexes == ["many_n"] && pushed.rows == 20 && pushed.rechecked == 2, "\(pushed)")
        #expect(pushed.condition.contains(#""r"."n""#) && pushed.certain != nil)
    }

    /// The first rows in an order are explained as they are read.
    @Test func ordersAreExplained() throws {
        let place = try Place(
            "CREATE TABLE many AS SELECT n, n % 7 AS m, repeat('x', 100) AS t FROM generate_series(1, 20000) n",
            "CREATE INDEX many_n ON many(n NULLS FIRST)", "ANALYZE many")
        var request = TableRequest("m == 3")
        (request.explains, request.order, request.limit) = (true, [.ascending("n")], 3)
        let pushed = try #require(try place.table("many").rows(request).rest().explain(request.predicate).pushed)
        #expect(pushed.indexes == ["many_n"] && pushed.rows < 2000, "\(pushed)")
        #expect(pushed.nodes.first?.order == #""r"."n" ASC NULLS FIRST"#)
        // Without an order the table is read.
        (request.order, request.limit) = ([], nil)
        let all = try #require(try place.table("many").rows(request).rest().explain(request.predicate).pushed)
        #expect(all.indexes.isEmpty && all.rows == 2857 && all.nodes.first?.order == nil, "\(all)")
    }
}

extension ServerTable {
    fileprivate func rows(_ predicate: RecordPredicate) throws -> RecordSet { try rows(TableRequest(predicate)).rest() }
}
