// Set algebra of bitmaps, word by word.

internal import CKernels

/// Bitmaps that meet cover the same rows. If they do not, rows that one of them does not cover are not in it.
extension Bitmap {
    /// Keeps the rows that are also in `other`; returns how many are left. Complexity: O(count / 64).
    @discardableResult
    package mutating func formIntersection(_ other: Bitmap) -> Int {
        let common = min(words.count, other.words.count)
        for word in common..<words.count { words[word] = 0 }
        return unsafe combine(other) { unsafe kernels_words_and($0, $1, $2, $3) }
    }

    /// Adds the rows of `other`. Complexity: O(count / 64).
    package mutating func formUnion(_ other: Bitmap) {
        unsafe combine(other) { unsafe kernels_words_or($0, $1, $2, $3) }
        clearTail()
    }

    /// Removes the rows of `other`. Complexity: O(count / 64).
    package mutating func subtract(_ other: Bitmap) {
        unsafe combine(other) { unsafe kernels_words_and_not($0, $1, $2, $3) }
    }

    /// Keeps the rows that are in one of the two alone. Complexity: O(count / 64).
    package mutating func formSymmetricDifference(_ other: Bitmap) {
        unsafe combine(other) { unsafe kernels_words_xor($0, $1, $2, $3) }
        clearTail()
    }

    /// Turns members into non-members and the reverse. Complexity: O(count / 64).
    package mutating func formComplement() {
        for word in words.indices { words[word] = ~words[word] }
        clearTail()
    }

    /// Adds a range of rows; those beyond `count` are left out. Complexity: O(range / 64).
    package mutating func insert(_ rows: Range<Int>) {
        change(rows) { word, mask in word |= mask }
    }

    /// Removes a range of rows. Complexity: O(range / 64).
    package mutating func remove(_ rows: Range<Int>) {
        change(rows) { word, mask in word &= ~mask }
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

    /// Number of rows in the set within `rows`. Complexity: O(rows / 64).
    package func cardinality(in rows: Range<Int>) -> Int {
        let rows = rows.clamped(to: 0..<limit)
        guard !rows.isEmpty else { return 0 }
        let (first, last) = (rows.lowerBound >> 6, (rows.upperBound - 1) >> 6)
        let (head, tail) = Self.masks(rows)
        if first == last { return (words[first] & head & tail).nonzeroBitCount }
        // SAFETY: words first + 1 ..< last exist, last being the word of a row that has a bit.
        let middle = unsafe words.withUnsafeBufferPointer { words in
            unsafe Int(kernels_words_count(words.baseAddress.map { unsafe $0 + first + 1 }, last - first - 1))
        }
        return (words[first] & head).nonzeroBitCount + middle + (words[last] & tail).nonzeroBitCount
    }

    /// The bits of the first word and of the last that belong to `rows`, which are not empty.
    private static func masks(_ rows: Range<Int>) -> (head: UInt64, tail: UInt64) {
        (~0 << UInt64(rows.lowerBound & 63), ~0 >> UInt64(63 - (rows.upperBound - 1) & 63))
    }

    private mutating func change(_ rows: Range<Int>, _ body: (inout UInt64, UInt64) -> Void) {
        let rows = rows.clamped(to: 0..<limit)
        guard !rows.isEmpty else { return }
        let (first, last) = (rows.lowerBound >> 6, (rows.upperBound - 1) >> 6)
        let (head, tail) = Self.masks(rows)
        if first == last {
            body(&words[first], head & tail)
            return
        }
        body(&words[first], head)
        for word in first + 1..<last { body(&words[word], ~0) }
        body(&words[last], tail)
    }

    private typealias Kernel = (
        UnsafePointer<UInt64>?, UnsafePointer<UInt64>?, Int, UnsafeMutablePointer<UInt64>?
    ) -> UInt64

    /// Combines the words common to both; returns the number of members among them.
    @discardableResult
    private mutating func combine(_ other: Bitmap, _ kernel: Kernel) -> Int {
        let common = min(words.count, other.words.count)
        // SAFETY: the kernel reads `common` words of each and writes as many, and allows the result to be an operand.
        return unsafe words.withUnsafeMutableBufferPointer { mine in
            unsafe other.words.withUnsafeBufferPointer { theirs in
                unsafe Int(kernel(mine.baseAddress, theirs.baseAddress, common, mine.baseAddress))
            }
        }
    }
}
