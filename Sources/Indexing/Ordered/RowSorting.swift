// Rows sorted by a 64-bit key: the work horse of index building.

/// A row with the key it is sorted by.
@usableFromInline
package struct KeyedRow: BitwiseCopyable, Sendable {
    /// What comes first has the smaller key.
    @usableFromInline package var key: UInt64
    @usableFromInline package var row: UInt32
    /// Decides between rows of one key, before the row itself does.
    @usableFromInline package var tie: UInt32

    /// A row under a key.
    @inlinable
    package init(key: UInt64, row: UInt32, tie: UInt32 = 0) {
        self.key = key
        self.row = row
        self.tie = tie
    }

    /// Whether `a` comes before `b`: by key, tie, and row.
    @inlinable
    package static func precedes(_ a: KeyedRow, _ b: KeyedRow) -> Bool {
        if a.key != b.key { return a.key < b.key }
        return a.tie != b.tie ? a.tie < b.tie : a.row < b.row
    }
}

/// Sorting of keyed rows.
@usableFromInline
package enum RowSorting {
    /// Below this many rows a comparison sort wins over counting (measured: about 1,500).
    private static let radixThreshold = 1_500

    /// Sorts by key, then tie, then row. Rows must come in ascending row order. Complexity: O(n) for many rows.
    static func sort(_ rows: inout [KeyedRow]) {
        if rows.count < radixThreshold {
            rows.sort(by: KeyedRow.precedes)
            return
        }
        radixSort(&rows)
        settleTies(&rows)
    }

    /// Stable least-significant-digit radix sort over the bytes of the key in which rows differ.
    private static func radixSort(_ rows: inout [KeyedRow]) {
        var counts = [Int](repeating: 0, count: 8 * 256)
        for row in rows {
            var key = row.key
            for digit in 0..<8 {
                counts[digit &* 256 &+ Int(key & 255)] &+= 1
                key >>= 8
            }
        }
        var other = rows
        for digit in 0..<8 {
            let base = digit * 256
            let shift = UInt64(digit * 8)
            if let first = rows.first, counts[base + Int(first.key >> shift & 255)] == rows.count { continue }
            var sum = 0
            for value in base..<base + 256 {
                let count = counts[value]
                counts[value] = sum
                sum += count
            }
            unsafe rows.withUnsafeBufferPointer { source in
                unsafe other.withUnsafeMutableBufferPointer { target in
                    unsafe counts.withUnsafeMutableBufferPointer { places in
                        // SAFETY: the places of each digit are running sums of its counts, so every row has a slot
                        // of its own below `source.count`.
                        for position in 0..<source.count {
                            let row = unsafe source[position]
                            let slot = base &+ Int(row.key >> shift & 255)
                            let place = unsafe places[slot]
                            unsafe target[place] = row
                            unsafe places[slot] = place &+ 1
                        }
                    }
                }
            }
            swap(&rows, &other)
        }
    }

    /// Sorts the rows of each key by tie; they are in row order already.
    private static func settleTies(_ rows: inout [KeyedRow]) {
        var start = 0
        while start < rows.count {
            var end = start + 1
            var isMixed = false
            while end < rows.count, rows[end].key == rows[start].key {
                if rows[end].tie != rows[start].tie { isMixed = true }
                end += 1
            }
            if isMixed { rows[start..<end].sort(by: KeyedRow.precedes) }
            start = end
        }
    }

    /// A key that sorts as the number does: −0 as 0, NaN above all.
    @inlinable
    package static func key(_ number: Double) -> UInt64 {
        if number.isNaN { return .max }
        let bits = (number == 0 ? 0 : number).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    /// A key that sorts as the number does.
    @inlinable
    package static func key(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ 1 << 63 }
}
