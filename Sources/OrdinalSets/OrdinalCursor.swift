// The members of a set, batch by batch.

internal import CKernels

extension OrdinalSet {
    /// A cursor over the members from `ordinal` on, ascending.
    package func cursor(from ordinal: Int = 0) -> OrdinalCursor { OrdinalCursor(self, from: ordinal) }
}

/// Hands out the members of a set in ascending batches.
package struct OrdinalCursor: Sendable {
    /// A batch has at most this many ordinals.
    package static let batchSize = 4_096

    private let set: OrdinalSet
    /// Where the next batch starts: an ordinal in a run, a word in a bitmap, otherwise a number of members.
    private var position: Int
    /// Members below this were not asked for; only a bitmap's first word may hold some.
    private let start: Int

    init(_ set: OrdinalSet, from ordinal: Int) {
        self.set = set
        start = max(0, min(ordinal, set.universe))
        switch set.form {
        case .run(let run): position = max(run.lowerBound, start)
        case .dense: position = start >> 6
        case .list, .compressed: position = set.rank(start)
        }
    }

    /// Fills `batch` with the next 1 … `batchSize` members; false, and an empty batch, if there are no more.
    ///
    /// Complexity: O(batch), for a bitmap also the words passed over. The batch keeps its memory from call to call.
    package mutating func next(_ batch: inout [UInt32]) -> Bool {
        batch.removeAll(keepingCapacity: true)
        switch set.form {
        case .run(let run):
            let end = max(position, min(run.upperBound, position + Self.batchSize))
            batch.append(contentsOf: (position..<end).lazy.map { UInt32($0) })
            position = end
        case .list(let list):
            let end = min(list.count, position + Self.batchSize)
            batch.append(contentsOf: list[min(position, end)..<end])
            position = end
        case .compressed(let set):
            batch.append(contentsOf: set.ordinals(from: position, limit: Self.batchSize))
            position += batch.count
        case .dense(let bitmap, _): extract(bitmap, into: &batch)
        }
        return !batch.isEmpty
    }

    private mutating func extract(_ bitmap: Bitmap, into batch: inout [UInt32]) {
        guard position < bitmap.words.count else { return }
        if start > position << 6 {
            // The word that the cursor starts in the middle of.
            for ordinal in start..<min(bitmap.count, (position + 1) << 6) where bitmap[ordinal] {
                batch.append(UInt32(ordinal))
            }
            position += 1
            if !batch.isEmpty { return }
        }
        batch.append(addingCapacity: Self.batchSize) { output in
            // SAFETY: the kernel writes at most as many numbers as there is room for, from the first on.
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                count = unsafe bitmap.words.withUnsafeBufferPointer { words in
                    unsafe kernels_words_extract(
                        words.baseAddress, words.count, &position, buffer.baseAddress, buffer.count)
                }
            }
        }
    }
}
