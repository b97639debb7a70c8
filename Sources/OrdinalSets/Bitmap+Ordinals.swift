// Bitmaps from ordinals and back.

internal import CKernels

extension Bitmap {
    /// A bitmap of `count` rows that holds `ordinals`, in any order; those beyond `count` are left out.
    package init(ordinals: [UInt32], count: Int) {
        self.init(count: count)
        insert(ordinals)
    }

    /// Adds rows, in any order; those beyond `count` are left out. Complexity: O(ordinals).
    package mutating func insert(_ ordinals: [UInt32]) {
        let inside = clipped(ordinals)
        // SAFETY: every ordinal that is left has a bit.
        unsafe inside.withUnsafeBufferPointer { list in
            unsafe words.withUnsafeMutableBufferPointer { words in
                unsafe kernels_list_set_bits(list.baseAddress, list.count, words.baseAddress)
            }
        }
    }

    /// The rows in the set, ascending. Complexity: O(count / 64 + members), half a nanosecond a member.
    package var ordinals: [UInt32] { ordinals(capacity: cardinality) }

    /// The rows in the set, ascending; `capacity` is their number.
    func ordinals(capacity: Int) -> [UInt32] {
        // SAFETY: there is room for every member and for what the kernel wants in reserve.
        unsafe [UInt32](unsafeUninitializedCapacity: capacity + Int(KERNELS_EXTRACT_ROOM)) { buffer, initialized in
            var position = 0
            initialized = unsafe words.withUnsafeBufferPointer { words in
                unsafe kernels_words_extract(
                    words.baseAddress, words.count, &position, buffer.baseAddress, buffer.count)
            }
        }
    }

    /// Calls `body` with each row in the set, ascending.
    @inlinable
    package func forEachMember(_ body: (Int) -> Void) {
        for index in words.indices {
            var word = words[index]
            while word != 0 {
                body(index &<< 6 &+ word.trailingZeroBitCount)
                word &= word &- 1
            }
        }
    }

    /// `ordinals` without those that are no rows; they are not copied if all are.
    private func clipped(_ ordinals: [UInt32]) -> [UInt32] {
        let limit = limit
        guard let highest = ordinals.max(), Int(highest) >= limit else { return ordinals }
        return ordinals.filter { Int($0) < limit }
    }
}
