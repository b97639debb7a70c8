// Mutated files of records, by a seed.

/// Loads small files of every format that were changed in a few places.
struct FileCampaign: SteppedCampaign {
    private(set) var accepted = 0
    private(set) var rejected = 0
    /// Records of the files that were accepted.
    var records: Int { check.records }
    private var generator: SeededGenerator
    private var check = FileCheck()

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func step() -> String? {
        let seed = generator.pick(FileCheck.seeds)
        let bytes = FileMutator.mutated(Array(seed.text.utf8), using: &generator)
        let skipsBadLines = generator.oneIn(2)
        switch check.run(bytes, name: generator.oneIn(4) ? "a" : seed.name, skipsBadLines: skipsBadLines) {
        case .accepted: accepted += 1
        case .rejected: rejected += 1
        case .finding(let finding): return finding
        }
        return nil
    }

    var tally: String { "files, \(accepted) accepted with \(records) records, \(rejected) refused" }
}
