// Long maps from positions to numbers that mostly count up by one: stored as runs.

/// A map from positions `0..<count` to numbers, stored as runs in which both count up by one.
///
/// Row numbers, line numbers and positions of a file are maps of this form with very few runs.
package final class RunMap: @unchecked Sendable {
    // SAFETY: shared between threads only when complete; nothing appends from then on.
    let starts: ColumnBuffer<Int>
    let values: ColumnBuffer<Int>
    private var length: Int
    /// What the next position has if it goes on with the last run.
    private var expected = Int.min
    /// Number of positions.
    package var count: Int { length }

    /// An empty map.
    package init() {
        (starts, values) = (ColumnBuffer(), ColumnBuffer())
        length = 0
    }

    /// A map of runs: each starts at a position above that of the one before, the first at 0.
    init(starts: ColumnBuffer<Int>, values: ColumnBuffer<Int>, count: Int) {
        self.starts = starts
        self.values = values
        length = count
    }

    /// Maps the next position to `value`. Complexity: amortised O(1).
    package func append(_ value: Int) {
        if value != expected {
            starts.append(length)
            values.append(value)
        }
        expected = value &+ 1
        length &+= 1
    }

    /// A map of numbers that count up by one. Complexity: O(count).
    package convenience init(_ numbers: Range<Int>) {
        self.init()
        for number in numbers { append(number) }
    }

    /// The number of a position below `count`. Complexity: O(log runs).
    package subscript(position: Int) -> Int {
        let run = run(of: position)
        return values[run] + (position - starts[run])
    }

    /// Adds the numbers of positions below `count` to a list. Complexity: O(1) for each that stands in the run of the
    /// one before, O(log runs) for others.
    package func append(numbersOf positions: [UInt32], to numbers: inout [UInt32]) {
        numbers.reserveCapacity(numbers.count + positions.count)
        var run = 0..<0
        var difference = 0
        for position in positions.lazy.map({ Int($0) }) {
            if !run.contains(position) {
                let index = self.run(of: position)
                run = starts[index]..<(index + 1 < starts.count ? starts[index + 1] : length)
                difference = values[index] - starts[index]
            }
            numbers.append(UInt32(truncatingIfNeeded: position + difference))
        }
    }

    private func run(of position: Int) -> Int {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }
}
