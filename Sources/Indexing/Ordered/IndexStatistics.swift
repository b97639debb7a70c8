// What an index knows of a field's values in general: counts, the commonest values, how the rest are spread.
//
// Plans do not estimate from these: a lookup costs less than a microsecond and counts exactly. They are for people, and
// for questions about a field that are not about a value.

import FoundationEssentials
import RecordColumns
package import RecordModel
import TextAnalysis

/// Statistics of one index, or of the elements or words it is over.
package struct IndexStatistics: Sendable {
    /// A value and the number of rows that have it.
    package struct Common: Hashable, Sendable {
        package var value: FieldValue
        package var count: Int
    }

    /// Number of rows, with or without a value.
    package let rowCount: Int
    /// Number of pairs of a row and a distinct value.
    package let entryCount: Int
    package let distinctCount: Int
    /// The values that most rows have, the commonest first; of equally common ones the lower.
    package let mostCommon: [Common]
    /// Values with as many entries between each two of them, from the lowest to the highest; empty without values.
    package let quantiles: [FieldValue]
    private let family: OrderedIndex.Family

    fileprivate init(_ index: OrderedIndex, commonCount: Int, quantileCount: Int) {
        rowCount = index.rowCount
        entryCount = index.entryCount
        distinctCount = index.distinctCount
        family = index.family
        var top: [(count: Int, distinct: Int)] = []
        for distinct in 0..<index.distinctCount {
            let count = index.run(ofDistinct: distinct..<distinct + 1).count
            if top.count == commonCount, count <= top.last?.count ?? 0 { continue }
            let place = top.firstIndex { $0.count < count } ?? top.count
            top.insert((count, distinct), at: place)
            if top.count > commonCount { top.removeLast() }
        }
        mostCommon = top.map { Common(value: index.key(ofDistinct: $0.distinct), count: $0.count) }
        let last = max(0, index.entryCount - 1)
        quantiles =
            index.entryCount == 0
            ? []
            : (0...quantileCount).map { index.key(ofDistinct: index.distinct(atEntry: $0 * last / quantileCount)) }
    }

    /// About how many rows have a value. Exact for the commonest; of the others each is taken to be as common.
    package func estimate(equalTo value: FieldValue) -> Int {
        if let known = mostCommon.first(where: { compare($0.value, value) == 0 }) { return known.count }
        let rest = distinctCount - mostCommon.count
        guard rest > 0, compare(value, value) != nil else { return 0 }
        let entries = entryCount - mostCommon.reduce(0) { $0 + $1.count }
        return max(1, entries / rest)
    }

    /// About how many entries lie within bounds, to a share of those between two quantiles.
    package func estimate(from lower: KeyBound?, to upper: KeyBound?) -> Int {
        guard quantiles.count > 1 else { return 0 }
        for bound in [lower, upper] { if let bound, compare(bound.value, bound.value) == nil { return 0 } }
        let within = quantiles.count { value in
            (lower.map { (compare(value, $0.value) ?? -1) >= ($0.isInclusive ? 0 : 1) } ?? true)
                && (upper.map { (compare(value, $0.value) ?? 1) <= ($0.isInclusive ? 0 : -1) } ?? true)
        }
        // As many quantiles within as there are shares, give or take one.
        return min(entryCount, entryCount * within / (quantiles.count - 1))
    }

    /// −1, 0 or 1 by the order of the index; `nil` for values of another family.
    private func compare(_ a: FieldValue, _ b: FieldValue) -> Int? {
        switch (family, a, b) {
        case (.number, _, _):
            guard let a = a.number, let b = b.number else { return nil }
            return FieldValue.Number.compare(a, b)
        case (.date, .date(let a), .date(let b)):
            return NumericOrder.compare(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
        case (.text(let options), .string(let a), .string(let b)):
            let (a, b) = (TextFolding.fold(a, options).utf8, TextFolding.fold(b, options).utf8)
            return a.elementsEqual(b) ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        case (.reference, _, _):
            guard let a = Self.name(a), let b = Self.name(b) else { return nil }
            return a.utf8.elementsEqual(b.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
        default: return nil
        }
    }

    /// The name of a referenced record; keys of an index of references are names.
    private static func name(_ value: FieldValue) -> String? {
        switch value {
        case .string(let name): name
        case .reference(let reference): reference.recordID.recordName
        default: nil
        }
    }
}

extension OrderedIndex {
    /// The statistics of the values, elements or words. Complexity: O(distinct).
    package func statistics(commonCount: Int = 16, quantileCount: Int = 32) -> IndexStatistics {
        IndexStatistics(self, commonCount: max(0, commonCount), quantileCount: max(1, quantileCount))
    }

    /// The distinct value of a place in the order. Complexity: O(log distinct).
    fileprivate func distinct(atEntry entry: Int) -> Int {
        guard let starts else { return entry }
        var (low, high) = (0, distinctCount)
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(starts[middle]) <= entry { low = middle } else { high = middle }
        }
        return low
    }
}
