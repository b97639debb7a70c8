// A deleted zone leaves its rows to those who sweep, and nobody finds them meanwhile.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct DroppedZoneTests {
    private static let zone = RecordZone.ID("Z")
    private static let other = RecordZone.ID("Other")

    private static func save(_ records: [Record], in database: Database) throws {
        for start in stride(from: 0, to: records.count, by: 400) {
            let request = ModifyRequest(saves: Array(records[start...].prefix(400)))
            for (_, result) in try database.modify(request).saves { _ = try result.get() }
        }
    }

    /// A record, with the one that it goes with and the one that it is below.
    private static func record(
        _ number: Int, type: String = "T", in zone: RecordZone.ID = zone, of owner: Int? = nil
    ) -> Record {
        let id = Record.ID("\(type)\(number)", zoneID: zone)
        // No two records of different zones are level.
        let place = zone == .default ? 1 : zone == other ? 2 : 0
        var record = Record(
            type: type, id: id, fields: ["a": .int64(Int64(number * 3 + place)), "s": .string("text \(number % 10)")])
        if let owner {
            let target = Record.ID("T\(owner)", zoneID: zone)
            record["of"] = .reference(RecordReference(recordID: target, action: .deleteSelf))
            record.setParent(target)
        }
        return record
    }

    /// A zone with records of two types, some of which were deleted, and two others.
    private static func fill(_ container: Container, count: Int) async throws {
        let database = container.privateDatabase
        for zone in [zone, other] { try await database.save(RecordZone(id: zone)) }
        let owned = (0..<count / 10).map { record($0, type: "U", of: $0 * 10) }
        try save((0..<count).map { record($0) }, in: database)
        try save(owned, in: database)
        for zone in [RecordZone.ID.default, other] {
            try save((0..<7).map { record($0, in: zone) } + [record(0, type: "U", in: zone, of: 3)], in: database)
        }
        try await database.deleteRecord(withID: record(count - 1).id)
    }

    /// What a call gives, in words.
    private static func words(_ call: () async throws -> String) async -> String {
        do { return try await call() } catch { return (error as? DatabaseError).map { "\($0.code)" } ?? "\(error)" }
    }

    /// What a container says of its zones and records.
    private static func said(_ container: Container) async -> [String] {
        let database = container.privateDatabase
        var said: [String] = []
        let predicates: [RecordPredicate] = ["TRUEPREDICATE", "a >= 5", "s CONTAINS '7'", "of.a > 2"]
        for (zones, type) in [(QueryZones.all, "T"), (.zone(zone), "T"), (.zone(other), "T"), (.all, "U")] {
            for predicate in type == "T" ? Array(predicates.prefix(3)) : predicates {
                said.append(
                    await words { "\(try await database.count(matching: Query(type, predicate), in: zones))" })
                said.append(
                    await words {
                        let query = Query(type, predicate, sortedBy: [.descending("a")])
                        return try database.find(query, in: zones, limit: 8).matches.map { "\($0.0)" }
                            .joined(separator: ", ")
                    })
            }
        }
        for number in [0, 3, 90] {
            said.append(
                await words {
                    let found = try await database.record(for: record(number).id)
                    return "\(found.fields.sorted { $0.key < $1.key })"
                })
        }
        said.append(
            await words {
                let changes = try database.zoneChanges(zone, since: nil)
                let names = changes.modifications.map(\.id.recordName)
                return "\(names), \(changes.deletions.map(\.recordID.recordName)), \(changes.moreComing)"
            })
        said.append(
            await words {
                let changes = try await database.databaseChanges(since: nil)
                return "\(changes.modifications.map(\.zoneName).sorted()), \(changes.deletions)"
            })
        said.append(await words { "\(try await database.allRecordZones().map(\.id.zoneName).sorted())" })
        return said
    }

    /// The tables with rows of zones, and the column that has the zone.
    private static let tables = [
        ("\"r_T\"", "_z"), ("\"r_U\"", "_z"), ("link", "zone"), ("tombstone", "zone"), ("asset_holder", "zone"),
    ]

    /// The rows of each table that are of the zone, or of one that was deleted.
    private static func rows(_ place: ServerPlace, ofDeleted isDeleted: Bool) throws -> [Int64?] {
        let numbers = isDeleted ? "SELECT number FROM dropped_zone" : "SELECT number FROM zone WHERE name = 'Z'"
        return try tables.map { table, column in
            try place.number("SELECT count(*) FROM \(table) WHERE \(column) IN (\(numbers))")
        }
    }

    private static func nodes(_ place: ServerPlace) -> Nodes {
        Nodes(identifier: place.identifier, connectingTo: place.server.address)
    }

    /// How many records of deleted zones are swept.
    private static func sweep(_ place: ServerPlace) throws -> Int {
        var count = 0
        try nodes(place).sweep { count += $1.records }
        return count
    }

    @Test func nobodyFindsTheRowsThatAreLeft() async throws {
        let place = try ServerPlace()
        let (here, there) = (try Container(identifier: "here"), try place.open())
        func check() async throws {
            let expected = await Self.said(here)
            #expect(await Self.said(there) == expected)
            #expect(await Self.said(try place.open()) == expected)
        }
        for container in [here, there] { try await Self.fill(container, count: 2_000) }
        try place.run("INSERT INTO asset_holder SELECT 'd', number, 'T1' FROM zone WHERE name = 'Z'")
        try await check()
        let rows = try Self.rows(place, ofDeleted: false)
        #expect(rows == [1_999, 200, 400, 1, 1])
        let number = try place.number("SELECT number FROM zone WHERE name = 'Z'")

        for container in [here, there] { try await container.privateDatabase.deleteRecordZone(withID: Self.zone) }
        // The commit deleted none of them.
        #expect(try Self.rows(place, ofDeleted: true) == rows)
        #expect(try Self.rows(place, ofDeleted: false) == [0, 0, 0, 0, 0])
        #expect(try place.number("SELECT number FROM dropped_zone") == number)
        try await check()

        // A zone of the same name is another one.
        for container in [here, there] {
            let database = container.privateDatabase
            try await database.save(RecordZone(id: Self.zone))
            try Self.save(
                [Self.record(3), Self.record(4), Self.record(3, type: "U", of: 3)], in: database)
            try await database.deleteRecord(withID: Self.record(4).id)
        }
        #expect(try place.number("SELECT number FROM zone WHERE name = 'Z'") ?? 0 > number ?? .max)
        #expect(try Self.rows(place, ofDeleted: true) == rows)
        try await check()

        #expect(try Self.sweep(place) == 2_199)
        #expect(try place.number("SELECT count(*) FROM dropped_zone") == 0)
        for (table, column) in Self.tables {
            let left = "SELECT count(*) FROM \(table) WHERE \(column) NOT IN (SELECT number FROM zone)"
            #expect(try place.number(left) == 0)
        }
        #expect(try Self.rows(place, ofDeleted: false) == [1, 1, 2, 1, 0])
        try await check()
        #expect(try Self.sweep(place) == 0)
    }

    // MARK: Portions

    /// Notes how many rows each statement deletes in which transaction, and fails beyond so many of them.
    private static func count(_ place: ServerPlace, atMost most: Int) throws {
        try place.run("CREATE TABLE portion(relation text, rows bigint, writer bigint)")
        try place.run("CREATE TABLE most AS SELECT \(most) AS portions")
        try place.run(
            """
            CREATE FUNCTION note_portion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NOT EXISTS (SELECT 1 FROM gone) THEN RETURN NULL; END IF;
            IF (SELECT count(*) FROM portion) >= (SELECT portions FROM most) THEN RAISE EXCEPTION 'enough'; END IF;
            INSERT INTO portion SELECT TG_TABLE_NAME, count(*), txid_current() FROM gone;
            RETURN NULL; END $$
            """)
        for table in ["\"r_T\"", "link"] {
            try place.run(
                """
                CREATE TRIGGER portions AFTER DELETE ON \(table) REFERENCING OLD TABLE AS gone
                FOR EACH STATEMENT EXECUTE FUNCTION note_portion()
                """)
        }
    }

    @Test func sweepsGoOnInPortions() async throws {
        let place = try ServerPlace()
        let database = try place.open().privateDatabase
        try await database.save(RecordZone(id: Self.zone))
        try Self.save([Self.record(0), Self.record(1, in: .default)], in: database)
        try place.run(
            """
            INSERT INTO "r_T" SELECT (jsonb_populate_record(t, jsonb_build_object('_n', 'n' || i))).*
            FROM "r_T" t, generate_series(1, 12000) i WHERE t._n = 'T0'
            """)
        // Also many with one key.
        try place.run(
            """
            INSERT INTO link SELECT _z, 'T0', 2, 'n' || i, 'T' FROM "r_T", generate_series(1, 12000) i
            WHERE _n = 'T0'
            """)
        let query = Query("T", "TRUEPREDICATE")
        #expect(try await database.count(matching: query, in: .zone(Self.zone)) == 12_001)
        try Self.count(place, atMost: 1)
        try await database.deleteRecordZone(withID: Self.zone)
        #expect(try place.number("SELECT count(*) FROM portion") == 0)

        // What was deleted before an error is gone, and the zone is remembered.
        #expect(throws: DatabaseError.self) { try Self.sweep(place) }
        #expect(try place.number("SELECT count(*) FROM \"r_T\"") == 7_002)
        #expect(try place.number("SELECT count(*) FROM dropped_zone") == 1)
        #expect(try await database.count(matching: query, in: .all) == 1)
        try place.run("UPDATE most SET portions = 100")
        #expect(try Self.sweep(place) == 7_001)
        #expect(try place.number("SELECT count(*) FROM \"r_T\"") == 1)
        #expect(try place.number("SELECT count(*) FROM dropped_zone") == 0)
        let found = try place.run("SELECT string_agg(rows::text, ' ' ORDER BY writer) FROM portion GROUP BY relation")
        #expect(Set((0..<found.count).map { found.text($0, 0) }) == ["5000 5000 2001", "5000 5000 2000"])
        #expect(try place.number("SELECT count(DISTINCT writer) FROM portion") == 6)
    }

    @Test func processesSweepNowAndThen() async throws {
        let place = try ServerPlace()
        let container = try place.open()
        try await Self.fill(container, count: 100)
        try await container.privateDatabase.deleteRecordZone(withID: Self.zone)
        try place.run("UPDATE sweep SET last = now() - interval '11 minutes'")
        let other = try place.open()
        try Self.save([Self.record(8, in: .default)], in: other.privateDatabase)
        let end = ContinuousClock.now + .seconds(60)
        while try place.number("SELECT count(*) FROM dropped_zone") != 0 {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try place.number("SELECT count(*) FROM \"r_T\"") == 15)
        #expect(try place.number("SELECT count(*) FROM \"r_U\"") == 2)
    }

    @Test func saversLeaveNothingBehind() async throws {
        let place = try ServerPlace()
        let containers = try (0..<3).map { _ in try place.open() }
        try await Self.fill(containers[0], count: 10)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, container) in containers.enumerated() {
                group.addTask {
                    let database = container.privateDatabase
                    for round in 0..<40 {
                        if (round + number * 3) % 8 == 0 {
                            // Another one may have deleted it.
                            _ = try database.modifyZones(saving: [], deleting: [Self.zone])
                            _ = try database.modifyZones(saving: [RecordZone(id: Self.zone)], deleting: [])
                        }
                        let records = (0..<5).map { Self.record($0) } + [Self.record(number, type: "U", of: 0)]
                        for (_, result) in try database.modify(ModifyRequest(saves: records, policy: .allKeys)).saves {
                            do throws(DatabaseError) { _ = try result.get() } catch {
                                #expect(error.code == .zoneNotFound, "\(error)")
                            }
                        }
                        if round % 5 == 4 { _ = try Self.sweep(place) }
                    }
                }
            }
            try await group.waitForAll()
        }
        _ = try Self.sweep(place)
        #expect(try place.number("SELECT count(*) FROM dropped_zone") == 0)
        // No commit left rows to a zone that had been swept by then.
        for (table, column) in Self.tables {
            let left = "SELECT count(*) FROM \(table) WHERE \(column) NOT IN (SELECT number FROM zone)"
            #expect(try place.number(left) == 0, "\(table)")
        }
        #expect(try place.number("SELECT last_value FROM zone_number") ?? 0 > 6)
    }

    // MARK: The schema

    private static func schema(_ types: [String: ContainerSchema.Traits]) -> ContainerSchema {
        var schema = ContainerSchema()
        for (type, traits) in types {
            schema.recordTypes[type] = ContainerSchema.RecordType(fields: [
                "a": ContainerSchema.Field(.int64, traits: traits), "s": ContainerSchema.Field(.string),
            ])
        }
        return schema
    }

    @Test func schemasAreAboutRecordsThatAreThere() async throws {
        let place = try ServerPlace()
        let (container, zone) = (try place.open(), Self.zone)
        let database = container.privateDatabase
        try container.setSchema(Self.schema(["T": [], "U": []]))
        try await database.save(RecordZone(id: zone))
        var saves = [Self.record(1, in: .default), Self.record(2, in: .default), Self.record(0, type: "U")]
        for number in 1..<5 {
            var record = Self.record(number)
            record["a"] = number < 4 ? 1 : .null
            saves.append(record)
        }
        try Self.save(saves, in: database)
        let demanding = Self.schema(["T": [.unique, .required]])
        #expect(throws: DatabaseError.self) { try container.setSchema(demanding) }
        try await database.deleteRecordZone(withID: zone)
        // Values that were not unique, values that were missing, and a type with records.
        try container.setSchema(demanding)
        try place.run("UPDATE container SET text_version = 'ICU 1'")
        var rebuilt: [Int?] = []
        try Self.nodes(place).rebuild { rebuilt.append($1) }
        // Users are records, too.
        let live = try ["T", "U", "Users"].map { type in
            try place.number("SELECT count(*) FROM \"r_\(type)\" r JOIN zone z ON z.number = r._z") ?? 0
        }
        #expect(live[0] == 2 && live[1] == 0)
        #expect(rebuilt == [Int(live.reduce(0, +))])
        let migrated = try place.open()
        #expect(try await migrated.migrate([SchemaMigration("1") { $0.renameType("T", to: "City") }]) == ["1"])
        #expect(try place.number("SELECT count(*) FROM \"r_City\"") == 2)
        #expect(try await migrated.privateDatabase.count(matching: Query("City", "TRUEPREDICATE"), in: .all) == 2)
        // Types that are no more have rows that are swept.
        #expect(try place.number("SELECT count(*) FROM \"r_T\"") == 4)
        #expect(try place.number("SELECT count(*) FROM \"r_U\"") == 1)
        #expect(try Self.sweep(place) == 5)
        for type in ["T", "U"] { #expect(try place.number("SELECT count(*) FROM \"r_\(type)\"") == 0) }
        #expect(try place.number("SELECT count(*) FROM \"r_City\"") == 2)
    }

    // MARK: Shares and nodes

    @Test func sharesGoAtOnce() throws {
        let place = try ServerPlace()
        let container = try place.open()
        let database = container.privateDatabase
        let guest = try Container(sharing: container, account: .user("_b0b"), configuration: Configuration())
        var urls: [URL] = []
        for _ in 0..<2 {
            _ = try database.modifyZones(saving: [RecordZone(id: Self.zone)], deleting: [])
            var share = Share(zoneID: Self.zone)
            try share.add(Share.Participant(userRecordID: Record.ID("_b0b"), permission: .readWrite))
            let saved = try database.modify(ModifyRequest(saves: [share.record, Self.record(0)])).saves
            let url = try #require(Share(saved[0].result.get())?.url)
            _ = try guest.acceptShare(guest.fetchShareMetadata(for: url))
            let shared = try #require(guest.sharedDatabase.fetchAllZones().first?.id)
            func count() throws -> Int {
                try guest.sharedDatabase.find(Query("T", "TRUEPREDICATE"), in: .zone(shared), limit: 9).matches.count
            }
            #expect(try count() == 1)
            _ = try database.modifyZones(saving: [], deleting: [Self.zone])
            for table in ["share", "participant"] {
                #expect(try place.number("SELECT count(*) FROM \(table)") == 0)
            }
            #expect(try guest.sharedDatabase.fetchAllZones().isEmpty)
            #expect(failure { _ = try count() }.code == .zoneNotFound)
            urls.append(url)
            for url in urls { #expect(failure { _ = try guest.fetchShareMetadata(for: url) }.code != nil) }
        }
        // The share is a record, too.
        #expect(try Self.sweep(place) == 4)
    }

    @Test func eachNodeHasItsZones() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let zones = try place.fill(container)
        let database = container.privateDatabase
        let gone = [try #require(zones[1]), try #require(zones[2])]
        let before = try database.names().count
        _ = try database.modifyZones(saving: [], deleting: gone)
        #expect(try place.onAll("SELECT count(*) FROM dropped_zone").map { $0.int64(0, 0) } == [0, 1, 1])
        #expect(try database.names().count == before - 2)
        var told: [[Int]] = []
        let nodes = Nodes(identifier: place.identifier, connectingTo: place.control.address)
        try nodes.sweep { told.append([$0, $1.records]) }
        #expect(told == [[2, 1], [1, 1], [0, 0]])
        #expect(try place.onAll("SELECT count(*) FROM dropped_zone").map { $0.int64(0, 0) } == [0, 0, 0])
        #expect(try database.names().count == before - 2)
        let rows = try place.onAll("SELECT count(*) FROM \"r_T\"").reduce(0) { $0 + ($1.int64(0, 0) ?? 0) }
        #expect(rows == Int64(before - 2))
    }

    /// Only zones of their own are deleted: the default zone of each database keeps its number.
    @Test func defaultZonesStay() throws {
        let place = try ServerPlace()
        let database = try place.open().privateDatabase
        try Self.save([Self.record(0, in: .default)], in: database)
        let result = try database.modifyZones(saving: [], deleting: [.default]).deletes[0].result
        #expect(failure { try result.get() }.code == .invalidArguments)
        #expect(try place.number("SELECT count(*) FROM dropped_zone") == 0)
        #expect(throws: ServerError.self) {
            try place.run("INSERT INTO dropped_zone(number) SELECT number FROM zone WHERE number < 0")
        }
    }
}
