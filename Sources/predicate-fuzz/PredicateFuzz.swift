// Campaigns of random input, as commands with a seed.

import FoundationEssentials
import Glibc

#if !FUZZING
    @main
#endif
struct PredicateFuzz {
    private static let usage = """
        usage: predicate-fuzz CAMPAIGN [--seed N] [--runs N] [--records N] [--kills N]
               predicate-fuzz database [--seed N] [--operations N] [--clients N]
               predicate-fuzz mutate TARGET [--seed N] [--runs N]
               predicate-fuzz kill LIBRARY [--seed N]
               predicate-fuzz powercut [--seed N] [--states N]
               predicate-fuzz targets | seeds TARGET FOLDER | replay [TARGET FILE…]
          answers     random predicates over random records: every plan against the per-record evaluator
          text        mutated predicate texts: parsed, printed, parsed again, bound and evaluated
          files       mutated NDJSON, JSON, CSV and TSV: loaded under limits, written and loaded again
          export      random records of every kind of values: written as NDJSON and CSV and read again
          updates     random commits and merges: a record store against records in a dictionary
          reloaded    as updates, with the store written to files, closed and opened again now and then
          backups     copies of a stored container beside a writer, --runs of them: each is the store at one moment
          concurrent  readers beside a writer: every snapshot is whole
          timer       a task that sleeps 2 ms, beside four long queries: it goes on in time
          storage-files  segments written and opened again, and damaged files: the same answers, or refused
          damage      whole stores of which one file was damaged, --runs times: opened rightly, or refused in words
          percolate   random records against stored random predicates: what the index finds, and each one evaluated
          crash       a writer of a stored container that is killed --kills times: what it leaves is whole
          kill        who writes a store's state or compacts it, at each call to the system that changes the store: the store
                      is what it was; LIBRARY is built from Tests/CommandTests/Fixtures/Faults/faults.c
          powercut    what may be on the disk after a power cut, at any call of a process that writes a store: --states folders,
                      opened with what was acknowledged; the current folder is the project's, a C compiler is there
          database    clients of one store at work at the same time, against calls made one after another
          translate   hostile texts and names through the 'predicate' beside this program: what it writes, parsed by the target
          leaks       queries that answer, fail and are cancelled: memory must stay as it is
          bounds      files loaded under limits of memory, questions that end early: all or nothing, and no harm
          mutate      mutated inputs of one target, those of Grammar/Fuzz in the current folder among them
        Campaigns print what they found, the peak of their memory and their processor time.
          targets     names what libFuzzer can fuzz, where .ci/fuzz has built it
          seeds       writes the inputs that a target begins with into a folder
          replay      runs stored inputs; without any those of Grammar/Fuzz in the current folder
        """

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "crash-writer" { await crashWriter(arguments) }
        if arguments.first == "damage-runs" { await damageRuns(arguments) }
        if arguments.first == "maintain" { await maintain(arguments) }
        if arguments.first == "hold" { await hold(arguments) }
        if arguments.first == "powercut-writer" { await powerCutWriter(arguments) }
        if arguments.first == "powercut-reader" { await powerCutReader(arguments) }
        let campaign = arguments.isEmpty ? "" : arguments.removeFirst()
        if campaign == "targets" || campaign == "seeds" || campaign == "replay" {
            exit(Replay.run(campaign, arguments) ? 0 : 1)
        }
        var target: FuzzTarget?
        if campaign == "mutate" { target = arguments.isEmpty ? nil : FuzzTarget.named(arguments.removeFirst()) }
        let library = campaign == "kill" && !arguments.isEmpty ? arguments.removeFirst() : nil
        var options: [String: UInt64] = [
            "--seed": 1, "--runs": 1000, "--records": 200, "--kills": 100, "--operations": 10_000, "--clients": 4,
            "--states": 1000,
        ]
        while arguments.count >= 2, options[arguments[0]] != nil, let value = UInt64(arguments[1]), value < 1 << 40 {
            options[arguments[0]] = value
            arguments.removeFirst(2)
        }
        guard arguments.isEmpty, let isClean = await run(campaign, target, library, options) else {
            print(usage)
            exit(2)
        }
        print("peak memory \(ProcessMemory.peak >> 20) MB, processor time \(ProcessMemory.processorSeconds) s")
        exit(isClean ? 0 : 1)
    }

    /// Runs a campaign; false when something was found, `nil` when there is no such campaign.
    private static func run(
        _ campaign: String, _ target: FuzzTarget?, _ library: String?, _ options: [String: UInt64]
    ) async -> Bool? {
        func number(_ option: String) -> Int { Int(options[option] ?? 0) }
        let (seed, runs, records) = (options["--seed"] ?? 1, number("--runs"), number("--records"))
        switch campaign {
        case "answers": return answers(seed: seed, runs: runs, records: records)
        case "text": return steps(campaign, TextCampaign(seed: seed), seed: seed, runs: runs)
        case "files": return steps(campaign, FileCampaign(seed: seed), seed: seed, runs: runs)
        case "mutate":
            defer { ScratchFolder.remove() }
            return target.map { target in
                let campaign = TargetCampaign(target, seed: seed, root: ".")
                return steps("mutate \(target.name)", campaign, seed: seed, runs: runs)
            }
        case "export": return export(seed: seed, runs: runs, records: records)
        case "damage": return await damage(seed: seed, runs: runs)
        case "updates": return updates(seed: seed, runs: runs, records: records)
        case "reloaded":
            let folder = temporaryFolder("reloaded")
            defer { try? FileManager.default.removeItem(atPath: folder) }
            return updates(seed: seed, runs: runs, records: records, folder: folder)
        case "backups": return await backups(seed: seed, count: runs)
        case "concurrent": return await concurrent(seed: seed, runs: runs, records: records)
        case "timer": return await timer()
        case "percolate": return percolate(seed: seed, runs: runs, records: records)
        case "storage-files": return storageFiles(seed: seed, runs: runs, records: records)
        case "crash": return await crash(seed: seed, kills: number("--kills"))
        case "kill":
            guard let library else { return nil }
            return await kill(seed: seed, library)
        case "powercut": return powerCut(seed: seed, states: number("--states"))
        case "leaks": return await leaks(seed: seed, runs: runs, records: records)
        case "translate": return translate(seed: seed, runs: runs)
        case "bounds": return await bounds(seed: seed, runs: runs)
        case "database":
            return database(seed: seed, operations: number("--operations"), clients: min(64, number("--clients")))
        default: return nil
        }
    }

    /// Runs the campaign of answers; false when a difference was found.
    private static func answers(seed: UInt64, runs: Int, records: Int) -> Bool {
        var campaign = AnswerCampaign()
        var done = 0
        var findings = Findings()
        while done < runs {
            let predicates = min(200, runs - done)
            findings.report(campaign.run(seed: seed &+ UInt64(done), predicates: predicates, records: records))
            done += predicates
        }
        print(
            "answers, seed \(seed): \(done) predicates, \(campaign.comparisons) answers compared, "
                + "\(campaign.failures) failing alike, \(findings.count) differences")
        return findings.count == 0
    }

    /// Runs so many inputs of a campaign; false when one of them showed something wrong.
    private static func steps(_ name: String, _ campaign: some SteppedCampaign, seed: UInt64, runs: Int) -> Bool {
        var campaign = campaign
        var findings = Findings()
        for _ in 0..<runs { if let finding = campaign.step() { findings.report(finding) } }
        print("\(name), seed \(seed): \(runs) \(campaign.tally), \(findings.count) findings")
        return findings.count == 0
    }

    /// Runs the campaign of exports, so many sets of records; false when a record came back as another.
    private static func export(seed: UInt64, runs: Int, records: Int) -> Bool {
        var found = 0
        for run in 0..<runs {
            for difference in ExportCampaign.run(seed: seed &+ UInt64(run), records: records) {
                found += 1
                if found <= 20 { print(difference) }
            }
        }
        print("export, seed \(seed): \(runs) sets of \(records) records in two forms, \(found) differences")
        return found == 0
    }

    /// Runs the campaign of updates, three predicates after each write; false when a difference was found.
    ///
    /// - Parameter folder: Where the store is written and opened again; `nil` leaves it in memory.
    private static func updates(seed: UInt64, runs: Int, records: Int, folder: String? = nil) -> Bool {
        var (done, comparisons, reloads) = (0, 0, 0)
        var findings = Findings()
        while done < runs {
            let steps = min(300, runs - done)
            var campaign = UpdateCampaign(seed: seed &+ UInt64(done), room: records, folder: folder)
            for _ in 0..<steps { campaign.step(predicates: 3) }
            findings.report(campaign.differences)
            comparisons += campaign.comparisons
            reloads += campaign.reloads
            done += steps
        }
        print(
            "\(folder == nil ? "updates" : "reloaded, opened again \(reloads) times"), seed \(seed): \(done) writes, "
                + "\(comparisons) answers compared, \(findings.count) differences")
        return findings.count == 0
    }

    /// Runs readers beside a writer; false when a reader saw half a commit.
    private static func concurrent(seed: UInt64, runs: Int, records: Int) async -> Bool {
        let result = await ConcurrentCampaign(seed: seed, records: records).run(commits: runs)
        for fault in result.faults.prefix(20) { print(fault) }
        print("concurrent, seed \(seed): \(runs) commits, \(result.reads) reads, \(result.faults.count) faults")
        return result.faults.isEmpty
    }

    /// Runs long queries beside a timer; false when it is late by ten milliseconds.
    private static func timer() async -> Bool {
        do {
            let lateness = try await TimerCampaign().run(rounds: 5)
            print("timer: beside long queries, 2 ms are late by \(lateness)")
            return lateness < .milliseconds(10)
        } catch {
            print("timer: \(error)")
            return false
        }
    }

    /// Runs the campaign of crashes; false when something was lost or half there.
    private static func crash(seed: UInt64, kills: Int) async -> Bool {
        await besideWriter("crash", seed: seed, count: kills, "kills") { await $0.run(kills: kills) }
    }

    /// Runs the campaign of copies; false when one is not the store as it was at one moment.
    private static func backups(seed: UInt64, count: Int) async -> Bool {
        await besideWriter("backups", seed: seed, count: count, "copies") { await $0.run(backups: count) }
    }

    /// Runs a campaign with a writer in a process of its own; false when it found something.
    private static func besideWriter(
        _ name: String, seed: UInt64, count: Int, _ what: String, _ body: (inout CrashCampaign) async -> Void
    ) async -> Bool {
        let folder = temporaryFolder(name)
        var campaign = CrashCampaign(
            seed: seed, executable: CommandLine.arguments.first ?? "predicate-fuzz", folder: folder)
        await body(&campaign)
        for fault in campaign.faults { print(fault) }
        print(
            "\(name), seed \(seed): \(count) \(what), \(campaign.batches) batches, \(campaign.unacknowledged) of them "
                + "stored and not acknowledged, \(campaign.faults.count) faults")
        if campaign.faults.isEmpty { try? FileManager.default.removeItem(atPath: folder) } else { print(folder) }
        return campaign.faults.isEmpty
    }

    /// A folder of this process's own, which is not made yet.
    static func temporaryFolder(_ campaign: String) -> String {
        FileManager.default.temporaryDirectory.path + "/predicate-fuzz-\(campaign)-\(getpid())"
    }

    /// Runs the campaign of damaged stores, a hundred damages of each store; false when one gave a wrong answer or
    /// ended the process.
    private static func damage(seed: UInt64, runs: Int) async -> Bool {
        let folder = FileManager.default.temporaryDirectory.path + "/predicate-fuzz-damage-\(seed)-\(getpid())"
        var total = DamageCampaign.Tally()
        var done = 0
        while done < runs {
            let count = min(100, runs - done)
            let campaign = DamageCampaign(seed: seed &+ UInt64(done), folder: folder)
            let tally = await campaign.run(count, executable: CommandLine.arguments.first ?? "predicate-fuzz")
            for fault in tally.faults.prefix(20) { print(fault) }
            total.add(tally)
            done += count
        }
        print(
            "damage, seed \(seed): \(done) damaged stores, \(total.refused) refused, \(total.opened) opened rightly, "
                + "\(total.harmless) with the bytes they had, \(total.files.count) files, \(total.faults.count) faults")
        try? FileManager.default.removeItem(atPath: folder)
        return total.faults.isEmpty
    }

    /// The process that opens damaged stores.
    private static func damageRuns(_ arguments: [String]) async -> Never {
        guard arguments.count == 5, let seed = UInt64(arguments[2]), let first = Int(arguments[3]),
            let end = Int(arguments[4]), first <= end
        else { exit(2) }
        await DamageCampaign.open(folder: arguments[1], seed: seed, runs: first..<end)
        exit(0)
    }

    /// Runs the campaign of kills at every step; false when a store was not what it had been.
    private static func kill(seed: UInt64, _ library: String) async -> Bool {
        let folder = temporaryFolder("kill")
        let campaign = KillCampaign(
            seed: seed, folder: folder, executable: CommandLine.arguments.first ?? "predicate-fuzz", shim: library)
        let tally = await campaign.run()
        for fault in tally.faults { print(fault) }
        let kills = tally.kills.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("kill, seed \(seed): \(tally.killCount) kills (\(kills)), \(tally.faults.count) faults")
        if tally.faults.isEmpty { try? FileManager.default.removeItem(atPath: folder) } else { print(folder) }
        return tally.faults.isEmpty && tally.killCount > 0
    }

    /// The process that `kill` kills.
    private static func maintain(_ arguments: [String]) async -> Never {
        guard arguments.count == 3, let work = Maintenance(rawValue: arguments[2]) else { exit(2) }
        do { try await work.run(folder: arguments[1]) } catch { print("\(error)") }
        exit(3)
    }

    /// A process that has a store open, and works on it as lines of its input say.
    private static func hold(_ arguments: [String]) async -> Never {
        guard arguments.count == 3 else { exit(2) }
        await HeldStore.serve(arguments[1], arguments[2])
        exit(0)
    }

    /// The process that `crash` kills.
    private static func crashWriter(_ arguments: [String]) async -> Never {
        guard arguments.count == 5, let seed = UInt64(arguments[2]), let first = Int(arguments[3]),
            let bytes = Int(arguments[4])
        else { exit(2) }
        do {
            try await CrashWriter.run(
                folder: arguments[1], seed: seed, first: first, checkpointByteCount: bytes)
        } catch {
            print("\(error)")
        }
        exit(3)
    }

    /// Runs the campaign of stored predicates, so many predicates in all; false when a difference was found.
    private static func percolate(seed: UInt64, runs: Int, records: Int) -> Bool {
        var (done, comparisons, matches, failures) = (0, 0, 0, 0)
        var findings = Findings()
        while done < runs {
            let predicates = min(400, runs - done)
            var campaign = PercolationCampaign(seed: seed &+ UInt64(done))
            campaign.run(predicates: predicates, records: records)
            findings.report(campaign.differences)
            comparisons += campaign.comparisons
            matches += campaign.matches
            failures += campaign.failures
            done += predicates
        }
        print(
            "percolate, seed \(seed): \(done) predicates, \(comparisons) answers compared, \(matches) matches, "
                + "\(failures) failing alike, \(findings.count) differences")
        return findings.count == 0
    }

    /// Runs the campaign of files, a hundred damaged ones of each store; false when a difference was found.
    private static func storageFiles(seed: UInt64, runs: Int, records: Int) -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "storage-files-\(seed)-\(getpid())").path
        guard (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil
        else {
            print("storage-files: cannot make the folder \(folder)")
            return false
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (done, comparisons, refused, opened) = (0, 0, 0, 0)
        var findings = Findings()
        while done < runs {
            let times = min(100, runs - done)
            var campaign = StorageCampaign(seed: seed &+ UInt64(done), records: records, folder: folder)
            campaign.roundTrip(predicates: 40)
            campaign.damage(times: times)
            findings.report(campaign.differences)
            comparisons += campaign.comparisons
            (refused, opened) = (refused + campaign.refused, opened + campaign.opened)
            done += times
        }
        print(
            "storage-files, seed \(seed): \(done) damaged files, \(refused) refused, \(opened) opened, "
                + "\(comparisons) answers compared, \(findings.count) differences")
        return findings.count == 0
    }

    /// Runs the campaign of leaks; false when memory grows.
    private static func leaks(seed: UInt64, runs: Int, records: Int) async -> Bool {
        let result = await LeakCampaign(seed: seed, records: records).run(queries: runs)
        for fault in result.faults { print(fault) }
        print(
            "leaks, seed \(seed): \(runs) queries, \(result.answered) answered, \(result.failed) failed, "
                + "\(result.cancelled) cancelled, \(result.refused) refused, \(result.faults.count) faults")
        return result.faults.isEmpty
    }

    /// Runs the campaign of limits; false when one was not kept, or changed an answer.
    private static func bounds(seed: UInt64, runs: Int) async -> Bool {
        var campaign = BoundsCampaign(seed: seed)
        let result = await campaign.run(runs)
        for fault in result.faults.prefix(20) { print(fault) }
        print(
            "bounds, seed \(seed): \(result.loaded) files loaded, \(result.limited) refused, at most "
                + "\(result.excess >> 20) MB beyond limit and file; \(result.answered) questions answered, "
                + "\(result.failed) failed, \(result.interrupted) interrupted, \(result.faults.count) faults")
        return result.faults.isEmpty
    }

    /// Runs the campaign of databases; false when a client was told what no order of calls explains.
    private static func database(seed: UInt64, operations: Int, clients: Int) -> Bool {
        let result = DatabaseCampaign(seed: seed, clientCount: clients).run(operations: operations)
        for difference in result.differences.prefix(20) { print(difference) }
        print(
            "database, seed \(seed): \(result.operations) calls, \(result.commits) commits, \(result.deletions) records "
                + "deleted, \(result.notifications) notifications, \(result.comparisons) comparisons, "
                + "\(result.differences.count) differences")
        return result.differences.isEmpty
    }
}
