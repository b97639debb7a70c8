// What the algebra of bitmaps returns, bitmaps of other lengths, and single rows.

import Testing

@testable import OrdinalSets

@Suite struct BitmapCountTests {
    /// Rows of two bitmaps, and how many each operation leaves and says that it leaves.
    static let cases: [(a: Range<Int>, aCount: Int, b: Range<Int>, bCount: Int, counts: [Int])] = [
        (0..<40, 100, 30..<90, 100, [10, 90, 30, 80]), (0..<100, 100, 0..<70, 70, [70, 100, 30, 30]),
        (0..<70, 70, 0..<100, 100, [70, 70, 0, 0]), (0..<0, 100, 0..<70, 70, [0, 70, 0, 70]),
        (0..<0, 70, 0..<200, 200, [0, 70, 0, 70]), (10..<20, 200, 0..<3, 3, [0, 13, 10, 13]),
        (0..<64, 64, 0..<128, 128, [64, 64, 0, 0]), (0..<5, 66, 60..<66, 70, [0, 11, 5, 11]),
        (0..<0, 0, 0..<9, 9, [0, 0, 0, 0]), (10..<201, 300, 0..<0, 300, [0, 191, 191, 191]),
    ]

    @Test(arguments: cases)
    func operationsSayHowManyRowsAreLeft(
        a: Range<Int>, aCount: Int, b: Range<Int>, bCount: Int, counts: [Int]
    ) {
        var (first, second) = (Bitmap(count: aCount), Bitmap(count: bCount))
        first.insert(a)
        second.insert(b)
        var results = [first, first, first, first]
        let returned = [
            results[0].formIntersection(second), results[1].formUnion(second), results[2].subtract(second),
            results[3].formSymmetricDifference(second),
        ]
        #expect(returned == counts)
        #expect(results.map(\.cardinality) == counts)
        #expect(results.allSatisfy { $0.count == aCount && $0.words.count == (aCount + 63) / 64 })
        #expect(first.intersectionCount(second) == counts[0])
    }

    /// One row is set and cleared, its neighbours stay.
    @Test func rowsAreSetAndClearedOneByOne() {
        for row in [0, 1, 62, 63, 64, 65, 127, 128, 199] {
            var bitmap = Bitmap(count: 200)
            bitmap[row] = true
            #expect(bitmap.ordinals == [UInt32(row)] && bitmap[row])
            bitmap[row] = false
            #expect(bitmap.cardinality == 0 && !bitmap[row])
            bitmap = Bitmap(count: 200, repeating: true)
            bitmap[row] = false
            #expect(bitmap.cardinality == 199 && bitmap.complement.ordinals == [UInt32(row)])
        }
    }
}
