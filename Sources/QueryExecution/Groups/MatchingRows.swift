// The rows that match, kept for several summaries of them.

import Deadlines
import OrdinalSets
package import PredicateSemantics
import RecordStore

/// Rows of a snapshot, segment by segment: what one run of a query found, for any number of summaries.
package struct MatchingRows: Sendable {
    /// The rows of one segment, ascending.
    struct Part: Sendable {
        let segment: Int
        let rows: [UInt32]
    }

    let parts: [Part]

    /// Number of rows. Complexity: O(segments).
    package var count: Int { parts.reduce(0) { $0 + $1.rows.count } }
}

extension SnapshotQuery {
    /// The rows that match, by segment; of all indexes only those of the predicate are read.
    /// - Throws: `EvaluationError` as `count`.
    package func matchingRows() throws(EvaluationError) -> MatchingRows {
        let watch = QueryDeadline.watch
        var found: [MatchingRows.Part] = []
        for part in parts {
            try watch.check()
            let rows = try part.query.rowSet().ordinals
            if !rows.isEmpty { found.append(MatchingRows.Part(segment: part.segment, rows: rows)) }
        }
        return MatchingRows(parts: found)
    }
}
