// Phrases by the positions of their words.

import RecordColumns

/// The entry of one word that belongs to a row, for rows that mostly ascend.
struct EntryCursor {
    private let order: ColumnBuffer<UInt32>
    private let range: Range<Int>
    private var position: Int

    init(_ run: PostingSlice) {
        order = run.order
        range = run.range
        position = run.range.lowerBound
    }

    /// The entry of a row, or `nil`. Complexity: O(log of the distance from the row before), O(log rows) backwards.
    mutating func entry(of row: UInt32) -> Int? {
        if position > range.lowerBound, order[position - 1] >= row { position = range.lowerBound }
        var step = 1
        var low = position
        // Invariant: entries before `low` are of rows before this one.
        while low + step <= range.upperBound, order[low + step - 1] < row {
            low += step
            step *= 2
        }
        var high = min(low + step - 1, range.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if order[middle] < row { low = middle + 1 } else { high = middle }
        }
        position = low
        return low < range.upperBound && order[low] == row ? low : nil
    }
}

/// Counts a phrase in rows that mostly ascend.
package struct PhraseCursor {
    private let positions: WordPositions
    /// The words, each with its place in the phrase.
    private var words: [(place: UInt32, entries: EntryCursor)]
    private var starts: [UInt32] = []
    private var wordPositions: [UInt32] = []

    /// - Parameter words: Distinct values of the positions' index, in the order of the phrase; `nil` between them where
    ///   any word may be.
    package init(_ words: [Int?], of positions: WordPositions) {
        self.positions = positions
        self.words = words.enumerated().compactMap { place, word in
            word.map { (UInt32(place), EntryCursor(positions.index.run(ofDistinct: $0..<$0 + 1))) }
        }
    }

    /// How often the phrase occurs in a row. Complexity: O(words · (log rows + positions of a word)).
    package mutating func count(in row: UInt32) -> Int {
        for word in words.indices {
            guard let entry = words[word].entries.entry(of: row) else { return 0 }
            if word == 0 {
                positions.read(entry, into: &starts)
            } else {
                positions.read(entry, into: &wordPositions)
                keepStarts(before: words[word].place)
            }
            if starts.isEmpty { return 0 }
        }
        return starts.count
    }

    /// Keeps the starts of phrases that have one of `wordPositions` at a distance; both ascend.
    private mutating func keepStarts(before distance: UInt32) {
        var kept = 0
        var next = 0
        for start in starts {
            while next < wordPositions.count, wordPositions[next] < start + distance { next += 1 }
            if next == wordPositions.count { break }
            guard wordPositions[next] == start + distance else { continue }
            starts[kept] = start
            kept += 1
        }
        starts.removeLast(starts.count - kept)
    }
}
