// Rows of several segments in the order in which a new segment takes them.

package import OrdinalSets

/// Which rows of which sources follow one another, as stretches of neighbours.
package struct RowGather: Sendable {
    /// Rows of one source that stay together.
    package struct Stretch: Sendable {
        package var source: Int
        package var rows: Range<Int>
    }

    package private(set) var stretches: [Stretch] = []
    /// Number of rows.
    package private(set) var count = 0

    /// No rows.
    package init() {}

    /// Adds rows of a source at the end. Complexity: amortised O(1).
    package mutating func append(source: Int, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        count += rows.count
        if let last = stretches.last, last.source == source, last.rows.upperBound == rows.lowerBound {
            stretches[stretches.count - 1].rows = last.rows.lowerBound..<rows.upperBound
        } else {
            stretches.append(Stretch(source: source, rows: rows))
        }
    }

    /// Where the rows of a source of `count` rows have gone; `UInt32.max` for rows that are left out.
    package func destinations(of source: Int, count: Int) -> [UInt32] {
        var destinations = [UInt32](repeating: .max, count: count)
        var position: UInt32 = 0
        for stretch in stretches {
            if stretch.source == source {
                for (offset, row) in stretch.rows.enumerated() {
                    destinations[row] = position &+ UInt32(truncatingIfNeeded: offset)
                }
            }
            position &+= UInt32(truncatingIfNeeded: stretch.rows.count)
        }
        return destinations
    }

    /// A source of rows in ascending order of their numbers.
    package struct Source: Sendable {
        let numbers: RunLengthMap
        let deleted: Bitmap?

        /// Rows `0 ..< numbers.count`, without those that are deleted.
        package init(numbers: RunLengthMap, deleted: Bitmap?) {
            self.numbers = numbers
            self.deleted = deleted
        }

        /// The first row from `row` on that is there.
        fileprivate func next(from row: Int) -> Int {
            var row = row
            while row < numbers.count, deleted?[row] ?? false { row += 1 }
            return row
        }
    }

    /// The rows of all sources in ascending order of their numbers, and these numbers.
    /// - Complexity: O(rows · log runs + stretches · sources).
    package static func merging(_ sources: [Source]) -> (rows: RowGather, numbers: RunLengthMap) {
        var gathering = RowGather()
        let numbers = RunLengthMap()
        var heads = sources.map { $0.next(from: 0) }
        var headNumbers = zip(sources, heads).map { $1 < $0.numbers.count ? $0.numbers[$1] : Int.max }
        while let least = headNumbers.indices.min(by: { headNumbers[$0] < headNumbers[$1] }),
            headNumbers[least] < Int.max
        {
            // A source goes on until another one has a lower number.
            var limit = Int.max
            for other in headNumbers.indices where other != least { limit = min(limit, headNumbers[other]) }
            let source = sources[least]
            var row = heads[least]
            var number = headNumbers[least]
            // One row at least: files that were exchanged may have two of one number.
            repeat {
                gathering.append(source: least, rows: row..<row + 1)
                numbers.append(number)
                row = source.next(from: row + 1)
                number = row < source.numbers.count ? source.numbers[row] : .max
            } while number < limit
            heads[least] = row
            headNumbers[least] = number
        }
        return (gathering, numbers)
    }
}
