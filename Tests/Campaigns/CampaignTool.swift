// The program around the campaigns: its arguments, its help, and the processes that campaigns start.

import FoundationEssentials
import Glibc

/// The program `predicate-fuzz`.
package enum CampaignTool {
    /// Runs what the program's arguments name, and ends the process: with 0, with 1 where something was found, and with
    /// 2 where the arguments name nothing.
    package static func main() async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let name = arguments.first else { exitWithUsage() }
        if let serve = processes[name] { await serve(arguments) }
        if ["targets", "seeds", "replay", "keep"].contains(name) {
            exit(Replay.run(name, Array(arguments.dropFirst())) ? 0 : 1)
        }
        guard let campaign = Campaign.all.first(where: { $0.name == name }),
            let options = CampaignOptions(Array(arguments.dropFirst())),
            (options.operand != nil) == operands.keys.contains(name)
        else { exitWithUsage() }
        let isClean = await campaign.run(options)
        print("peak memory \(ProcessMemory.peak >> 20) MB, processor time \(ProcessMemory.processorSeconds) s")
        exit(isClean ? 0 : 1)
    }

    /// Where this program is.
    static var executable: String { CommandLine.arguments.first ?? "predicate-fuzz" }

    /// A folder of this process's own, which is not made yet.
    static func temporaryFolder(_ campaign: String) -> String {
        FileManager.default.temporaryDirectory.path + "/predicate-fuzz-\(campaign)-\(getpid())"
    }

    /// What a campaign needs besides options.
    private static let operands = ["kill": "LIBRARY", "mutate": "TARGET", "load": "FOLDER"]

    private static func exitWithUsage() -> Never {
        print(
            """
            usage: predicate-fuzz CAMPAIGN [--seed N] [--runs N] [--records N] [--kills N]
                   predicate-fuzz postgresql [--seed N] [--runs N] [--records N] [--nodes N] [--no-indexes]
                   predicate-fuzz database [--postgresql [--nodes N [--sequential]]] [--seed N] [--operations N]
                          [--clients N]
                   predicate-fuzz sharing|migrations [--postgresql [--nodes N]] [--seed N] [--runs N]
                   predicate-fuzz concurrent [--postgresql [--nodes N]] [--seed N] [--runs N] [--clients N]
                   predicate-fuzz sync [--postgresql [--nodes N]] [--seed N] [--runs N] [--kills N]
                   predicate-fuzz mutate TARGET [--seed N] [--runs N]
                   predicate-fuzz kill LIBRARY [--seed N]
                   predicate-fuzz load FOLDER [--seed N] [--minutes N | --seconds N] [--kills N]
                                       [--durability full|normal|off]
                   predicate-fuzz powercut [--seed N] [--states N]
                   predicate-fuzz targets | seeds TARGET FOLDER | replay [TARGET FILE…] | keep TARGET FOLDER
            """)
        for campaign in Campaign.all {
            let margin = String(repeating: " ", count: max(1, 15 - campaign.name.count))
            print("  \(campaign.name)\(margin)\(campaign.summary)")
        }
        print(
            """
            Campaigns print what they found, the peak of their memory and their processor time.
              targets        names what libFuzzer can fuzz, where .ci/fuzz has built it
              seeds          writes the inputs that a target begins with into a folder
              replay         runs stored inputs; without any those of Grammar/Fuzz in the current folder
              keep           makes the files of a folder, the shortest first, the kept inputs of a target
            """)
        exit(2)
    }
}
