// Building a term dictionary: the words of rows, numbered, sorted and counted into place.

package import RecordColumns
import RecordModel
package import TextAnalysis

extension OrderedIndex {
    /// The rows of every word of the texts and lists of texts in some columns.
    ///
    /// - Parameters:
    ///   - columns: Columns of one segment.
    ///   - tokenizer: What the words are.
    /// - Returns: `nil` when there are more words than an index can number.
    /// - Complexity: O(bytes), about 200 MB/s for English text.
    package static func buildTokens(
        over columns: [Column], rowCount: Int, tokenizer: Tokenizer
    ) -> OrderedIndex? {
        let collector = TermCollector(tokenizer)
        for row in 0..<rowCount {
            collector.begin(row)
            for column in columns { collector.add(column, row) }
        }
        return collector.finish(rowCount: rowCount)
    }
}

/// Words of rows on their way into an index.
private final class TermCollector {
    private let options: TextOptions
    private let reader: TermReader
    /// Of each term the last row, plus one, that it was seen in, and the number of rows.
    private let sightings = ColumnBuffer<Sighting>()
    /// The numbers of the distinct terms of each row, row after row.
    private let entries = ColumnBuffer<UInt32>()
    private let rowEnds = ColumnBuffer<UInt64>()
    private var stamp: UInt32 = 0
    private var isFull = false

    private struct Sighting: BitwiseCopyable {
        var stamp: UInt32
        var rows: UInt32
    }

    init(_ tokenizer: Tokenizer) {
        options = tokenizer.options
        reader = TermReader(tokenizer)
    }

    func begin(_ row: Int) {
        if row > 0 { rowEnds.append(UInt64(entries.count)) }
        stamp = UInt32(truncatingIfNeeded: row + 1)
    }

    func add(_ column: Column, _ row: Int) {
        unsafe column.forEachText(row) { text in
            guard let numbers = unsafe reader.numbers(of: text) else {
                isFull = true
                return
            }
            for index in 0..<numbers.count where numbers[index] != TermReader.gap { note(Int(numbers[index])) }
        }
    }

    /// Notes that the row at hand has a term.
    @inline(__always)
    private func note(_ number: Int) {
        let missing = number &+ 1 &- sightings.count
        if missing > 0 { sightings.append(repeating: Sighting(stamp: 0, rows: 0), count: missing) }
        let sighting = sightings[number]
        guard sighting.stamp != stamp else { return }
        sightings[number] = Sighting(stamp: stamp, rows: sighting.rows &+ 1)
        entries.append(UInt32(truncatingIfNeeded: number))
    }

    /// Sorts the terms and counts the rows into place.
    func finish(rowCount: Int) -> OrderedIndex? {
        guard !isFull, entries.count <= Int(UInt32.max) else { return nil }
        rowEnds.append(UInt64(entries.count))
        let texts = reader.terms.texts.finish()
        let (byText, _) = TextSorting.sort((0..<UInt32(truncatingIfNeeded: texts.count)).map { $0 }, of: texts)
        var places = [UInt32](repeating: 0, count: texts.count)
        let starts = ColumnBuffer<UInt32>(capacity: texts.count + 1)
        var sum: UInt32 = 0
        for number in byText {
            starts.append(sum)
            places[Int(number)] = sum
            sum &+= sightings[Int(number)].rows
        }
        starts.append(sum)
        let order = ColumnBuffer<UInt32>(capacity: entries.count)
        order.append(repeating: 0, count: entries.count)
        var position = 0
        unsafe places.withUnsafeMutableBufferPointer { places in
            for row in 0..<rowCount {
                let end = Int(rowEnds[row])
                while position < end {
                    let number = Int(entries[position])
                    // SAFETY: numbers are those of terms, and there is a place for each.
                    let place = unsafe places[number]
                    order[Int(place)] = UInt32(truncatingIfNeeded: row)
                    unsafe places[number] = place &+ 1
                    position &+= 1
                }
            }
        }
        return OrderedIndex(
            family: .text(options), order: order, starts: starts,
            keys: .text(TextKeys(texts: texts, positions: ColumnBuffer(byText))), rowCount: rowCount, isOverLists: true)
    }
}
