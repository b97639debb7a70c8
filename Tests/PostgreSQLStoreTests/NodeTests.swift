// Containers on three servers: results are those of memory, and nothing is given or done by halves.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct NodeTests {
    /// Tags of nodes are numbers of their own: they are compared by where each was met first.
    private struct Tags {
        var known: [String: Int] = [:]

        /// - Parameter database: Tells the database from others, which have numbers of their own, too.
        mutating func renamed(_ text: String, _ database: String) -> String {
            var parts: [String] = []
            for (number, part) in text.split(separator: "‹", omittingEmptySubsequences: false).enumerated() {
                guard number > 0, let end = part.firstIndex(of: "›") else {
                    parts.append(String(part))
                    continue
                }
                let key = database + part[..<end]
                let tag = known[key] ?? known.count
                known[key] = tag
                parts.append("‹\(tag)\(part[end...])")
            }
            return parts.joined()
        }
    }

    /// What a batch teaches is taught by its parts one after another: the types of fields are known before.
    private static func schema(_ traits: ContainerSchema.Traits = [], together: [[String]] = []) -> ContainerSchema {
        var schema = ContainerSchema()
        var type = ContainerSchema.RecordType(fields: [
            "a": ContainerSchema.Field(.int64), "d": ContainerSchema.Field(.double),
            "s": ContainerSchema.Field(.string, traits: traits), "l": ContainerSchema.Field(.list(.string)),
            "of": ContainerSchema.Field(.reference),
        ])
        type.uniqueTogether = together
        schema.recordTypes["T"] = type
        return schema
    }

    @Test(arguments: [UInt64](1...4))
    func resultsAreThoseOfMemory(_ seed: UInt64) throws { try compare(seed, Self.schema()) }

    @Test(arguments: [UInt64](101...102))
    func constraintsAreThoseOfMemory(_ seed: UInt64) throws {
        try compare(seed, Self.schema([.unique], together: [["a", "d"]]))
    }

    private func compare(_ seed: UInt64, _ schema: ContainerSchema) throws {
        let clock = SharedClock()
        var configuration = Configuration()
        configuration.clock = { clock.now }
        let place = try NodePlace()
        var here = try Twin(
            Container(identifier: "twin", account: .localUser, configuration: configuration), configuration)
        var there = try Twin(place.open(configuration), configuration)
        (here.isOfNodes, there.isOfNodes) = (true, true)
        var (hereTags, thereTags) = (Tags(), Tags())
        for twin in [here, there] { try twin.clients[0].setSchema(schema) }
        let nodes = try place.nodes(of: (0...9).map { "r\($0)" })
        try #require(Set(nodes.values).count == place.nodeCount)
        var generator = StepGenerator(random: SplitMix64(seed: seed))
        let queries = [
            Query("T", "a > 2 OR s BEGINSWITH 'b'", sortedBy: [.descending("a")]), StepGenerator.ranked,
        ]
        here.watch(queries)
        there.watch(queries)
        var outcomes: Set<String> = []
        for number in 0..<150 {
            clock.advance()
            var step = generator.step()
            // The last batch of a client is one of each node.
            if step.token != nil { step.token = Data([UInt8(number % 256), UInt8(number / 256)]) }
            if step.zone.isDefault { step = step.together }
            let database = step.isPublic ? "public " : "\(step.client) "
            let expected = hereTags.renamed(here.make(step), database)
            let found = thereTags.renamed(there.make(step), database)
            try #require(found == expected, "seed \(seed), step \(number): \(step)")
            outcomes.insert(expected)
            if number % 3 == 0 {
                let (expected, found) = (
                    hereTags.renamed(here.results()[0], "0 "), thereTags.renamed(there.results()[0], "0 ")
                )
                try #require(found == expected, "seed \(seed), live query after step \(number): \(step)")
            }
        }
        #expect(outcomes.count > 40, "the calls have different outcomes")
        for client in there.clients { client.close() }
    }

    @Test func questionsAreAskedOfAllNodes() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        _ = try place.fill(container)
        let database = container.privateDatabase
        let all = (0..<24).reversed().map { "r\($0)" }
        #expect(try database.names() == all)
        #expect(try database.names(limit: 5) == all)
        #expect(try database.names("a >= 20") == ["r23", "r22", "r21", "r20"])
        #expect(try database.countNow(Query("T", "a < 7"), in: .all) == 7)
        #expect(try RecordSet.count(on: database, type: "T", matching: "a < 7", variables: [:]) == 7)
        let groups = try RecordSet.groups(on: database, type: "T", matching: "a < 7", variables: [:], by: "a")
        #expect(groups?.count == 7)
        let explained = try RecordSet(on: database, type: "T", matching: "a < 7", explains: true)
            .explain("a < 7")
        #expect(explained.pushed?.nodes.map(\.number) == [0, 1, 2])
        #expect(explained.pushed?.nodes.reduce(0) { $0 + $1.rows } == 7)
        #expect(explained.description.contains("7 rows from node 0, 1, 2"))
    }

    @Test("A zone whose name no server can hold is not there")
    func zonesWithoutARow() throws {
        let id = Record.ID("r", zoneID: RecordZone.ID("a\u{0}b"))
        let (here, there) = (try Container(identifier: "here"), try NodePlace().open())
        defer { there.close() }
        for container in [here, there] {
            let told = failure { _ = try container.privateDatabase.fetch([id])[id]?.get() }
            #expect(told.code == .zoneNotFound, "\(told)")
        }
    }

    /// What a container on one server has offered stays where it was, with its records.
    @Test func zonesThatAreThereStay() throws {
        let nodes = try PostgreSQLNodes.shared()
        let identifier = "nodes " + UUID().uuidString
        func open() throws -> Container {
            try Container(
                identifier: identifier,
                on: NodeContainer.open(identifier: identifier, connectingTo: nodes.servers[0].address),
                account: .localUser, configuration: Configuration())
        }
        let before = try open()
        let zone = RecordZone.ID("Z")
        _ = try before.privateDatabase.modifyZones(saving: [RecordZone(id: zone)], deleting: [])
        for id in [Record.ID("x"), Record.ID("y", zoneID: zone)] {
            try before.privateDatabase.save(Record(type: "T", id: id, fields: ["a": .int64(1)]), on: before)
        }
        let token = try before.privateDatabase.zoneChanges(zone, since: nil, limit: 10).changeToken
        try nodes.makeContainer(identifier)
        // Whoever does not know the nodes is told.
        let stale = failure { _ = try before.privateDatabase.fetch([Record.ID("x")]) }
        #expect(stale.code == .badContainer, "\(stale)")
        before.close()
        let after = try open()
        defer { after.close() }
        #expect(try after.privateDatabase.names().sorted() == ["x", "y"])
        let expired = failure { _ = try after.privateDatabase.zoneChanges(zone, since: token, limit: 10) }
        #expect(expired.code == .changeTokenExpired)
        try after.privateDatabase.save(Record(type: "T", id: Record.ID("z"), fields: ["a": .int64(0)]), on: after)
        #expect(try after.privateDatabase.names().sorted() == ["x", "y", "z"])
        let again = failure {
            let list = Nodes(identifier: identifier, connectingTo: nodes.servers[0].address)
            _ = try list.add(nodes.servers[1].address)
        }
        #expect(again.code == .invalidArguments)
    }

    /// A server that has records of a container of the name is not taken for an empty one.
    @Test func serversThatHaveTheContainerAreNotAdded() throws {
        let servers = try PostgreSQLNodes.shared().servers
        let identifier = "nodes " + UUID().uuidString
        for server in servers.prefix(2) {
            let container = try Container(
                identifier: identifier,
                on: PostgreSQLContainer(identifier: identifier, connectingTo: server.address), account: .localUser,
                configuration: Configuration())
            try container.privateDatabase.save(Record(type: "T", id: Record.ID("x")), on: container)
            container.close()
        }
        let nodes = Nodes(identifier: identifier, connectingTo: servers[0].address)
        let taken = failure { _ = try nodes.add(servers[1].address) }
        #expect(taken.code == .invalidArguments && taken.reason.contains("a container of this name"), "\(taken)")
        #expect(try nodes.check().count == 1)
    }

    @Test func whatNodesCannotDoTogetherIsRefused() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let zones = try place.fill(container).sorted { $0.key < $1.key }.map(\.value)
        let database = container.privateDatabase
        func new(_ name: String, _ zone: RecordZone.ID) -> Record {
            Record(type: "T", id: Record.ID(name, zoneID: zone), fields: ["a": .int64(50)])
        }
        var whole = ModifyRequest(saves: [new("w", zones[0]), new("w", zones[1])])
        whole.isWhole = true
        #expect(failure { _ = try database.modify(whole) }.code == .badDatabase)
        let both = failure {
            try database.writeNow { transaction in
                try transaction.save(new("w", zones[0]))
                try transaction.save(new("w", zones[1]))
            }
        }
        #expect(both.code == .badDatabase && both.reason.contains("several nodes"), "\(both)")
        let all = failure {
            try database.writeNow { transaction in
                let count = try transaction.records(ofType: "T", in: .zone(zones[0])).count(matching: "TRUEPREDICATE")
                // What is refused stays refused, also where nobody looks at it.
                _ = try? transaction.records(ofType: "T").count(matching: "TRUEPREDICATE")
                try transaction.save(new("w\(count)", zones[0]))
            }
        }
        #expect(all.code == .badDatabase, "\(all)")
        #expect(try database.names("a == 50").isEmpty)
        // Batches whose zones may fail apart are made zone by zone.
        let result = try database.modify(ModifyRequest(saves: zones.map { new("w", $0) }, isAtomic: false))
        #expect(result.saves.map(\.id.zoneID) == zones && result.partialErrors.isEmpty)
        #expect(try database.names("a == 50") == ["w", "w", "w"])
    }

    /// The token of the list of changed zones has a position for each node.
    @Test func changedZonesAreListedOverNodes() throws {
        let own = try PostgreSQLServer()
        let place = try NodePlace(.shared(), others: [own.address])
        let container = try place.open()
        defer { container.close() }
        let zones = try place.fill(container)
        let database = container.privateDatabase
        var (found, token): ([RecordZone.ID], ChangeToken?) = ([], nil)
        while true {
            let page = try database.zoneList(since: token, limit: 5)
            found += page.modifications
            token = page.changeToken
            if !page.moreComing { break }
            #expect(page.modifications.count == 5)
        }
        #expect(found.count == 24 && Set(found).count == 24)
        #expect(try database.zoneList(since: token, limit: 5).modifications.isEmpty)
        let (first, second) = (try #require(zones[0]), try #require(zones[1]))
        // Each node counts for itself: many changes of one hide none of another.
        for number in 0..<30 {
            try database.save(
                Record(type: "T", id: Record.ID("m\(number)", zoneID: first), fields: ["a": .int64(1)]), on: container)
        }
        let moved = try database.zoneList(since: token, limit: 5)
        #expect(moved.modifications == [first])
        try database.save(
            Record(type: "T", id: Record.ID("m", zoneID: second), fields: ["a": .int64(1)]), on: container)
        #expect(try database.zoneList(since: moved.changeToken, limit: 5).modifications == [second])
        _ = try database.modifyZones(saving: [], deleting: [first, second])
        let gone = try database.zoneList(since: moved.changeToken, limit: 5)
        #expect(gone.modifications.isEmpty && Set(gone.deletions) == [first, second])
        let new = try database.zoneList(since: nil, limit: 100)
        #expect(new.deletions.isEmpty && new.modifications.count == 22)
        own.stop()
        let down = failure { _ = try database.zoneList(since: gone.changeToken, limit: 5) }
        #expect(down.reason.hasPrefix("node 1: "), "\(down)")
        try own.start()
        #expect(try database.zoneList(since: gone.changeToken, limit: 5).deletions.isEmpty)
    }

    /// More is to come as long as a node has more, whatever the last one has.
    @Test func anyNodeMayHaveMoreChangedZones() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        _ = try place.fill(container)
        let database = container.privateDatabase
        let names = try place.places().filter { $0.key.hasPrefix("Z") && $0.value == 0 }.keys.sorted()
        let zones = names.prefix(2).map { RecordZone.ID($0) }
        try #require(zones.count == 2)
        let token = try database.zoneList(since: nil, limit: 100).changeToken
        for zone in zones {
            try database.save(
                Record(type: "T", id: Record.ID("m", zoneID: zone), fields: ["a": .int64(1)]), on: container)
        }
        let first = try database.zoneList(since: token, limit: 1)
        #expect(first.modifications == [zones[0]] && first.moreComing)
        let second = try database.zoneList(since: first.changeToken, limit: 1)
        #expect(second.modifications == [zones[1]] && !second.moreComing)
    }

    @Test func schemaAndRolesAreTheSameOnAllNodes() throws {
        let place = try NodePlace()
        let (one, two) = (try place.open(), try place.open())
        defer { for container in [one, two] { container.close() } }
        let zones = try place.fill(one)
        var schema = one.schema
        schema.recordTypes["T"]?.define("b", ContainerSchema.Field(.string))
        try one.setSchema(schema)
        for (number, zone) in zones.values.enumerated() {
            let record = Record(
                type: "T", id: Record.ID("b\(number)", zoneID: zone),
                fields: ["b": .string("x"), "c\(number)": .int64(1)])
            try (number % 2 == 0 ? one : two).privateDatabase.save(record, on: one)
        }
        #expect(try two.privateDatabase.names("b == 'x' AND (c0 == 1 OR c1 == 1 OR c2 == 1)").count == 3)
        let list = Nodes(identifier: place.identifier, connectingTo: place.control.address)
        #expect(try list.check().map(\.problem) == [nil, nil, nil])
        // A change that came to one node alone is taken to the others.
        let connection = try Connection(ConnectionString(PostgreSQLNodes.shared().servers[2].address))
        try connection.run(Statement("SET search_path = \(Statement.name(Layout.schemaName(of: place.identifier)))"))
        try connection.run(Statement("UPDATE container SET schema_version = schema_version + 1"))
        #expect(try list.check().last?.problem != nil)
        #expect(try one.privateDatabase.names("b == 'x'").count == 3)
        #expect(try list.check().map(\.problem) == [nil, nil, nil])
    }

    @Test func nodeThatIsDownIsNamed() throws {
        let own = try PostgreSQLServer()
        let place = try NodePlace(.shared(), others: [own.address])
        let container = try place.open()
        defer { container.close() }
        let zones = try place.fill(container)
        let (first, second) = (try #require(zones[0]), try #require(zones[1]))
        let database = container.privateDatabase
        #expect(try database.names().count == 24)
        own.stop()
        for call in [
            { _ = try database.names() }, { _ = try database.countNow(Query("T", "a > 3"), in: .all) },
            { _ = try database.fetchAllZones() },
            { _ = try database.fetch([Record.ID("r0", zoneID: first), Record.ID("r0", zoneID: second)]) },
        ] as [() throws -> Void] {
            let found = failure(call)
            #expect(found.code == .networkUnavailable || found.code == .networkFailure, "\(found)")
            #expect(found.reason.hasPrefix("node 1: "), "\(found)")
        }
        // What the other one has is there, and a batch over both fails in part.
        #expect(try database.find(Query("T", "TRUEPREDICATE"), in: .zone(first), limit: 1).matches.count == 1)
        let records = [first, second].map {
            Record(type: "T", id: Record.ID("n", zoneID: $0), fields: ["a": .int64(99)])
        }
        let result = try database.modify(ModifyRequest(saves: records, isAtomic: false))
        #expect(result.partialErrors.keys.sorted { "\($0)" < "\($1)" } == [.record(records[1].id)])
        let count = try database.writeNow { transaction in
            try transaction.records(ofType: "T", in: .zone(first)).count(matching: "a == 99")
        }
        #expect(count == 1)
        try own.start()
        #expect(try database.names().count == 25)
    }

    @Test func eachSaveOnANodeCountsOnceOverConnectionsThatAreCut() throws {
        let servers = try PostgreSQLNodes.shared().servers
        let proxy = try CuttingProxy(servers[1], seed: 7)
        defer { proxy.stop() }
        let place = try NodePlace(servers[0], others: [proxy.address])
        let container = try place.open()
        defer { container.close() }
        let zone = try #require(try place.fill(container)[1])
        let database = container.privateDatabase
        proxy.isCutting = true
        for number in 0..<40 {
            // Saved twice, the record would be there already, and the save would fail.
            let record = Record(type: "T", id: Record.ID("c\(number)", zoneID: zone), fields: ["a": 100])
            var found = failure { try database.save(record, on: container) }
            // Where nothing was stored, the connection was lost twice before the commit.
            for _ in 0..<20 where found.code == .networkFailure || found.code == .networkUnavailable {
                found = failure { try database.save(record, on: container) }
            }
            #expect(found.code == nil, "\(found)")
        }
        proxy.isCutting = false
        #expect(proxy.cuts.after > 0)
        #expect(try database.names("a == 100").count == 40)
        let changes = try database.zoneChanges(zone, since: nil, limit: 100)
        #expect(changes.modifications.count == 41)
    }
}
