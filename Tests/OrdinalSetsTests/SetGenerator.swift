// Sets of every form and size, from one seed.

import _TestSupport

@testable import OrdinalSets

/// A set of ordinals beside the plain set it stands for.
struct Sample {
    var set: OrdinalSet
    var members: Set<UInt32>
    var name: String

    /// Every form that can hold `members`.
    static func allForms(_ members: Set<UInt32>, universe: Int, name: String) -> [Sample] {
        let list = members.sorted()
        var forms: [(OrdinalSet, String)] = [(OrdinalSet(list, universe: universe), "chosen")]
        if let first = list.first, let last = list.last, list.count < universe {
            if Int(last - first) >= list.count {
                forms.append((OrdinalSet(form: .list(list), universe: universe), "list"))
            }
            let bitmap = Bitmap(ordinals: list, count: universe)
            let dense = OrdinalSet.Form.dense(bitmap, cardinality: list.count)
            forms.append((OrdinalSet(form: dense, universe: universe), "dense"))
        }
        return forms.map { Sample(set: $0.0, members: members, name: "\(name) \($0.1) of \(universe)") }
    }
}

struct SetGenerator {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Ordinals below `universe`: scattered, in clusters, or everywhere but few.
    mutating func members(universe: Int) -> Set<UInt32> {
        guard universe > 0 else { return [] }
        let share = [0, 0.001, 0.02, 0.1, 0.5, 0.97, 1][Int.random(in: 0..<7, using: &random)]
        let count = Int(Double(universe) * share)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let start = Int.random(in: 0...universe - count, using: &random)
            return Set((start..<start + count).map { UInt32($0) })
        case 1:
            var members: Set<UInt32> = []
            while members.count < count {
                let start = Int.random(in: 0..<universe, using: &random)
                let end = min(universe, start + Int.random(in: 1...100, using: &random))
                members.formUnion((start..<end).map { UInt32($0) })
            }
            return members
        case 2:
            let few = Int.random(in: 0...min(5, universe), using: &random)
            return Set((0..<few).map { _ in UInt32.random(in: 0..<UInt32(universe), using: &random) })
        default:
            return Set((0..<count).map { _ in UInt32.random(in: 0..<UInt32(universe), using: &random) })
        }
    }

    mutating func ordinal(_ universe: Int) -> Int { Int.random(in: -2...universe + 2, using: &random) }

    mutating func shuffled(_ members: Set<UInt32>) -> [UInt32] { members.sorted().shuffled(using: &random) }
}
