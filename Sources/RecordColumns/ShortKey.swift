// Short byte strings as two whole numbers, so that comparing them is two comparisons.

/// A byte string of up to 15 bytes by its content, or a longer one by its length and a hash.
///
/// Keys of short strings are equal exactly when the strings are; those of longer strings are equal when the strings
/// are, and rarely else.
@usableFromInline
package struct ShortKey: BitwiseCopyable, Equatable, Sendable {
    /// The first eight bytes, zeros behind a shorter string; for a longer one its hash.
    @usableFromInline package let low: UInt64
    /// The bytes after the eighth, the length in the highest byte; for longer strings ones there, and the length.
    @usableFromInline package let high: UInt64

    /// Strings of more bytes are not held whole.
    @inlinable package static var longest: Int { 15 }

    /// Whether the key stands for a string that is longer than what it holds.
    @inlinable package var isPartial: Bool { high >> 56 == 0xFF }

    @inlinable
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// The key of bytes. Complexity: O(1) up to 15 bytes, else O(count).
    @inlinable @inline(__always)
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        let raw = UnsafeRawBufferPointer(bytes)
        let count = raw.count
        let length = UInt64(truncatingIfNeeded: count) << 56
        // SAFETY: every load ends at or before `count`; where two loads overlap they bring the same bytes.
        if count >= 8 {
            guard count <= ShortKey.longest else {
                self.init(
                    low: UInt64(unsafe ByteHash.hash(bytes)),
                    high: 0xFF << 56 | UInt64(UInt32(truncatingIfNeeded: count)))
                return
            }
            let tail = unsafe raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            // Two shifts, since one may be by all 64 bits.
            let high = (tail >> 8) &>> UInt64(8 &* (15 &- count))
            self.init(low: unsafe raw.loadUnaligned(as: UInt64.self), high: high | length)
        } else if count >= 4 {
            let head = UInt64(unsafe raw.loadUnaligned(as: UInt32.self))
            let tail = UInt64(unsafe raw.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            self.init(low: head | tail &<< UInt64(8 &* (count &- 4)), high: length)
        } else {
            var low: UInt64 = 0
            for offset in 0..<count { low |= UInt64(unsafe raw[offset]) &<< UInt64(8 &* offset) }
            self.init(low: low, high: length)
        }
    }

    /// Calls `body` with the bytes that the key holds whole; with none when it is partial.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let count = isPartial ? 0 : Int(truncatingIfNeeded: high >> 56)
        return unsafe withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) { raw in
            // SAFETY: a key that is not partial has at most 15 bytes, and these are in front.
            unsafe raw.withMemoryRebound(to: UInt8.self) { unsafe body(UnsafeBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
