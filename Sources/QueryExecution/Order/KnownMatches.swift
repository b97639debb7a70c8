// Pages of rows that are known to match.

package import PredicateSemantics
package import RecordModel

/// Rows of a query that somebody else found: only their order is left to be made.
package struct KnownMatches {
    private let fingerprint: QueryFingerprint
    private let keys: [SortKey]
    private let isOfZone: Bool

    /// - Parameters:
    ///   - type: The record type of the query.
    ///   - zoneID: Its zone; `nil` for all.
    ///   - keys: The order, the names of records among it, so that no two of a zone are level.
    package init(of predicate: QueryPredicate, type: String, zoneID: RecordZone.ID?, sortedBy keys: [SortKey]) {
        fingerprint = QueryFingerprint(predicate, ofType: type, zoneID: zoneID, sortedBy: keys)
        (self.keys, isOfZone) = (keys, zoneID != nil)
    }

    /// The first rows behind a cursor, as `SnapshotQuery.page` gives them.
    ///
    /// - Parameters:
    ///   - count: How many rows there are, in any order; those of the page are among them, and one more where there is
    ///     another page.
    ///   - value: What a row has of a key.
    ///   - zone: The zone of a row.
    /// - Returns: The numbers of the rows, and where the next page begins.
    /// - Throws: `PageError` for the cursor of another query.
    /// - Complexity: O(rows) where they are in order, else O(rows · log rows).
    package func page(
        of count: Int, limit: Int, after cursor: PageCursor?, value: (Int, SortKey.Criterion) -> FieldValue,
        zone: (Int) -> RecordZone.ID
    ) throws(PageError) -> (rows: [Int], next: PageCursor?) {
        var fingerprint = fingerprint
        var rows = Array(0..<count)
        if let cursor {
            fingerprint = fingerprint.known
            if cursor.values.count != keys.count || cursor.query != fingerprint { throw .otherQuery }
            let boundary = PageBoundary(cursor: cursor, keys: keys)
            rows.removeAll { row in
                !boundary.isBefore({ value(row, $0) }, zone: { zone(row) }, sequence: 0)
            }
        }
        let prepared = (0..<count).map { row in keys.map { $0.prepared(value(row, $0.criterion)) } }
        rows.sort { a, b in
            let order = keys.compare(prepared: prepared[a], prepared[b])
            return order != 0 ? order < 0 : zone(a).isOrdered(before: zone(b))
        }
        let page = Array(rows.prefix(max(0, limit)))
        guard rows.count > page.count, let last = page.last else { return (page, nil) }
        let next = PageCursor(
            query: fingerprint, values: keys.map { value(last, $0.criterion) },
            zone: isOfZone ? nil : zone(last), sequence: 0)
        return (page, next)
    }
}
