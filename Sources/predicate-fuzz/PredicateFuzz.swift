// Campaigns of random input, as commands with a seed.

import Glibc

@main
struct PredicateFuzz {
    private static let usage = """
        usage: predicate-fuzz CAMPAIGN [--seed N] [--runs N] [--records N]
          answers  random predicates over random records: every plan against the per-record evaluator
          text     mutated predicate texts: parsed, printed, parsed again, bound and evaluated
        """

    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let campaign = arguments.isEmpty ? "" : arguments.removeFirst()
        var options: [String: UInt64] = ["--seed": 1, "--runs": 1000, "--records": 200]
        while arguments.count >= 2, options[arguments[0]] != nil, let value = UInt64(arguments[1]), value < 1 << 40 {
            options[arguments[0]] = value
            arguments.removeFirst(2)
        }
        let (seed, runs) = (options["--seed"] ?? 1, Int(options["--runs"] ?? 0))
        switch campaign {
        case "answers" where arguments.isEmpty:
            exit(answers(seed: seed, runs: runs, records: Int(options["--records"] ?? 0)) ? 0 : 1)
        case "text" where arguments.isEmpty: exit(text(seed: seed, runs: runs) ? 0 : 1)
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
}
