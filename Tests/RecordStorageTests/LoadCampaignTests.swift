// Mixed load on one store: seconds of what `predicate-fuzz load` does for hours, and what that would notice.

import Foundation
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@testable import Campaigns

@Suite(.requires("predicate-fuzz", FuzzProgram.isThere), .timeLimit(.minutes(2)))
struct LoadCampaignTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "load-\(UUID().uuidString)")

    @Test("Nothing is torn or lost in some seconds of load, with kills, copies and compaction, and they are drawn")
    func seconds() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let campaign = LoadCampaign(
            seed: 3, folder: folder.path, command: [FuzzProgram.path], killsPerMinute: 20, readers: 2,
            secondsPerReader: 2, longestRest: 4, fills: false
        ) { tally in
            tally.commits > 0 && tally.moments > 0 && tally.kills > 0 && tally.starts.last ?? 0 > 1
                && ["backup", "compact"].allSatisfy { tally.maintained[$0] != nil } && tally.samples.count > 1
        }
        let tally = await campaign.run(seconds: 60)
        #expect(tally.faults == [])
        #expect(campaign.isEnough(tally), "\(tally.summary)")
        #expect(tally.starts.first == 1, "the first reader lasts")
        #expect([0..<0, 0..<1, 0..<5].map(LoadRun.replaced) == [0..<0, 1..<1, 1..<5])
        #expect(tally.samples.map(\.lastingAllocated).contains { $0 > 0 })
        #expect(tally.samples.map(\.entries).contains { $0 > 0 })
        let table = try String(contentsOf: folder.appending(path: "load.tsv"), encoding: .utf8)
        #expect(table.split(separator: "\n").count == tally.samples.count + 1)
        #expect(try String(contentsOf: folder.appending(path: "load.svg"), encoding: .utf8).contains("<polyline"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["load.svg", "load.tsv"])
    }

    @Test(
        "A process that ends by itself is a fault",
        arguments: [
            ("load-reader", "kill -TRAP $$", " ended by itself with signal 5"),
            ("load-reader", "exit 0", " ended by itself with status 0"),
            ("load-writer", "echo open; kill -SEGV $$", "the writer ended by itself with signal 11"),
            ("load-writer", "echo fault no store; exit 3", "the writer does not open its store: fault no store"),
        ])
    func crashes(process: String, does line: String, isTold text: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = "if [ $1 = \(process) ]; then \(line); fi; exec '\(FuzzProgram.path)' \"$@\""
        let campaign = LoadCampaign(
            seed: 3, folder: folder.path, command: ["/bin/sh", "-c", script, "sh"], killsPerMinute: 0,
            readers: process == "load-reader" ? 2 : 0, secondsPerReader: 1000, fills: false
        ) { tally in tally.faults.contains { $0.contains(text) } }
        let tally = await campaign.run(seconds: 40)
        #expect(tally.faults.contains { $0.contains(text) }, "\(tally.faults)")
        #expect(tally.kills == 0)
        #expect(tally.seconds < 40, "it is told when it is seen, not at the end")
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
}
