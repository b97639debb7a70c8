// A predicate prepared for a snapshot.

import OrdinalSets
package import PredicateSemantics
package import QueryPlanning
import RecordColumns
package import RecordModel

/// A predicate that is ready to run over a snapshot, again and again.
package struct SnapshotQuery: Sendable {
    /// The part of a query that one segment answers.
    struct Part: Sendable {
        /// Index of the segment in the snapshot.
        let segment: Int
        let query: SegmentQuery
    }

    package let snapshot: Snapshot
    let parts: [Part]
    private let bound: BoundPredicate
    private let recordType: String?
    /// The zone of the records; `nil` for all zones.
    package let zoneID: RecordZone.ID?

    /// What the predicate looks for among words.
    var searches: [WordSearch] { bound.wordSearches }

    /// Plans a predicate for every segment.
    ///
    /// - Parameters:
    ///   - type: Only records of that type; `nil` for all.
    ///   - zoneID: Only records of that zone; `nil` for all.
    ///   - usage: Which indexes may be used or built.
    ///   - simplifies: Whether the predicate is simplified first; else it is planned as it is written.
    /// - Complexity: O(conjuncts · log rows) a segment, plus building of indexes.
    package init(
        _ bound: BoundPredicate, over snapshot: Snapshot, type: String?, zoneID: RecordZone.ID? = nil,
        usage: SegmentPlanner.IndexUsage = .all, context: EvaluationContext = .current(), simplifies: Bool = true
    ) {
        self.snapshot = snapshot
        (self.bound, recordType, self.zoneID) = (bound, type, zoneID)
        let bound = simplifies ? bound.simplified() : bound
        let joins = JoinPlanner(snapshot, usage: usage)
        parts = snapshot.segments.indices.compactMap { index in
            let stored = snapshot.segments[index]
            guard type == nil || stored.segment.recordType == type, zoneID == nil || stored.segment.zoneID == zoneID
            else { return nil }
            let isSmall = stored.segment.count < MergePolicy.indexedRows
            let query = SegmentQuery(
                bound, over: stored.indexes, deleted: stored.deleted, in: snapshot,
                usage: isSmall ? usage.withoutBuilding : usage, joins: joins,
                context: context)
            return Part(segment: index, query: query)
        }
    }

    /// How many records match.
    /// - Throws: `EvaluationError` from the first record of a segment that the predicate has no meaning for.
    package func count() throws(EvaluationError) -> Int {
        var total = 0
        for part in parts { total += try part.query.count() }
        return total
    }

    /// The records that match, in order of insertion.
    /// - Throws: `EvaluationError` as `count`.
    package func rows() throws(EvaluationError) -> [SnapshotRow] {
        var rows: [SnapshotRow] = []
        for part in parts { append(try part.query.rows(), of: part, to: &rows) }
        if parts.count > 1 { rows.sort { $0.sequence < $1.sequence } }
        return rows
    }

    /// Records among which are the first `limit` in an order, ties in order of insertion; themselves in order of
    /// insertion. `nil` when that is no shorter than to sort all that match.
    ///
    /// - Parameters:
    ///   - value: Records of values before this one in the order are passed over.
    ///   - includingTies: Whether all records follow that are level with the last ones: something else settles them.
    ///   - isIncluded: Which of the others count.
    /// - Throws: `EvaluationError` as `count`.
    package func leadingRows(
        orderedBy order: RowOrder, limit: Int, from value: FieldValue? = nil, includingTies: Bool = false,
        where isIncluded: ((SnapshotRow) -> Bool)? = nil
    ) throws(EvaluationError) -> [SnapshotRow]? {
        var rows: [SnapshotRow] = []
        var isShorter = false
        for part in parts {
            let boundary = isIncluded.map { isIncluded in
                RowBoundary(value: value ?? .null) { isIncluded(self.row($0, of: part)) }
            }
            let leading = try part.query.rows(
                orderedBy: order, limit: limit, from: boundary, includingTies: includingTies)
            if let leading {
                isShorter = true
                append(leading, of: part, to: &rows)
            } else {
                let all = try part.query.rows()
                append(
                    boundary.map { boundary in all.filter { boundary.includes(Int($0)) } } ?? all, of: part, to: &rows)
            }
        }
        guard isShorter else { return nil }
        rows.sort { $0.sequence < $1.sequence }
        return rows
    }

    private func append(_ found: [UInt32], of part: Part, to rows: inout [SnapshotRow]) {
        rows.reserveCapacity(rows.count + found.count)
        for row in found { rows.append(self.row(Int(row), of: part)) }
    }

    /// A row of a part's segment as one of the snapshot.
    func row(_ row: Int, of part: Part) -> SnapshotRow {
        SnapshotRow(
            segment: part.segment, row: row, sequence: snapshot.segments[part.segment].sequences[row])
    }

    /// The question in words: what cursors are tied to.
    package var question: String { "\(recordType ?? "") \(zoneID?.zoneName ?? "") \(zoneID?.ownerName ?? "") \(bound)" }
}
