// What is computed of the records of each group.

import Deadlines
package import PredicateSemantics
import RecordModel

/// Groups could not be computed.
package enum GroupingError: Error {
    /// The predicate failed on a record, or the query was interrupted.
    case evaluation(EvaluationError)
    /// A field's values do not suit an aggregate.
    case aggregate(AggregateFault)
}

/// Computes one aggregate of every group, segment after segment.
protocol GroupAccumulator {
    /// Adds rows of a segment.
    /// - Parameter source: The aggregate's field, for the segment.
    /// - Throws: `GroupingError` for values that do not suit the aggregate, and when the query was interrupted.
    mutating func add(_ entries: GroupedRows, _ source: FieldSource, watch: Deadline.Watch) throws(GroupingError)

    /// Ends the adding of rows, before results are wanted.
    mutating func finish(groupCount: Int, watch: Deadline.Watch) throws(GroupingError)

    /// The result for a group that rows were added to.
    func value(of group: Int) throws(GroupingError) -> FieldValue
}

extension GroupAccumulator {
    mutating func finish(groupCount _: Int, watch _: Deadline.Watch) throws(GroupingError) {}
}

extension Aggregate {
    /// What computes the aggregate of a field; `nil` for the count, which every group has.
    var accumulator: (field: String, any GroupAccumulator)? {
        switch self {
        case .count: nil
        case .sum(let field), .average(let field): (field, NumberSums(aggregate: self))
        case .minimum(let field): (field, Extremes(aggregate: self, sign: -1))
        case .maximum(let field): (field, Extremes(aggregate: self, sign: 1))
        case .distinct(let field): (field, DistinctCounts())
        }
    }
}

extension Array {
    /// Makes room for groups.
    mutating func grow(to count: Int, _ element: Element) {
        if self.count < count { append(contentsOf: repeatElement(element, count: count - self.count)) }
    }
}
