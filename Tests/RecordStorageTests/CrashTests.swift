// Writers that are killed: a short run of the campaign that `predicate-fuzz crash` runs for longer.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

/// A program that stands beside the tests' own, to be run in a process of its own.
enum FuzzProgram {
    static let path = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "predicate-fuzz").path

    static let isThere = FileManager.default.isExecutableFile(atPath: path)
}

/// The library that kills a process at a call, fails the call, or lists all of them.
enum Shim {
    /// Builds it in a folder, which is made; gives its path.
    static func build(in folder: URL) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let library = folder.appending(path: "faults.so").path
        let source = ProjectFiles.root + "/Tests/CommandTests/Fixtures/Faults/faults.c"
        let outcome = ChildProcess.run([
            "/usr/bin/env", "cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl",
        ])
        try #require(outcome.status == 0)
        return library
    }
}

@Suite(.waits, .requires("predicate-fuzz", FuzzProgram.isThere))
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

    /// Some of the steps; `.ci/faults` kills at every one, in the middle of writing as well, and while a state is
    /// written.
    @Test(.requires(program: "cc"))
    func aKillAtAStepOfCompactingChangesNothing() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let campaign = KillCampaign(
            seed: 5, folder: folder.path, executable: FuzzProgram.path, shim: try Shim.build(in: folder),
            isSmall: true)
        let tally = await campaign.run([.compact], [.before], first: 8, stride: 13)
        #expect(tally.faults == [])
        #expect(tally.killCount > 1 && tally.indexCount > 0, "\(tally.kills)")
    }

    /// At some steps; `.ci/faults` kills at every one.
    @Test(.requires(program: "cc"))
    func aKilledMigrationIsMadeOrNot() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let campaign = KillCampaign(
            seed: 6, folder: folder.path, executable: FuzzProgram.path, shim: try Shim.build(in: folder),
            isSmall: true)
        let tally = await campaign.run([.migrate], stride: 6)
        #expect(tally.faults == [])
        #expect(tally.killCount > 1, "\(tally.kills)")
    }

    /// Another process writes, writes its state, and compacts, while its store is copied.
    @Test func copiesBesideAWriterAreOfOneMoment() async {
        await run(seed: 13) { await $0.run(backups: 12) }
    }
}
