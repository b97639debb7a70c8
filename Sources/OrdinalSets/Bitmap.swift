// A dense set of row ordinals: one bit a row.

internal import CKernels

/// A set of row ordinals `0..<count`, one bit each; bits at and above `count` are zero.
package struct Bitmap: Hashable, Sendable {
    /// The bits, 64 rows a word, lowest row in the lowest bit.
    package var words: [UInt64]
    /// Number of rows covered.
    package private(set) var count: Int

    /// A bitmap of `count` rows, all clear or all set.
    package init(count: Int = 0, repeating bit: Bool = false) {
        self.count = count
        words = [UInt64](repeating: bit ? ~0 : 0, count: (count + 63) / 64)
        if bit { clearTail() }
    }

    /// Takes over words built elsewhere; bits behind `count` are cleared.
    package init(words: [UInt64], count: Int) {
        self.words = words
        self.count = count
        clearTail()
    }

    /// Whether `row` is in the set.
    @inlinable
    package subscript(row: Int) -> Bool {
        get { words[row &>> 6] &>> UInt64(row & 63) & 1 != 0 }
        set {
            let bit: UInt64 = 1 &<< UInt64(row & 63)
            if newValue { words[row &>> 6] |= bit } else { words[row &>> 6] &= ~bit }
        }
    }

    /// Adds one row at the end. Complexity: amortised O(1).
    @inlinable
    package mutating func append(_ bit: Bool) {
        if count & 63 == 0 { words.append(0) }
        if bit { words[count &>> 6] |= 1 &<< UInt64(count & 63) }
        grow(to: count + 1)
    }

    /// The rows that have a bit: all `0..<count`, even if `words` was set to fewer.
    var limit: Int { min(count, words.count << 6) }

    /// Number of rows in the set. Complexity: O(count / 64).
    package var cardinality: Int {
        // SAFETY: the kernel reads the words it is given.
        unsafe words.withUnsafeBufferPointer { unsafe Int(kernels_words_count($0.baseAddress, $0.count)) }
    }

    @usableFromInline
    mutating func grow(to newCount: Int) { count = newCount }

    mutating func clearTail() {
        let tail = count & 63
        if tail != 0, let last = words.indices.last { words[last] &= (1 << UInt64(tail)) - 1 }
    }
}
