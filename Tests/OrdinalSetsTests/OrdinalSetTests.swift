// Tests of ordinal sets: every form against every form, checked against Set.

import Testing

@testable import OrdinalSets

private let universes = [0, 1, 2, 63, 64, 65, 127, 128, 1_000, 2_100]
/// Beyond the 65,536 members of a container of a compressed set.
private let large = 66_000

@Suite struct OrdinalSetTests {
    @Test(arguments: universes + [large])
    func algebraOfEveryPairOfForms(universe: Int) {
        var generator = SetGenerator(seed: UInt64(universe))
        for round in 0..<(universe < large ? 10 : 1) {
            let left = generator.members(universe: universe)
            let right = generator.members(universe: universe)
            let expected = Expected(left, right, universe: universe)
            for a in Sample.allForms(left, universe: universe, name: "left \(round)") {
                for b in Sample.allForms(right, universe: universe, name: "right \(round)") {
                    let label = Comment(rawValue: "\(a.name), \(b.name)")
                    #expect(a.set.intersection(b.set).ordinals == expected.intersection, label)
                    #expect(a.set.union(b.set).ordinals == expected.union, label)
                    #expect(a.set.subtracting(b.set).ordinals == expected.difference, label)
                    #expect(a.set.symmetricDifference(b.set).ordinals == expected.symmetric, label)
                    #expect(a.set.intersectionCount(b.set) == expected.intersection.count, label)
                    #expect(a.set.unionCount(b.set) == expected.union.count, label)
                    #expect(a.set.subtractingCount(b.set) == expected.difference.count, label)
                    #expect(a.set.isDisjoint(with: b.set) == expected.intersection.isEmpty, label)
                    #expect((a.set == b.set) == (left == right), label)
                }
                #expect(a.set.complement.ordinals == expected.complement, "\(a.name)")
            }
        }
    }

    private struct Expected {
        var intersection, union, difference, symmetric, complement: [UInt32]

        init(_ left: Set<UInt32>, _ right: Set<UInt32>, universe: Int) {
            intersection = left.intersection(right).sorted()
            union = left.union(right).sorted()
            difference = left.subtracting(right).sorted()
            symmetric = left.symmetricDifference(right).sorted()
            complement = (0..<UInt32(universe)).filter { !left.contains($0) }
        }
    }

    @Test(arguments: universes + [large])
    func questionsToEveryForm(universe: Int) {
        var generator = SetGenerator(seed: UInt64(universe) + 1)
        for round in 0..<(universe < large ? 8 : 1) {
            let members = generator.members(universe: universe)
            let list = members.sorted()
            for sample in Sample.allForms(members, universe: universe, name: "\(round)") {
                let (set, label) = (sample.set, Comment(rawValue: sample.name))
                #expect(set.cardinality == list.count, label)
                #expect(set.isEmpty == list.isEmpty && set.isFull == (list.count == universe), label)
                #expect(set.ordinals == list && set.bitmap.ordinals == list, label)
                #expect(set.compressed == set && set.expanded == set && set.compressed.expanded.ordinals == list, label)
                #expect(set.first == list.first.map { Int($0) }, label)
                for rank in [-1, 0, list.count / 2, list.count - 1, list.count] {
                    #expect(set.select(rank) == (list.indices.contains(rank) ? Int(list[rank]) : nil), label)
                }
                for _ in 0..<10 {
                    let (one, two) = (generator.ordinal(universe), generator.ordinal(universe))
                    let below = list.count { Int($0) < one }
                    let range = min(one, two)..<max(one, two)
                    #expect(set.rank(one) == below, label)
                    #expect(set.contains(one) == (one >= 0 && members.contains(UInt32(max(0, one)))), label)
                    #expect(set.cardinality(in: range) == list.count { range.contains(Int($0)) }, label)
                    #expect(Self.drained(set, from: one) == list.filter { Int($0) >= one }, label)
                }
                for other in [0, universe / 2, universe + 70] {
                    let resized = set.resized(to: other)
                    #expect(resized.ordinals == list.filter { $0 < other } && resized.universe == other, label)
                }
            }
        }
    }

    private static func drained(_ set: OrdinalSet, from ordinal: Int) -> [UInt32] {
        var cursor = set.cursor(from: ordinal)
        var batch: [UInt32] = []
        var all: [UInt32] = []
        while cursor.next(&batch) {
            #expect(!batch.isEmpty && batch.count <= OrdinalCursor.batchSize)
            all += batch
        }
        return cursor.next(&batch) ? [] : all
    }

    @Test func anyOrderAndRepetition() {
        var generator = SetGenerator(seed: 3)
        for universe in universes + [large] {
            for _ in 0..<6 {
                let members = generator.members(universe: universe)
                let beyond = [UInt32(universe), UInt32(universe) + 1, .max]
                let mixed = generator.shuffled(members) + beyond + generator.shuffled(members)
                let expected = OrdinalSet(members.sorted(), universe: universe)
                #expect(expected.ordinals == members.sorted())
                #expect(OrdinalSet(mixed, universe: universe) == expected)
                #expect(OrdinalSet(members.sorted() + beyond, universe: universe) == expected)
                var single = OrdinalSetBuilder(universe: universe)
                var bulk = OrdinalSetBuilder(universe: universe)
                for ordinal in mixed { single.append(ordinal) }
                for start in stride(from: 0, to: mixed.count, by: 37) {
                    bulk.append(contentsOf: Array(mixed[start..<min(mixed.count, start + 37)]))
                }
                #expect(single.finish() == expected)
                #expect(bulk.finish() == expected)
            }
        }
    }

    @Test func manySets() {
        var generator = SetGenerator(seed: 4)
        for universe in universes + [large] {
            for count in [0, 1, 2, 3, 9] {
                let members = (0..<count).map { _ in generator.members(universe: universe) }
                let sets = members.flatMap { Sample.allForms($0, universe: universe, name: "").map(\.set) }
                let all = members.reduce(Set(0..<UInt32(universe))) { $0.intersection($1) }
                let any = members.reduce(Set()) { $0.union($1) }
                #expect(OrdinalSet.intersection(sets, universe: universe).ordinals == all.sorted())
                #expect(OrdinalSet.union(sets, universe: universe).ordinals == any.sorted())
            }
        }
    }

    @Test func theFormSuitsTheSet() {
        func form(_ set: OrdinalSet) -> String {
            switch set.form {
            case .run: "run"
            case .list: "list"
            case .dense: "dense"
            case .compressed: "compressed"
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
        #expect(form(every(2).intersection(every(3))) == "dense")
        #expect(form(every(2).intersection(every(2).complement)) == "run")
        #expect(form(every(2).union(every(2).complement)) == "run")
        #expect(form(every(31).intersection(every(29))) == "list")
        #expect(form(every(2).compressed) == "dense" && every(2).byteCount == 12_504)
        let clusters = OrdinalSet(
            (0..<10).flatMap { c in (0..<300).map { UInt32(c * 9_000 + $0) } }, universe: rows)
        #expect(form(clusters.compressed) == "compressed" && clusters.compressed.byteCount < 500)
        #expect(form(clusters.compressed.intersection(clusters.compressed)) == "compressed")
        #expect(form(clusters.compressed.expanded) == "list")
    }
}
