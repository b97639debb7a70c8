// What an index knows of a field's values in general: the commonest values, how the rest are spread.
//
// Plans do not estimate from these: a lookup costs less than a microsecond and counts exactly. They are for people, and
// for queries about a field that are not about a value.

import RecordColumns
package import RecordModel

extension OrderedIndex {
    /// The values that most rows have, the commonest first, with their rows; of equally common ones the lower.
    /// - Complexity: O(distinct).
    package func mostCommon(_ limit: Int) -> [(value: FieldValue, count: Int)] {
        var top: [(count: Int, distinct: Int)] = []
        for distinct in 0..<distinctCount {
            let count = run(ofDistinct: distinct..<distinct + 1).count
            if top.count == limit, count <= top.last?.count ?? 0 { continue }
            top.insert((count, distinct), at: top.firstIndex { $0.count < count } ?? top.count)
            if top.count > limit { top.removeLast() }
        }
        return top.map { (key(ofDistinct: $0.distinct), $0.count) }
    }

    /// Values from the lowest to the highest, with as many entries between each two of them: one more than `shares`,
    /// or none without values.
    /// - Complexity: O(shares · log distinct).
    package func quantiles(_ shares: Int) -> [FieldValue] {
        entryCount == 0
            ? [] : (0...shares).map { key(ofDistinct: distinct(atEntry: $0 * (entryCount - 1) / shares)) }
    }

    /// The distinct value of a place in the order. Complexity: O(log distinct).
    func distinct(atEntry entry: Int) -> Int {
        starts.map { starts in partition { Int(starts[$0 + 1]) <= entry } } ?? entry
    }
}
