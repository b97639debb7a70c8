// Positions of words, collected in one pass over the texts.

import RecordColumns
import TextAnalysis

extension WordPositions {
    /// The positions of the words of an index over the words of columns.
    ///
    /// - Parameters:
    ///   - index: What `OrderedIndex.buildTokens` makes of the columns by this tokenizer.
    /// - Returns: `nil` when there are more words than can be counted.
    /// - Complexity: O(bytes); takes four bytes a word besides the result meanwhile.
    static func build(over columns: [Column], index: OrderedIndex, tokenizer: Tokenizer) -> WordPositions? {
        guard let words = RowWords(columns, rowCount: index.rowCount, tokenizer) else { return nil }
        let sorter = PositionSorter(words, index: index)
        if words.longestRow <= Int(UInt8.max) { return sorter.positions(UInt8.self) { .bytes($0) } }
        if words.longestRow <= Int(UInt16.max) { return sorter.positions(UInt16.self) { .halves($0) } }
        return sorter.positions(UInt32.self) { .words($0) }
    }
}

/// The words of rows in order, as numbers.
private struct RowWords {
    let terms: TextColumn
    /// The words, row after row; a gap between the texts of a row, and for what an analyzer leaves out.
    let numbers = ColumnBuffer<UInt32>()
    /// Where the words of each row end.
    let rowEnds = ColumnBuffer<UInt64>()
    private(set) var gapCount = 0
    /// Most positions in a row.
    private(set) var longestRow = 0

    init?(_ columns: [Column], rowCount: Int, _ tokenizer: Tokenizer) {
        let reader = TermReader(tokenizer)
        let (numbers, gap) = (numbers, TermReader.gap)
        terms = reader.terms.texts.column
        var fits = true
        var gaps = 0
        for row in 0..<rowCount {
            let start = numbers.count
            for column in columns {
                unsafe column.forEachText(row) { text in
                    guard fits, let words = unsafe reader.numbers(of: text) else {
                        fits = false
                        return
                    }
                    if words.count == 0 { return }
                    if numbers.count > start {
                        numbers.append(gap)
                        gaps += 1
                    }
                    unsafe words.withElements { words in
                        unsafe numbers.append(contentsOf: words)
                        gaps += unsafe words.count { $0 == gap }
                    }
                }
            }
            longestRow = max(longestRow, numbers.count - start)
            rowEnds.append(UInt64(numbers.count))
        }
        guard fits, numbers.count < Int(UInt32.max) else { return nil }
        gapCount = gaps
    }
}

/// Sorts the positions of words into the order of an index, by counting.
private struct PositionSorter {
    let words: RowWords
    let index: OrderedIndex
    /// The distinct value of the index by number of a word.
    private let distinct: [Int]

    init(_ words: RowWords, index: OrderedIndex) {
        self.words = words
        self.index = index
        distinct = (0..<words.terms.count).map { number in
            unsafe words.terms.withBytes(number) { unsafe index.distinct(ofFolded: Array($0)) ?? -1 }
        }
    }

    func positions<Position: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _: Position.Type, _ stored: (ColumnBuffer<Position>) -> WordPositions.Positions
    ) -> WordPositions? {
        let counts = ColumnBuffer<UInt8>(capacity: index.entryCount)
        counts.append(repeating: 0, count: index.entryCount)
        var large: [Int: Int] = [:]
        // Gaps have no position.
        let sorted = ColumnBuffer<Position>(capacity: words.numbers.count - words.gapCount)
        sorted.append(repeating: 0, count: words.numbers.count - words.gapCount)
        let lengths = ColumnBuffer<UInt32>(capacity: index.rowCount)
        // Rows ascend within a word's entries and words within a row come in order, so the cursors only go forward.
        var cursors = cursors()
        var position = 0
        for row in 0..<index.rowCount {
            let (start, end) = (position, Int(words.rowEnds[row]))
            var gaps = 0
            while position < end {
                let number = Int(words.numbers[position])
                position += 1
                if number == Int(TermReader.gap) {
                    gaps += 1
                    continue
                }
                var entry = Int(cursors[number].entry)
                if entry < index.entryCount, index.order[entry] != row { entry += 1 }
                // A word that the index does not have: it is the index of other texts.
                guard entry < index.entryCount, index.order[entry] == row else { return nil }
                let offset = Int(cursors[number].offset)
                sorted[offset] = Position(truncatingIfNeeded: position - 1 - start)
                cursors[number] = Cursor(
                    entry: UInt32(truncatingIfNeeded: entry), offset: UInt32(truncatingIfNeeded: offset + 1))
                if counts[entry] < .max { counts[entry] += 1 } else { large[entry, default: Int(UInt8.max)] += 1 }
            }
            let length = UInt32(truncatingIfNeeded: end - start - gaps)
            lengths.append(length)
        }
        return WordPositions(
            index: index, counts: counts, largeCounts: large, positions: stored(sorted), rowLengths: lengths)
    }

    /// Where the entries and the positions of each word start, by number.
    private func cursors() -> [Cursor] {
        var totals = [UInt32](repeating: 0, count: words.terms.count)
        for position in 0..<words.numbers.count where words.numbers[position] != TermReader.gap {
            totals[Int(words.numbers[position])] += 1
        }
        var cursors = [Cursor](repeating: Cursor(entry: .max, offset: 0), count: totals.count)
        var sum: UInt32 = 0
        for number in totals.indices.sorted(by: { distinct[$0] < distinct[$1] }) {
            let value = distinct[number]
            let entry = value < 0 ? Int(UInt32.max) : index.run(ofDistinct: value..<value + 1).range.lowerBound
            cursors[number] = Cursor(entry: UInt32(truncatingIfNeeded: entry), offset: sum)
            sum += totals[number]
        }
        return cursors
    }

    /// The next entry and the offset of the next position of a word.
    private struct Cursor {
        var entry: UInt32
        var offset: UInt32
    }
}
