// Records page by page, in any order.

package import PredicateSemantics
import RecordColumns
import RecordModel
package import RecordStore

extension SnapshotQuery {
    /// A stretch of an ordered result.
    package struct Page: Sendable {
        package var rows: [SnapshotRow]
        /// Where the next page begins; `nil` when there is none.
        package var next: PageCursor?

        package init(rows: [SnapshotRow], next: PageCursor?) { (self.rows, self.next) = (rows, next) }
    }

    /// The first matching records behind a cursor.
    ///
    /// - Parameters:
    ///   - keys: The order; records that are equal by all keys come by the names of their zones, those of one zone, and
    ///     all without keys, in order of insertion.
    ///   - cursor: Where an earlier page ended; `nil` for the first page.
    /// - Throws: `PageError`.
    /// - Complexity: As that of `ordered`.
    package func page(
        sortedBy keys: [SortKey] = [], limit: Int, after cursor: PageCursor? = nil
    ) throws(PageError) -> Page {
        var fingerprint = fingerprint(sortedBy: keys)
        if let cursor {
            fingerprint = fingerprint.known
            if cursor.values.count != keys.count || cursor.query != fingerprint { throw .otherQuery }
        }
        var relevance: QueryRelevance?
        if keys.contains(where: { $0.criterion == .relevance }) {
            relevance = self.relevance()
            if relevance == nil { throw .noWords }
        }
        let limit = max(0, limit)
        // One more than requested tells whether there is another page.
        let wanted = limit.addingReportingOverflow(1)
        let ordering = RowOrdering(
            self, keys, limit: wanted.overflow ? nil : wanted.partialValue, ties: .zone, relevance: relevance)
        let found: OrderedRows
        do throws(EvaluationError) {
            try QueryDeadline.watch.check()
            found = try ordering.rows(behind: cursor.map { PageBoundary(cursor: $0, keys: keys) })
        } catch {
            throw .evaluation(error)
        }
        guard found.rows.count > limit, limit > 0 else {
            return Page(rows: Array(found.rows.prefix(limit)), next: nil)
        }
        let last = found.rows[limit - 1]
        let next = PageCursor(
            query: fingerprint,
            values: keys.map { value(of: $0.criterion, at: last, score: found.scores?[limit - 1]) },
            zone: zoneID == nil && !keys.isEmpty ? snapshot.zone(of: last) : nil, sequence: last.sequence)
        return Page(rows: Array(found.rows.prefix(limit)), next: next)
    }
}

extension Snapshot {
    /// The zone that a record is in.
    func zone(of row: SnapshotRow) -> RecordZone.ID { segments[row.segment].segment.zoneID }
}
