// Subscriptions of containers on three servers: each commit is told once, whichever node it is on.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct NodeSubscriptionTests {
    private static func record(_ name: String, in zone: RecordZone.ID = .default, _ value: Int64 = 50) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: zone), fields: ["a": .int64(value)])
    }

    private static func save(_ subscriptions: [Subscription], _ database: Database) throws {
        let result = try database.modifySubscriptions(saving: subscriptions, deletingIDs: [])
        for (_, saved) in result.saves { _ = try saved.get() }
    }

    private static func connection(to server: PostgreSQLServer, _ place: NodePlace) throws -> Connection {
        let connection = try Connection(ConnectionString(server.address))
        let path = Statement.name(Layout.schemaName(of: place.identifier))
        try connection.run(Statement("SET search_path = \(path)"))
        return connection
    }

    /// The subscriptions that each node has.
    private static func counts(_ servers: [PostgreSQLServer], _ place: NodePlace) throws -> [Int64] {
        try servers.map { server in
            let rows = try connection(to: server, place).run(Statement("SELECT count(*) FROM subscription"))
            return rows.int64(0, 0) ?? -1
        }
    }

    @Test func commitsOfEachNodeAreToldOnce() async throws {
        let place = try NodePlace()
        let processes = try [place.open(), place.open()]
        defer { for process in processes { process.close() } }
        let zones = try place.fill(processes[0]).sorted { $0.key < $1.key }.map(\.value)
        let database = processes[0].privateDatabase
        var wanted = [
            try Subscription(recordType: "T", predicate: "a > 40", id: "query"),
            try Subscription(databaseWithRecordType: "T", id: "database"),
        ]
        for (number, zone) in zones.enumerated() { wanted.append(try Subscription(zoneID: zone, id: "zone\(number)")) }
        try Self.save(wanted, database)
        let all = try await processes[1].privateDatabase.allSubscriptions().map(\.id)
        #expect(all == ["database", "query", "zone0", "zone1", "zone2"])
        let servers = try PostgreSQLNodes.shared().servers
        #expect(try Self.counts(servers, place) == [5, 5, 5])
        // Who shares the process is told before the save returns.
        let neighbour = try Container(sharing: processes[0], account: .localUser, configuration: Configuration())
        let near = neighbour.readNotifications()
        for (number, zone) in zones.enumerated() {
            try database.save(Self.record("near", in: zone), on: processes[0])
            #expect(near.takeWaiting().map(\.subscriptionID).sorted() == ["database", "query", "zone\(number)"])
        }
        let names = (0..<10).map { "d\($0)" }
        #expect(Set(try place.nodes(of: names).values).count == 3)
        for name in names {
            try database.save(Self.record(name), on: processes[0])
            #expect(near.takeWaiting().compactMap(\.recordID) == [Record.ID(name)])
        }
        // Another process, once it listens to every node.
        let other = processes[1].readNotifications()
        var heard: Set<RecordZone.ID> = []
        for round in 0..<500 where heard.count < 3 {
            for zone in zones { try database.save(Self.record("w\(round)", in: zone), on: processes[0]) }
            try await Task.sleep(for: .milliseconds(20))
            heard.formUnion(other.takeWaiting().compactMap(\.recordID?.zoneID))
        }
        var expected: [Record.ID] = []
        for round in 0..<4 {
            for zone in zones {
                expected.append(Record.ID("x\(round)", zoneID: zone))
                try database.save(Self.record("x\(round)", in: zone), on: processes[0])
            }
        }
        var told: [Record.ID] = []
        func take() { told += other.takeWaiting().compactMap(\.recordID).filter { $0.recordName.hasPrefix("x") } }
        for _ in 0..<500 where told.count < expected.count {
            try await Task.sleep(for: .milliseconds(20))
            take()
        }
        try await Task.sleep(for: .milliseconds(200))
        take()
        for zone in zones { #expect(told.filter { $0.zoneID == zone } == expected.filter { $0.zoneID == zone }) }
        // Deleted ones are told nowhere.
        _ = try database.modifySubscriptions(saving: [], deletingIDs: ["query", "database", "zone0", "zone1"])
        #expect(try Self.counts(servers, place) == [1, 1, 1])
        _ = near.takeWaiting()
        for zone in zones { try database.save(Self.record("last", in: zone), on: processes[0]) }
        #expect(near.takeWaiting().map(\.subscriptionID) == ["zone2"])
    }

    @Test func whatEndsOnANodeEndsOnAll() async throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let servers = try PostgreSQLNodes.shared().servers
        let zones = try place.fill(container).sorted { $0.key < $1.key }.map(\.value)
        let database = container.privateDatabase
        try Self.save(
            [
                try Subscription(recordType: "T", predicate: "a > 40", id: "once", options: [.all, .firesOnce]),
                try Subscription(zoneID: zones[2], id: "zone"),
            ], database)
        let neighbour = try Container(sharing: container, account: .localUser, configuration: Configuration())
        let told = neighbour.readNotifications()
        try database.save(Self.record("x", in: zones[1]), on: container)
        func becomes(_ counts: [Int64]) async throws -> Bool {
            for _ in 0..<500 {
                if try Self.counts(servers, place) == counts { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
            return false
        }
        #expect(try await becomes([1, 1, 1]))
        for zone in zones.prefix(2) { try database.save(Self.record("y", in: zone), on: container) }
        #expect(told.takeWaiting().map(\.subscriptionID) == ["once"])
        _ = try database.modifyZones(saving: [], deleting: [zones[2]])
        #expect(try await becomes([0, 0, 0]))
        #expect(try await database.allSubscriptions().isEmpty)
    }

    @Test func halvesAreSettled() async throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let servers = try PostgreSQLNodes.shared().servers
        _ = try place.fill(container)
        let database = container.privateDatabase
        try Self.save([Subscription(recordType: "T", predicate: "a > 40", id: "first")], database)
        for server in [servers[1], servers[0]] {
            try Self.connection(to: server, place).run(Statement("DELETE FROM subscription"))
            try Self.save([Subscription(recordType: "T", predicate: "a > 41", id: "second")], database)
            #expect(try await database.allSubscriptions().map(\.id) == ["second"])
            #expect(try Self.counts(servers, place) == [1, 1, 1])
        }
    }

    @Test func addedNodesHaveAllSubscriptions() throws {
        let servers = try PostgreSQLNodes.shared().servers
        let place = try NodePlace(servers[0], others: [servers[1].address])
        let container = try place.open()
        try container.setSchema(ContainerSchema(recordTypes: ["T": .init(fields: ["a": .init(.int64)])]))
        _ = try place.fill(container)
        let query = try Subscription(recordType: "T", predicate: "a > 40", id: "query")
        let database = try Subscription(databaseWithRecordType: "T", id: "database")
        try Self.save([query, database], container.privateDatabase)
        try Self.save([query], container.publicDatabase)
        container.close()
        _ = try Nodes(identifier: place.identifier, connectingTo: servers[0].address).add(servers[2].address)
        #expect(try Self.counts(servers, place) == [3, 3, 3])
        let opened = try place.open()
        defer { opened.close() }
        let neighbour = try Container(sharing: opened, account: .localUser, configuration: Configuration())
        let told = neighbour.readNotifications()
        // The new node has some of them.
        let zones = (0..<12).map { RecordZone.ID("added\($0)") }
        _ = try opened.privateDatabase.modifyZones(saving: zones.map { RecordZone(id: $0) }, deleting: [])
        for zone in zones {
            _ = told.takeWaiting()
            try opened.privateDatabase.save(Self.record("x", in: zone), on: opened)
            #expect(told.takeWaiting().map(\.subscriptionID).sorted() == ["database", "query"])
        }
        #expect(try Set(place.places().filter { $0.key.hasPrefix("added") }.values).contains(2))
    }

    @Test func pathsLeadOverNodes() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let database = container.privateDatabase
        let names = (0..<10).map { "r\($0)" }
        for name in names {
            var record = Self.record(name, 1)
            record["of"] = .reference(RecordReference(recordID: Record.ID("r0")))
            try database.save(record, on: container)
        }
        try Self.save([Subscription(recordType: "T", predicate: "of.a == 1", id: "path")], database)
        let neighbour = try Container(sharing: container, account: .localUser, configuration: Configuration())
        let told = neighbour.readNotifications()
        let targets = try place.nodes(of: names)
        try #require(Set(targets.values).count == 3)
        for name in names.dropFirst() {
            var record = Self.record("n" + name, 2)
            record["of"] = .reference(RecordReference(recordID: Record.ID(name)))
            try database.save(record, on: container)
            #expect(told.takeWaiting().compactMap(\.recordID) == [record.id])
        }
    }

    @Test func nothingIsSavedWhereANodeIsDown() async throws {
        let own = try PostgreSQLServer()
        let place = try NodePlace(.shared(), others: [own.address])
        let container = try place.open()
        defer { container.close() }
        let zones = try place.fill(container)
        let first = try #require(zones[0])
        let database = container.privateDatabase
        let neighbour = try Container(sharing: container, account: .localUser, configuration: Configuration())
        let told = neighbour.readNotifications()
        let subscription = try Subscription(recordType: "T", predicate: "a > 40", id: "s")
        own.stop()
        let found = failure { try Self.save([subscription], database) }
        #expect(found.code == .networkUnavailable || found.code == .networkFailure, "\(found)")
        #expect(found.reason.hasPrefix("node 1: "), "\(found)")
        try database.save(Self.record("x", in: first), on: container)
        #expect(try await database.allSubscriptions().isEmpty)
        try own.start()
        #expect(told.takeWaiting().isEmpty)
        try Self.save([subscription], database)
        for zone in zones.values { try database.save(Self.record("y", in: zone), on: container) }
        #expect(told.takeWaiting().map(\.subscriptionID) == ["s", "s"])
    }
}
