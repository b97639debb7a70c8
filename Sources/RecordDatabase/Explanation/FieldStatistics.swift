// What the values of a field are like: counts, the commonest, how the rest are spread.

import Indexing
import RecordColumns
public import RecordModel
import RecordStore

/// What the values of a field are like.
public struct FieldStatistics: Hashable, Sendable {
    /// Number of records with a value; of a list field the pairs of a record and a distinct element.
    public var entryCount: Int
    /// Number of distinct values.
    public var distinctCount: Int
    /// The values that most records have, the commonest first; at most 16.
    public var mostCommon: [ValueCount]
    /// 33 values from the lowest to the highest, with as many entries between each two of them; empty without values.
    public var quantiles: [FieldValue]
}

extension RecordSet {
    /// The statistics of a field's values, or of the elements of a list field, by the field's index.
    ///
    /// - Returns: `nil` for a field that no record has or whose values have no order, and where records of several
    ///   types have the field: `ofType` chooses one.
    /// - Complexity: O(distinct values), plus building of the index.
    public func statistics(of field: String) -> FieldStatistics? {
        let segments = segments.map(\.indexes).filter { $0.segment.column(named: field) != nil }
        guard segments.count == 1, let position = segments[0].segment.schema.position(of: field),
            let index = segments[0].ordered(column: position)
        else { return nil }
        return FieldStatistics(
            entryCount: index.entryCount, distinctCount: index.distinctCount,
            mostCommon: index.mostCommon(16).map { ValueCount($0.value, $0.count) },
            quantiles: index.quantiles(32))
    }
}
