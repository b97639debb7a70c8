// The campaigns of stores and databases, as commands.

import FoundationEssentials

extension Campaign {
    static let updates = Campaign(
        "updates", "random commits and merges: a record store against records in a dictionary"
    ) { updates($0) }

    static let reloaded = Campaign(
        "reloaded", "as updates, with the store written to files, closed and opened again now and then"
    ) { options in
        let folder = CampaignTool.temporaryFolder("reloaded")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return updates(options, folder: folder)
    }

    /// Runs the campaign of updates, three predicates after each write; false when a difference was found.
    ///
    /// - Parameter folder: Where the store is written and opened again; `nil` leaves it in memory.
    private static func updates(_ options: CampaignOptions, folder: String? = nil) -> Bool {
        var (comparisons, reloads) = (0, 0)
        var findings = Findings()
        options.forEachBatch(of: 300) { seed, count in
            var campaign = UpdateCampaign(seed: seed, room: options.records, folder: folder)
            for _ in 0..<count { campaign.step(predicates: 3) }
            findings.report(campaign.differences)
            comparisons += campaign.comparisons
            reloads += campaign.reloads
        }
        print(
            "\(folder == nil ? "updates" : "reloaded, opened again \(reloads) times"), seed \(options.seed): "
                + "\(options.runs) writes, \(comparisons) answers compared, \(findings.count) differences")
        return findings.count == 0
    }

    static let concurrent = Campaign(
        "concurrent", "readers beside a writer, and --clients clients: snapshots are whole, no update is lost"
    ) { options in
        if options.isOnServer {
            return await withServers("isolation on PostgreSQL", count: options.nodes) { servers in
                await isolation(options, "on PostgreSQL, \(options.nodes) nodes", .servers(PostgreSQLNodes(servers)))
            }
        }
        let whole = await ConcurrentCampaign(seed: options.seed, records: options.records).run(commits: options.runs)
        for fault in whole.faults.prefix(20) { print(fault) }
        print(
            "concurrent, seed \(options.seed): \(options.runs) commits, \(whole.reads) reads, "
                + "\(whole.faults.count) faults")
        let folder = CampaignTool.temporaryFolder("isolation")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let isIsolated = await isolation(options, "in memory", .memory)
        let isStored = await isolation(options, "in a folder", .folder(folder))
        return whole.faults.isEmpty && isIsolated && isStored
    }

    /// Has clients make --runs calls on one store; false when a promise of isolation was broken.
    private static func isolation(
        _ options: CampaignOptions, _ place: String, _ ground: ContainerGround
    ) async -> Bool {
        let history = await IsolationCampaign(seed: options.seed, clients: options.clients, ground: ground)
            .run(calls: options.runs)
        for fault in history.faults.prefix(20) { print(fault) }
        print(
            "isolation \(place), seed \(options.seed): \(history.steps) steps of \(options.clients) clients, "
                + "\(history.commits) commits, \(history.conflicts) conflicts, \(history.faults.count) faults")
        return history.faults.isEmpty
    }

    static let timer = Campaign(
        "timer", "a task that sleeps 2 ms, beside four long queries: it goes on in time"
    ) { _ in
        do {
            let lateness = try await TimerCampaign().run(rounds: 5)
            print("timer: beside long queries, 2 ms are late by \(lateness)")
            return lateness < .milliseconds(10)
        } catch {
            print("timer: \(error)")
            return false
        }
    }

    static let storageFiles = Campaign(
        "storage-files", "segments written and opened again, and damaged files: the same answers, or refused"
    ) { options in
        let folder = CampaignTool.temporaryFolder("storage-files")
        guard (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil
        else {
            print("storage-files: cannot make the folder \(folder)")
            return false
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (comparisons, rejected, opened) = (0, 0, 0)
        var findings = Findings()
        options.forEachBatch(of: 100) { seed, count in
            var campaign = StorageCampaign(seed: seed, records: options.records, folder: folder)
            campaign.roundTrip(predicates: 40)
            campaign.damage(times: count)
            findings.report(campaign.differences)
            comparisons += campaign.comparisons
            (rejected, opened) = (rejected + campaign.rejected, opened + campaign.opened)
        }
        print(
            "storage-files, seed \(options.seed): \(options.runs) damaged files, \(rejected) refused, \(opened) opened, "
                + "\(comparisons) answers compared, \(findings.count) differences")
        return findings.count == 0
    }

    static let damage = Campaign(
        "damage", "whole stores of which one file was damaged, --runs times: opened rightly, or refused in words"
    ) { options in
        let folder = CampaignTool.temporaryFolder("damage-\(options.seed)")
        var total = DamageCampaign.Tally()
        for done in stride(from: 0, to: options.runs, by: 100) {
            let campaign = DamageCampaign(seed: options.seed &+ UInt64(done), folder: folder)
            let tally = await campaign.run(min(100, options.runs - done), executable: CampaignTool.executable)
            for fault in tally.faults.prefix(20) { print(fault) }
            total.add(tally)
        }
        print(
            "damage, seed \(options.seed): \(options.runs) damaged stores, \(total.rejected) refused, \(total.opened) "
                + "opened rightly, \(total.harmless) with the bytes they had, \(total.files.count) files, "
                + "\(total.faults.count) faults")
        try? FileManager.default.removeItem(atPath: folder)
        return total.faults.isEmpty
    }
}
