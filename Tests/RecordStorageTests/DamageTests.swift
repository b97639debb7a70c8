// Whole stores whose files were damaged: a short run of the campaign that `predicate-fuzz damage` runs for longer.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

@Suite(.waits) struct DamageTests {
    @Test(
        .requires("predicate-fuzz", FuzzProgram.isThere),
        arguments: [UInt64(3), 8])
    func damagedStoresAreRejectedOrRight(_ seed: UInt64) async {
        let folder = FileManager.default.temporaryDirectory.appending(path: "damage-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let tally = await DamageCampaign(seed: seed, folder: folder.path).run(12, executable: FuzzProgram.path)
        #expect(tally.faults == [])
        #expect(tally.rejected + tally.opened + tally.harmless == 12 && tally.rejected > 0)
    }
}
