// The values that a template looks for, in the indexes of all segments.

import Indexing
import PredicateSemantics
package import QueryPlanning
import RecordColumns
package import RecordModel
package import RecordStore

/// The values that a template compares some fields with, ready to be looked up in segment after segment.
struct WantedValues {
    private let values: [(indexes: ValueIndexes, key: EqualityKey)]
    /// For segments that are too small for indexes; `nil` where their columns do not tell.
    private let columns: ColumnLookup?
    private let snapshot: Snapshot
    /// Whether nothing else is required of a record.
    private let areAll: Bool

    init(_ filled: FilledTemplate, _ usage: SegmentPlanner.IndexUsage, _ snapshot: Snapshot) {
        values = filled.constraints.compactMap { constraint in
            guard case .equal(let value, let options) = constraint.requirement, let field = constraint.subject.field,
                !snapshot.keys.isPartOfRecord(field.name), value.hasOneSpelling,
                usage.building(.queryable, of: field.name) != nil
            else { return nil }
            return (snapshot.valueIndexes(of: field.name, options), EqualityKey(value, options))
        }
        columns = usage == .none ? nil : ColumnLookup(filled.constraints, keys: snapshot.keys)
        self.snapshot = snapshot
        areAll = values.count == filled.constraints.count
    }

    /// Whether an index that is built says that no row of a segment has one of the values.
    func areLacking(in segment: Int) -> Bool {
        values.contains { indexes, key in
            if case .lacking = indexes.knowledge(of: key, in: segment) { true } else { false }
        }
    }

    /// The rows of a small segment that meet all constraints, deleted ones among them; `nil` for other segments, and
    /// where only a plan tells.
    func rows(of stored: StoredSegment) -> [UInt32]? {
        snapshot.isIndexed(stored) ? nil : columns?.rows(of: stored.segment)
    }

    /// The one record that has the one value, or none; `nil` where several have it, where something else is required
    /// too, or where a segment has no index.
    func onlyRow(type: String?, zoneID: RecordZone.ID?) -> SnapshotRow?? {
        guard areAll, values.count == 1, let wanted = values.first else { return nil }
        var only: SnapshotRow?
        for index in snapshot.segments.indices {
            let stored = snapshot.segments[index]
            guard type == nil || stored.segment.recordType == type, zoneID == nil || stored.segment.zoneID == zoneID
            else { continue }
            let live: [UInt32]
            switch wanted.indexes.knowledge(of: wanted.key, in: index) {
            case .lacking: continue
            case .unknown:
                guard let found = rows(of: stored), found.count <= 2 else { return nil }
                live = found.filter { stored.isLive(Int($0)) }
            case .rows(let run):
                if run.count > 2 { return nil }
                live = unsafe run.withRows { found in unsafe found.filter { stored.isLive(Int($0)) } }
            }
            if live.count + (only == nil ? 0 : 1) > 1 { return nil }
            if let row = live.first { only = snapshot.row(RowAddress(segment: index, row: Int(row))) }
        }
        return .some(only)
    }
}

extension Snapshot {
    /// The record that a predicate about one value of an indexed field finds, without a plan: the commonest query.
    ///
    /// - Parameters:
    ///   - type: Only records of that type; `nil` for all.
    ///   - zoneID: Only records of that zone; `nil` for all.
    ///   - usage: Which indexes may be used; none is built.
    /// - Returns: The record in a list, or an empty one; `nil` where there are several, or only a plan tells.
    /// - Complexity: A look-up a segment.
    package func onlyRow(
        of predicate: QueryPredicate, type: String?, zoneID: RecordZone.ID?, usage: SegmentPlanner.IndexUsage
    ) -> [SnapshotRow]? {
        guard case .template(let filled) = predicate, filled.template.soleField != nil,
            let only = WantedValues(filled, usage, self).onlyRow(type: type, zoneID: zoneID)
        else { return nil }
        return only.map { [$0] } ?? []
    }
}
