// Entries that need a range of a field's numbers: those that hold for a number are found as a stretch.

/// The entries of one posting that need a range of one field.
///
/// Ranges of about one width are sorted by their lower bound: those that hold begin at most that width below the
/// number. Ranges open above are of infinite width, and of those all that begin at or below the number hold. Ranges
/// open below are the mirror image of these.
struct IntervalIndex: Sendable {
    let field: Int
    let isDate: Bool
    private(set) var lists: [RangeList] = []

    init(field: Int, isDate: Bool) {
        self.field = field
        self.isDate = isDate
    }

    var isEmpty: Bool { lists.isEmpty }
    var byteCount: Int { lists.reduce(MemoryLayout<Self>.stride) { $0 + $1.byteCount } }

    func isFor(_ range: NumberRange) -> Bool { field == range.field && isDate == range.isDate }

    mutating func insert(_ entry: PostingEntry, _ range: NumberRange) {
        let place = Place(range)
        if let index = lists.firstIndex(where: { $0.hasShape(of: place) }) {
            lists[index].insert(entry, low: place.low, high: place.high)
        } else {
            var list = RangeList(like: place)
            list.insert(entry, low: place.low, high: place.high)
            lists.append(list)
        }
    }

    /// Takes an entry out; it must be there.
    mutating func remove(_ entry: PostingEntry, _ range: NumberRange) {
        let place = Place(range)
        guard let index = lists.firstIndex(where: { $0.hasShape(of: place) }) else { return }
        lists[index].remove(entry, low: place.low)
        if lists[index].isEmpty { lists.remove(at: index) }
    }

    /// Where a range is kept.
    struct Place {
        /// No range of the list is wider.
        let width: Double
        let isOpen: Bool
        let isMirrored: Bool
        let low: Double
        let high: Double

        init(_ range: NumberRange) {
            isMirrored = range.low == -.infinity && range.high < .infinity
            (low, high) = isMirrored ? (-range.high, .infinity) : (range.low, range.high)
            isOpen = high == .infinity
            let difference = isOpen ? .infinity : high - low
            // The next power of two above the width, so that there are few lists of similar ranges.
            width =
                difference > 0 && difference < 0x1p1000
                ? Double(sign: .plus, exponent: difference.exponent + 1, significand: 1)
                : difference == 0 ? 0 : .infinity
        }
    }
}

/// Ranges of about one width, by lower bound.
struct RangeList: Sendable {
    /// No range is wider.
    let width: Double
    /// Whether the ranges have no upper bound.
    let isOpen: Bool
    /// Whether bounds, and the numbers they are compared with, have their signs changed.
    let isMirrored: Bool
    private(set) var lows: [Double] = []
    private(set) var highs: [Double] = []
    private(set) var entries: [PostingEntry] = []

    init(like place: IntervalIndex.Place) {
        (width, isOpen, isMirrored) = (place.width, place.isOpen, place.isMirrored)
    }

    var isEmpty: Bool { entries.isEmpty }
    var byteCount: Int {
        MemoryLayout<Self>.stride + lows.capacity * 8 + highs.capacity * 8 + entries.capacity * 4
    }

    func hasShape(of place: IntervalIndex.Place) -> Bool {
        width == place.width && isOpen == place.isOpen && isMirrored == place.isMirrored
    }

    mutating func insert(_ entry: PostingEntry, low: Double, high: Double) {
        let index = position(of: entry, low)
        lows.insert(low, at: index)
        if !isOpen { highs.insert(high, at: index) }
        entries.insert(entry, at: index)
    }

    mutating func remove(_ entry: PostingEntry, low: Double) {
        let index = position(of: entry, low)
        lows.remove(at: index)
        if !isOpen { highs.remove(at: index) }
        entries.remove(at: index)
    }

    /// Calls `body` with the entries whose range holds a number. Complexity: O(log n) and those called.
    @inline(__always)
    func forEach(holding number: Double, _ body: (PostingEntry) -> Void) {
        let number = isMirrored ? -number : number
        let end = firstIndex { $0 > number }
        if isOpen {
            for index in 0..<end { body(entries[index]) }
            return
        }
        // The bound of a range that holds is at or above the exact difference, so that rounding cannot pass it.
        let start = number - width
        var index = end
        while index > 0, lows[index &- 1] >= start {
            index &-= 1
            if highs[index] >= number { body(entries[index]) }
        }
    }

    /// By lower bound, then by slot.
    private func position(of entry: PostingEntry, _ low: Double) -> Int {
        var (first, last) = (firstIndex { $0 >= low }, firstIndex { $0 > low })
        while first < last {
            let middle = (first + last) / 2
            if entries[middle] < entry { first = middle + 1 } else { last = middle }
        }
        return first
    }

    @inline(__always)
    private func firstIndex(_ isBeyond: (Double) -> Bool) -> Int {
        var (low, high) = (0, lows.count)
        while low < high {
            let middle = (low &+ high) / 2
            if isBeyond(lows[middle]) { high = middle } else { low = middle &+ 1 }
        }
        return low
    }
}
