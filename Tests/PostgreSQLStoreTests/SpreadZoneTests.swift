// Default zones of containers on three servers, whose records are spread over the servers by their names.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

extension Step {
    /// The step as a spread zone takes it: a transaction is about one record.
    var together: Step {
        guard case .write(let changes, let fails) = call else { return self }
        var step = self
        let first = changes.lazy.compactMap(\.name).first
        let own = changes.filter { $0.name != nil && $0.name == first }
        step.call = first.map { own.isEmpty ? .fetch([$0]) : .write(own, fails: fails) } ?? .fetch(["r0", "r1"])
        return step
    }
}

extension Change {
    fileprivate var name: String? {
        switch self {
        case .save(let name, _, _): name
        case .delete(let name): name
        default: nil
        }
    }
}

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct SpreadZoneTests {
    private static let names = (0..<40).map { "n\($0)" }

    private static func record(_ name: String, _ value: Int64) -> Record {
        Record(type: "T", id: Record.ID(name), fields: ["a": .int64(value)])
    }

    private static func fill(_ database: Database) throws {
        let records = names.enumerated().map { record($0.element, Int64($0.offset)) }
        let result = try database.modify(ModifyRequest(saves: records))
        for (_, outcome) in result.saves { _ = try outcome.get() }
        #expect(result.saves.map(\.id.recordName) == names)
    }

    /// The names of records by their node.
    private static func byNode(_ place: NodePlace) throws -> [Int32: [String]] {
        let nodes = try place.nodes(of: names)
        return Dictionary(grouping: names) { nodes[$0] ?? -1 }
    }

    @Test(arguments: [true, false])
    func recordsAreSpreadAndFound(_ isPublic: Bool) throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let database = isPublic ? container.publicDatabase : container.privateDatabase
        try Self.fill(database)
        let parts = try Self.byNode(place)
        #expect(parts.count == 3)
        for (number, server) in try PostgreSQLNodes.shared().servers.enumerated() {
            let connection = try Connection(ConnectionString(server.address))
            try connection.run(
                Statement("SET search_path = \(Statement.name(Layout.schemaName(of: place.identifier)))"))
            let rows = try connection.run(Statement("SELECT _n FROM \"r_T\" ORDER BY _n"))
            let found = (0..<rows.count).map { rows.text($0, 0) ?? "" }
            #expect(found == parts[Int32(number)]?.sorted(), "node \(number)")
        }
        let all = [String](Self.names.reversed())
        for limit in [1, 7, 100] { #expect(try database.names(limit: limit) == all) }
        var names: [String] = []
        var page = try database.find(Query("T", "a >= 5"), in: .zone(.default), limit: 6)
        while true {
            names += page.matches.map(\.0.recordName)
            guard let cursor = page.cursor else { break }
            page = try database.find(after: cursor, limit: 6)
        }
        #expect(names == Self.names[5...].sorted(), "without an order they come by name")
        #expect(try database.countNow(Query("T", "a < 7"), in: .zone(.default)) == 7)
        #expect(try database.countNow(Query("T", "a < 7"), in: .all) == 7)
        let groups = try RecordSet.groups(on: database, type: "T", matching: "a < 7", variables: [:], by: "a")
        #expect(groups?.count == 7)
        let fetched = try database.fetch((Self.names + ["x"]).map { Record.ID($0) })
        #expect(try fetched.count == 41 && Self.names.allSatisfy { try fetched[Record.ID($0)]?.get() != nil })
        let deleted = try database.modify(ModifyRequest(deletes: Self.names.map { Record.ID($0) }))
        #expect(deleted.partialErrors.isEmpty)
        #expect(try database.names().isEmpty)
    }

    private static func code<Value>(_ result: Result<Value, DatabaseError>) -> DatabaseError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test("What is cancelled when another part is stored fails alone")
    func cancelledParts() throws {
        let place = try NodePlace()
        let server = CancellingServer(try place.server())
        let container = try Container(
            identifier: place.identifier, on: server, account: .localUser, configuration: Configuration())
        defer { container.close() }
        let database = container.publicDatabase
        try Self.fill(database)
        let parts = try Self.byNode(place)
        let (first, second) = (try #require(parts[0]?.first), try #require(parts[1]?.first))
        func save() throws -> [DatabaseError.Code?] {
            let records = [first, second].map { Self.record($0, 100) }
            return try database.modify(ModifyRequest(saves: records, policy: .allKeys, isAtomic: false)).saves
                .map { Self.code($0.result) }
        }
        server.cancel { $0.changed.contains(Record.ID(first)) }
        #expect(try save() == [.operationCancelled, nil])
        server.cancel { _ in true }
        #expect(failure { _ = try save() }.code == .operationCancelled)
        let zones = (0..<12).map { RecordZone.ID("Z\($0)") }
        server.cancel { !$0.zones.isEmpty && !$0.zones.contains(RecordZone.ID("Z0")) }
        let own = container.privateDatabase
        let made = try own.modifyZones(saving: zones.map { RecordZone(id: $0) }, deleting: []).saves
        server.cancel { _ in false }
        let stored = Set(try own.fetchAllZones().map(\.id)).subtracting([.default])
        #expect(stored.contains(RecordZone.ID("Z0")) && stored.count < zones.count)
        let expected = zones.map { zone -> DatabaseError.Code? in stored.contains(zone) ? nil : .operationCancelled }
        #expect(made.map { Self.code($0.result) } == expected)
    }

    /// Nodes give their shares of a page at first; one that has more of the first records is read again.
    @Test func nodesGiveTheirSharesOfPages() async throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let database = container.publicDatabase
        let names = (0..<240).map { "n\($0)" }
        let nodes = try place.nodes(of: names)
        // Those of one node come before all others, which are mixed.
        let ordered = names.filter { nodes[$0] == 1 } + names.filter { nodes[$0] != 1 }
        let count = ordered.count { nodes[$0] == 1 }
        #expect((40...120).contains(count), "\(count)")
        let records = ordered.enumerated().map { number, name in
            var record = Self.record(name, Int64(number))
            record["t"] = "text"
            return record
        }
        for (_, outcome) in try database.modify(ModifyRequest(saves: records)).saves { _ = try outcome.get() }
        for (key, all) in [(SortKey.ascending("a"), ordered), (.descending("a"), ordered.reversed())] {
            let query = Query("T", "a >= 0", sortedBy: [key])
            var (found, page): ([String], _) = ([], try database.find(query, in: .zone(.default), limit: 30))
            while true {
                found += page.matches.map(\.0.recordName)
                guard let cursor = page.cursor else { break }
                page = try database.find(after: cursor, limit: 30)
            }
            #expect(found == all)
        }
        // Of 31 rows a node gives 21, the third and some more: the one with the first gives all. Of the last 31 it has
        // none, and the others give enough.
        for (key, rows) in [(SortKey.ascending("a"), [21, 31, 21]), (.descending("a"), [21, 21, 21])] {
            let query = Query("T", "a >= 0", sortedBy: [key])
            let explained = try await database.explain(query, in: .default, resultsLimit: 30)
            #expect(explained.pushed?.nodes.map(\.rows) == rows)
        }
        // What a server is not sure of is decided here: all is given that could be.
        let query = Query("T", "a >= 0 AND t MATCHES 'te?xt'", sortedBy: [.ascending("a")])
        let page = try database.find(query, in: .zone(.default), limit: 30)
        #expect(page.matches.map(\.0.recordName) == Array(ordered.prefix(30)))
    }

    @Test func pathsLeadOverNodes() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let database = container.publicDatabase
        try Self.fill(database)
        // Each refers to the next one, wherever that is.
        var (records, crossing) = ([Record](), 0)
        let nodes = try place.nodes(of: Self.names)
        for number in 0..<39 {
            var record = try #require(try database.fetch([Record.ID("n\(number)")])[Record.ID("n\(number)")]).get()
            record["next"] = .reference(RecordReference(recordID: Record.ID("n\(number + 1)")))
            records.append(record)
            if nodes["n\(number)"] != nodes["n\(number + 1)"] { crossing += 1 }
        }
        #expect(crossing > 5)
        #expect(try database.modify(ModifyRequest(saves: records)).partialErrors.isEmpty)
        let two = (30..<37).reversed().map { "n\($0)" }
        #expect(try database.names("next.next.a > 31 AND next.a < 38", limit: 3) == two)
        #expect(try database.countNow(Query("T", "next.a > 20"), in: .zone(.default)) == 19)
        #expect(try database.names("next == nil OR next.a == nil") == ["n39"])
        #expect(try database.names("NOT (next.a < 38)") == ["n39", "n38", "n37"])
        // The records behind the references are looked up first: no row comes in vain.
        let cases: [(predicate: RecordPredicate, names: Int, rows: Int)] = [
            ("next.a == 7", 1, 1), ("next.next.a IN {30, 31}", 4, 2), ("NOT next.a == 7", 1, 39),
            ("next.a == 100", 0, 0),
        ]
        for (predicate, names, rows) in cases {
            let explained = try RecordSet(on: database, type: "T", matching: predicate, explains: true)
                .explain(predicate)
            #expect(explained.pushed?.names == names && explained.pushed?.rows == rows, "\(explained)")
        }
    }

    @Test func transactionsAreAboutRecordsOfOneNode() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let database = container.publicDatabase
        try Self.fill(database)
        let parts = try Self.byNode(place)
        let (here, apart) = (try #require(parts[2]), try #require(parts[1]))
        try database.writeNow { transaction in
            for name in here.prefix(2) {
                var record = try transaction.record(for: Record.ID(name))
                record["a"] = .int64(100)
                try transaction.save(record)
            }
        }
        #expect(try database.names("a == 100").sorted() == here.prefix(2).sorted())
        for call in [
            { try database.writeNow { for name in [here[0], apart[0]] { _ = try $0.record(for: Record.ID(name)) } } },
            { try database.writeNow { for name in here[2...] + apart { $0.deleteRecord(withID: Record.ID(name)) } } },
            { try database.writeNow { _ = try $0.updateAll("T", where: "a > 3") { $0["a"] = .int64(300) } } },
            {
                var whole = ModifyRequest(saves: ["x1", "x2", "x3", "x4", "x5"].map { Self.record($0, 200) })
                whole.isWhole = true
                _ = try database.modify(whole)
            },
        ] as [() throws -> Void] {
            let refused = failure(call)
            #expect(refused.code == .badDatabase, "\(refused)")
        }
        #expect(try database.names("a >= 100").count == 2 && database.names().count == 40)
    }

    @Test func itemsOfANodeThatIsDownFailAlone() throws {
        let own = try PostgreSQLServer()
        let place = try NodePlace(.shared(), others: [own.address])
        let container = try place.open()
        defer { container.close() }
        let database = container.publicDatabase
        try Self.fill(database)
        let parts = try Self.byNode(place)
        let (up, down) = (try #require(parts[0]), try #require(parts[1]))
        own.stop()
        for call in [
            { _ = try database.names() }, { _ = try database.countNow(Query("T", "a > 3"), in: .zone(.default)) },
            { _ = try database.find(Query("T", "TRUEPREDICATE"), in: .zone(.default), limit: 1) },
            { _ = try database.fetch(Self.names.map { Record.ID($0) }) },
        ] as [() throws -> Void] {
            let found = failure(call)
            #expect(found.code == .networkUnavailable || found.code == .networkFailure, "\(found)")
            #expect(found.reason.hasPrefix("node 1: "), "\(found)")
        }
        #expect(try database.fetch(up.map { Record.ID($0) }).count == up.count)
        let request = ModifyRequest(saves: Self.names.map { Self.record($0, 50) }, policy: .allKeys)
        let errors = try database.modify(request).partialErrors
        #expect(Set(errors.keys) == Set(down.map { .record(Record.ID($0)) }))
        #expect(errors.values.allSatisfy { $0.reason.hasPrefix("node 1: ") })
        try own.start()
        #expect(try database.names("a == 50").sorted() == up.sorted())
        #expect(try database.names().count == 40)
    }

    /// Where targets of references have to be there, a batch that has both saves the target first.
    @Test func targetsOfABatchAreSavedFirst() throws {
        let place = try NodePlace()
        var configuration = Configuration()
        configuration.requiresReferenceTargets = true
        let container = try place.open(configuration)
        defer { container.close() }
        let database = container.publicDatabase
        let parts = try Self.byNode(place)
        let names = try (0...2).map { try #require(parts[$0]?.first) }
        func record(_ name: String, to target: String?) -> Record {
            var record = Self.record(name, 1)
            if let target { record["of"] = .reference(RecordReference(recordID: Record.ID(target))) }
            return record
        }
        let chain = [record(names[0], to: names[1]), record(names[1], to: names[2]), record(names[2], to: nil)]
        let result = try database.modify(ModifyRequest(saves: chain))
        #expect(result.partialErrors.isEmpty && result.saves.map(\.id.recordName) == names)
        let missing = try database.modify(ModifyRequest(saves: [record("y", to: "nobody")]))
        #expect(missing.partialErrors.values.map(\.code) == [.referenceViolation])
    }

    /// A batch that is sent again with its token counts once on each node.
    @Test func batchesCountOnceOnEachNode() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let database = container.publicDatabase
        let request = ModifyRequest(
            saves: Self.names.map { Self.record($0, 1) }, clientToken: Data([1, 2, 3]))
        let first = try database.modify(request)
        #expect(first.partialErrors.isEmpty)
        // Without the token each would be there already.
        let again = try database.modify(request)
        #expect(again.partialErrors.isEmpty)
        #expect(
            try again.saves.map { try $0.result.get().recordChangeTag }
                == first.saves.map {
                    try $0.result.get().recordChangeTag
                })
        var other = request
        other.clientToken = nil
        #expect(try database.modify(other).partialErrors.count == 40)
    }
}

/// Passes calls on to a server, and has commits fail as those of a cancelled task do.
private final class CancellingServer: PassingServer {
    typealias Choice = @Sendable (ServerNeed) -> Bool

    let base: any RecordServer
    private let isCancelled = Mutex<Choice>({ _ in false })

    init(_ base: any RecordServer) { self.base = base }

    /// Has those fail from now on that are meant.
    func cancel(_ isMeant: @escaping Choice) { isCancelled.withLock { $0 = isMeant } }

    func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        let isMeant = isCancelled.withLock { $0 }
        if isMeant(need) { throw DatabaseError(.operationCancelled, "the task was cancelled") }
        return try base.write(origin, need, body)
    }
}
