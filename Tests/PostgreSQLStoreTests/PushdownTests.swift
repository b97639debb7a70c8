// Random predicates, orders and pages on a server, against the evaluator.

import Campaigns
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct PushdownTests {
    @Test(arguments: [UInt64(2)])
    func theServerFindsWhatTheEvaluatorFinds(_ seed: UInt64) throws { try compare(seed, on: [.shared()]) }

    @Test(arguments: [UInt64(11)])
    func threeServersFindWhatTheEvaluatorFinds(_ seed: UInt64) throws {
        try compare(seed, on: PostgreSQLNodes.shared().servers)
    }

    private func compare(_ seed: UInt64, on servers: [PostgreSQLServer]) throws {
        var campaign = PushdownCampaign()
        let differences = try campaign.run(seed: seed, predicates: 120, records: 90, on: servers)
        #expect(differences.isEmpty, "\(differences.prefix(3).joined(separator: "\n"))")
        #expect(
            campaign.predicateCount > 60 && campaign.groups > 5 && campaign.exact > 20
                && campaign.nothing < campaign.predicateCount / 3)
    }
}
