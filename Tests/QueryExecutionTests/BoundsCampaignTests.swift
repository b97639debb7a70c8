// Loads under limits and interrupted questions: a short run of the campaign.

import Testing

@testable import Campaigns

@Suite struct BoundsCampaignTests {
    @Test(arguments: [3, 4] as [UInt64]) func limitsAreKept(_ seed: UInt64) async {
        var campaign = BoundsCampaign(seed: seed, rowCounts: [1, 50, 3000], recordCounts: [60, 400])
        let result = await campaign.run(6)
        #expect(result.faults == [])
        #expect(result.loaded + result.limited == 6)
        #expect(result.succeeded + result.failed + result.interrupted > 20)
    }
}
