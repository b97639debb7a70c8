// Writers that are killed: a short run of the campaign that `predicate-fuzz crash` runs for longer.

import Foundation
import Testing

@testable import predicate_fuzz

@Suite struct CrashTests {
    @Test(arguments: [UInt64(11), 12])
    func whatAKilledWriterLeavesIsWhole(_ seed: UInt64) async throws {
        // The program stands beside the tests' own.
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let program = folder.appending(path: "predicate-fuzz").path
        guard FileManager.default.isExecutableFile(atPath: program) else { return }
        let store = FileManager.default.temporaryDirectory.appending(path: "crash-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: store) }
        var campaign = CrashCampaign(seed: seed, executable: program, folder: store.path)
        await campaign.run(kills: 12)
        #expect(campaign.faults == [])
        #expect(campaign.batches > 0)
    }
}
