// The campaign of power cuts, and its processes, as commands.

import FoundationEssentials
import Glibc

extension PredicateFuzz {
    /// Runs the campaign of power cuts; false when a state was not what was promised, or a process waited for too
    /// little.
    static func powerCut(seed: UInt64, states: Int) -> Bool {
        let folder = temporaryFolder("powercut")
        var tally = PowerCutCampaign.Tally()
        do {
            let campaign = try PowerCutCampaign(
                seed: seed, folder: folder, executable: CommandLine.arguments.first ?? "predicate-fuzz", project: ".")
            tally = campaign.run(states: states)
        } catch {
            tally.faults.append("\(error)")
        }
        for fault in tally.faults { print(fault) }
        print(
            "powercut, seed \(seed): \(tally.opened) states opened with what was acknowledged and \(tally.copies) copies, "
                + "\(tally.refused) refused where the store may be lost, of \(tally.calls) calls, "
                + "\(tally.faults.count) faults")
        if tally.faults.isEmpty { try? FileManager.default.removeItem(atPath: folder) } else { print(folder) }
        return tally.faults.isEmpty
    }

    /// The process that is recorded.
    static func powerCutWriter(_ arguments: [String]) async -> Never {
        guard arguments.count == 4, let seed = UInt64(arguments[2]),
            let scenario = PowerCutScenario(rawValue: arguments[3])
        else { exit(2) }
        do {
            try await PowerCutWriter(root: arguments[1], seed: seed, scenario: scenario).run()
        } catch {
            print("\(error)")
            exit(3)
        }
        exit(0)
    }

    /// The process that opens what a power cut left.
    static func powerCutReader(_ arguments: [String]) async -> Never {
        guard arguments.count == 6, let seed = UInt64(arguments[2]),
            let scenario = PowerCutScenario(rawValue: arguments[3]), let first = Int(arguments[4]),
            let end = Int(arguments[5]), first <= end
        else { exit(2) }
        await PowerCutReader(folder: arguments[1], seed: seed, scenario: scenario).run(first..<end)
        exit(0)
    }
}
