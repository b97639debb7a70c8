// The values of groups as words, and how many of them differ.

internal import CKernels
import Deadlines
import RecordColumns

/// Words of groups, counted at the end: part by part they are in a cache, where a table of all would not be.
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

    /// Appends the whole numbers of a column's rows.
    /// - Throws: `GroupingError` when the query was interrupted.
    mutating func append(
        _ numbers: ColumnBuffer<Int64>, of column: Column, _ entries: GroupedRows, watch: Deadline.Watch
    ) throws(GroupingError) {
        var end = words.count
        words.grow(to: end + entries.rows.count, 0)
        parts.grow(to: end + entries.rows.count, 0)
        try unsafe entries.forEachStretch(of: column, watch) { stretch in
            unsafe numbers.withElements { numbers in
                unsafe words.withUnsafeMutableBufferPointer { words in
                    unsafe parts.withUnsafeMutableBufferPointer { parts in
                        guard let word = words.baseAddress, let part = parts.baseAddress else { return }
                        // SAFETY: the column has a value for each row, and there is room for all rows.
                        unsafe end += Int(
                            kernels_group_words(
                                numbers.baseAddress, stretch.present, stretch.rows, stretch.groups, stretch.count,
                                word + end, part + end))
                    }
                }
            }
        }
        words.removeLast(words.count - end)
        parts.removeLast(parts.count - end)
    }

    /// How many different words each group has.
    ///
    /// Equal words have equal hashes: those of a large group are counted in places of some hashes each, in tables that
    /// fit into a core's own cache.
    /// - Throws: `GroupingError` when the query was interrupted.
    /// - Complexity: O(words + groups).
    func distinctCounts(groupCount: Int, watch: Deadline.Watch) throws(GroupingError) -> [Int64] {
        let bits = hashBits(groupCount: groupCount)
        let (sorted, ends) = partitioned(into: groupCount * 4, bits: bits)
        try watch.checkGroups()
        var counts = [Int64](repeating: 0, count: groupCount)
        var slots: [UInt64] = []
        var start = 0
        var nextLook = GroupedRows.stretch
        for (place, end) in ends.enumerated() where end > start {
            counts[place >> (bits + 2)] += Int64(Self.distinctCount(sorted, start..<Int(end), known: bits, &slots))
            start = Int(end)
            if start < nextLook { continue }
            nextLook = start + GroupedRows.stretch
            try watch.checkGroups()
        }
        return counts
    }

    /// Words whose table fits into a core's own cache.
    private static let few = 1 << 12

    /// How many bits of hashes part the largest group so that its tables are small, unless there are many groups.
    private func hashBits(groupCount: Int) -> Int {
        var sizes = [Int](repeating: 0, count: groupCount * 4)
        for part in parts { sizes[Int(part)] += 1 }
        let wanted = Int.bitWidth - ((sizes.max() ?? 0) / Self.few).leadingZeroBitCount
        return (0...min(8, wanted)).last { sizes.count << $0 <= 1 << 14 } ?? 0
    }

    /// The words by their parts and the first bits of their hashes, and where each place ends.
    private func partitioned(into partCount: Int, bits: Int) -> (words: [UInt64], ends: [UInt]) {
        var ends = [UInt](repeating: 0, count: partCount << bits)
        // Of no capacity it would be the empty array that all threads share, and its count would be written.
        if words.isEmpty { return ([], ends) }
        let sorted = unsafe [UInt64](unsafeUninitializedCapacity: words.count) { sorted, count in
            unsafe words.withUnsafeBufferPointer { words in
                unsafe parts.withUnsafeBufferPointer { parts in
                    unsafe ends.withUnsafeMutableBufferPointer { ends in
                        // SAFETY: each word has a part below their number, and there is an end for each place.
                        unsafe kernels_partition_hashed(
                            words.baseAddress, parts.baseAddress, words.count, Self.multiplier, UInt32(bits),
                            ends.baseAddress, ends.count, sorted.baseAddress)
                    }
                }
            }
            count = words.count
        }
        return (sorted, ends)
    }

    /// - Parameter known: How many bits of their hashes the words have in common.
    private static func distinctCount(
        _ words: [UInt64], _ range: Range<Int>, known: Int, _ slots: inout [UInt64]
    ) -> Int {
        let bits = UInt32(max(1, Int.bitWidth - (range.count * 2 - 1).leadingZeroBitCount))
        slots.grow(to: 1 << bits, 0)
        return unsafe slots.withUnsafeMutableBufferPointer { slots in
            unsafe words.withUnsafeBufferPointer { words in
                // SAFETY: the range is one of the words, and there are 2^bits slots, twice as many as it has.
                unsafe Int(
                    kernels_count_distinct(
                        words.baseAddress.map { unsafe $0 + range.lowerBound }, range.count, slots.baseAddress, bits,
                        UInt32(known), multiplier))
            }
        }
    }
}
