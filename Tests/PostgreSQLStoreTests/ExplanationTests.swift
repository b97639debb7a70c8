// What explanations tell of servers: indexes that they look up, node by node, and the statement that is sent.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ExplanationTests {
    private static let zone = RecordZone.ID("Z")

    /// Saves records, and puts many rows beside them that none of the queries wants.
    private static func fill(_ place: ServerPlace, _ database: Database) async throws {
        try await database.save(RecordZone(id: zone))
        var records = ["Abcd", "Abz", "Other"].enumerated().map { number, name in
            Record(
                type: "T", id: Record.ID(name, zoneID: zone),
                fields: ["name": .string(name), "a": .int64(Int64(number)), "b": 1])
        }
        records[1].setParent(records[0].id)
        _ = try await database.modifyTogether(saving: records, deleting: [], savePolicy: .ifServerRecordUnchanged)
        try place.run(
            """
            INSERT INTO "r_T"(_b, _z, _n, _s, _c, _r, "name~s", "a~i", "b~i") SELECT r._b, r._z, 'x' || i, i, i, r._r,
            'x' || i, -i, 1 FROM "r_T" r, generate_series(1, 5000) i WHERE r._n = 'Other'
            """)
        try place.run("ANALYZE \"r_T\"")
    }

    @Test func indexesAreLookedUp() async throws {
        let place = try ServerPlace()
        let database = try place.open().privateDatabase
        try await Self.fill(place, database)
        let parent = try RecordPredicate(
            format: "parent == %@",
            arguments: [.reference(RecordReference(recordID: Record.ID("Abcd", zoneID: Self.zone)))])
        let byName: Set = ["T.name~s.q", "T.name~s.s"]
        let cases: [(predicate: RecordPredicate, indexes: Set<String>, rows: Int)] = [
            ("name LIKE 'Ab*'", byName, 2), ("name LIKE[cd] 'ab?*d'", ["T.name~s.q"], 1),
            ("name LIKE 'Abz'", byName, 1), ("name LIKE '*bz'", [], 1), ("name LIKE '?bz'", [], 1),
            (parent, ["T.p"], 1),
        ]
        for (predicate, indexes, rows) in cases {
            let query = Query("T", predicate)
            let pushed = try #require(try await database.explain(query, in: .zone(Self.zone)).pushed)
            // Rows that are looked at one by one have an index, too.
            let found = Set(pushed.indexes).subtracting(["T.o"])
            #expect(indexes.isEmpty == found.isEmpty && found.isSubset(of: indexes), "\(predicate): \(pushed)")
            #expect(pushed.rows == rows && pushed.rechecked == 0, "\(predicate): \(pushed)")
        }
    }

    /// Parts of texts are found by trigrams where the database has these.
    @Test func partsOfTextsAreLookedUpByTrigrams() async throws {
        let server = try PostgreSQLServer.shared()
        let name = "trigrams_" + UUID().uuidString.prefix(8).lowercased()
        try server.run("CREATE DATABASE \(name) TEMPLATE template0")
        defer { try? server.run("DROP DATABASE \(name) WITH (FORCE)") }
        let address = "host=\(server.folder) port=\(server.port) user=postgres dbname=\(name)"
        let connection = try Connection(ConnectionString(address))
        try connection.run(Statement("CREATE SCHEMA \"of others\""))
        try connection.run(Statement("CREATE EXTENSION pg_trgm SCHEMA \"of others\""))
        let container = try Container(
            identifier: "t", on: PostgreSQLContainer(identifier: "t", connectingTo: address), account: .localUser,
            configuration: Configuration())
        defer { container.close() }
        var schema = ContainerSchema()
        schema.recordTypes["T"] = ContainerSchema.RecordType(fields: [
            "name": ContainerSchema.Field(.string, indexes: [.searchable]),
            "other": ContainerSchema.Field(.string, indexes: [.queryable]),
        ])
        try container.setSchema(schema)
        let texts = ["Abcdef": "x", "Ábz": "y", "Other": "z"]
        let records = texts.sorted { $0.key < $1.key }.map { name, other in
            Record(type: "T", id: Record.ID(other), fields: ["name": .string(name), "other": .string(name)])
        }
        #expect(try container.privateDatabase.modify(ModifyRequest(saves: records)).partialErrors.isEmpty)
        try connection.run(Statement("SET search_path = \(Statement.name(Layout.schemaName(of: "t")))"))
        try connection.run(
            Statement(
                """
                INSERT INTO "r_T"(_b, _z, _n, _s, _c, _r, "name~s", "other~s") SELECT r._b, r._z, 'x' || i, i, i, r._r,
                'u' || i, 'u' || i FROM "r_T" r, generate_series(1, 20000) i WHERE r._n = 'z'
                """))
        // New entries of such an index wait in a list, which a vacuum puts in its place.
        try connection.run(Statement("SELECT gin_clean_pending_list('\"T.name~s.t\"'::regclass)"))
        try connection.run(Statement("ANALYZE \"r_T\""))
        let cases: [(predicate: RecordPredicate, isIndexed: Bool, rows: Int)] = [
            ("name CONTAINS[cd] 'BCD'", true, 1), ("name ENDSWITH[cd] 'abz'", true, 1),
            ("name LIKE[cd] '*cdef'", true, 1), ("name MATCHES '.*bcde.*'", true, 1),
            ("other CONTAINS[cd] 'BCD'", false, 1),
        ]
        for (predicate, isIndexed, rows) in cases {
            let query = Query("T", predicate)
            let explained = try await container.privateDatabase.explain(query, in: .zone(.default))
            let pushed = try #require(explained.pushed)
            #expect(pushed.indexes.contains("T.name~s.t") == isIndexed, "\(predicate): \(pushed)")
            #expect(pushed.rows == rows, "\(predicate): \(pushed)")
        }
    }

    /// The first rows in an order are found in it.
    @Test func pagesAreExplainedInTheirOrder() async throws {
        let place = try ServerPlace()
        let database = try place.open().privateDatabase
        try await Self.fill(place, database)
        let query = Query("T", "b == 1", sortedBy: [.descending("a")])
        let page = try await database.explain(query, in: .zone(Self.zone), resultsLimit: 2)
        let pushed = try #require(page.pushed?.nodes.first)
        #expect(pushed.indexes == ["T.a~i.q"] && pushed.rows == 3 && pushed.rechecked == 0, "\(page)")
        #expect(pushed.order?.hasPrefix(#""r"."a~i" DESC NULLS LAST"#) == true, "\(page)")
        let all = try #require(try await database.explain(query, in: .zone(Self.zone)).pushed?.nodes.first)
        #expect(all.order == nil && all.rows == 5003 && !all.indexes.contains("T.a~i.q"), "\(all.indexes)")
    }

    /// Each node has indexes of its own.
    @Test func indexesAreToldNodeByNode() async throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let database = container.publicDatabase
        let records = (0..<40).map { Record(type: "T", id: Record.ID("n\($0)"), fields: ["a": .int64(Int64($0))]) }
        #expect(try database.modify(ModifyRequest(saves: records)).partialErrors.isEmpty)
        _ = try place.onAll(
            """
            INSERT INTO "r_T"(_b, _z, _n, _s, _c, _r, "a~i") SELECT r._b, r._z, r._n || '-' || i, i, i, r._r, -i
            FROM (SELECT * FROM "r_T" LIMIT 1) r, generate_series(1, 5000) i
            """)
        _ = try place.onAll("ANALYZE \"r_T\"")
        try place.run("DROP INDEX \"T.a~i.q\"")
        let query = Query("T", "a >= 0")
        let explained = try await database.explain(query, in: .zone(.default))
        let nodes = try #require(explained.pushed?.nodes)
        #expect(nodes.map(\.number) == [0, 1, 2] && nodes.allSatisfy { $0.rows > 0 && $0.rechecked == 0 })
        #expect(nodes.map { $0.indexes.contains("T.a~i.q") } == [false, true, true], "\(explained)")
        #expect(explained.pushed?.rows == 40)
        let lines = explained.description.split(separator: "\n")
        for number in 0..<3 { #expect(lines.contains { $0.hasPrefix("node \(number): ") }, "\(explained)") }
        #expect(explained.json.contains(#""nodes":[{"number":0,"indexes":["#), "\(explained.json)")
    }
}
