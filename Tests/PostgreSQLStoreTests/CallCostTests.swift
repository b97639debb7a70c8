// What calls cost on servers: round trips, statements, and texts that a server parses. A gate: who changes what a call
// sends sees it here, and writes the new figures.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct CallCostTests {
    /// Calls before those that count: by then connections are open, and servers keep the statements.
    private static let warmUps = 3
    /// What processes do now and then, on threads of their own, comes to what a call costs: the least of some calls is
    /// that of the call.
    private static let attempts = 5

    @Test func callsOnOneServer() async throws {
        try await check(CallScene([PostgreSQLServer.shared()])) { $0.one }
    }

    /// The costs are those of all servers together.
    @Test func callsOnThreeServers() async throws {
        try await check(CallScene(PostgreSQLNodes.shared().servers)) { $0.three }
    }

    private func check(_ scene: CallScene, _ expected: (CallCost) -> ServerCost) async throws {
        defer { scene.close() }
        try await scene.fill()
        for call in CallCost.all {
            let expected = expected(call)
            let (cost, texts) = try await least(of: call, in: scene, expected)
            let lines = texts.map { "  " + $0.replacing("\n", with: " ").prefix(110) }
            #expect(cost == expected, "\(call.name): \(cost)\n\(lines.joined(separator: "\n"))")
        }
    }

    private func least(
        of call: CallCost, in scene: CallScene, _ expected: ServerCost
    ) async throws -> (cost: ServerCost, texts: [String]) {
        var least: (cost: ServerCost, texts: [String])?
        for number in 0..<(Self.warmUps + Self.attempts) {
            try await call.prepare(scene, number)
            let before = try scene.tally.settled()
            try await call.make(scene, number)
            let sent = try scene.tally.settled().sent(since: before)
            if number < Self.warmUps { continue }
            if sent.cost < least?.cost ?? ServerCost(.max, 0, 0) { least = sent }
            if sent.cost == expected { break }
        }
        return try #require(least)
    }
}

/// A container whose servers are behind proxies, and what calls on it need.
private final class CallScene: Sendable {
    static let zone = RecordZone.ID("Z")
    /// Records that are there: `r0`, `r1`, … of the default zone, of which every server has some.
    private static let count = 300

    let tally: StatementTally
    let database: Database
    private let container: Container
    private let proxies: [CuttingProxy]
    /// Names of the default zone whose records are on one server, on the last.
    private let names: [String]
    private let firstPage = Mutex<Query.Cursor?>(nil)

    init(_ servers: [PostgreSQLServer]) throws {
        let tally = StatementTally()
        let proxies = try servers.enumerated().map { number, server in
            try CuttingProxy(server, seed: UInt64(number), tally: tally)
        }
        let place = try NodePlace(servers[0], others: proxies.dropFirst().map(\.address))
        container = try Container(
            identifier: place.identifier,
            on: NodeContainer.open(identifier: place.identifier, connectingTo: proxies[0].address),
            account: .localUser, configuration: Configuration())
        let all = (0..<300).map { "n\($0)" }
        // None of a server that is alone.
        let nodes = try place.nodes(of: all)
        let home = Int32(servers.count - 1)
        names = all.filter { nodes[$0] ?? home == home }
        (self.tally, self.proxies, database) = (tally, proxies, container.privateDatabase)
    }

    func close() {
        container.close()
        for proxy in proxies { proxy.stop() }
    }

    /// Saves what is there.
    func fill() async throws {
        try await database.save(RecordZone(id: Self.zone))
        try await save((0..<Self.count).map { Self.record("r\($0)", $0) })
        try await save((0..<20).map { Self.record("z\($0)", $0, in: Self.zone) })
        try await database.deleteRecord(withID: Record.ID("z0", zoneID: Self.zone))
        let page = try await database.recordPage(matching: Self.page, in: .default, resultsLimit: 100)
        firstPage.withLock { $0 = page.queryCursor }
    }

    static func record(_ name: String, _ number: Int, in zone: RecordZone.ID = .default) -> Record {
        Record(
            type: "T", id: Record.ID(name, zoneID: zone),
            fields: ["a": .int64(Int64(number)), "b": .int64(Int64(number % 10))])
    }

    static let page = Query("T", "a >= 0", sortedBy: [.ascending("a")])

    /// A name for a call of some kind, the same each time: records of such names are all on one server.
    func name(_ number: Int, ofKind kind: Int) throws -> String {
        try #require(names.dropFirst(kind * 10 + number).first)
    }

    /// Where the second page begins.
    func cursor() throws -> Query.Cursor { try #require(firstPage.withLock { $0 }) }

    func save(
        _ records: [Record], deleting ids: [Record.ID] = [], _ policy: SavePolicy = .ifServerRecordUnchanged
    ) async throws {
        let made = try await database.modifyRecords(saving: records, deleting: ids, savePolicy: policy)
        #expect(made.saveResults.count == records.count && made.deleteResults.count == ids.count)
    }
}

/// A call, and what it costs on one server and on three.
private struct CallCost: Sendable {
    typealias Body = @Sendable (CallScene, Int) async throws -> Void

    let name: String
    let one: ServerCost
    let three: ServerCost
    /// What comes before the call and does not count.
    let prepare: Body
    let make: Body

    init(
        _ name: String, one: ServerCost, three: ServerCost, prepare: @escaping Body = { _, _ in },
        _ make: @escaping Body
    ) {
        (self.name, self.one, self.three, self.prepare, self.make) = (name, one, three, prepare, make)
    }

