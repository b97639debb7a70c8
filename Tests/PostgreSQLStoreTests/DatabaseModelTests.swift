// Clients of a container on a server, against the model that holds containers in memory.

import Testing
import _TestSupport

@testable import Campaigns

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct DatabaseModelTests {
    /// Calls of four clients on four threads, and of one, against a model that takes one call after another.
    @Test(arguments: [(1, 4), (2, 1)] as [(UInt64, Int)])
    func whatClientsAreTold(seed: UInt64, clients: Int) throws {
        let ground = DatabaseGround.server(try PostgreSQLServer.shared().address)
        let result = DatabaseCampaign(seed: seed, clientCount: clients, ground: ground).run(operations: 600)
        for difference in result.differences.prefix(3) + result.trace { Issue.record("\(difference)") }
        #expect(result.commits > 80 && result.deletions > 20 && result.comparisons > 600)
        if clients > 2 { #expect(result.notifications > 5) }
    }

    @Test("The same on three servers, one call after another", arguments: [UInt64(3)])
    func whatClientsOfNodesAreTold(seed: UInt64) throws {
        let ground = DatabaseGround.nodes(try PostgreSQLNodes.shared().servers)
        let result = DatabaseCampaign(seed: seed, ground: ground).run(operations: 500, attempts: 20)
        for difference in result.differences.prefix(3) + result.trace { Issue.record("\(difference)") }
        #expect(result.commits > 80 && result.deletions > 20 && result.comparisons > 500)
        #expect(result.notifications > 5 && result.nodes == [0, 1, 2])
    }

    @Test("A server that does something wrong is found, by few calls", arguments: WatchedServer.Flaw.allCases)
    func wrongServer(_ flaw: WatchedServer.Flaw) throws {
        let ground = DatabaseGround.server(try PostgreSQLServer.shared().address, flaw: flaw)
        // Threads take turns as they like: a run may give the flaw no chance to show.
        let isFound = (UInt64(5)..<10).contains { seed in
            let campaign = DatabaseCampaign(seed: seed, clientCount: 2, ground: ground)
            return !campaign.run(operations: 800, attempts: 0).differences.isEmpty
        }
        #expect(isFound)
    }

    @Test("So is one of three", arguments: [WatchedServer.Flaw.losesSave, .losesNotice])
    func wrongServerOfThree(_ flaw: WatchedServer.Flaw) throws {
        let ground = DatabaseGround.nodes(try PostgreSQLNodes.shared().servers, flaw: flaw)
        let isFound = (UInt64(5)..<9).contains { seed in
            !DatabaseCampaign(seed: seed, ground: ground).run(operations: 400, attempts: 0).differences.isEmpty
        }
        #expect(isFound)
    }
}
