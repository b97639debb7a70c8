// Groups of records and their order.

public import PredicateSemantics
import QueryExecution
public import RecordModel

/// The records that have the same values of some fields.
public struct RecordGroup: Hashable, Sendable {
    /// The values, in order of the fields; `.null` for records without one.
    public var keys: [FieldValue]
    /// Number of records.
    public var count: Int
    /// What was computed of the records, in the order of the request.
    public var values: [FieldValue]
}

extension RecordGroup {
    /// The groups of values that were counted elsewhere, in the order of the values.
    ///
    /// - Returns: `nil` where two of the values are one.
    /// - Complexity: O(values · log(values)).
    package static func groups(of counts: [(value: FieldValue, count: Int)]) -> [RecordGroup]? {
        var members = MemberSet()
        for (value, _) in counts { members.insert(value) }
        guard members.members.count == counts.count else { return nil }
        let keys = counts.map { SortOrder.prepared($0.value) }
        let order = counts.indices.sorted { a, b in
            let result = SortOrder.compare(prepared: keys[a], keys[b])
            return result == 0 ? a < b : result < 0
        }
        return order.map { RecordGroup(keys: [counts[$0].value], count: counts[$0].count, values: []) }
    }
}

/// The order of groups.
public enum GroupOrder: Hashable, Sendable, Codable {
    /// By the keys, as sort keys compare: records without a value first.
    case keys
    /// Small values of an aggregate first, then by the keys.
    case ascending(Aggregate)
    /// Large values of an aggregate first, then by the keys.
    case descending(Aggregate)

    /// What groups are ordered by before their keys.
    var aggregate: Aggregate? {
        switch self {
        case .keys: nil
        case .ascending(let aggregate), .descending(let aggregate): aggregate
        }
    }

    /// Sorts groups.
    ///
    /// - Parameter position: Where the groups have the order's aggregate.
    func sorted(_ groups: [ValueGroup], by position: Int?) -> [ValueGroup] {
        let keys = groups.map { $0.keys.map(SortOrder.prepared) }
        let values = groups.map { group in position.map { SortOrder.prepared(group.values[$0]) } ?? .null }
        let order = groups.indices.sorted { a, b in
            var order = SortOrder.compare(prepared: values[a], values[b])
            if case .descending = self { order = -order }
            for (first, second) in zip(keys[a], keys[b]) where order == 0 {
                order = SortOrder.compare(prepared: first, second)
            }
            return order == 0 ? a < b : order < 0
        }
        return order.map { groups[$0] }
    }
}
