// Answers of a store that was written to files, closed and opened again, with writes in between.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

@Suite(.waits) struct ReloadedStoreTests {
    @Test(arguments: [(UInt64(31), 40), (32, 400)])
    func resultsAreThoseOfPlainRecords(_ seed: UInt64, room: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "reloaded-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var campaign = UpdateCampaign(seed: seed, room: room, folder: folder.path)
        for _ in 0..<60 { campaign.step(predicates: 3) }
        #expect(campaign.differences.map(\.description) == [])
        #expect(campaign.reloads > 10 && campaign.comparisons > 500)
    }
}
