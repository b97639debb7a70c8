// Positions of words in rows: the index of words lacks them, phrases and relevance need them.
//
// A companion of the index, built on first use and not with it: it takes about two bytes a word and the
// time to cut the texts once more, and most queries need neither order nor number of words. Rejected: to cut the
// candidates' texts for each phrase, which costs microseconds a row of English and tens of them of Chinese.

package import RecordColumns

/// How often and at which positions the words of an index occur in its rows.
///
/// Positions count the words of a row from 0, over all of its texts; between two texts one position stays free, so that
/// the words on both sides of it are no neighbours. Immutable; may be read from any thread.
package final class WordPositions: Sendable {
    /// Positions in as few bytes as all of them fit in.
    enum Positions: Sendable {
        case bytes(ColumnBuffer<UInt8>)
        case halves(ColumnBuffer<UInt16>)
        case words(ColumnBuffer<UInt32>)
    }

    /// The index that the positions belong to.
    package let index: OrderedIndex
    /// Of each entry of the index the number of positions; 255 for what `largeCounts` holds.
    let counts: ColumnBuffer<UInt8>
    let largeCounts: [Int: Int]
    /// The number of positions before each 64th entry.
    let blockStarts: ColumnBuffer<UInt32>
    /// The positions, entry after entry, those of one entry ascending.
    let positions: Positions
    /// The number of words of each row.
    package let rowLengths: ColumnBuffer<UInt32>
    /// Sum of `rowLengths`.
    package let wordCount: Int
    /// Number of rows that have a word.
    package let rowsWithWords: Int

    static let blockShift = 6

    /// - Parameter blockStarts: The number of positions before each 64th entry, where that is known.
    init(
        index: OrderedIndex, counts: ColumnBuffer<UInt8>, largeCounts: [Int: Int], positions: Positions,
        rowLengths: ColumnBuffer<UInt32>, blockStarts: ColumnBuffer<UInt32>? = nil
    ) {
        self.index = index
        self.counts = counts
        self.largeCounts = largeCounts
        self.positions = positions
        self.rowLengths = rowLengths
        self.blockStarts = blockStarts ?? Self.blockStarts(of: counts, largeCounts)
        var (words, rows) = (0, 0)
        for row in 0..<rowLengths.count where rowLengths[row] > 0 {
            words += Int(rowLengths[row])
            rows += 1
        }
        (wordCount, rowsWithWords) = (words, rows)
    }

    private static func blockStarts(of counts: ColumnBuffer<UInt8>, _ large: [Int: Int]) -> ColumnBuffer<UInt32> {
        let starts = ColumnBuffer<UInt32>(capacity: counts.count >> blockShift + 1)
        var sum = 0
        for entry in 0..<counts.count {
            if entry & (1 << blockShift - 1) == 0 { starts.append(UInt32(truncatingIfNeeded: sum)) }
            sum += count(counts[entry], entry, large)
        }
        return starts
    }

    /// How often the word of an entry occurs in the entry's row.
    package func count(ofEntry entry: Int) -> Int { Self.count(counts[entry], entry, largeCounts) }

    @inline(__always)
    private static func count(_ count: UInt8, _ entry: Int, _ large: [Int: Int]) -> Int {
        count < .max ? Int(count) : large[entry] ?? Int(count)
    }

    /// Calls `body` with the counts of entries, 255 where only `count(ofEntry:)` tells.
    package func withCounts<Result>(_ entries: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        unsafe counts.withElements { unsafe body(UnsafeBufferPointer(rebasing: $0[entries])) }
    }

    /// Puts the positions of an entry into `list`, ascending.
    func read(_ entry: Int, into list: inout [UInt32]) {
        let block = entry >> Self.blockShift
        let start = Int(blockStarts[block]) + total(block << Self.blockShift..<entry)
        let range = start..<start + count(ofEntry: entry)
        list.removeAll(keepingCapacity: true)
        switch positions {
        case .bytes(let positions): Self.append(positions, range, to: &list)
        case .halves(let positions): Self.append(positions, range, to: &list)
        case .words(let positions): Self.append(positions, range, to: &list)
        }
    }

    @inline(__always)
    private static func append<Position: FixedWidthInteger & BitwiseCopyable>(
        _ positions: ColumnBuffer<Position>, _ range: Range<Int>, to list: inout [UInt32]
    ) {
        for offset in range { list.append(UInt32(truncatingIfNeeded: positions[offset])) }
    }

    /// The number of positions of entries of one block.
    private func total(_ entries: Range<Int>) -> Int {
        unsafe withCounts(entries) { counts in
            var sum = 0
            for offset in 0..<counts.count { sum &+= unsafe Int(counts[offset]) }
            if !largeCounts.isEmpty {
                for entry in entries where unsafe counts[entry - entries.lowerBound] == .max {
                    sum += count(ofEntry: entry) - Int(UInt8.max)
                }
            }
            return sum
        }
    }

    /// Room taken, in bytes, besides the index.
    package var byteCount: Int {
        let positionBytes =
            switch positions {
            case .bytes(let positions): positions.byteCount
            case .halves(let positions): positions.byteCount
            case .words(let positions): positions.byteCount
            }
        return positionBytes + counts.byteCount + blockStarts.byteCount + rowLengths.byteCount + largeCounts.count * 32
    }
}
