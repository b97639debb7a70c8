// Shares and participants against a model of dictionaries.

import FoundationEssentials
import Testing
import _TestSupport

@testable import Campaigns

@Suite(.waits) struct SharingModelTests {
    @Test("What owners and participants see, in memory", arguments: [UInt64](1...2))
    func whatIsSeen(_ seed: UInt64) {
        let result = SharingCampaign(seed: seed).run(steps: 250)
        #expect(result.difference == nil, "\(result.trace.joined(separator: "\n"))")
        #expect(result.steps == 250 && result.refused > 20 && result.comparisons > 2000)
    }

    @Test("The same in a folder that is opened again", arguments: [UInt64(11)])
    func whatIsStored(_ seed: UInt64) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/sharing-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let result = SharingCampaign(seed: seed, ground: .folder(folder + "/store")).run(steps: 150)
        #expect(result.difference == nil, "\(result.trace.joined(separator: "\n"))")
    }

    @Test(
        "The same on a server, and on three", .requires("PostgreSQL 15", PostgreSQLServer.isInstalled),
        arguments: [(UInt64(21), 1), (22, 3)])
    func whatIsOnServers(_ seed: UInt64, _ count: Int) throws {
        let all = try PostgreSQLNodes.shared()
        let ground = ContainerGround.servers(PostgreSQLNodes(Array(all.servers.prefix(count))))
        let result = SharingCampaign(seed: seed, ground: ground).run(steps: 80)
        #expect(result.difference == nil, "\(result.trace.joined(separator: "\n"))")
        #expect(result.comparisons > 500)
    }

    @Test("Clients that do something wrong are found, by few steps", arguments: SharingClients.Flaw.allCases)
    func wrongClients(_ flaw: SharingClients.Flaw) throws {
        let results = (UInt64(1)...4).lazy.map { SharingCampaign(seed: $0, flaw: flaw).run(steps: 250) }
        let found = try #require(results.first { $0.difference != nil })
        // Some steps, and the difference.
        #expect((2...40).contains(found.trace.count), "\(found.trace)")
    }
}