    static let all = fetches + queries + saves + changes + bodies

    /// BEGIN, four statements about the database, the container and its zones, one for the records; COMMIT, which no
    /// call waits for, is a round of its own. What begins and ends transactions is not kept.
    private static let fetches = [
        CallCost("fetch of one record", one: ServerCost(2, 7, 2), three: ServerCost(2, 7, 2)) { scene, _ in
            _ = try await scene.database.record(for: Record.ID("r7"))
        },
        // For more than 64 names on one server the statement is another one, which is planned each time: two more tell
        // the server so.
        CallCost("fetch of 100 records", one: ServerCost(2, 9, 5), three: ServerCost(6, 21, 6)) { scene, _ in
            let found = try await scene.database.records(for: (0..<100).map { Record.ID("r\($0)") })
            #expect(found.count == 100)
        },
    ]

    /// As a fetch, with two statements that tell how to plan.
    private static let queries = [
        CallCost("page of 100", one: ServerCost(2, 9, 4), three: ServerCost(6, 27, 12)) { scene, _ in
            let page = try await scene.database.recordPage(
                matching: CallScene.page, in: .default, resultsLimit: 100)
            #expect(page.matchResults.count == 100 && page.queryCursor != nil)
        },
        CallCost("second page of 100", one: ServerCost(2, 9, 4), three: ServerCost(6, 27, 12)) { scene, _ in
            let page = try await scene.database.recordPage(after: scene.cursor(), resultsLimit: 100)
            #expect(page.matchResults.count == 100)
        },
        CallCost("first record", one: ServerCost(2, 9, 4), three: ServerCost(6, 27, 12)) { scene, number in
            let query = Query("T", "a >= \(number)", sortedBy: [.ascending("a")])
            let page = try await scene.database.recordPage(matching: query, in: .default, resultsLimit: 1)
            #expect(page.matchResults.count == 1)
        },
        CallCost("count", one: ServerCost(2, 9, 4), three: ServerCost(6, 27, 12)) { scene, number in
            let count = try await scene.database.count(matching: Query("T", "b == \(number)"), in: .default)
            #expect(count >= 30)
        },
    ]

    /// Two rounds: what the commit depends on, under the lock of the database, and the commit.
    private static let saves = [
        CallCost("save of a new record", one: ServerCost(2, 12, 4), three: ServerCost(2, 12, 4)) { scene, number in
            try await scene.database.save(CallScene.record(scene.name(number, ofKind: 0), number))
        },
        CallCost("save of a changed record", one: ServerCost(2, 12, 4), three: ServerCost(2, 12, 4)) {
            scene, number in
            try await scene.save([CallScene.record("r7", 1_000 + number)], .changedKeys)
        },
        CallCost("save of 100 new records", one: ServerCost(2, 14, 7), three: ServerCost(6, 36, 12)) {
            scene, number in
            try await scene.save((0..<100).map { CallScene.record("b\(number)-\($0)", $0) })
        },
        CallCost(
            "deletion", one: ServerCost(2, 15, 7), three: ServerCost(2, 15, 7),
            prepare: { scene, number in
                try await scene.save([CallScene.record(scene.name(number, ofKind: 1), number)])
            },
            { scene, number in
                try await scene.database.deleteRecord(withID: Record.ID(scene.name(number, ofKind: 1)))
            }),
        // Each of three servers has a commit with the saves, then one with the deletions.
        CallCost(
            "30 saves and 30 deletions", one: ServerCost(2, 16, 7), three: ServerCost(12, 81, 33),
            prepare: { scene, number in
                try await scene.save((0..<30).map { CallScene.record("d\(number)-\($0)", $0) })
            },
            { scene, number in
                try await scene.save(
                    (0..<30).map { CallScene.record("s\(number)-\($0)", $0) },
                    deleting: (0..<30).map { Record.ID("d\(number)-\($0)") })
            }),
    ]

    private static let changes = [
        CallCost("changes of a database", one: ServerCost(2, 6, 2), three: ServerCost(6, 18, 6)) { scene, _ in
            let changes = try await scene.database.databaseChanges()
            #expect(changes.modifications == [CallScene.zone])
        },
        CallCost("changes of a zone", one: ServerCost(2, 10, 6), three: ServerCost(2, 10, 6)) { scene, _ in
            let changes = try await scene.database.recordZoneChanges(inZoneWith: CallScene.zone)
            #expect(changes.modifications.count == 19)
        },
    ]

    /// Each read of a body is a round; records that it has read are not read again to save them. On several servers the
    /// body of `write` runs once more, to tell which it is about.
    private static let bodies = [
        CallCost("write of one record", one: ServerCost(3, 16, 4), three: ServerCost(5, 22, 6)) { scene, number in
            try await scene.database.write { transaction in
                var record = try transaction.record(for: Record.ID("r8"))
                record["b"] = .int64(Int64(1_000 + number))
                try transaction.save(record)
            }
        },
        CallCost("read with two counts", one: ServerCost(4, 20, 6), three: ServerCost(12, 60, 18)) { scene, _ in
            let counts = try await scene.database.read { snapshot in
                [
                    try snapshot.count(ofType: "T", matching: "a > 10", in: .default),
                    try snapshot.count(ofType: "T", matching: "b == 3", in: .default),
                ]
            }
            #expect(counts.allSatisfy { $0 >= 30 })
        },
    ]
}
