// The values of groups as words, and how many of them differ.

internal import CKernels
import Deadlines

/// Words of groups, counted at the end: group by group they are in a cache, where a table of all would not be.
struct GroupedWords {
    /// Words of different families are different values.
    enum Family: UInt32 { case whole, fraction, date, other }

    private var words: [UInt64] = []
    /// Group · 4 and the family of each.
    private var parts: [UInt32] = []

    // Drawn once: nobody can make up words that all fall into one slot.
    private static let multiplier = UInt64.random(in: .min ... .max) | 1

    @inline(__always)
    mutating func append(_ value: (family: Family, word: UInt64), _ group: Int) {
        words.append(value.word)
        parts.append(UInt32(truncatingIfNeeded: group) << 2 | value.family.rawValue)
    }

    /// How many different words each group has.
    /// - Throws: `GroupingError` when the query was interrupted.
    /// - Complexity: O(words + groups).
    func distinctCounts(groupCount: Int, watch: Deadline.Watch) throws(GroupingError) -> [Int64] {
        var places = [Int](repeating: 0, count: groupCount * 4)
        for part in parts { places[Int(part)] += 1 }
        var start = 0
        for part in places.indices { (places[part], start) = (start, start + places[part]) }
        let sorted = sorted(into: &places)
        try watch.checkGroups()
        var counts = [Int64](repeating: 0, count: groupCount)
        var slots: [UInt64] = []
        start = 0
        var nextLook = GroupedRows.stretch
        for (part, end) in places.enumerated() where end > start {
            counts[part >> 2] += Int64(Self.distinctCount(sorted, start..<end, &slots))
            start = end
            if start < nextLook { continue }
            nextLook = start + GroupedRows.stretch
            try watch.checkGroups()
        }
        return counts
    }

    /// The words by their parts; the places become the parts' ends.
    private func sorted(into places: inout [Int]) -> [UInt64] {
        unsafe [UInt64](unsafeUninitializedCapacity: words.count) { sorted, count in
            unsafe words.withUnsafeBufferPointer { words in
                unsafe parts.withUnsafeBufferPointer { parts in
                    unsafe places.withUnsafeMutableBufferPointer { places in
                        // SAFETY: each word has a part, and the parts' places are as many as its words.
                        unsafe kernels_partition(
                            words.baseAddress, parts.baseAddress, words.count,
                            UnsafeMutableRawPointer(places.baseAddress)?.assumingMemoryBound(to: UInt.self),
                            sorted.baseAddress)
                    }
                }
            }
            count = words.count
        }
    }

    private static func distinctCount(_ words: [UInt64], _ range: Range<Int>, _ slots: inout [UInt64]) -> Int {
        let bits = UInt32(max(1, Int.bitWidth - (range.count * 2 - 1).leadingZeroBitCount))
        slots.grow(to: 1 << bits, 0)
        return unsafe slots.withUnsafeMutableBufferPointer { slots in
            unsafe words.withUnsafeBufferPointer { words in
                // SAFETY: the range is one of the words, and there are 2^bits slots, twice as many as it has.
                unsafe Int(
                    kernels_count_distinct(
                        words.baseAddress.map { unsafe $0 + range.lowerBound }, range.count, slots.baseAddress, bits,
                        multiplier))
            }
        }
    }
}
