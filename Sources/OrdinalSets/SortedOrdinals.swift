// Ascending lists of ordinals and their algebra.

internal import CKernels

/// Set algebra of lists of ordinals that ascend without repetition.
package enum SortedOrdinals {
    /// Whether `list` ascends without repetition. Complexity: O(list).
    package static func isAscending(_ list: [UInt32]) -> Bool {
        var descents = 0
        // Counting, not stopping at the first, lets the loop run in vectors.
        for index in 1..<max(1, list.count) { descents &+= list[index &- 1] < list[index] ? 0 : 1 }
        return descents == 0
    }

    /// The ordinals in both lists. Complexity: O(a + b), or O(a log b) where `a` is far shorter.
    package static func intersection(_ a: [UInt32], _ b: [UInt32]) -> [UInt32] {
        // SAFETY: room for the shorter list and the kernel's reserve of 16.
        unsafe combine(a, b, room: min(a.count, b.count) + 16) { unsafe kernels_list_intersect($0, $1, $2, $3, $4) }
    }

    /// The ordinals in `a` alone. Complexity: O(a + b), or O(a log b) where `a` is far shorter.
    package static func subtracting(_ a: [UInt32], _ b: [UInt32]) -> [UInt32] {
        unsafe combine(a, b, room: a.count) { unsafe kernels_list_subtract($0, $1, $2, $3, $4) }
    }

    /// The first position in `list` whose ordinal is not below `ordinal`. Complexity: O(log list).
    package static func position(of ordinal: UInt32, in list: [UInt32]) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = low + (high - low) / 2
            if list[middle] < ordinal { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private typealias Kernel = (
        UnsafePointer<UInt32>?, Int, UnsafePointer<UInt32>?, Int, UnsafeMutablePointer<UInt32>?
    ) -> Int

    /// Runs `kernel` on two lists with `room` for its result.
    private static func combine(_ a: [UInt32], _ b: [UInt32], room: Int, _ kernel: Kernel) -> [UInt32] {
        // Of no capacity it would be the empty array that all threads share, and its count would be written.
        if room == 0 { return [] }
        // SAFETY: each caller gives the room that its kernel needs.
        return unsafe [UInt32](unsafeUninitializedCapacity: room) { buffer, initialized in
            initialized = unsafe a.withUnsafeBufferPointer { a in
                unsafe b.withUnsafeBufferPointer { b in
                    unsafe kernel(a.baseAddress, a.count, b.baseAddress, b.count, buffer.baseAddress)
                }
            }
        }
    }
}
