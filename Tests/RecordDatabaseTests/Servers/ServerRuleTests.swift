// The rules of the model hold for containers on a PostgreSQL server.

import Campaigns
import Foundation
import PostgreSQLStore
import Testing
import _TestSupport

@testable import RecordDatabase

/// Rules of keys and bytes that are kept with a store.
private let rulesWithoutServer = Set(400...403).union([412, 415])

/// Lets so many rules run at a time: each has connections of its own, of which the server has so many.
private actor Turns {
    private var free = 24
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
        if free > 0 {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func end() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

private let turns = Turns()

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ServerRuleTests {
    @Test(
        "Rules on a server",
        arguments: RuleTableTests.suites.flatMap(\.rules).filter { rulesWithoutServer.isDisjoint(with: $0.numbers) })
    func show(_ rule: Rule) async throws {
        await turns.begin()
        let result = await Self.result(of: rule)
        await turns.end()
        try result.get()
    }

    private static func result(of rule: Rule) async -> Result<Void, any Error> {
        do { return .success(try await run(rule)) } catch { return .failure(error) }
    }

    private static func run(_ rule: Rule) async throws {
        let (identifier, address) = ("test " + UUID().uuidString, try PostgreSQLServer.shared().address)
        let server = try PostgreSQLContainer(identifier: identifier, connectingTo: address)
        let keys = MemoryKeys()
        var world = try await World(on: server) { $0.encryptionKeys = keys }
        let removeFile = world.loseBytes
        world.loseBytes = { asset in
            try removeFile(asset)
            let connection = try Connection(ConnectionString(address))
            let path = Statement.name(Layout.schemaName(of: identifier))
            try connection.run(Statement("SET search_path = \(path)"))
            try connection.run(
                Statement("DELETE FROM asset WHERE digest = $1", [.text(URL(filePath: asset.path).lastPathComponent)]))
        }
        try await rule.show(world)
    }

    @Test("What servers do not offer is an error that says so")
    func rejected() async throws {
        let server = try PostgreSQLContainer(
            identifier: "test " + UUID().uuidString, connectingTo: PostgreSQLServer.shared().address)
        let container = try Container(
            identifier: "test", on: server, account: .localUser, configuration: Configuration())
        await fails(.badDatabase) { try container.privateDatabase.snapshot() }
    }
}
