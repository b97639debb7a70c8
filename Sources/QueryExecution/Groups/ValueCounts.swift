// The most frequent values of a field: values are made of those alone that are wanted.

import PredicateSemantics
package import RecordModel
package import RecordStore

/// The most frequent values of a field among some records.
package struct ValueCounts: Sendable {
    /// The values with the number of their records, most frequent first; of equal counts in the order of sort keys.
    package let values: [(value: FieldValue, count: Int)]
    /// Number of distinct values, those beyond the limit included.
    package let distinctCount: Int
    /// Number of records without a value, or with an empty list.
    package let missingCount: Int
}

extension Snapshot {
    /// Counts the values of a field, as `groups(of:by:_:)` does.
    ///
    /// - Parameters:
    ///   - field: A name as in sort keys.
    ///   - limit: At most so many values.
    /// - Throws: `GroupingError` when the query was interrupted.
    /// - Complexity: O(matches + distinct), and O(log limit) comparisons for values that are among the first so far.
    package func valueCounts(
        of matches: MatchingRows, by field: String, limit: Int
    ) throws(GroupingError) -> ValueCounts {
        let watch = QueryDeadline.watch
        var table = GroupTable(fieldCount: 1)
        for part in matches.parts {
            try watch.checkGroups()
            do {
                try table.count(part.rows, by: FieldSource(field, of: segments[part.segment], in: self), watch: watch)
            } catch {
                throw .evaluation(error)
            }
        }
        // The first value is the absence of one.
        let missing = table.counts.first ?? 0
        let present = table.counts.indices.dropFirst().filter { table.counts[$0] > 0 }
        var first = FrequentGroups(limit: limit)
        for (index, group) in present.enumerated() {
            if index & 0xFFF == 0xFFF { try watch.checkGroups() }
            first.insert(count: table.counts[group]) { table.key(of: group)[0] }
        }
        return ValueCounts(
            values: first.groups.map { ($0.value, Int($0.count)) }, distinctCount: present.count,
            missingCount: Int(missing))
    }
}

/// Keeps the groups with the largest counts; of equal counts those whose values come first.
private struct FrequentGroups {
    struct Group {
        var count: Int64
        var value: FieldValue
        /// The value as it is compared.
        var key: FieldValue
    }

    private let limit: Int
    /// In order; a value that is level with another one comes behind it.
    private(set) var groups: [Group] = []

    init(limit: Int) { self.limit = max(0, limit) }

    mutating func insert(count: Int64, _ value: () -> FieldValue) {
        // Most groups of many are smaller than all that are kept, and no value is made of them.
        if groups.count == limit {
            guard let last = groups.last, count >= last.count else { return }
        }
        let value = value()
        let new = Group(count: count, value: value, key: SortOrder.prepared(value))
        var (low, high) = (0, groups.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(new, groups[middle]) { high = middle } else { low = middle + 1 }
        }
        if low == limit { return }
        if groups.count == limit { groups.removeLast() }
        groups.insert(new, at: low)
    }

    private static func precedes(_ a: Group, _ b: Group) -> Bool {
        a.count != b.count ? a.count > b.count : SortOrder.compare(prepared: a.key, b.key) < 0
    }
}
