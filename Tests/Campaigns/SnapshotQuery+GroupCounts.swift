// Groups as campaigns compare them.

import PredicateSemantics
import QueryExecution
import RecordModel

extension SnapshotQuery {
    /// The number of matching records by distinct value of a field, those without a value left out.
    func groupCounts(of field: String) throws(GroupingError) -> [FieldValue: Int] {
        var counts: [FieldValue: Int] = [:]
        for group in try groups(by: [field], []) where group.keys != [.null] { counts[group.keys[0]] = group.count }
        return counts
    }
}
