// Sets at the edge of a form: the smallest lists, a thirty-second of the rows, the largest universe, cut bitmaps.

import Testing

@testable import OrdinalSets

@Suite struct OrdinalSetEdgesTests {
    private func isDense(_ set: OrdinalSet) -> Bool {
        if case .dense = set.form { true } else { false }
    }

    private func isList(_ set: OrdinalSet) -> Bool {
        if case .list = set.form { true } else { false }
    }

    /// A list of as many members as a thirty-second of the rows takes no more bytes than the bitmap, one more does.
    @Test func listsHoldUpToAThirtySecondOfTheRows() {
        let ordinals = stride(from: 0, to: 3_200, by: 32).map { UInt32($0) }
        let more = [0, 1] + ordinals.dropFirst()
        #expect(ordinals.count == 100)
        for (members, fits) in [(ordinals, true), (more, false)] {
            let chosen = [OrdinalSet(members, universe: 3_200), OrdinalSet(list: members, universe: 3_200)]
            for set in chosen {
                #expect(isList(set) == fits && isDense(set) == !fits)
                #expect(set.ordinals == members && set.cardinality == members.count)
            }
        }
    }

    /// Every ordinal that there is may be a row.
    @Test func theLargestUniverse() {
        let universe = 1 << 32
        let set = OrdinalSet([.max, 5], universe: universe)
        #expect(set.ordinals == [5, .max] && set.cardinality == 2)
        #expect(OrdinalSet([5, .max], universe: universe).ordinals == [5, .max])
        let members = [-1, 0, 4, 5, 6, universe - 2, universe - 1, universe].filter { set.contains($0) }
        #expect(members == [5, universe - 1])
        let full = OrdinalSet.full(universe: universe)
        #expect(full.cardinality == universe && full.contains(universe - 1) && !full.contains(universe))
        #expect(OrdinalSet([.max], universe: universe).ordinals == [.max])
    }

    /// Lists of one ordinal and of none.
    @Test func theShortestLists() {
        let cases: [(a: [UInt32], b: [UInt32], common: [UInt32], alone: [UInt32])] = [
            ([5], [7], [], [5]), ([5], [5], [5], []), ([5], [], [], [5]), ([], [5], [], []), ([], [], [], []),
            ([5, 7], [5], [5], [7]), ([5, 7], [7], [7], [5]), ([7], [5, 7], [7], []), ([.max], [0], [], [.max]),
        ]
        for (a, b, common, alone) in cases {
            #expect(SortedOrdinals.intersection(a, b) == common, "\(a) \(b)")
            #expect(SortedOrdinals.subtracting(a, b) == alone, "\(a) \(b)")
        }
    }

    /// The place of an ordinal has as many before it as are less.
    @Test(arguments: 0...17) func placesInLists(count: Int) {
        let list = (0..<count).map { UInt32(2 * $0 + 1) }
        for ordinal in 0...UInt32(2 * count + 1) {
            let less = list.reduce(0) { $1 < ordinal ? $0 + 1 : $0 }
            #expect(SortedOrdinals.position(of: ordinal, in: list) == less, "\(ordinal)")
        }
    }

    /// Words that were taken away count as clear, in either operand.
    @Test func rowsWithoutAWordAreNoMembers() {
        let full = Bitmap(count: 256, repeating: true)
        var short = full
        short.words.removeLast(2)
        var both = full
        #expect(both.formIntersection(short) == 128 && both.ordinals == (0..<128).map { UInt32($0) })
        var rest = full
        #expect(rest.subtract(short) == 128 && rest.ordinals == (128..<256).map { UInt32($0) })
        var either = Bitmap(count: 256)
        #expect(either.formUnion(short) == 128)
        #expect(short.formIntersection(full) == 128 && short.words.count == 2)
        #expect(short.intersectionCount(full) == 128 && full.intersectionCount(short) == 128)
    }
}
