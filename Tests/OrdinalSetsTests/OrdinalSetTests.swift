// Tests of ordinal sets: every form against every form, checked against Set.

import Testing

@testable import OrdinalSets

private let universes = [0, 1, 2, 63, 64, 65, 127, 128, 1_000, 2_100]
private let large = 66_000

@Suite struct OrdinalSetTests {
    @Test(arguments: universes + [large])
    func algebraOfEveryPairOfForms(universe: Int) {
        var generator = SetGenerator(seed: UInt64(universe))
        for round in 0..<(universe < large ? 10 : 1) {
            let left = generator.members(universe: universe)
            let right = generator.members(universe: universe)
            let difference = left.subtracting(right).sorted()
            let complement = (0..<UInt32(universe)).filter { !left.contains($0) }
            for a in Sample.allForms(left, universe: universe, name: "left \(round)") {
                for b in Sample.allForms(right, universe: universe, name: "right \(round)") {
                    #expect(a.set.subtracting(b.set).ordinals == difference, "\(a.name), \(b.name)")
                }
                #expect(a.set.complement.ordinals == complement, "\(a.name)")
            }
        }
    }

    @Test(arguments: universes + [large])
    func everyFormSaysTheSame(universe: Int) {
        var generator = SetGenerator(seed: UInt64(universe) + 1)
        for round in 0..<(universe < large ? 8 : 1) {
            let members = generator.members(universe: universe)
            let list = members.sorted()
            for sample in Sample.allForms(members, universe: universe, name: "\(round)") {
                let (set, label) = (sample.set, Comment(rawValue: sample.name))
                #expect(set.cardinality == list.count && set.isEmpty == list.isEmpty, label)
                #expect(set.ordinals == list && set.bitmap.ordinals == list, label)
                for _ in 0..<10 {
                    let one = generator.ordinal(universe)
                    #expect(set.contains(one) == (one >= 0 && members.contains(UInt32(max(0, one)))), label)
                }
            }
        }
    }

    @Test func anyOrderAndRepetition() {
        var generator = SetGenerator(seed: 3)
        for universe in universes + [large] {
            for _ in 0..<6 {
                let members = generator.members(universe: universe)
                let beyond = [UInt32(universe), UInt32(universe) + 1, .max]
                let mixed = generator.shuffled(members) + beyond + generator.shuffled(members)
                let expected = members.sorted()
                #expect(OrdinalSet(expected, universe: universe).ordinals == expected)
                #expect(OrdinalSet(mixed, universe: universe).ordinals == expected)
                #expect(OrdinalSet(expected + beyond, universe: universe).ordinals == expected)
            }
        }
    }

    /// What comes twice side by side counts once, in lists that otherwise ascend.
    @Test func repetitionsSideBySide() {
        for universe in [100, 1_000, large] {
            let cases: [(ordinals: [UInt32], members: [UInt32])] = [
                ([7, 7], [7]), ([5, 5, 9], [5, 9]), ([5, 9, 9], [5, 9]), ([0, 0, 1, 1], [0, 1]),
                ([1, 3, 3, 3, 8], [1, 3, 8]), ([3, 3, UInt32(universe)], [3]),
            ]
            for (ordinals, members) in cases {
                let set = OrdinalSet(ordinals, universe: universe)
                #expect(set.ordinals == members && set.cardinality == members.count, "\(ordinals) of \(universe)")
            }
        }
        let lists: [(list: [UInt32], ascends: Bool)] = [
            ([], true), ([3], true), ([1, 2], true), ([0, .max], true), ([1, 1], false), ([2, 1], false),
            ([0, 1, 1, 2], false), ([0, 1, 2, 2], false), ([0, 0, 1, 2], false), ([.max, 0], false),
        ]
        for (list, ascends) in lists { #expect(SortedOrdinals.isAscending(list) == ascends, "\(list)") }
    }

    /// One row too far is left out of lists, of bitmaps and of ranges; so are rows below the first.
    @Test func theRowBehindTheLastIsNone() {
        for universe in [2, 64, 100, 1_000] {
            let behind = UInt32(universe)
            #expect(OrdinalSet([behind], universe: universe).isEmpty)
            #expect(OrdinalSet([0, behind], universe: universe).ordinals == [0])
            #expect(OrdinalSet([behind, 1, 0], universe: universe).ordinals == [0, 1])
            let every = (0...behind).map { $0 }
            #expect(OrdinalSet(every, universe: universe).cardinality == universe)
            #expect(OrdinalSet(1..<universe + 1, universe: universe).ordinals == Array(every[1..<universe]))
            #expect(OrdinalSet(-1..<1, universe: universe).ordinals == [0])
            #expect(OrdinalSet(universe..<universe + 2, universe: universe).isEmpty)
        }
    }

    @Test func theFormSuitsTheSet() {
        func form(_ set: OrdinalSet) -> String {
            switch set.form {
            case .run: "run"
            case .list: "list"
            case .dense: "dense"
            }
        }
        let rows = 100_000
        let every: (Int) -> OrdinalSet = { step in
            OrdinalSet(stride(from: 0, to: rows, by: step).map { UInt32($0) }, universe: rows)
        }
        #expect(form(.empty(universe: rows)) == "run" && form(.full(universe: rows)) == "run")
        #expect(form(OrdinalSet([5, 6, 7], universe: rows)) == "run")
        #expect(form(OrdinalSet([5, 7], universe: rows)) == "list")
        #expect(form(every(33)) == "list" && form(every(31)) == "dense" && form(every(1)) == "run")
        #expect(form(every(2).subtracting(every(3))) == "dense")
        #expect(form(every(2).subtracting(every(2))) == "run")
        let few = Set(every(5_000).ordinals)
        let most = OrdinalSet(every(2).ordinals.filter { !few.contains($0) }, universe: rows)
        #expect(form(every(2).subtracting(most)) == "list")
    }
}
