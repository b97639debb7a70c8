// Mutated inputs of one target, by a seed: fuzzing without coverage, which every build can do.

/// Runs inputs that differ a little from those that a target begins with.
struct TargetCampaign: SteppedCampaign {
    private(set) var accepted = 0
    private(set) var rejected = 0
    private let target: FuzzTarget
    /// What is stored and generated for the target, most of which means something.
    private let inputs: [[UInt8]]
    /// What fuzzing reached, which is of any kind: as often as the others, however many there are.
    private let kept: [[UInt8]]
    private var generator: SeededGenerator

    /// - Parameter root: The project's folder, for the stored inputs.
    init(_ target: FuzzTarget, seed: UInt64, root: String) {
        self.target = target
        inputs = Replay.stored(for: target, below: root) + target.seeds()
        kept = KeptCorpus.inputs(of: target, below: root)
        generator = SeededGenerator(seed: seed)
    }

    mutating func step() -> String? {
        let input = generator.pick(kept.isEmpty || generator.oneIn(2) ? inputs : kept)
        let mutated = target.mutated?(input, &generator) ?? withOtherBytes(input)
        switch target.run(mutated) {
        case .accepted: accepted += 1
        case .rejected: rejected += 1
        case .finding(let finding): return "\(finding)\n  input \(mutated)"
        }
        return nil
    }

    private mutating func withOtherBytes(_ input: [UInt8]) -> [UInt8] {
        var bytes = input
        for _ in 0..<Int.random(in: 1...8, using: &generator) where !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        return bytes
    }

    var tally: String { "inputs, \(accepted) accepted, \(rejected) refused" }
}
