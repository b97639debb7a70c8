// Tests of bitmaps and of the list kernels.

import CKernels
import Testing

@testable import OrdinalSets

@Suite struct BitmapTests {
    private let counts = [0, 1, 2, 63, 64, 65, 127, 128, 129, 1_000, 2_113]

    @Test func buildingReadingCounting() {
        var generator = SetGenerator(seed: 11)
        for count in counts {
            let members = generator.members(universe: count)
            let list = members.sorted()
            var appended = Bitmap()
            for row in 0..<count { appended.append(members.contains(UInt32(row))) }
            let bitmap = Bitmap(ordinals: generator.shuffled(members) + [UInt32(count), .max], count: count)
            #expect(appended == bitmap && bitmap.count == count)
            #expect(bitmap.cardinality == list.count && bitmap.ordinals == list)
            var visited: [UInt32] = []
            bitmap.forEachMember { visited.append(UInt32($0)) }
            #expect(visited == list)
            #expect(Bitmap(count: count, repeating: true).cardinality == count)
        }
    }

    @Test func rangesOfRows() {
        var generator = SetGenerator(seed: 12)
        for count in counts {
            let members = generator.members(universe: count)
            let bitmap = Bitmap(ordinals: members.sorted(), count: count)
            for _ in 0..<20 {
                let (one, two) = (generator.ordinal(count), generator.ordinal(count))
                let rows = min(one, two)..<max(one, two)
                let inside = Set(rows.clamped(to: 0..<count).map { UInt32($0) })
                var more = bitmap
                more.insert(rows)
                #expect(more.ordinals == members.union(inside).sorted())
            }
        }
    }

    @Test func algebra() {
        var generator = SetGenerator(seed: 13)
        for count in counts {
            for _ in 0..<8 {
                let (left, right) = (generator.members(universe: count), generator.members(universe: count))
                let a = Bitmap(ordinals: left.sorted(), count: count)
                let b = Bitmap(ordinals: right.sorted(), count: count)
                func changed(_ change: (inout Bitmap) -> Void) -> [UInt32] {
                    var copy = a
                    change(&copy)
                    #expect(a == Bitmap(ordinals: left.sorted(), count: count))
                    return copy.ordinals
                }
                #expect(changed { $0.formIntersection(b) } == left.intersection(right).sorted())
                #expect(changed { $0.formUnion(b) } == left.union(right).sorted())
                #expect(changed { $0.subtract(b) } == left.subtracting(right).sorted())
                #expect(changed { $0.formSymmetricDifference(b) } == left.symmetricDifference(right).sorted())
                #expect(changed { $0.formComplement() } == (0..<UInt32(count)).filter { !left.contains($0) })
                #expect(a.intersectionCount(b) == left.intersection(right).count)
                var own = a
                #expect(own.formIntersection(b) == own.cardinality)
            }
        }
    }

    /// Operands of different lengths, and words taken away: no row that is not there is touched.
    @Test func unequalLengths() {
        for (short, long) in [(0, 70), (3, 64), (70, 100), (64, 200), (100, 1_000)] {
            for (first, second) in [(short, long), (long, short)] {
                let a = Bitmap(count: first, repeating: true)
                let b = Bitmap(count: second, repeating: true)
                var both = a
                #expect(both.formIntersection(b) == short && both.cardinality == short)
                var either = a
                either.formUnion(b)
                #expect(either == a)
                var one = a
                one.formSymmetricDifference(b)
                #expect(one.cardinality == max(0, first - second))
                #expect(a.intersectionCount(b) == short)
            }
        }
        var cut = Bitmap(count: 200)
        cut.words.removeLast(2)
        cut.insert([1, 63, 64, 127, 128, 199])
        cut.insert(100..<200)
        #expect(cut.cardinality == 3 + 28)
    }

    /// The row right behind the last one is none, whether it comes alone, behind others, or in a range.
    @Test func theRowBehindTheLastIsNone() {
        for count in counts where count > 0 {
            let behind = UInt32(count)
            #expect(Bitmap(ordinals: [behind], count: count).cardinality == 0)
            var bitmap = Bitmap(count: count)
            bitmap.insert([0, behind])
            #expect(bitmap.ordinals == [0])
            bitmap.insert(count..<count + 1)
            #expect(bitmap.ordinals == [0])
            bitmap.insert(count - 1..<count + 1)
            #expect(bitmap.ordinals == (count == 1 ? [0] : [0, behind - 1]))
        }
    }

    /// Bits behind the last row are cleared when words are taken over, and stay clear when rows are appended.
    @Test func bitsBehindTheLastRowAreClear() {
        for count in [1, 63, 64, 65, 100] {
            let words = [UInt64](repeating: ~0, count: (count + 63) / 64)
            let full = Bitmap(words: words, count: count)
            #expect(full.cardinality == count && full.ordinals.count == count)
            #expect(full == Bitmap(count: count, repeating: true) && full.complement.cardinality == 0)
            var longer = full
            for bit in [false, true] { longer.append(bit) }
            #expect(longer.ordinals == (0..<UInt32(count)).map { $0 } + [UInt32(count) + 1])
        }
    }

    /// Lengths and ratios at which the intersection changes its way of working.
    @Test func listsOfEveryRatio() {
        var generator = SetGenerator(seed: 14)
        for length in [0, 1, 15, 16, 17, 33, 70] {
            for ratio in [1, 3, 4, 127, 128] {
                let universe = max(1, length * ratio * 3)
                let pool = generator.shuffled(Set(0..<UInt32(universe)))
                let a = pool.prefix(length).sorted()
                let b = (pool.dropFirst(length / 2).prefix(length * ratio)).sorted()
                let (left, right) = (Set(a), Set(b))
                for (x, y) in [(a, b), (b, a)] {
                    #expect(SortedOrdinals.intersection(x, y) == left.intersection(right).sorted())
                    #expect(SortedOrdinals.subtracting(x, y) == Set(x).subtracting(y).sorted())
                }
            }
        }
    }

    /// The kernels for older processors give the answers of those for this one.
    @Test func everyInstructionSet() {
        defer { kernels_limit_level(Int32(KERNELS_AVX512)) }
        for level in [KERNELS_PLAIN, KERNELS_AVX2] {
            kernels_limit_level(Int32(level))
            buildingReadingCounting()
            algebra()
            listsOfEveryRatio()
        }
    }
}
