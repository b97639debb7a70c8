// Migrations on a server, as in memory.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct ServerMigrationTests {
    private static let zone = RecordZone.ID("Z")
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.clock = { date }
        return configuration
    }

    private static func containers() throws -> [Container] {
        let identifier = "migrations"
        let server = try PostgreSQLContainer(
            identifier: identifier + UUID().uuidString, connectingTo: PostgreSQLServer.shared().address)
        return [
            try Container(identifier: identifier, account: .user("_a"), configuration: configuration),
            try Container(identifier: identifier, on: server, account: .user("_a"), configuration: configuration),
        ]
    }

    private static func reference(_ name: String, _ action: RecordReference.Action = .none) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name, zoneID: zone), action: action))
    }

    /// Towns with values of all kinds, what belongs to them, and subscriptions to them.
    private static func fill(_ container: Container, count: Int) async throws {
        let other = try Container(sharing: container, account: .user("_b"), configuration: configuration)
        for database in [container.privateDatabase, other.privateDatabase] {
            try await database.save(RecordZone(id: zone))
            var saves: [Record] = []
            for number in 0..<count {
                let fields: [String: FieldValue] = [
                    "pop": .string("\(number)"), "name": .string("Town é\(number % 7)"), "mayor": "x",
                    "rank": number % 2 == 0 ? .int64(Int64(number)) : .null, "photo": .data(Data([1])),
                ]
                saves.append(Record(type: "Town", id: Record.ID("t\(number)", zoneID: zone), fields: fields))
                let held = Self.reference("t\(number)", .deleteSelf)
                saves.append(
                    Record(
                        type: "Street", id: Record.ID("s\(number)", zoneID: zone),
                        fields: ["of": held, "length": .double(Double(number) / 2)]))
            }
            for record in saves { _ = try database.modify(ModifyRequest(saves: [record])).saves[0].result.get() }
        }
        let database = container.privateDatabase
        try await database.save(
            Subscription(recordType: "Street", predicate: "of.pop == '1'", id: "deep", options: .all))
        try await database.save(Subscription(recordType: "Town", predicate: "pop != nil", id: "flat", options: .all))
    }

    /// All that a container has, in words.
    private static func contents(_ container: Container, since tokens: [ChangeToken?]) async throws -> [String] {
        let other = try Container(sharing: container, account: .user("_b"), configuration: configuration)
        var contents = [container.schema.text, "\(container.schema.migrations)"]
        for (database, token) in zip([container.privateDatabase, other.privateDatabase], tokens) {
            for type in container.schema.recordTypes.keys.sorted() where type != "Users" {
                let query = Query(type, "TRUEPREDICATE")
                for record in try await database.records(matching: query, in: .all) { contents.append(text(record)) }
            }
            let changes = try database.zoneChanges(zone, since: token, limit: 1_000)
            contents += try changes.modifications.map { text(try $0.result.get()) } + ["\(changes.deletions)"]
            contents += try await database.allSubscriptions().map { "\($0)" }
        }
        return contents
    }

    private static func text(_ record: Record) -> String {
        "\(record.type) \(record.id.recordName) \(record.fields.sorted { $0.key < $1.key }) "
            + "\(record.recordChangeTag ?? "") \(record.modificationDate ?? .distantPast) "
            + "\(record.lastModifiedUserRecordID?.recordName ?? "") \(record.creatorUserRecordID?.recordName ?? "")"
    }

    static let first = SchemaMigration("1") { change in
        change.renameType("Street", to: "Road")
        change.renameType("Town", to: "Street")
        change.renameField("pop", of: "Street", to: "population")
        change.retypeField("population", of: "Street", to: .int64)
    }
    private static let second = SchemaMigration("2") { change in
        change.renameType("Street", to: "City")
        change.dropField("mayor", of: "City")
        change.retypeField("rank", of: "City", to: .list(.double))
        change.addField("initial", ContainerSchema.Field(.string, indexes: [.queryable]), to: "City")
        change.updateRecords(ofType: "City") { fields in
            guard case .string(let name)? = fields["name"] else { return }
            fields["initial"] = .string(String(name.prefix(1)))
            fields["photo"] = .null
        }
        change.setTraits([.required], of: "name", in: "City")
        change.updateRecords(ofType: "Road") { fields in
            if fields["length"] == .double(0.5) { fields["of"] = reference("t0", .deleteSelf) }
        }
    }

    @Test func recordsAreThoseOfMemory() async throws {
        var found: [[[String]]] = []
        for container in try Self.containers() {
            try await Self.fill(container, count: 12)
            let changes = try container.privateDatabase.zoneChanges(Self.zone, since: nil, limit: 1_000)
            let tokens: [ChangeToken?] = [changes.changeToken, nil]
            var steps: [[String]] = []
            for list in [[Self.first], [Self.first, Self.second], [Self.first, Self.second]] {
                steps.append(try await container.migrate(list))
                steps.append(try await Self.contents(container, since: tokens))
            }
            let database = container.privateDatabase
            let queries: [(String, RecordPredicate)] = [
                ("City", "population >= 6"), ("City", "ANY rank > 1.5"), ("City", "initial == 'T'"),
                ("City", "name CONTAINS[cd] 'E3'"), ("Road", "of.population == 1"), ("Road", "length > 3"),
            ]
            for (type, predicate) in queries {
                let query = Query(type, predicate)
                steps.append(["\(try database.countNow(query, in: .all))"])
            }
            // What belongs to a town goes with it, also where the migration said so.
            try await database.deleteRecord(withID: Record.ID("t0", zoneID: Self.zone))
            steps.append(try await Self.contents(container, since: tokens))
            found.append(steps)
        }
        for (here, there) in zip(found[0], found[1]) {
            for (here, there) in zip(here, there) { #expect(here == there) }
            #expect(here.count == there.count)
        }
        #expect(found[0].contains { $0.contains { $0.contains("Road s1 ") } })
    }

    /// Rows in several portions; a field that went leaves nothing that a later one of its name would find.
    @Test func nothingOfAFieldStays() async throws {
        let container = try Self.containers()[1]
        let database = container.privateDatabase
        let records = (0..<2_500).map {
            Record(type: "T", id: Record.ID("r\($0)"), fields: ["a": .int64(Int64($0)), "b": 1])
        }
        for start in stride(from: 0, to: records.count, by: 250) {
            let saves = Array(records[start..<(start + 250)])
            for save in try database.modify(ModifyRequest(saves: saves, policy: .allKeys)).saves {
                _ = try save.result.get()
            }
        }
        let names = try await container.migrate([SchemaMigration("1") { $0.dropField("a", of: "T") }])
        #expect(names == ["1"])
        let again = SchemaMigration("2") { $0.addField("a", ContainerSchema.Field(.int64), to: "T") }
        try await container.migrate([SchemaMigration("1") { _ in }, again])
        #expect(try database.countNow(Query("T", "a != nil"), in: .all) == 0)
        #expect(try database.countNow(Query("T", "a == nil AND b == 1"), in: .all) == 2_500)
    }

    private typealias Change = @Sendable (inout SchemaMigration) -> Void

    private static let faults: [(change: Change, message: String)] = [
        ({ $0.dropField("a", of: "Twon") }, "no type Twon"),
        ({ $0.dropType("Town") }, "record t0: there are records of type Town"),
        ({ $0.retypeField("name", of: "Town", to: .int64) }, "a value does not convert to INT64"),
        (
            { $0.updateRecords(ofType: "Street") { $0["of"] = reference("none", .deleteSelf) } },
            "field of leads to record none, which does not exist"
        ),
        ({ $0.setTraits(.required, of: "rank", in: "Town") }, "has no value of field rank"),
        ({ $0.setTraits(.unique, of: "name", in: "Town") }, "name of Town is UNIQUE"),
        ({ $0.dropField("pop", of: "Town") }, "subscription"),
    ]

    @Test func refusedMigrationsChangeNothing() async throws {
        let containers = try Self.containers()
        var before: [[String]] = []
        for container in containers {
            try await Self.fill(container, count: 8)
            before.append(try await Self.contents(container, since: [nil, nil]))
        }
        for (number, fault) in Self.faults.enumerated() {
            var messages: [String] = []
            for container in containers {
                let error = await #expect(throws: DatabaseError.self) {
                    try await container.migrate([SchemaMigration("\(number)", fault.change)])
                }
                messages.append("\(error?.code as Any): \(error?.reason ?? "")")
            }
            #expect(messages[0] == messages[1] && messages[1].contains(fault.message), "\(messages)")
        }
        for (container, before) in zip(containers, before) {
            #expect(try await Self.contents(container, since: [nil, nil]) == before)
        }
    }

    /// A schema that is set says nothing of migrations: what was made stays made.
    @Test func migrationsOutliveTheirSchema() async throws {
        let container = try ServerPlace().open()
        let database = container.privateDatabase
        try await database.save(Record(type: "T", id: Record.ID("r"), fields: ["n": 1]))
        let migration = SchemaMigration("next") { change in
            change.updateRecords(ofType: "T") { $0["n"] = $0["n"] == 1 ? 2 : 3 }
        }
        #expect(try await container.migrate([migration]) == ["next"])
        var schema = try ContainerSchema(text: container.schema.text)
        schema.recordTypes["U"] = ContainerSchema.RecordType(fields: ["b": ContainerSchema.Field(.string)])
        #expect(schema.migrations.isEmpty)
        try container.setSchema(schema)
        #expect(container.schema.recordTypes["U"] != nil && container.schema.migrations == ["next"])
        #expect(try await container.migrate([migration]) == [])
        let count = try await database.count(matching: Query("T", "n == 2"), in: .all)
        #expect(count == 1)
    }

    @Test("Whoever made a migration is told so where the connection was lost at its end", arguments: [false, true])
    func migrationsOverConnectionsThatAreCut(isOnNodes: Bool) async throws {
        let nodes = try isOnNodes ? NodePlace() : nil
        let proxy = try CuttingProxy(nodes?.control ?? PostgreSQLServer.shared(), seed: 3)
        defer { proxy.stop() }
        let identifier = try nodes?.identifier ?? ServerPlace().identifier
        let container = try Container(
            identifier: identifier, on: NodeContainer.open(identifier: identifier, connectingTo: proxy.address),
            account: .localUser, configuration: Configuration())
        defer { container.close() }
        let (database, id) = (container.privateDatabase, Record.ID("r"))
        try await database.save(Record(type: "T", id: id, fields: ["n": 0]))
        var migrations: [SchemaMigration] = []
        proxy.isCutting = true
        while proxy.cuts.after < 2, migrations.count < 60 {
            let name = "\(migrations.count)"
            migrations.append(
                SchemaMigration(name) { change in
                    change.updateRecords(ofType: "T") { fields in
                        if case .int64(let number)? = fields["n"] { fields["n"] = .int64(number + 1) }
                    }
                })
            var made: [String]?
            // Several servers give up where one was lost three times.
            for _ in 0..<10 where made == nil { made = try? await container.migrate(migrations) }
            #expect(made == [name])
        }
        proxy.isCutting = false
        #expect(proxy.cuts.after == 2)
        #expect(try await database.record(for: id)["n"] == .int64(Int64(migrations.count)))
    }

    @Test func processesMakeAMigrationOnce() async throws {
        let place = try ServerPlace()
        let (first, second) = (try place.open(), try place.open())
        for number in 0..<50 {
            try await first.privateDatabase.save(
                Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number))]))
        }
        let migration = SchemaMigration("double") { change in
            change.updateRecords(ofType: "T") { fields in
                if case .int64(let number)? = fields["n"] { fields["n"] = .int64(number * 2) }
            }
        }
        async let here = first.migrate([migration])
        async let there = second.migrate([migration])
        let made = try await here + there
        #expect(made == ["double"])
        let query = Query("T", "n >= 0", sortedBy: [.ascending("n")])
        let records = try await second.privateDatabase.records(matching: query, in: .all)
        #expect(records.map { $0["n"] } == (0..<50).map { .int64(Int64($0 * 2)) })
    }
}
