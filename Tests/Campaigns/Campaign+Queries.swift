// The campaigns of predicates, queries and files, as commands.

import FoundationEssentials
import Glibc

extension Campaign {
    static let results = Campaign(
        "answers", "random predicates over random records: every plan against the per-record evaluator"
    ) { options in
        var campaign = ResultCampaign()
        var findings = Findings()
        options.forEachBatch(of: 200) { seed, count in
            findings.report(campaign.run(seed: seed, predicates: count, records: options.records))
        }
        print(
            "answers, seed \(options.seed): \(options.runs) predicates, \(campaign.comparisons) answers compared, "
                + "\(campaign.failures) failing alike, \(findings.count) differences")
        return findings.count == 0
    }

    static let text = Campaign(
        "text", "mutated predicate texts: parsed, printed, parsed again, bound and evaluated"
    ) { steps("text", TextCampaign(seed: $0.seed), $0) }

    static let files = Campaign(
        "files", "mutated NDJSON, JSON, CSV and TSV: loaded under limits, written and loaded again"
    ) { steps("files", FileCampaign(seed: $0.seed), $0) }

    static let mutate = Campaign(
        "mutate", "mutated inputs of one target, those of Grammar/Fuzz in the current folder among them"
    ) { options in
        defer { ScratchFolder.remove() }
        guard let target = options.operand.flatMap(FuzzTarget.named) else {
            print("mutate: no such target")
            return false
        }
        return steps("mutate \(target.name)", TargetCampaign(target, seed: options.seed, root: "."), options)
    }

    /// Runs so many inputs of a campaign; false when one of them showed something wrong.
    private static func steps(_ name: String, _ campaign: some SteppedCampaign, _ options: CampaignOptions) -> Bool {
        var campaign = campaign
        var findings = Findings()
        for _ in 0..<options.runs { if let finding = campaign.step() { findings.report(finding) } }
        print("\(name), seed \(options.seed): \(options.runs) \(campaign.tally), \(findings.count) findings")
        return findings.count == 0
    }

    static let export = Campaign(
        "export", "random records of every kind of values: written in every form and read again"
    ) { options in
        var findings = Findings()
        options.forEachBatch(of: 1) { seed, _ in
            findings.report(ExportCampaign.run(seed: seed, records: options.records))
        }
        print(
            "export, seed \(options.seed): \(options.runs) sets of \(options.records) records in every form, "
                + "\(findings.count) differences")
        return findings.count == 0
    }

    static let percolate = Campaign(
        "percolate", "random records against stored random predicates: what the index finds, and each one evaluated"
    ) { options in
        var (comparisons, matches, failures) = (0, 0, 0)
        var findings = Findings()
        options.forEachBatch(of: 400) { seed, count in
            var campaign = PercolationCampaign(seed: seed)
            campaign.run(predicates: count, records: options.records)
            findings.report(campaign.differences)
            comparisons += campaign.comparisons
            matches += campaign.matches
            failures += campaign.failures
        }
        print(
            "percolate, seed \(options.seed): \(options.runs) predicates, \(comparisons) answers compared, "
                + "\(matches) matches, \(failures) failing alike, \(findings.count) differences")
        return findings.count == 0
    }

    static let translate = Campaign(
        "translate",
        "hostile texts and names through the 'predicate' beside this program: what it writes, parsed by the target"
    ) { options in
        let folder = CampaignTool.temporaryFolder("translate")
        let manager = FileManager.default
        guard (try? manager.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil else {
            print("translate: cannot make the folder \(folder)")
            return false
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let place = CampaignTool.executable
        let command = (place.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(place[..<$0]) } ?? ".") + "/predicate"
        var campaign = TranslationCampaign(seed: options.seed, command: command, folder: folder)
        let result = campaign.run(options.runs)
        for finding in result.findings.prefix(20) { print(finding) }
        let checks = result.checks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let missing = result.missing.isEmpty ? "" : ", without " + result.missing.joined(separator: " and ")
        print(
            "translate, seed \(options.seed): \(options.runs) comparisons, read back: \(checks), "
                + "\(result.rejected) refused\(missing), \(result.findings.count) findings")
        // A command that is not there answers nothing.
        return result.findings.isEmpty && (options.runs == 0 || !result.checks.isEmpty)
    }

    static let leaks = Campaign(
        "leaks", "queries that answer, fail and are cancelled: memory must stay as it is"
    ) { options in
        let result = await LeakCampaign(seed: options.seed, records: options.records).run(queries: options.runs)
        for fault in result.faults { print(fault) }
        print(
            "leaks, seed \(options.seed): \(options.runs) queries, \(result.succeeded) answered, \(result.failed) failed, "
                + "\(result.cancelled) cancelled, \(result.rejected) refused, \(result.faults.count) faults")
        return result.faults.isEmpty
    }

    static let bounds = Campaign(
        "bounds", "files loaded under limits of memory, queries that end early: all or nothing, and no harm"
    ) { options in
        var campaign = BoundsCampaign(seed: options.seed)
        let result = await campaign.run(options.runs)
        for fault in result.faults.prefix(20) { print(fault) }
        print(
            "bounds, seed \(options.seed): \(result.loaded) files loaded, \(result.limited) refused, at most "
                + "\(result.excess >> 20) MB beyond limit and file; \(result.succeeded) queries answered, "
                + "\(result.failed) failed, \(result.interrupted) interrupted, \(result.faults.count) faults")
        return result.faults.isEmpty
    }
}
