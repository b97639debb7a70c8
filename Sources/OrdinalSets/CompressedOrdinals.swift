// Compressed sets of ordinals, by CRoaring.

internal import CRoaring

/// An immutable compressed set of ordinals: the smallest form for large sets that come in clusters or are sparse.
@safe
package final class CompressedOrdinals: Sendable {
    // SAFETY: the set behind the pointer is never changed after `init`, and only this object frees it.
    private nonisolated(unsafe) let set: OpaquePointer

    /// Compresses a list that ascends without repetition. Complexity: O(list).
    package init(ascending list: [UInt32]) {
        // SAFETY: the library copies the list's members.
        unsafe set = list.withUnsafeBufferPointer { unsafe croaring_create($0.baseAddress, $0.count) }
    }

    private init(owning set: OpaquePointer) { unsafe self.set = set }

    deinit { unsafe croaring_free(set) }

    /// Number of members.
    package var cardinality: Int { unsafe Int(croaring_count(set)) }

    /// Bytes of memory the members take.
    package var byteCount: Int { unsafe croaring_size(set) }

    /// Whether `ordinal` is a member. Complexity: O(log members).
    package func contains(_ ordinal: UInt32) -> Bool { unsafe croaring_contains(set, ordinal) != 0 }

    /// Number of members below `ordinal`.
    package func rank(_ ordinal: UInt32) -> Int { ordinal == 0 ? 0 : unsafe Int(croaring_rank(set, ordinal - 1)) }

    /// Number of members in `ordinals`.
    package func cardinality(in ordinals: Range<Int>) -> Int {
        let ordinals = ordinals.clamped(to: 0..<1 << 32)
        guard !ordinals.isEmpty else { return 0 }
        return unsafe Int(croaring_count_range(set, UInt64(ordinals.lowerBound), UInt64(ordinals.upperBound)))
    }

    /// The member with `rank` members below it, or nil if there are not so many.
    package func select(_ rank: Int) -> Int? {
        guard let rank = UInt32(exactly: rank) else { return nil }
        let member = unsafe croaring_select(set, rank)
        return member < 0 ? nil : Int(member)
    }

    /// The members, ascending.
    package var ordinals: [UInt32] {
        // Of no capacity it would be the empty array that all threads share, and its count would be written.
        if cardinality == 0 { return [] }
        // SAFETY: room for every member.
        return unsafe [UInt32](unsafeUninitializedCapacity: cardinality) { buffer, initialized in
            unsafe croaring_copy(set, buffer.baseAddress)
            initialized = cardinality
        }
    }

    /// Up to `limit` members from the `offset`-th on, ascending.
    package func ordinals(from offset: Int, limit: Int) -> [UInt32] {
        let count = max(0, min(limit, cardinality - offset))
        guard offset >= 0, count > 0 else { return [] }
        // SAFETY: room for `count` members.
        return unsafe [UInt32](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe croaring_copy_part(set, offset, count, buffer.baseAddress)
            initialized = count
        }
    }

    /// The members as a bitmap of `count` rows, all members being below it.
    package func bitmap(count: Int) -> Bitmap {
        guard rank(UInt32(clamping: count)) == cardinality else { return Bitmap(ordinals: ordinals, count: count) }
        var bitmap = Bitmap(count: count)
        // SAFETY: every member is below `count`, so its word exists.
        unsafe bitmap.words.withUnsafeMutableBufferPointer { unsafe croaring_set_bits(set, $0.baseAddress) }
        return bitmap
    }

    /// The ordinals of an ascending list that are members (or, with `wanted` false, are not).
    package func filter(_ list: [UInt32], wanted: Bool = true) -> [UInt32] {
        if list.isEmpty { return [] }
        // SAFETY: room for the whole list.
        return unsafe [UInt32](unsafeUninitializedCapacity: list.count) { buffer, initialized in
            initialized = unsafe list.withUnsafeBufferPointer {
                unsafe croaring_filter(set, $0.baseAddress, $0.count, wanted ? 1 : 0, buffer.baseAddress)
            }
        }
    }

    /// How many ordinals of an ascending list are members.
    package func filterCount(_ list: [UInt32]) -> Int {
        // SAFETY: without an output the function only reads the list.
        unsafe list.withUnsafeBufferPointer { unsafe croaring_filter(set, $0.baseAddress, $0.count, 1, nil) }
    }

    /// The members common to both.
    package func intersection(_ other: CompressedOrdinals) -> CompressedOrdinals {
        unsafe CompressedOrdinals(owning: croaring_and(set, other.set))
    }

    /// The members of either.
    package func union(_ other: CompressedOrdinals) -> CompressedOrdinals {
        unsafe CompressedOrdinals(owning: croaring_or(set, other.set))
    }

    /// The members that are not in `other`.
    package func subtracting(_ other: CompressedOrdinals) -> CompressedOrdinals {
        unsafe CompressedOrdinals(owning: croaring_and_not(set, other.set))
    }

    /// The members of exactly one.
    package func symmetricDifference(_ other: CompressedOrdinals) -> CompressedOrdinals {
        unsafe CompressedOrdinals(owning: croaring_xor(set, other.set))
    }

    /// Number of members common to both.
    package func intersectionCount(_ other: CompressedOrdinals) -> Int {
        unsafe Int(croaring_and_count(set, other.set))
    }
}
