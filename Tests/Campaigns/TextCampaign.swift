// Mutated predicate texts, by a seed.

/// Runs random predicates whose texts were changed through every stage.
struct TextCampaign: SteppedCampaign {
    private(set) var accepted = 0
    private(set) var rejected = 0
    /// Evaluations that gave an answer.
    var evaluated: Int { check.evaluated }
    private var queries: RandomPredicates
    private var mutator: PredicateMutator
    private var check = TextCheck()

    init(seed: UInt64) {
        queries = RandomPredicates(seed: seed)
        mutator = PredicateMutator(seed: seed)
    }

    mutating func step() -> String? {
        let query = queries.query()
        switch check.run(mutator.mutated(query.text), arguments: query.arguments) {
        case .accepted: accepted += 1
        case .rejected: rejected += 1
        case .finding(let finding): return finding
        }
        return nil
    }

    var tally: String { "texts, \(accepted) accepted, \(rejected) refused, \(evaluated) evaluations" }
}
