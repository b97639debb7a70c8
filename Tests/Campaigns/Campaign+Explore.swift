// The campaign of the page's server, as a command.

import ExploreServer
import FoundationEssentials
import Glibc
import RecordDatabase
import RecordModel

extension Campaign {
    static let explore = Campaign(
        "explore", "random queries of a page, a quarter of them while another process writes: as the records have it"
    ) { options in
        var findings = Findings()
        var tally = Tally()
        let stored = options.runs / 4
        var rest = options
        rest.runs -= stored
        rest.forEachBatch(of: 250) { seed, count in
            var campaign = ExploreCampaign(seed: seed)
            guard querySet(&campaign, seed: seed, count, records: options.records) else {
                return findings.report("seed \(seed): the server does not start")
            }
            findings.report(campaign.findings)
            tally.add(campaign)
        }
        let memory = ProcessMemory.resident
        if stored > 0 {
            var campaign = ExploreCampaign(seed: options.seed)
            if let fault = queryStore(&campaign, seed: options.seed, stored, &tally) { findings.report(fault) }
            findings.report(campaign.findings)
            tally.add(campaign)
        }
        print(
            "explore, seed \(options.seed): \(options.runs) queries, \(tally.answered) answered, \(tally.rejected) "
                + "rejected alike, \(tally.comparisons) comparisons, \(tally.turns) states of a written store seen, "
                + "\(tally.gone) results gone, \(memory >> 20) MB after those of sets, \(findings.count) differences")
        return findings.count == 0
    }

    private struct Tally {
        var (answered, rejected, comparisons, gone, turns) = (0, 0, 0, 0, 0)

        mutating func add(_ campaign: ExploreCampaign) {
            answered += campaign.answered
            rejected += campaign.rejected
            comparisons += campaign.comparisons
            gone += campaign.gone
        }
    }

    /// Queries of records that stay as they are.
    /// - Returns: Whether the server was there.
    private static func querySet(
        _ campaign: inout ExploreCampaign, seed: UInt64, _ count: Int, records: Int
    ) -> Bool {
        var source = RandomRecords(seed: seed)
        guard var set = try? RecordSet(records: source.records(max(1, records))),
            let server = try? ExploreServer(set, name: "campaign"), let client = PageCalls(address: server.address)
        else { return false }
        set.allowsUnknownFields = true
        for _ in 0..<count {
            let query = campaign.query(sortedBy: ["small", "few:desc", "date", "unique:desc", "mixed"])
            campaign.compare(query, by: client) { _, _ in set }
            campaign.compareExport(query, by: client) { _ in set }
        }
        return true
    }

    /// Queries to the `predicate explore` beside this program, about a store that another process writes.
    /// - Returns: What went wrong outside the queries.
    private static func queryStore(
        _ campaign: inout ExploreCampaign, seed: UInt64, _ count: Int, _ tally: inout Tally
    ) -> String? {
        let store = TurnStore(folder: CampaignTool.temporaryFolder("explore"), seed: seed)
        defer { try? FileManager.default.removeItem(atPath: store.folder) }
        let place = CampaignTool.executable
        let command = (place.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(place[..<$0]) } ?? ".") + "/predicate"
        guard let writer = SpokenProcess([place, "turn-writer", store.folder, "\(seed)"]) else {
            return "the writer does not start"
        }
        defer { writer.end() }
        guard writer.line()?.hasPrefix("open") == true,
            let page = SpokenProcess([command, "explore", store.folder, "--no-open"])
        else { return "the command does not start" }
        defer { page.end() }
        guard let client = page.line().flatMap({ PageCalls(address: $0) }) else { return "no address" }
        // The server follows the store while somebody listens.
        let listener = client.connection(to: "events", Array("{}".utf8))
        defer { listener?.hangUp() }
        // What is known of the store's turns, and of those that the server's versions are.
        var (sets, turns) = ([Int: RecordSet](), [Int: Int]())
        func set(of turn: Int) -> RecordSet? {
            if let known = sets[turn] { return known }
            var set = try? RecordSet(records: store.records(of: turn))
            set?.allowsUnknownFields = true
            sets[turn] = set
            return set
        }
        for _ in 0..<count {
            let query = campaign.query(sortedBy: ["number", "number:desc"])
            campaign.compare(query, by: client) { version, turn in
                if let turn { turns[version] = turn }
                return version == 0 ? sets.values.first : turns[version].flatMap(set)
            }
            campaign.compareExport(query, by: client) { TurnStore.turn(of: $0).flatMap(set) }
        }
        tally.turns = sets.count
        return sets.count > 1 ? nil : "the page does not follow the store"
    }
}
