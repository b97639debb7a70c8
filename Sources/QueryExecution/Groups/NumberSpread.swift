// How numbers and dates of rows are spread: counts between edges.

import Deadlines
import FoundationEssentials
package import PredicateSemantics
import RecordColumns
import RecordModel
package import RecordStore

/// What the numbers of a field, or its dates, are counted between.
package struct NumberSpread: Sendable {
    /// The first and the last edge; seconds since 2001-01-01T00:00:00Z for dates.
    package let range: ClosedRange<Double>
    /// Records by bin. One bin where the edges are equal.
    package private(set) var counts: [Int]
    /// Records without a number or date.
    package private(set) var missingCount = 0
    /// Records among them whose values are of other kinds.
    package private(set) var otherCount = 0
    /// Records with numbers none of which is within the range, NaN among them.
    package private(set) var outsideCount = 0
    /// The edges that were given; empty where they are at equal distances.
    package let edges: [Double]
    /// Half of the distance between the first edge and the last.
    private let half: Double
    private let scale: Double

    /// - Parameter bins: At least 1.
    package init(_ range: ClosedRange<Double>, bins: Int) {
        self.range = range
        edges = []
        counts = [Int](repeating: 0, count: range.lowerBound == range.upperBound ? 1 : max(1, bins))
        // Halves: the distance of the edges need not be a number that is finite.
        half = range.upperBound / 2 - range.lowerBound / 2
        scale = half > 0 ? Double(counts.count) / half : 0
    }

    /// - Parameter edges: At least two, ascending.
    package init(edges: [Double]) {
        self.edges = edges
        range = (edges.first ?? 0)...(edges.last ?? 0)
        counts = [Int](repeating: 0, count: max(1, edges.count - 1))
        (half, scale) = (0, 0)
    }

    /// The bin of a number; `nil` for one beyond the edges. The last bin has its upper edge, the others do not.
    @inline(__always)
    package func bin(of number: Double) -> Int? {
        guard number >= range.lowerBound, number <= range.upperBound else { return nil }
        if !edges.isEmpty { return givenBin(of: number) }
        let offset = number / 2 - range.lowerBound / 2
        // Of the smallest numbers the scale may be infinite.
        let position = scale.isFinite ? offset * scale : offset / half * Double(counts.count)
        return position < Double(counts.count) ? Int(position) : counts.count - 1
    }

    /// The bin of the last edge that is not above a number. O(log bins).
    private func givenBin(of number: Double) -> Int {
        var (low, high) = (0, counts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if edges[middle] <= number { low = middle } else { high = middle }
        }
        return low
    }

    @inline(__always)
    fileprivate mutating func add(_ number: Double) {
        if let bin = bin(of: number) { counts[bin] &+= 1 } else { outsideCount &+= 1 }
    }

    fileprivate mutating func addMissing(hasValue: Bool) {
        missingCount &+= 1
        if hasValue { otherCount &+= 1 }
    }

    /// Adds a record with several numbers: once to each bin that one of them is in.
    fileprivate mutating func add(_ numbers: [Double]) {
        let bins = Set(numbers.compactMap(bin))
        for bin in bins { counts[bin] &+= 1 }
        if bins.isEmpty { outsideCount &+= 1 }
    }
}

extension Snapshot {
    /// The smallest and the largest finite number of rows, or date; `nil` where there is none.
    ///
    /// - Parameters:
    ///   - field: A name as in sort keys. Of a list field the elements count.
    ///   - areDates: Whether dates are meant, as seconds since 2001-01-01T00:00:00Z, and no numbers.
    /// - Throws: `EvaluationError` of kind `timeLimit` or `cancelled`.
    /// - Complexity: O(rows).
    package func extent(
        of field: String, at matches: MatchingRows, areDates: Bool
    ) throws(EvaluationError) -> ClosedRange<Double>? {
        var (lower, upper) = (Double.infinity, -Double.infinity)
        func widen(_ number: Double) {
            guard number.isFinite else { return }
            lower = min(lower, number)
            upper = max(upper, number)
        }
        try forEachNumber(of: field, at: matches, areDates: areDates) { entry in
            switch entry {
            case .none, .other: break
            case .one(let number): widen(number)
            case .many(let numbers): for number in numbers { widen(number) }
            }
        }
        return lower <= upper ? lower...upper : nil
    }

