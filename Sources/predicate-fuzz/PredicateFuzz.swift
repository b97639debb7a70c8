// Campaigns of random input, as commands with a seed.

import Glibc

@main
struct PredicateFuzz {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let campaign = arguments.isEmpty ? "" : arguments.removeFirst()
        var options: [String: UInt64] = ["--seed": 1, "--runs": 1000, "--records": 200]
        while arguments.count >= 2, options[arguments[0]] != nil, let value = UInt64(arguments[1]) {
            options[arguments[0]] = value
            arguments.removeFirst(2)
        }
        guard arguments.isEmpty, campaign == "answers" else {
            print("usage: predicate-fuzz answers [--seed N] [--runs N] [--records N]")
            exit(2)
        }
        exit(answers(options) ? 0 : 1)
    }

    /// Runs the campaign of answers; false when a difference was found.
    private static func answers(_ options: [String: UInt64]) -> Bool {
        let (seed, runs) = (options["--seed"] ?? 1, Int(options["--runs"] ?? 0))
        let records = Int(options["--records"] ?? 200)
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
            "\(done) predicates, \(campaign.comparisons) answers compared, \(campaign.failures) failing alike, \(found) differences"
        )
        return found == 0
    }
}
