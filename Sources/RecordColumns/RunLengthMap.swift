// Long maps from positions to numbers that mostly count up by one: stored as runs.

/// A map from positions `0..<count` to numbers, stored as runs in which both count up by one.
///
/// Row numbers, line numbers and positions of a file are maps of this form with very few runs.
package final class RunLengthMap: @unchecked Sendable {
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

    /// The same with numbers that are higher by so many. Complexity: O(runs).
    package func raised(by difference: Int) -> RunLengthMap {
        let raised = ColumnBuffer<Int>(capacity: values.count)
        for index in 0..<values.count { raised.append(values[index] + difference) }
        return RunLengthMap(starts: starts, values: raised, count: length)
    }

    /// The number of a position below `count`. Complexity: O(log runs).
    package subscript(position: Int) -> Int {
        let run = run(of: position)
        return values[run] + (position - starts[run])
    }

    /// Adds the numbers of ascending positions below `count` to a list.
    /// - Complexity: O(positions), and O(log runs) for each run that they are in.
    package func append(numbersOf positions: [UInt32], to numbers: inout [UInt32]) {
        numbers.reserveCapacity(numbers.count + positions.count)
        var rest = positions[...]
        while let first = rest.first {
            let index = run(of: Int(first))
            let end = index + 1 < starts.count ? starts[index + 1] : length
            // Runs may be short: the search begins with the positions that come next.
            var (low, step) = (rest.startIndex + 1, 1)
            while low + step <= positions.count, Int(positions[low + step - 1]) < end {
                low += step
                step *= 2
            }
            var high = min(low + step, positions.count)
            while low < high {
                let middle = (low + high) / 2
                if Int(positions[middle]) < end { low = middle + 1 } else { high = middle }
            }
            let start = numbers.count
            numbers += rest[..<low]
            let difference = UInt32(truncatingIfNeeded: values[index] - starts[index])
            if difference != 0 { for place in start..<numbers.count { numbers[place] &+= difference } }
            rest = rest[low...]
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
