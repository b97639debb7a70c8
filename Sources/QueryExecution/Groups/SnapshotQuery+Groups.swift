// The matching records by the values of fields.

package import PredicateSemantics
package import RecordModel
package import RecordStore

/// The matching records with the same values of some fields.
package struct ValueGroup: Sendable {
    /// The values, in order of the fields.
    package let keys: [FieldValue]
    /// Number of records.
    package let count: Int
    /// The aggregates, in the order of the request.
    package let values: [FieldValue]
}

extension SnapshotQuery {
    /// Groups the matching records, in no order: `Snapshot.groups(of:by:_:)` of those.
    ///
    /// - Throws: `GroupingError` as `count`, and as there.
    package func groups(
        by fields: [String], _ aggregates: [Aggregate]
    ) throws(GroupingError) -> [ValueGroup] {
        let rows: MatchingRows
        do { rows = try matchingRows() } catch { throw .evaluation(error) }
        return try snapshot.groups(of: rows, by: fields, aggregates)
    }
}

extension Snapshot {
    /// Groups records, in no order. A record with a list is in the group of each distinct element; one without a
    /// value, or with an empty list, in that of `.null`.
    ///
    /// - Parameter fields: Names as in sort keys. Without any all records are one group, even if there are none.
    /// - Throws: `GroupingError` for a field of a kind that an aggregate does not take, for a sum that does not fit,
    ///   and when the query was interrupted.
    /// - Complexity: O(matches × (fields + aggregates)).
    package func groups(
        of matches: MatchingRows, by fields: [String], _ aggregates: [Aggregate]
    ) throws(GroupingError) -> [ValueGroup] {
        let watch = QueryDeadline.watch
        var table = GroupTable(fieldCount: fields.count)
        var accumulators = aggregates.map(\.accumulator)
        for part in matches.parts {
            try watch.checkGroups()
            let stored = segments[part.segment]
            let sources = fields.map { FieldSource($0, of: stored, in: self) }
            let entries: GroupedRows
            do {
                entries = try table.grouped(part.rows, by: sources, watch: watch)
            } catch {
                throw .evaluation(error)
            }
            for index in accumulators.indices {
                guard let field = accumulators[index]?.field else { continue }
                let source = FieldSource(field, of: stored, in: self)
                try accumulators[index]?.1.add(entries, source, watch: watch)
            }
        }
        try watch.checkGroups()
        for index in accumulators.indices {
            try accumulators[index]?.1.finish(groupCount: table.counts.count, watch: watch)
        }
        var groups: [ValueGroup] = []
        for (group, count) in table.counts.enumerated() where count > 0 || fields.isEmpty {
            var values: [FieldValue] = []
            for accumulator in accumulators {
                values.append(try accumulator?.1.value(of: group) ?? .int64(count))
            }
            groups.append(ValueGroup(keys: table.key(of: group), count: Int(count), values: values))
        }
        return groups
    }
}
