// Bitmaps that are built row by row.

import OrdinalSets

/// A bitmap under construction.
final class BitBuilder {
    private let words = ColumnBuffer<UInt64>()
    /// Number of rows.
    private(set) var count = 0

    /// An empty bitmap.
    init() {}

    /// Adds a row.
    func append(_ bit: Bool) {
        if count & 63 == 0 { words.append(0) }
        if bit { words[count >> 6] |= 1 << UInt64(count & 63) }
        count += 1
    }

    /// Adds `count` equal rows.
    func append(repeating bit: Bool, count extra: Int) {
        var left = extra
        while left > 0, count & 63 != 0 {
            append(bit)
            left -= 1
        }
        let whole = left / 64
        if whole > 0 { words.append(repeating: bit ? ~0 : 0, count: whole) }
        count += whole * 64
        for _ in 0..<(left - whole * 64) { append(bit) }
    }

    /// Whether a row below `count` is set.
    subscript(row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 != 0 }

    /// Unsets a row below `count`.
    func clear(_ row: Int) { words[row >> 6] &= ~(1 << UInt64(row & 63)) }

    /// Drops all rows from `newCount` on.
    func truncate(to newCount: Int) {
        guard newCount < count else { return }
        count = max(0, newCount)
        words.truncate(to: (count + 63) / 64)
        if count & 63 != 0 { words[count >> 6] &= (1 << UInt64(count & 63)) - 1 }
    }

    /// The finished bitmap.
    var bitmap: Bitmap { unsafe Bitmap(words: words.withElements { unsafe Array($0) }, count: count) }
}

/// Which rows have a value, under construction: no bits are kept as long as all rows have.
final class PresenceBuilder {
    private(set) var count = 0
    private(set) var presentCount = 0
    /// The rows up to the last one without a value, or some more; those behind all have one.
    private let bits = BitBuilder()

    @inline(__always)
    func appendPresent() {
        count &+= 1
        presentCount &+= 1
    }

    func appendPresent(_ rows: Int) {
        count += rows
        presentCount += rows
    }

    func appendMissing(_ rows: Int) {
        guard rows > 0 else { return }
        bits.append(repeating: true, count: count - bits.count)
        bits.append(repeating: false, count: rows)
        count += rows
    }

    func truncate(to newCount: Int) {
        while count > newCount {
            count -= 1
            if self[count] { presentCount -= 1 }
        }
        bits.truncate(to: count)
    }

    subscript(row: Int) -> Bool { row < bits.count ? bits[row] : true }

    /// The finished bitmap; `nil` when every row has a value.
    var bitmap: Bitmap? {
        if presentCount == count { return nil }
        bits.append(repeating: true, count: count - bits.count)
        return bits.bitmap
    }
}
