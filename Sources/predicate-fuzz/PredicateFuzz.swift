// Campaigns of random input, as commands with a seed.

import FoundationEssentials
import Glibc

@main
struct PredicateFuzz {
    private static let usage = """
        usage: predicate-fuzz CAMPAIGN [--seed N] [--runs N] [--records N] [--kills N]
               predicate-fuzz database [--seed N] [--operations N] [--clients N]
          answers     random predicates over random records: every plan against the per-record evaluator
          text        mutated predicate texts: parsed, printed, parsed again, bound and evaluated
          files       mutated NDJSON, JSON, CSV and TSV: loaded under limits, written and loaded again
          updates     random commits and merges: a record store against records in a dictionary
          concurrent  readers beside a writer: every snapshot is whole
          storage-files  segments written and opened again, and damaged files: the same answers, or refused
          percolate   random records against stored random predicates: what the index finds, and each one evaluated
          crash       a writer of a stored container that is killed --kills times: what it leaves is whole
          database    clients of one store at work at the same time, against calls made one after another
        """

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "crash-writer" { await crashWriter(arguments) }
        let campaign = arguments.isEmpty ? "" : arguments.removeFirst()
        var options: [String: UInt64] = [
            "--seed": 1, "--runs": 1000, "--records": 200, "--kills": 100, "--operations": 10_000, "--clients": 4,
        ]
        while arguments.count >= 2, options[arguments[0]] != nil, let value = UInt64(arguments[1]), value < 1 << 40 {
            options[arguments[0]] = value
            arguments.removeFirst(2)
        }
        let (seed, runs) = (options["--seed"] ?? 1, Int(options["--runs"] ?? 0))
        let records = Int(options["--records"] ?? 0)
        switch campaign {
        case "answers" where arguments.isEmpty:
            exit(answers(seed: seed, runs: runs, records: records) ? 0 : 1)
        case "text" where arguments.isEmpty: exit(text(seed: seed, runs: runs) ? 0 : 1)
        case "files" where arguments.isEmpty: exit(files(seed: seed, runs: runs) ? 0 : 1)
        case "updates" where arguments.isEmpty: exit(updates(seed: seed, runs: runs, records: records) ? 0 : 1)
        case "concurrent" where arguments.isEmpty:
            exit(await concurrent(seed: seed, runs: runs, records: records) ? 0 : 1)
        case "percolate" where arguments.isEmpty:
            exit(percolate(seed: seed, runs: runs, records: records) ? 0 : 1)
        case "storage-files" where arguments.isEmpty:
            exit(storageFiles(seed: seed, runs: runs, records: records) ? 0 : 1)
        case "crash" where arguments.isEmpty: exit(await crash(seed: seed, kills: Int(options["--kills"] ?? 0)) ? 0 : 1)
        case "database" where arguments.isEmpty:
            let (operations, clients) = (Int(options["--operations"] ?? 0), Int(options["--clients"] ?? 0))
            exit(database(seed: seed, operations: operations, clients: min(64, clients)) ? 0 : 1)
        default:
            print(usage)
            exit(2)
        }
    }

    /// Runs the campaign of answers; false when a difference was found.
    private static func answers(seed: UInt64, runs: Int, records: Int) -> Bool {
        var campaign = AnswerCampaign()
        var done = 0
        var found = 0
        while done < runs {
            let predicates = min(200, runs - done)
            for difference in campaign.run(seed: seed &+ UInt64(done), predicates: predicates, records: records) {
                found += 1
                if found <= 20 { print(difference) }
            }
            done += predicates
        }
        print(
            "answers, seed \(seed): \(done) predicates, \(campaign.comparisons) answers compared, "
                + "\(campaign.failures) failing alike, \(found) differences")
        return found == 0
    }

    /// Runs the campaign of texts; false when a printed tree did not parse back.
    private static func text(seed: UInt64, runs: Int) -> Bool {
        var campaign = TextCampaign(seed: seed)
        var found = 0
        for _ in 0..<runs {
            guard let problem = campaign.step() else { continue }
            found += 1
            if found <= 20 { print(problem) }
        }
        print(
            "text, seed \(seed): \(runs) texts, \(campaign.accepted) accepted, \(campaign.refused) refused, "
                + "\(campaign.evaluated) evaluations, \(found) findings")
        return found == 0
    }

    /// Runs the campaign of files; false when one that was accepted did not give its records.
    private static func files(seed: UInt64, runs: Int) -> Bool {
        var campaign = FileCampaign(seed: seed)
        var found = 0
        for _ in 0..<runs {
            guard let problem = campaign.step() else { continue }
            found += 1
            if found <= 20 { print(problem) }
        }
        print(
            "files, seed \(seed): \(runs) files, \(campaign.accepted) accepted with \(campaign.records) records, "
                + "\(campaign.refused) refused, \(found) findings")
        return found == 0
    }

    /// Runs the campaign of updates, three predicates after each write; false when a difference was found.
    private static func updates(seed: UInt64, runs: Int, records: Int) -> Bool {
        var (done, found, comparisons) = (0, 0, 0)
        while done < runs {
            let steps = min(300, runs - done)
            var campaign = UpdateCampaign(seed: seed &+ UInt64(done), room: records)
            for _ in 0..<steps { campaign.step(predicates: 3) }
            for difference in campaign.differences {
                found += 1
                if found <= 20 { print(difference) }
            }
            comparisons += campaign.comparisons
            done += steps
        }
        print("updates, seed \(seed): \(done) writes, \(comparisons) answers compared, \(found) differences")
        return found == 0
    }

    /// Runs readers beside a writer; false when a reader saw half a commit.
    private static func concurrent(seed: UInt64, runs: Int, records: Int) async -> Bool {
        let result = await ConcurrentCampaign(seed: seed, records: records).run(commits: runs)
        for fault in result.faults.prefix(20) { print(fault) }
        print("concurrent, seed \(seed): \(runs) commits, \(result.reads) reads, \(result.faults.count) faults")
        return result.faults.isEmpty
    }

    /// Runs the campaign of crashes; false when something was lost or half there.
    private static func crash(seed: UInt64, kills: Int) async -> Bool {
        let folder = FileManager.default.temporaryDirectory.path + "/predicate-fuzz-crash-\(getpid())"
        var campaign = CrashCampaign(
            seed: seed, executable: CommandLine.arguments.first ?? "predicate-fuzz", folder: folder)
        await campaign.run(kills: kills)
        for fault in campaign.faults { print(fault) }
        print(
            "crash, seed \(seed): \(kills) kills, \(campaign.batches) batches, \(campaign.unacknowledged) of them stored "
                + "and not acknowledged, \(campaign.faults.count) faults")
        if campaign.faults.isEmpty { try? FileManager.default.removeItem(atPath: folder) } else { print(folder) }
        return campaign.faults.isEmpty
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
        var (done, found, comparisons, matches, failures) = (0, 0, 0, 0, 0)
        while done < runs {
            let predicates = min(400, runs - done)
            var campaign = PercolationCampaign(seed: seed &+ UInt64(done))
            campaign.run(predicates: predicates, records: records)
            for difference in campaign.differences {
                found += 1
                if found <= 20 { print(difference) }
            }
            comparisons += campaign.comparisons
            matches += campaign.matches
            failures += campaign.failures
            done += predicates
        }
        print(
            "percolate, seed \(seed): \(done) predicates, \(comparisons) answers compared, \(matches) matches, "
                + "\(failures) failing alike, \(found) differences")
        return found == 0
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
        var (done, found, comparisons, refused, opened) = (0, 0, 0, 0, 0)
        while done < runs {
            let times = min(100, runs - done)
            var campaign = StorageCampaign(seed: seed &+ UInt64(done), records: records, folder: folder)
            campaign.roundTrip(predicates: 40)
            campaign.damage(times: times)
            for difference in campaign.differences {
                found += 1
                if found <= 20 { print(difference) }
            }
            comparisons += campaign.comparisons
            (refused, opened) = (refused + campaign.refused, opened + campaign.opened)
            done += times
        }
        print(
            "storage-files, seed \(seed): \(done) damaged files, \(refused) refused, \(opened) opened, "
                + "\(comparisons) answers compared, \(found) differences")
        return found == 0
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
