// Grapheme cluster boundaries: substring matches may not cut what a reader sees as one character.
import CICU

/// Tells whether offsets of a UTF-8 text are boundaries of grapheme clusters. Offsets must ascend.
///
/// A carriage return and a line feed count as two, unlike in Unicode's default: `text CONTAINS '\n'` is true of CRLF
/// text.
struct ClusterBoundaries: ~Copyable {
    private var breaker: Breaker?

    /// Whether `offset`, which lies between two scalars of `text` or at an end, is a boundary. Always the same text.
    mutating func isBoundary(_ offset: Int, in text: Span<UInt8>) -> Bool {
        guard offset > 0, offset < text.count else { return true }
        let next = text.scalar(at: offset).value
        let previous = text.scalar(before: offset).value
        // No scalar below U+0300 joins another, the carriage return and the line feed apart.
        if next < 0x300, previous < 0x300 { return true }
        let before = cicu_cluster_of(previous)
        let after = cicu_cluster_of(next)
        let control = Int32(CICU_CLUSTER_CONTROL.rawValue)
        if before == control || after == control { return true }
        if after == Int32(CICU_CLUSTER_EXTENDING.rawValue) { return false }
        let other = Int32(CICU_CLUSTER_OTHER.rawValue)
        if before == other { return true }
        return isHardBoundary(offset, in: text)
    }

    /// What ICU says, for joiners, flags, prepended marks and Hangul.
    private mutating func isHardBoundary(_ offset: Int, in text: Span<UInt8>) -> Bool {
        guard let position = Int32(exactly: offset), let length = Int32(exactly: text.count) else { return true }
        if breaker == nil {
            guard let borrowed = BreakerPool.clusters.borrow() else { return true }
            breaker = borrowed
            // SAFETY: the text outlives this value's use of it: callers pass one text that they hold throughout.
            _ = unsafe text.withUnsafeBufferPointer { buffer in
                unsafe cicu_breaker_set_utf8(borrowed.pointer, buffer.baseAddress, length)
            }
        }
        guard let breaker else { return true }
        return unsafe cicu_breaker_is_boundary(breaker.pointer, position)
    }

    deinit {
        if let breaker { BreakerPool.clusters.giveBack(breaker) }
    }
}
