// Migrations on three servers, as in memory; and those that were cut off between two of them.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct NodeMigrationTests {
    private static let count = 12
    private static let zones = (0..<6).map { RecordZone.ID("Z\($0)") }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.clock = { Date(timeIntervalSince1970: 1_700_000_000) }
        return configuration
    }

    /// A container in memory, and one on three nodes.
    private static func containers() throws -> (here: Container, there: Container) {
        let here = try Container(identifier: "migrations", account: .localUser, configuration: configuration)
        return (here, try NodePlace().open(configuration))
    }

    private static func owner(_ name: String) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name), action: .deleteSelf))
    }

    /// Towns and streets over all nodes, streets that go with towns of other nodes, and subscriptions.
    private static func fill(_ container: Container) async throws {
        let database = container.privateDatabase
        for zone in zones { try await database.save(RecordZone(id: zone)) }
        for number in 0..<count {
            let town: [String: FieldValue] = [
                "pop": .string("\(number)"), "name": .string("Town é\(number % 7)"), "mayor": "x",
                "rank": number % 2 == 0 ? .int64(Int64(number)) : .null,
            ]
            let zone = zones[number % zones.count]
            for record in [
                Record(type: "Town", id: Record.ID("t\(number)"), fields: town),
                Record(type: "Town", id: Record.ID("z\(number)", zoneID: zone), fields: town),
                Record(
                    type: "Street", id: Record.ID("s\(number)"),
                    fields: ["of": owner("t\(number)"), "length": .double(Double(number) / 2)]),
            ] { try database.save(record, on: container) }
        }
        try container.publicDatabase.save(
            Record(type: "Town", id: Record.ID("p"), fields: ["pop": "77", "name": "P"]), on: container)
        try await database.save(
            Subscription(recordType: "Street", predicate: "of.pop == '1'", id: "deep", options: .all))
        try await database.save(Subscription(recordType: "Town", predicate: "pop != nil", id: "flat", options: .all))
    }

    /// All that a container has, in words; tags of nodes are numbers of their own.
    private static func contents(_ container: Container) async throws -> [String] {
        var contents = [container.schema.text, "\(container.schema.migrations)"]
        for database in [container.privateDatabase, container.publicDatabase] {
            for type in container.schema.recordTypes.keys.sorted() where type != "Users" {
                let query = Query(type, "TRUEPREDICATE")
                contents += try await database.records(matching: query, in: .all).map(text).sorted()
            }
            contents += try await database.allSubscriptions().map { "\($0)" }.sorted()
        }
        for zone in zones {
            let changes = try container.privateDatabase.zoneChanges(zone, since: nil, limit: 100)
            contents += try changes.modifications.map { text(try $0.result.get()) }
        }
        return contents
    }

    private static func text(_ record: Record) -> String {
        "\(record.type) \(record.id.recordName) \(record.fields.sorted { $0.key < $1.key }) "
            + "\(record.modificationDate ?? .distantPast) \(record.creatorUserRecordID?.recordName ?? "")"
    }

    private static let first = ServerMigrationTests.first
    private static let second = SchemaMigration("2") { change in
        change.renameType("Street", to: "City")
        change.dropField("mayor", of: "City")
        change.retypeField("rank", of: "City", to: .list(.double))
        change.setTraits([.required], of: "name", in: "City")
        // Other owners, on whichever node.
        change.updateRecords(ofType: "Road") { fields in
            guard case .double(let length)? = fields["length"] else { return }
            if length >= 3 { fields["of"] = owner(length < 5 ? "t0" : "t1") }
            fields["length"] = .double(length * 2)
        }
    }

    @Test func recordsAreThoseOfMemory() async throws {
        let (here, there) = try Self.containers()
        var found: [[[String]]] = []
        for container in [here, there] {
            defer { container.close() }
            try await Self.fill(container)
            var steps: [[String]] = []
            for list in [[Self.first], [Self.first, Self.second], [Self.first, Self.second]] {
                steps.append(try await container.migrate(list))
                steps.append(try await Self.contents(container))
            }
            let database = container.privateDatabase
            for (type, predicate) in [
                ("City", "population >= 6"), ("City", "ANY rank > 1.5"), ("Road", "of.population == 1"),
                ("Road", "length > 3"), ("City", "name CONTAINS[cd] 'E3'"),
            ] as [(String, RecordPredicate)] {
                steps.append(["\(try database.countNow(Query(type, predicate), in: .all))"])
            }
            // What a migration gave another owner goes with that one alone.
            for name in ["t7", "t0"] {
                try await database.deleteRecord(withID: Record.ID(name))
                steps.append(try await Self.contents(container))
            }
            found.append(steps)
        }
        for (here, there) in zip(found[0], found[1]) {
            for (here, there) in zip(here, there) { #expect(here == there) }
            #expect(here.count == there.count)
        }
        #expect(found[0].count == found[1].count)
        #expect(found[0].last?.contains { $0.contains("Road s7 ") || $0.contains("Road s0 ") } == false)
        #expect(found[0].last?.contains { $0.contains("Road s11 ") } == true)
    }

    private typealias Change = @Sendable (inout SchemaMigration) -> Void

    private static let faults: [(change: Change, message: String)] = [
        ({ $0.dropType("Town") }, "there are records of type Town"),
        ({ $0.retypeField("name", of: "Town", to: .int64) }, "a value does not convert to INT64"),
        (
            { $0.updateRecords(ofType: "Street") { if $0["length"] == 5.5 { $0["of"] = owner("none") } } },
            "field of leads to record none, which does not exist"
        ),
        ({ $0.setTraits(.required, of: "rank", in: "Town") }, "has no value of field rank"),
        ({ $0.dropField("pop", of: "Town") }, "subscription"),
    ]

    @Test func refusedMigrationsChangeNothing() async throws {
        let there = try NodePlace().open(Self.configuration)
        defer { there.close() }
        try await Self.fill(there)
        let before = try await Self.contents(there)
        for (number, fault) in Self.faults.enumerated() {
            let error = await #expect(throws: DatabaseError.self) {
                try await there.migrate([SchemaMigration("\(number)", fault.change)])
            }
            #expect(error?.reason.contains(fault.message) == true, "\(error as Any)")
        }
        #expect(try await Self.contents(there) == before)
    }

    // MARK: Cut off

    private static let double = SchemaMigration("double") { change in
        change.renameField("a", of: "T", to: "b")
        change.updateRecords(ofType: "T") { fields in
            if case .int64(let number)? = fields["b"] { fields["b"] = .int64(number * 2) }
        }
    }

    /// Has a server do something when it is given another schema.
    private static func watch(_ place: NodePlace, _ body: String) throws {
        for statement in [
            "CREATE SEQUENCE times",
            """
            CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF nextval('times') = 1 THEN \(body); END IF; RETURN NEW; END $$
            """,
            "CREATE TRIGGER noted BEFORE UPDATE ON container FOR EACH ROW EXECUTE FUNCTION noted()",
        ] { try place.run(statement) }
    }

    private static func values(_ container: Container, _ field: String) throws -> [Int64] {
        let query = Query("T", "TRUEPREDICATE", sortedBy: [.ascending(field)])
        return try container.privateDatabase.find(query, in: .all, limit: 100).matches.compactMap {
            guard case .int64(let number) = try $0.1.get()[field] else { return nil }
            return number
        }
    }

    /// Zones and a default zone over all nodes, with numbers from 0.
    private static func numbers(_ container: Container, _ place: NodePlace) throws -> [Int64: RecordZone.ID] {
        let zones = try place.fill(container)
        for number in 24..<36 {
            try container.privateDatabase.save(
                Record(type: "T", id: Record.ID("d\(number)"), fields: ["a": .int64(Int64(number))]), on: container)
        }
        return zones
    }

    @Test func cutMigrationGoesOnWhereItWas() async throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let zones = try Self.numbers(container, place)
        let database = container.privateDatabase
        try await database.save(Subscription(recordType: "T", predicate: "a > 1", id: "s", options: .all))
        try Self.watch(place, "RAISE EXCEPTION 'cut off'")
        let error = await #expect(throws: DatabaseError.self) { try await container.migrate([Self.double]) }
        #expect(error?.reason.contains("made on nodes 1, 2 and not yet on node 0") == true, "\(error as Any)")
        // What is about all nodes is an error until it is done; what is about one is as that one has it.
        let other = SchemaMigration("other") { $0.renameField("a", of: "T", to: "b") }
        for call in [
            { _ = try Self.values(container, "a") }, { _ = try Self.values(container, "b") },
            { try container.setSchema(ContainerSchema()) },
            { _ = try await container.migrate([other]) },
            { try await database.save(Subscription(recordType: "T", predicate: "b > 1", id: "n", options: .all)) },
            { try database.save(Record(type: "N", id: Record.ID("n"), fields: ["n": 1]), on: container) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: DatabaseError.self) { try await call() }
            #expect(error?.code == .zoneBusy && error?.retryAfter != nil, "\(error as Any)")
            #expect(error?.reason.contains("double") == true, "\(error as Any)")
        }
        for (node, field, factor) in [(0, "a", 1), (2, "b", 2), (1, "b", 2), (0, "a", 1)] as [(Int64, String, Int64)] {
            let zone = try #require(zones[node])
            let number = try #require(Int64(zone.zoneName.dropFirst()))
            let record = try await database.record(for: Record.ID("r\(number)", zoneID: zone))
            #expect(record[field] == .int64(number * factor) && record.fields.count == 1)
            #expect(
                try database.countNow(
                    Query("T", RecordPredicate(format: "%K >= 0", arguments: [.string(field)])), in: .zone(zone)) == 1)
        }
        let nodes = Nodes(identifier: place.identifier, connectingTo: place.control.address)
        #expect(try nodes.check().map { $0.problem?.contains("migrate") } == [nil, true, true])
        // Another process goes on: what was doubled is not doubled again.
        let second = try place.open()
        defer { second.close() }
        #expect(try await second.migrate([Self.double]) == ["double"])
        for container in [container, second] {
            #expect(try Self.values(container, "b") == (0..<36).map { Int64($0) * 2 })
            #expect(try await container.migrate([Self.double]) == [])
            let subscriptions = try await container.privateDatabase.allSubscriptions()
            #expect(subscriptions.map { "\($0)" }.joined().contains("b > 1"))
        }
        #expect(try nodes.check().map(\.problem) == [nil, nil, nil])
    }

    @Test func connectionLostBetweenCommitsIsNoEnd() async throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        _ = try Self.numbers(container, place)
        try Self.watch(place, "PERFORM pg_terminate_backend(pg_backend_pid())")
        async let made = container.migrate([Self.double])
        // Whoever reads meanwhile sees all nodes before or after.
        let (before, after) = (Set((0..<36).map { Int64($0) }), Set((0..<36).map { Int64($0) * 2 }))
        for _ in 0..<20 {
            for (field, all) in [("a", before), ("b", after)] {
                do throws(DatabaseError) {
                    let query = Query("T", "TRUEPREDICATE", sortedBy: [.ascending(field)])
                    let page = try container.privateDatabase.find(query, in: .all, limit: 100)
                    let found = page.matches.compactMap { try? $0.1.get()[field] }
                    #expect(Set(found) == Set(all.map { .int64($0) }))
                } catch {
                    #expect(error.code == .zoneBusy || error.code == .invalidArguments, "\(error)")
                }
            }
        }
        #expect(try await made == ["double"])
        #expect(try Self.values(container, "b") == (0..<36).map { Int64($0) * 2 })
    }

    @Test func nodeThatIsDownIsNamed() async throws {
        let own = try PostgreSQLServer()
        let place = try NodePlace(.shared(), others: [own.address])
        let container = try place.open()
        defer { container.close() }
        _ = try place.fill(container)
        own.stop()
        let error = await #expect(throws: DatabaseError.self) { try await container.migrate([Self.double]) }
        #expect(
            error?.reason.hasPrefix("node 1: ") == true && error?.reason.contains("made") == false, "\(error as Any)")
        try own.start()
        #expect(try Self.values(container, "a") == (0..<24).map { Int64($0) })
        #expect(try await container.migrate([Self.double]) == ["double"])
        #expect(try Self.values(container, "b") == (0..<24).map { Int64($0) * 2 })
    }
}
