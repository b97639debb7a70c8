// Set algebra of bitmaps, word by word.

internal import CKernels

/// Bitmaps that meet cover the same rows. If they do not, rows that one of them does not cover are not in it.
extension Bitmap {
    /// How two bitmaps are combined.
    private enum Operation {
        /// The rows in both, in either, in the first alone, in one of the two alone.
        case intersection, union, subtraction, symmetricDifference
    }

    /// Keeps the rows that are also in `other`; returns how many are left. Complexity: O(count / 64).
    @discardableResult
    package mutating func formIntersection(_ other: Bitmap) -> Int { form(.intersection, other) }

    /// Adds the rows of `other`; returns how many there are. Complexity: O(count / 64).
    @discardableResult
    package mutating func formUnion(_ other: Bitmap) -> Int { form(.union, other) }

    /// Removes the rows of `other`; returns how many are left. Complexity: O(count / 64).
    @discardableResult
    package mutating func subtract(_ other: Bitmap) -> Int { form(.subtraction, other) }

    /// Keeps the rows that are in one of the two alone; returns how many. Complexity: O(count / 64).
    @discardableResult
    package mutating func formSymmetricDifference(_ other: Bitmap) -> Int { form(.symmetricDifference, other) }

    /// Changes this bitmap to the result of `operation`; returns the number of rows in it. Complexity: O(count / 64).
    @discardableResult
    private mutating func form(_ operation: Operation, _ other: Bitmap) -> Int {
        guard words.count == other.words.count, count == other.count else {
            return form(operation, other.resized(to: count, words: words.count))
        }
        // SAFETY: both have as many words, and the kernels allow the result to be an operand.
        return unsafe words.withUnsafeMutableBufferPointer { mine in
            unsafe other.words.withUnsafeBufferPointer { theirs in
                unsafe Self.run(operation, mine.baseAddress, theirs.baseAddress, mine.count, mine.baseAddress)
            }
        }
    }

    private static func run(
        _ operation: Operation, _ a: UnsafePointer<UInt64>?, _ b: UnsafePointer<UInt64>?, _ count: Int,
        _ out: UnsafeMutablePointer<UInt64>?
    ) -> Int {
        switch operation {
        case .intersection: unsafe Int(kernels_words_and(a, b, count, out))
        case .union: unsafe Int(kernels_words_or(a, b, count, out))
        case .subtraction: unsafe Int(kernels_words_and_not(a, b, count, out))
        case .symmetricDifference: unsafe Int(kernels_words_xor(a, b, count, out))
        }
    }

    /// The same rows among `count`, in `words` words.
    private func resized(to count: Int, words wordCount: Int) -> Bitmap {
        var resized = Bitmap(words: Array(words.prefix(wordCount)), count: min(count, self.count))
        resized.words.append(contentsOf: repeatElement(0, count: wordCount - resized.words.count))
        return Bitmap(words: resized.words, count: count)
    }

    /// Turns members into non-members and the reverse. Complexity: O(count / 64).
    package mutating func formComplement() {
        for word in words.indices { words[word] = ~words[word] }
        clearTail()
    }

    /// The rows that are no members. Complexity: O(count / 64).
    package var complement: Bitmap {
        var others = self
        others.formComplement()
        return others
    }

    /// Adds a range of rows; those beyond `count` are left out. Complexity: O(range / 64).
    package mutating func insert(_ rows: Range<Int>) {
        let rows = rows.clamped(to: 0..<limit)
        guard !rows.isEmpty else { return }
        let (first, last) = (rows.lowerBound >> 6, (rows.upperBound - 1) >> 6)
        let (head, tail): (UInt64, UInt64) = (
            ~0 << UInt64(rows.lowerBound & 63), ~0 >> UInt64(63 - (rows.upperBound - 1) & 63)
        )
        if first == last {
            words[first] |= head & tail
            return
        }
        words[first] |= head
        for word in first + 1..<last { words[word] = ~0 }
        words[last] |= tail
    }

    /// Number of rows in both. Complexity: O(count / 64).
    package func intersectionCount(_ other: Bitmap) -> Int {
        let common = min(words.count, other.words.count)
        // SAFETY: the kernel reads `common` words of each.
        return unsafe words.withUnsafeBufferPointer { mine in
            unsafe other.words.withUnsafeBufferPointer { theirs in
                unsafe Int(kernels_words_and_count(mine.baseAddress, theirs.baseAddress, common))
            }
        }
    }
}
