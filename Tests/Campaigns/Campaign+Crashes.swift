// The campaigns that end processes and cut power, as commands. A folder in which something was found stays.

import FoundationEssentials

extension Campaign {
    static let crash = Campaign(
        "crash", "a writer of a stored container that is killed --kills times: what it leaves is whole"
    ) { options in
        await besideWriter("crash", options, "\(options.kills) kills") { await $0.run(kills: options.kills) }
    }

    static let backups = Campaign(
        "backups", "copies of a stored container beside a writer, --runs of them: each is the store at one moment"
    ) { options in
        await besideWriter("backups", options, "\(options.runs) copies") { await $0.run(backups: options.runs) }
    }

    static let bank = Campaign(
        "bank", "transfers in transactions: --runs snapshots and what --kills killed writers leave have one sum"
    ) { options in
        let campaign = BankCampaign(seed: options.seed)
        let (folder, killed) = (CampaignTool.temporaryFolder("bank"), CampaignTool.temporaryFolder("bank-kills"))
        let memory = await campaign.run(snapshots: options.runs - options.runs / 4, folder: nil)
        let stored = await campaign.run(snapshots: options.runs / 4, folder: folder)
        let kills = await campaign.run(kills: options.kills, folder: killed, executable: CampaignTool.executable)
        let isWhole = conclude(stored.faults, folder, "bank, stored: \(stored.transfers) transfers")
        return conclude(
            memory.faults + kills.faults, killed,
            "bank, seed \(options.seed): \(options.runs) snapshots beside \(memory.transfers + stored.transfers) transfers, "
                + "\(options.kills) kills, \(kills.snapshots) snapshots by other processes") && isWhole
    }

    static let load = Campaign(
        "load",
        """
        ten writing tasks, five reading processes, compaction, backups, --kills killed writers a minute, for
                         --minutes or --seconds on FOLDER, full now and then where its file system has less than 2 GB: no moment is
                         torn, nothing acknowledged is lost, nobody ends or stops; load.svg and load.tsv show memory and
                         sizes, and with --kills 0 slow growth of the writer is a fault, too
        """
    ) { options in
        guard let folder = options.operand else { return false }
        let campaign = LoadCampaign(
            seed: options.seed, folder: folder, command: [CampaignTool.executable],
            killsPerMinute: min(options.kills, LoadCampaign.killsPerMinute), durability: options.durability)
        let tally = await campaign.run(seconds: options.seconds)
        for fault in tally.faults { print(fault) }
        print(
            "load, seed \(options.seed), durability \(options.durability): \(tally.summary), "
                + "\(tally.faults.count) faults")
        return tally.faults.isEmpty
    }

    static let sync = Campaign(
        "sync", "two copies kept by sync engines, --runs changes, --kills killed processes: both end as the database is"
    ) { options in
        guard options.isOnServer else { return await sync(options, "sync", on: nil) }
        return await withServers("sync on PostgreSQL", count: options.nodes) { servers in
            await sync(options, "sync on PostgreSQL, \(options.nodes) nodes", on: PostgreSQLNodes(servers))
        }
    }

    private static func sync(_ options: CampaignOptions, _ name: String, on servers: PostgreSQLNodes?) async -> Bool {
        let folder = CampaignTool.temporaryFolder("sync")
        let outcome = await SyncCampaign(seed: options.seed, folder: folder).run(
            changes: options.runs, kills: options.kills, executable: CampaignTool.executable, on: servers)
        if !outcome.faults.isEmpty {
            // Without kills the same calls are made each time.
            let alone = await SyncCampaign(seed: options.seed &+ 1, folder: folder + "-alone")
                .shortestTrace(changes: options.runs, on: servers)
            for (number, step) in alone.trace.enumerated() { print("shortest trace \(number): \(step)") }
        }
        return conclude(
            outcome.faults, folder,
            "\(name), seed \(options.seed): \(options.runs) changes, \(outcome.kills) processes killed")
    }

    /// Runs a campaign with a writer in a process of its own; false when it found something.
    private static func besideWriter(
        _ name: String, _ options: CampaignOptions, _ what: String, _ body: (inout CrashCampaign) async -> Void
    ) async -> Bool {
        let folder = CampaignTool.temporaryFolder(name)
        var campaign = CrashCampaign(seed: options.seed, executable: CampaignTool.executable, folder: folder)
        await body(&campaign)
        return conclude(
            campaign.faults, folder,
            "\(name), seed \(options.seed): \(what), \(campaign.batches) batches, \(campaign.unacknowledged) of them "
                + "stored and not acknowledged")
    }

    static let kill = Campaign(
        "kill",
        """
        who writes a store's state or compacts it, at each call to the system that changes the store: the store
                         is what it was; LIBRARY is built from Tests/CommandTests/Fixtures/Faults/faults.c
        """
    ) { options in
        guard let library = options.operand else { return false }
        let folder = CampaignTool.temporaryFolder("kill")
        let campaign = KillCampaign(
            seed: options.seed, folder: folder, executable: CampaignTool.executable, shim: library)
        let tally = await campaign.run()
        let kills = tally.kills.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return conclude(
            tally.faults, folder, "kill, seed \(options.seed): \(tally.killCount) kills (\(kills))")
            && tally.killCount > 0
    }

    static let powerCut = Campaign(
        "powercut",
        """
        what may be on the disk after a power cut, at any call of a process that writes a store: --states folders,
                         opened with what was acknowledged; the current folder is the project's, a C compiler is there
        """
    ) { options in
        let folder = CampaignTool.temporaryFolder("powercut")
        var tally = PowerCutCampaign.Tally()
        do {
            let campaign = try PowerCutCampaign(
                seed: options.seed, folder: folder, executable: CampaignTool.executable, project: ".")
            tally = campaign.run(states: options.states)
        } catch {
            tally.faults.append("\(error)")
        }
        return conclude(
            tally.faults, folder,
            "powercut, seed \(options.seed): \(tally.opened) states opened with what was acknowledged and "
                + "\(tally.copies) copies, \(tally.rejected) refused where the store may be lost, of \(tally.calls) calls"
        )
    }

    /// Prints what was found; true, and the folder is removed, when that is nothing.
    private static func conclude(_ faults: [String], _ folder: String, _ tally: String) -> Bool {
        for fault in faults { print(fault) }
        print("\(tally), \(faults.count) faults")
        if faults.isEmpty { try? FileManager.default.removeItem(atPath: folder) } else { print(folder) }
        return faults.isEmpty
    }
}
