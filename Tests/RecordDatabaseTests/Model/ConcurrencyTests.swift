// Clients of one store at work at the same time.

import Testing

@testable import Campaigns

@Suite struct ConcurrencyTests {
    /// Calls of four clients on four threads, and of one client, against a model that takes one call after another.
    @Test(arguments: [(1, 4), (2, 4), (4, 6), (5, 1)] as [(UInt64, Int)])
    func whatClientsAreTold(seed: UInt64, clients: Int) {
        let result = DatabaseCampaign(seed: seed, clientCount: clients).run(operations: 2400)
        for difference in result.differences.prefix(3) { Issue.record("\(difference)") }
        #expect(result.commits > 300 && result.deletions > 100 && result.comparisons > 2400)
        if clients > 2 { #expect(result.notifications > 100) }
    }
}
