// A container whose texts were folded by another version of ICU: it is read, not written, and derived again.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct TextVersionTests {
    /// A container on one server, or on three.
    private struct Place {
        let open: () throws -> Container
        /// Runs a statement on all nodes, the control node first.
        let onAll: (String) throws -> [RowSet]
        let nodes: Nodes

        init(isSpread: Bool) throws {
            if isSpread {
                let place = try NodePlace()
                (open, onAll) = ({ try place.open() }, { try place.onAll($0) })
                nodes = Nodes(identifier: place.identifier, connectingTo: place.control.address)
            } else {
                let place = try ServerPlace()
                (open, onAll) = ({ try place.open() }, { [try place.run($0)] })
                nodes = Nodes(identifier: place.identifier, connectingTo: place.server.address)
            }
        }

        /// All that the rows of the type hold, node by node.
        func rows() throws -> [String?] {
            try onAll("SELECT string_agg(r::text, ' | ' ORDER BY _z, _n) FROM \"r_T\" r").map { $0.text(0, 0) }
        }

        /// Makes derived columns what no version derives, and notes another version.
        func spoil() throws {
            for statement in [TextVersionTests.spoiling, "UPDATE container SET text_version = 'ICU 1'"] {
                _ = try onAll(statement)
            }
        }

        /// What each node is said to have done, in their order.
        func rebuild() throws -> [(node: Int, count: Int?)] {
            var told: [(Int, Int?)] = []
            try nodes.rebuild { told.append(($0, $1)) }
            return told
        }
    }

    private static let spoiling = """
        UPDATE "r_T" SET "name~s" = 'wrong', "name~s~cd" = 'wrong', "tags~S" = ARRAY['wrong', 'wrong'],
        "tags~S~cd" = NULL, _w = '', _x = 0, _odd = NULL
        """
    private static let schema = "DEFINE SCHEMA RECORD TYPE T (name STRING QUERYABLE SORTABLE SEARCHABLE, "
    private static let zone = RecordZone.ID("Z")
    private static let names = [
        "Kyïv", "KYIV", "éclair", "e\u{301}clairs", "Straße", "plain", "İzmir", "zebra", "a\u{0}b", "Ärger",
        "ärgern", "x",
    ]

    private static func fill(_ container: Container) async throws {
        try container.setSchema(
            ContainerSchema(text: schema + "tags LIST<STRING> QUERYABLE, a INT64 QUERYABLE SORTABLE);"))
        let database = container.privateDatabase
        try await database.save(RecordZone(id: zone))
        for (number, name) in names.enumerated() {
            for (place, zone) in [RecordZone.ID.default, zone].enumerated() {
                let fields: [String: FieldValue] = [
                    "name": .string(name), "tags": .list([.string(name), "Tag"]),
                    "a": .int64(Int64(number * 2 + place)),
                ]
                let id = Record.ID("\(place)-\(number)", zoneID: zone)
                try database.save(Record(type: "T", id: id, fields: fields), on: container)
            }
        }
    }

    private static let predicates: [RecordPredicate] = [
        "name == 'éclair'", "name ==[cd] 'kyiv'", "name BEGINSWITH[c] 'k'", "name CONTAINS 'clair'",
        "name CONTAINS[cd] 'E'", "name ENDSWITH[cd] 'V'", "name LIKE[cd] '*ir*'", "name MATCHES '.*a.*'", "name < 'f'",
        "name != 'plain'", "NOT name ==[cd] 'strasse'", "name IN {'plain', 'zebra'}", "name == nil",
        "ANY tags ==[cd] 'KYIV'", "NONE tags == 'plain'", "allTokens TOKENMATCHES[cd] 'eclair'",
        "name TOKENMATCHES[cd] 'arger'", "a > 2 AND name CONTAINS[cd] 'i'", "a >= 7", "tags.@count == 2",
    ]

    /// What queries are answered with.
    private static func answers(_ container: Container) throws -> [String] {
        let database = container.privateDatabase
        var answers: [String] = []
        for predicate in predicates {
            answers.append("\(predicate): \(try database.names(predicate, limit: 5))")
            answers.append("\(try database.countNow(Query("T", predicate), in: .all))")
            let query = Query("T", predicate, sortedBy: [.ascending("name")])
            var page = try database.find(query, in: .zone(zone), limit: 4)
            answers.append("\(page.matches.map(\.0.recordName))")
            while let cursor = page.cursor {
                page = try database.find(after: cursor, limit: 4)
                answers.append("\(page.matches.map(\.0.recordName))")
            }
        }
        return answers
    }

    private static func explanation(
        _ predicate: RecordPredicate, _ container: Container
    ) throws -> QueryExplanation {
        try RecordSet(on: container.privateDatabase, type: "T", matching: predicate, explains: true)
            .explain(predicate)
    }

    /// How many values the server counts records by; `nil` where it cannot tell the values.
    private static func groupCount(_ container: Container) throws -> Int? {
        try RecordSet.groups(
            on: container.privateDatabase, type: "T", matching: "a < 4", variables: [:], by: "name")?.count
    }

    /// All that would bring columns of this process among the others.
    private static func calls(_ container: Container) throws -> [(name: String, call: () async throws -> Void)] {
        let database = container.privateDatabase
        func new(_ name: String, in zone: RecordZone.ID = zone, type: String = "T") -> Record {
            Record(type: type, id: Record.ID(name, zoneID: zone), fields: ["name": .string(name)])
        }
        let larger = try ContainerSchema(
            text: schema + "tags LIST<STRING> QUERYABLE, a INT64 QUERYABLE SORTABLE, more STRING QUERYABLE);")
        let unique = try ContainerSchema(
            text: schema + "tags LIST<STRING> QUERYABLE, a INT64 QUERYABLE SORTABLE UNIQUE);")
        return [
            ("larger schema", { try container.setSchema(larger) }),
            ("schema that demands more", { try container.setSchema(unique) }),
            (
                "migration",
                {
                    let migration = SchemaMigration("1") { $0.renameField("tags", of: "T", to: "words") }
                    _ = try await container.migrate([migration])
                }
            ),
            ("save", { try database.save(new("n"), on: container) }),
            ("save of a default zone", { try database.save(new("n", in: .default), on: container) }),
            (
                "import",
                {
                    let many = (0..<210).map { new("n\($0)") }
                    for (_, result) in try database.modify(ModifyRequest(saves: many)).saves { _ = try result.get() }
                }
            ),
            ("write", { try database.writeNow { transaction in try transaction.save(new("w")) } }),
            ("save of another type", { try database.save(new("o", type: "New"), on: container) }),
        ]
    }

    private static func code(_ call: () async throws -> Void) async -> DatabaseError.Code? {
        do { try await call() } catch { return (error as? DatabaseError)?.code }
        return nil
    }

    @Test(arguments: [false, true]) func otherVersionsAreReadAndDerivedAgain(_ isSpread: Bool) async throws {
        let place = try Place(isSpread: isSpread)
        let (here, there) = (try Container(identifier: "texts"), try place.open())
        for container in [here, there] { try await Self.fill(container) }
        let (answers, schema, rows) = (try Self.answers(here), there.schema, try place.rows())
        #expect(try Self.answers(there) == answers)
        #expect(try !Self.explanation("name ==[cd] 'kyiv'", there).description.contains("by presence"))
        #expect(try Self.groupCount(there) == 2)
        try place.spoil()
        let spoilt = try place.rows()
        // Who has the container open notices, and so does who opens it now.
        for container in [there, try place.open()] {
            #expect(try Self.answers(container) == answers)
            for (name, call) in try Self.calls(container) {
                #expect(await Self.code(call) == .incompatibleVersion, "\(name)")
            }
            let explained = try Self.explanation("name ==[cd] 'kyiv' AND a >= 0", container)
            #expect(explained.pushed?.readsTextsByPresence == true)
            #expect(explained.description.contains("predicate nodes ADDRESS rebuild"), "\(explained)")
            #expect(explained.json.contains(#""textsByPresence":true"#))
            #expect(try Self.explanation("a >= 7", container).pushed?.readsTextsByPresence == false)
            #expect(try Self.groupCount(container) == nil, "records have to tell")
            #expect(container.schema == schema)
        }
        let added = try PostgreSQLNodes.shared().servers[1].address
        #expect(await Self.code { _ = try place.nodes.add(added) } == .incompatibleVersion)
        #expect(try place.rows() == spoilt)
        let checked = try place.nodes.check()
        #expect(checked.allSatisfy { $0.problem?.contains("ICU 1") == true }, "\(checked)")

        let told = try place.rebuild()
        #expect(told.map(\.node) == (isSpread ? [2, 1, 0] : [0]))
        #expect(told.reduce(0) { $0 + ($1.count ?? 0) } >= Self.names.count * 2, "\(told)")
        #expect(try place.rows() == rows, "nothing else is changed")
        #expect(try place.nodes.check().allSatisfy { $0.problem == nil })
        #expect(try place.rebuild().allSatisfy { $0.count == nil })
        for container in [there, try place.open()] {
            #expect(try Self.answers(container) == answers)
            #expect(try !Self.explanation("name ==[cd] 'kyiv'", container).description.contains("by presence"))
        }
        for (name, call) in try Self.calls(there) { #expect(await Self.code(call) == nil, "\(name)") }
    }

    /// A node fails at it: those before it are done, it is as it was, and the next call does what is left.
    @Test func brokenOffRebuildIsMadeAgain() async throws {
        let place = try Place(isSpread: true)
        let (here, there) = (try Container(identifier: "texts"), try place.open())
        for container in [here, there] { try await Self.fill(container) }
        let (answers, rows) = (try Self.answers(here), try place.rows())
        try place.spoil()
        let spoilt = try place.rows()
        _ = try place.onAll(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF EXISTS (SELECT 1 FROM node) THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$
            """)
        _ = try place.onAll("CREATE TRIGGER fail BEFORE UPDATE ON \"r_T\" FOR EACH ROW EXECUTE FUNCTION fail()")
        var told: [Int] = []
        let failed = failure { try place.nodes.rebuild { number, _ in told.append(number) } }
        #expect(failed.code != nil && failed.code != .incompatibleVersion, "\(failed)")
        #expect(told == [2, 1])
        #expect(try place.rows() == [spoilt[0], rows[1], rows[2]])
        // The nodes differ: what they give is joined, and what concerns all of them is refused.
        for container in [there, try place.open()] {
            #expect(try Self.answers(container) == answers)
            #expect(try Self.explanation("name ==[cd] 'kyiv'", container).pushed?.readsTextsByPresence == true)
            let larger = try ContainerSchema(
                text: Self.schema + "tags LIST<STRING> QUERYABLE, a INT64 QUERYABLE SORTABLE, more STRING QUERYABLE);")
            let schema = container.schema
            #expect(failure { try container.setSchema(larger) }.code == .incompatibleVersion)
            #expect(container.schema == schema)
        }
        _ = try place.onAll("DROP TRIGGER fail ON \"r_T\"")
        let rest = try place.rebuild()
        #expect(rest.map { $0.count == nil } == [true, true, false])
        #expect(try place.rows() == rows)
        #expect(try Self.answers(there) == answers)
    }

    @Test func recordsAreReadMeanwhile() async throws {
        let place = try ServerPlace()
        let container = try place.open()
        try await Self.fill(container)
        let answers = try Self.answers(container)
        for statement in [Self.spoiling, "UPDATE container SET text_version = 'ICU 1'"] { try place.run(statement) }
        // Whoever keeps a record keeps the rebuilding from it.
        let connection = try Connection(ConnectionString(place.server.address))
        let path = Statement.name(Layout.schemaName(of: place.identifier))
        let last = "SELECT 1 FROM \"r_T\" WHERE _s = (SELECT max(_s) FROM \"r_T\") FOR UPDATE"
        try connection.run([Statement("SET search_path = \(path)"), Statement("BEGIN"), Statement(last)])
        let (identifier, address) = (place.identifier, place.server.address)
        let rebuilding = Task.detached {
            try Nodes(identifier: identifier, connectingTo: address).rebuild { _, _ in }
        }
        let waiting = """
            SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
            JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
            WHERE c.relname = 'database' AND l.mode = 'ExclusiveLock' AND l.granted
            """
        while try place.number(waiting) != 1 { try await Task.sleep(for: .milliseconds(5)) }
        // Not all of them: the record is not waited for so long.
        for database in [container.privateDatabase, try place.open().privateDatabase] {
            #expect(try database.names("name ==[cd] 'kyiv'") == ["1-1", "0-1", "1-0", "0-0"])
        }
        #expect(try place.run("SELECT text_version FROM container").text(0, 0) == "ICU 1")
        try connection.run([Statement("COMMIT")])
        try await rebuilding.value
        #expect(try Self.answers(container) == answers)
        try container.privateDatabase.save(Record(type: "T", id: Record.ID("n"), fields: ["name": "n"]), on: container)
    }

    @Test func settingsThatLoseWhatWasSavedAreToldOf() throws {
        let place = try ServerPlace()
        // The servers of tests do not wait for the disk.
        let cases = [("", ["fsync"]), (" options='-c synchronous_commit=off'", ["fsync", "synchronous_commit"])]
        for (options, losses) in cases {
            let nodes = Nodes(identifier: place.identifier, connectingTo: place.server.address + options)
            let reports = try nodes.check()
            #expect(reports.map(\.problem) == [nil])
            #expect(reports.flatMap(\.warnings).map { String($0.prefix { $0 != " " }) } == losses)
        }
    }
}
