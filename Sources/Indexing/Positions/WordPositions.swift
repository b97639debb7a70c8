// Positions of words in rows: the index of words lacks them, phrases and relevance need them.
//
// A companion of the index, built on first use and not with it: it takes about two bytes a word and the
// time to cut the texts once more, and most queries need neither order nor number of words. Rejected: to cut the
// candidates' texts for each phrase, which costs microseconds a row of English and tens of them of Chinese.

package import RecordColumns

/// How often and at which positions the words of an index occur in its rows.
///
/// Places count the words of a row from 0, over all of its texts; between two texts one place stays free, so that the
/// words on both sides of it are no neighbours. Immutable; may be read from any thread.
package final class WordPositions: Sendable {
    /// Places in as few bytes as all of them fit in.
    enum Places: Sendable {
        case bytes(ColumnBuffer<UInt8>)
        case halves(ColumnBuffer<UInt16>)
        case words(ColumnBuffer<UInt32>)
    }

    /// The index that the places belong to.
    package let index: OrderedIndex
    /// Of each entry of the index the number of places; 255 for what `largeCounts` holds.
    let counts: ColumnBuffer<UInt8>
    let largeCounts: [Int: Int]
    /// The number of places before each 64th entry.
    let blockStarts: ColumnBuffer<UInt32>
    /// The places, entry after entry, those of one entry ascending.
    let places: Places
    /// The number of words of each row.
    package let rowLengths: ColumnBuffer<UInt32>
    /// Sum of `rowLengths`.
    package let wordCount: Int
    /// Number of rows that have a word.
    package let rowsWithWords: Int

    static let blockShift = 6

    /// - Parameter blockStarts: The number of places before each 64th entry, where that is known.
    init(
        index: OrderedIndex, counts: ColumnBuffer<UInt8>, largeCounts: [Int: Int], places: Places,
        rowLengths: ColumnBuffer<UInt32>, blockStarts: ColumnBuffer<UInt32>? = nil
    ) {
        self.index = index
        self.counts = counts
        self.largeCounts = largeCounts
        self.places = places
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

    /// Puts the places of an entry into `list`, ascending.
    func read(_ entry: Int, into list: inout [UInt32]) {
        let block = entry >> Self.blockShift
        let start = Int(blockStarts[block]) + total(block << Self.blockShift..<entry)
        let range = start..<start + count(ofEntry: entry)
        list.removeAll(keepingCapacity: true)
        switch places {
        case .bytes(let places): Self.append(places, range, to: &list)
        case .halves(let places): Self.append(places, range, to: &list)
        case .words(let places): Self.append(places, range, to: &list)
        }
    }

    @inline(__always)
    private static func append<Place: FixedWidthInteger & BitwiseCopyable>(
        _ places: ColumnBuffer<Place>, _ range: Range<Int>, to list: inout [UInt32]
    ) {
        for place in range { list.append(UInt32(truncatingIfNeeded: places[place])) }
    }

    /// The number of places of entries of one block.
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
        let placeBytes =
            switch places {
            case .bytes(let places): places.byteCount
            case .halves(let places): places.byteCount
            case .words(let places): places.byteCount
            }
        return placeBytes + counts.byteCount + blockStarts.byteCount + rowLengths.byteCount + largeCounts.count * 32
    }
}
