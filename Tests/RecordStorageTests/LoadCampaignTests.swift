// Mixed load on one store: seconds of what `predicate-fuzz load` does for hours, and what that would notice.

import Foundation
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@testable import Campaigns

@Suite(.requires("predicate-fuzz", FuzzProgram.isThere), .timeLimit(.minutes(2)))
struct LoadCampaignTests {
    @Test("Nothing is torn or lost in some seconds of load, and they are drawn")
    func seconds() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "load-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let campaign = LoadCampaign(
            seed: 3, folder: folder.path, executable: FuzzProgram.path, killsPerMinute: 20, readers: 2)
        let tally = await campaign.run(seconds: 4)
        #expect(tally.faults == [])
        #expect(tally.commits > 0)
        #expect(tally.moments > 0)
        let table = try String(contentsOf: folder.appending(path: "load.tsv"), encoding: .utf8)
        #expect(table.split(separator: "\n").count == tally.samples.count + 1)
        #expect(try String(contentsOf: folder.appending(path: "load.svg"), encoding: .utf8).contains("<polyline"))
    }

    /// A store with what a load writes, which one change has made wrong.
    private func fault(_ change: (Database) async throws -> Void) async throws -> String? {
        let database = try Container(identifier: "load").privateDatabase
        try await BankCampaign.open(database)
        try await database.save(RecordZone(id: LoadStore.zone))
        for ledger in 0..<LoadStore.ledgers {
            let head = LoadStore.Head(first: 3, last: 30)
            let records = (head.first...head.last).map { LoadStore.entry(ledger, $0) } + [LoadStore.head(ledger, head)]
            _ = try await database.modifyRecords(saving: records, deleting: [])
        }
        try await change(database)
        return try LoadStore.fault(database.snapshot())
    }

    private enum Slip: CaseIterable {
        case none, missing, early, word, place, money
    }

    @Test("A moment with an entry too few, too many or changed is a fault", arguments: Slip.allCases)
    private func faults(_ slip: Slip) async throws {
        let found = try await fault { database in
            switch slip {
            case .none: break
            case .missing: _ = try await database.deleteRecord(withID: LoadStore.entryID(2, 17))
            case .early: _ = try await database.save(LoadStore.entry(5, 31))
            case .word:
                var entry = try await database.record(for: LoadStore.entryID(0, 9))
                entry["text"] = "nothing"
                _ = try await database.save(entry)
            case .place:
                var entry = try await database.record(for: LoadStore.entryID(0, 13))
                entry["place"] = .location(Location(latitude: 80, longitude: 10))
                _ = try await database.save(entry)
            case .money:
                var account = try await database.record(for: Record.ID("a0"))
                account["balance"] = 999
                _ = try await database.save(account)
            }
        }
        let told: [Slip: String] = [
            .missing: "ledger 2", .early: "ledger 5", .word: "TOKENMATCHES", .place: "distanceToLocation",
            .money: "sum",
        ]
        if let words = told[slip] { #expect(found?.contains(words) == true) } else { #expect(found == nil) }
    }

    @Test("Memory and files that grow are faults, those that go up and down are none")
    func growth() {
        func samples(_ bytes: (Int) -> Int) -> [LoadSample] {
            (0..<900).map { second in
                var sample = LoadSample()
                (sample.second, sample.writerMemory, sample.storeBytes) = (second, bytes(second), 50 << 20)
                return sample
            }
        }
        #expect(LoadCampaign.growth(samples { (100 + $0) << 20 }) == [])
        #expect(LoadCampaign.growth(samples { _ in 300 << 20 }) == [])
        #expect(LoadCampaign.growth(samples { $0 << 20 }) == [])
        #expect(LoadCampaign.growth(samples { (($0 * $0) >> 9) << 20 }).count == 1)
        #expect(LoadCampaign.growth(Array(samples { (($0 * $0) >> 9) << 20 }.prefix(599))) == [])
    }
}
