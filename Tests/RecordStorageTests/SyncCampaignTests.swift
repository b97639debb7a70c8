// Copies kept by sync engines: a short run of the campaign that `predicate-fuzz sync` runs for longer.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

@Suite(.waits, .requires("predicate-fuzz", FuzzProgram.isThere))
struct SyncCampaignTests {
    @Test("Two copies end as the database is, over conflicts, failures, restarts and kills", arguments: [UInt64(1)])
    func copies(_ seed: UInt64) async {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let campaign = SyncCampaign(seed: seed, folder: folder.path)
        let outcome = await campaign.run(changes: 250, kills: 2, executable: FuzzProgram.path)
        #expect(outcome.faults == [])
    }

    @Test(
        "The same with the store on a server, and on three", .requires("PostgreSQL 15", PostgreSQLServer.isInstalled),
        arguments: [(UInt64(2), 1), (3, 3)])
    func copiesOfServers(_ seed: UInt64, _ count: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let nodes = try PostgreSQLNodes.shared(count)
        let outcome = await SyncCampaign(seed: seed, folder: folder.path).run(
            changes: 120, kills: 1, executable: FuzzProgram.path, on: nodes)
        #expect(outcome.faults == [])
    }

    @Test("Copies that do something wrong are found, by few steps", arguments: SyncFlaw.allCases)
    func wrongCopies(_ flaw: SyncFlaw) async {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let found = await SyncCampaign(seed: 3, folder: folder.path, flaw: flaw).shortestTrace(changes: 200)
        #expect(!found.faults.isEmpty)
        #expect((1...12).contains(found.trace.count), "\(found.trace)")
    }
}
