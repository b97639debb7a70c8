// Writers that are killed: a short run of the campaign that `predicate-fuzz crash` runs for longer.

import Foundation
import Testing

@testable import predicate_fuzz

/// A program that stands beside the tests' own, to be run in a process of its own.
enum FuzzProgram {
    static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "predicate-fuzz").path

    static let isThere = FileManager.default.isExecutableFile(atPath: path)
}

@Suite(.enabled(if: FuzzProgram.isThere, "predicate-fuzz does not stand beside the tests"))
struct CrashTests {
    /// Runs a campaign.
    private func run(seed: UInt64, _ body: (inout CrashCampaign) async -> Void) async {
        let store = FileManager.default.temporaryDirectory.appending(path: "crash-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: store) }
        var campaign = CrashCampaign(seed: seed, executable: FuzzProgram.path, folder: store.path)
        await body(&campaign)
        #expect(campaign.faults == [])
        #expect(campaign.batches > 0)
    }

    @Test(arguments: [UInt64(11), 12])
    func whatAKilledWriterLeavesIsWhole(_ seed: UInt64) async {
        await run(seed: seed) { await $0.run(kills: 12) }
    }

    /// Another process writes, writes its state, and compacts, while its store is copied.
    @Test func copiesBesideAWriterAreOfOneMoment() async {
        await run(seed: 13) { await $0.run(backups: 12) }
    }
}
