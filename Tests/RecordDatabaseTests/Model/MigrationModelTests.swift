// Migrations of stored containers against a model of dictionaries.

import FoundationEssentials
import Testing
import _TestSupport

@testable import Campaigns

@Suite(.waits) struct MigrationModelTests {
    private static func run(_ seed: UInt64, steps: Int, flaw: MigrationCampaign.Flaw? = nil) throws
        -> MigrationCampaign.Result
    {
        let folder = FileManager.default.temporaryDirectory.path + "/migrations-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return MigrationCampaign(seed: seed, ground: .folder(folder + "/store"), flaw: flaw).run(steps: steps)
    }

    @Test("Records and schema, with the store opened again between", arguments: [UInt64](1...4))
    func whatIsThere(_ seed: UInt64) throws {
        let result = try Self.run(seed, steps: 60)
        #expect(result.difference == nil, "\(result.trace.joined(separator: "\n"))")
        #expect(result.steps == 60 && result.made > 2 && result.refused > 2 && result.reopened > 2)
    }

    @Test(
        "The same on a server, and on three", .requires("PostgreSQL 15", PostgreSQLServer.isInstalled),
        arguments: [(UInt64(1), 1), (2, 3)])
    func whatIsOnServers(_ seed: UInt64, _ count: Int) throws {
        let nodes = try PostgreSQLNodes.shared(count)
        let result = MigrationCampaign(seed: seed, ground: .servers(nodes)).run(steps: 20)
        #expect(result.difference == nil, "\(result.trace.joined(separator: "\n"))")
        #expect(result.steps == 20 && result.made > 1 && result.refused > 1)
    }

    @Test("A client that does something wrong is found, by few steps", arguments: MigrationCampaign.Flaw.allCases)
    func wrongClient(_ flaw: MigrationCampaign.Flaw) throws {
        let results = try (UInt64(1)...4).map { try Self.run($0, steps: 60, flaw: flaw) }
        let found = results.filter { $0.difference != nil }
        #expect(!found.isEmpty)
        for result in found { #expect((2...12).contains(result.trace.count), "\(result.trace)") }
    }
}
