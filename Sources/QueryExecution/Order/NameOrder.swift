// Rows in the order of their records' names: what queries without an order of their own are given in.

import Glibc
import RecordColumns
import RecordStore

/// Puts some thousand rows in the order of their names, compared as whole numbers of sixteen bytes.
///
/// Only names of ASCII: these are in the order of their bytes.
struct NameOrder {
    /// More rows are sorted with a look at the clock.
    static let mostRows = 4_096

    private struct Entry {
        /// The first bytes of the name, zeros behind a shorter one.
        var high: UInt64, low: UInt64
        var place: Int
    }

    private let rows: [SnapshotRow]
    private let snapshot: Snapshot
    private var entries: [Entry] = []

    /// - Returns: `nil` for too many rows, and for names beyond ASCII.
    init?(_ rows: [SnapshotRow], of snapshot: Snapshot) {
        guard rows.count <= Self.mostRows else { return nil }
        (self.rows, self.snapshot) = (rows, snapshot)
        entries.reserveCapacity(rows.count)
        for (place, row) in rows.enumerated() {
            let entry = unsafe Self.names(of: row, in: snapshot).withBytes(row.row) { name -> Entry? in
                var (high, low) = (UInt64(0), UInt64(0))
                var seen: UInt8 = 0
                for offset in 0..<16 {
                    let byte = offset < name.count ? unsafe name[offset] : 0
                    (high, low) = (high << 8 | low >> 56, low << 8 | UInt64(byte))
                    seen |= byte
                }
                if name.count > 16 { for offset in 16..<name.count { seen |= unsafe name[offset] } }
                return seen < 0x80 ? Entry(high: high, low: low, place: place) : nil
            }
            guard let entry else { return nil }
            entries.append(entry)
        }
    }

    private static func names(of row: SnapshotRow, in snapshot: Snapshot) -> TextColumn {
        snapshot.segments[row.segment].segment.names
    }

    /// The places of the rows in order; those of one name as `settlesTie` puts them, then as they are.
    ///
    /// - Complexity: O(rows · log rows).
    func places(isAscending: Bool, settlesTie: (Int, Int) -> Int) -> [Int] {
        var entries = entries
        entries.sort { a, b in
            if a.high != b.high { return (a.high < b.high) == isAscending }
            if a.low != b.low { return (a.low < b.low) == isAscending }
            let order = compare(a.place, b.place)
            if order != 0 { return (order < 0) == isAscending }
            let tie = settlesTie(a.place, b.place)
            return tie == 0 ? a.place < b.place : tie < 0
        }
        return entries.map(\.place)
    }

    /// Negative, 0 or positive as the name of one place comes before, is or comes behind that of another.
    private func compare(_ a: Int, _ b: Int) -> Int {
        let (first, second) = (rows[a], rows[b])
        return unsafe Self.names(of: first, in: snapshot).withBytes(first.row) { a in
            unsafe Self.names(of: second, in: snapshot).withBytes(second.row) { b in
                let length = min(a.count, b.count)
                guard length > 0, let start = a.baseAddress, let other = b.baseAddress else { return a.count - b.count }
                // SAFETY: both have `length` bytes.
                let order = unsafe memcmp(start, other, length)
                return order == 0 ? a.count - b.count : Int(order)
            }
        }
    }
}
