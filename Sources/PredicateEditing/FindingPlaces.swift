// The places of findings, for a reviewer who looks up many.

/// Places in a predicate's text, looked up by search.
struct FindingPlaces {
    /// The places that are not empty, by where they begin.
    private let ranges: [Range<Int>]
    /// Where the places up to each of them end at the latest.
    private let ends: [Int]
    /// Where places begin, in order, those of the empty ones too.
    private let starts: [Int]

    init(_ places: [Range<Int>]) {
        starts = places.map(\.lowerBound).sorted()
        let ranges = places.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
        var ends: [Int] = []
        ends.reserveCapacity(ranges.count)
        for range in ranges { ends.append(max(range.upperBound, ends.last ?? 0)) }
        self.ranges = ranges
        self.ends = ends
    }

    /// Whether one of them begins in a range. Complexity: O(log n).
    func begin(in range: Range<Int>) -> Bool {
        let first = Self.count(starts) { $0 < range.lowerBound }
        return first < starts.count && starts[first] < range.upperBound
    }

    /// Whether one of them has something in common with a range. Complexity: O(log n).
    func overlap(_ range: Range<Int>) -> Bool {
        let count = Self.count(ranges) { $0.lowerBound < range.upperBound }
        return !range.isEmpty && count > 0 && ends[count - 1] > range.lowerBound
    }

    /// How many elements lead, where those that do come first.
    private static func count<Element>(_ elements: [Element], leading: (Element) -> Bool) -> Int {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = low + (high - low) / 2
            if leading(elements[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