    /// Counts rows by their number, or date.
    ///
    /// - Parameters: As above; `empty` has the edges.
    /// - Throws: `EvaluationError` of kind `timeLimit` or `cancelled`.
    /// - Complexity: O(rows).
    package func spread(
        of field: String, at matches: MatchingRows, areDates: Bool, in empty: NumberSpread
    ) throws(EvaluationError) -> NumberSpread {
        var spread = empty
        try forEachNumber(of: field, at: matches, areDates: areDates) { entry in
            switch entry {
            case .none: spread.addMissing(hasValue: false)
            case .other: spread.addMissing(hasValue: true)
            case .one(let number): spread.add(number)
            case .many(let numbers): spread.add(numbers)
            }
        }
        return spread
    }

    /// The numbers of one row.
    private enum RowNumbers {
        case none
        /// There are values, but of other kinds.
        case other
        case one(Double)
        case many([Double])
    }

    @inline(__always)
    private func forEachNumber(
        of field: String, at matches: MatchingRows, areDates: Bool, _ body: (RowNumbers) -> Void
    ) throws(EvaluationError) {
        let watch = QueryDeadline.watch
        for part in matches.parts {
            try watch.check()
            switch FieldSource(field, of: segments[part.segment], in: self) {
            case .column(let column, _):
                switch column.values {
                case .double(let numbers) where !areDates:
                    try part.forEach(of: column, watch) { body($0.map { .one(numbers[$0]) } ?? .none) }
                case .date(let seconds) where areDates:
                    try part.forEach(of: column, watch) { body($0.map { .one(seconds[$0]) } ?? .none) }
                case .int64(let numbers) where !areDates:
                    try part.forEach(of: column, watch) { body($0.map { .one(Double(numbers[$0])) } ?? .none) }
                case .number(let numbers) where !areDates:
                    try part.forEach(of: column, watch) { body($0.map { .one(numbers.double($0)) } ?? .none) }
                default:
                    try part.forEach(of: column, watch) { row in
                        body(row.map { Self.numbers(in: column.value($0), areDates) } ?? .none)
                    }
                }
            case .constant(let value):
                for _ in part.rows { body(Self.numbers(in: value, areDates)) }
            case .rows(let value):
                for (index, row) in part.rows.enumerated() {
                    if index & 0xFFF == 0xFFF { try watch.check() }
                    body(Self.numbers(in: value(Int(row)), areDates))
                }
            }
        }
    }

    private static func numbers(in value: FieldValue, _ areDates: Bool) -> RowNumbers {
        switch value {
        case .null: return .none
        case .int64(let number): return areDates ? .other : .one(Double(number))
        case .double(let number): return areDates ? .other : .one(number)
        case .date(let date): return areDates ? .one(date.timeIntervalSinceReferenceDate) : .other
        case .list(let elements), .set(let elements):
            let found = elements.compactMap { element -> Double? in
                if case .one(let number) = numbers(in: element, areDates) { number } else { nil }
            }
            if found.isEmpty { return elements.allSatisfy(\.isNull) ? .none : .other }
            return .many(found)
        default: return .other
        }
    }
}

extension MatchingRows.Part {
    /// Calls a function with each row of a column, `nil` for one without a value.
    @inline(__always)
    func forEach(of column: Column, _ watch: Deadline.Watch, _ body: (Int?) -> Void) throws(EvaluationError) {
        for (index, row) in rows.enumerated() {
            if index & 0x1FFF == 0x1FFF { try watch.check() }
            body(column.isPresent(Int(row)) ? Int(row) : nil)
        }
    }
}
