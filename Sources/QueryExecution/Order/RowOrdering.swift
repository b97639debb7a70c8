// The matching records in an order: the one function for orders, limits and pages.

package import PredicateSemantics
import RecordColumns
import RecordModel
package import RecordStore

/// Records that match, in order.
package struct OrderedRows: Sendable {
    package var rows: [SnapshotRow]
    /// The relevance of each, where the order needs it.
    package var scores: [Double]?
    /// How many match in all; `nil` where finding them stopped at the limit.
    package var matched: Int?
    /// When they were found, and only the order was still to be made.
    package var found: ContinuousClock.Instant
}

/// What comes first of records that are level by all keys of an order.
package enum TieOrder: Sendable {
    /// The one that was inserted first.
    case insertion
    /// The one in the zone of the lower name, and of those of one zone the one that was inserted first.
    case zone
}

extension SnapshotQuery {
    /// The first of the matching records in an order.
    ///
    /// - Parameters:
    ///   - keys: The order; none for that of insertion.
    ///   - limit: At most so many; `nil` for all.
    ///   - relevance: What `relevance()` gives, where a key needs it.
    /// - Throws: `EvaluationError` as `count`, and when the query's time is over.
    /// - Complexity: That of the plan, and O(limit) steps of an index where one gives the order, else
    ///   O(matches · log limit).
    package func ordered(
        by keys: [SortKey], limit: Int?, ties: TieOrder = .insertion, relevance: QueryRelevance? = nil
    ) throws(EvaluationError) -> OrderedRows {
        try RowOrdering(self, keys, limit: limit, ties: ties, relevance: relevance).rows(behind: nil)
    }
}

/// An order of a query's matches.
struct RowOrdering {
    let query: SnapshotQuery
    let keys: [SortKey]
    private let limit: Int?
    private let zones: ZoneOrder?
    private let relevance: QueryRelevance?

    init(
        _ query: SnapshotQuery, _ keys: [SortKey], limit: Int?, ties: TieOrder, relevance: QueryRelevance?
    ) {
        (self.query, self.keys, self.limit, self.relevance) = (query, keys, limit, relevance)
        zones = ties == .zone && !keys.isEmpty ? ZoneOrder(query) : nil
    }

    /// The first of the records behind a boundary; `nil` for the beginning.
    func rows(behind boundary: PageBoundary?) throws(EvaluationError) -> OrderedRows {
        if let limit, relevance == nil, let order = keys.first?.rowOrder,
            let found = try leading(order, limit, behind: boundary)
        {
            return found
        }
        // Without keys the order is that of insertion, in which rows are found.
        var (rows, matched) = try query.rows(first: keys.isEmpty && boundary == nil ? limit ?? .max : .max)
        var scores = relevance.map { query.scores(of: rows, by: $0) }
        if let boundary { try keep(&rows, &scores, behind: boundary) }
        let found = ContinuousClock.now
        if let limit, keys.isEmpty { rows.removeLast(max(0, rows.count - limit)) }
        let places = keys.isEmpty ? nil : try places(of: rows, scores)
        return OrderedRows(
            rows: places.map { places in places.map { rows[$0] } } ?? rows,
            scores: scores.map { scores in places.map { places in places.map { scores[$0] } } ?? scores },
            matched: matched, found: found)
    }

    private func keep(
        _ rows: inout [SnapshotRow], _ scores: inout [Double]?, behind boundary: PageBoundary
    ) throws(EvaluationError) {
        let watch = QueryDeadline.watch
        var kept = 0
        for (place, row) in rows.enumerated() {
            if place % 1024 == 1023 { try watch.check() }
            guard query.isBehind(boundary, row, score: scores?[place]) else { continue }
            rows[kept] = row
            if let score = scores?[place] { scores?[kept] = score }
            kept += 1
        }
        rows.removeLast(rows.count - kept)
        if let count = scores?.count { scores?.removeLast(count - kept) }
    }

    // MARK: By an index

    /// The first records by an index that gives the order, or the first of every segment put in order; `nil` where to
    /// look at all matches is the shorter way.
    private func leading(
        _ order: RowOrder, _ limit: Int, behind boundary: PageBoundary?
    ) throws(EvaluationError) -> OrderedRows? {
        let isBehind = boundary.map { boundary in { (row: SnapshotRow) in query.isBehind(boundary, row, score: nil) } }
        let start = boundary?.cursor.values.first
        let rows: [SnapshotRow]
        var found: ContinuousClock.Instant?
        if query.parts.count == 1, keys.count == 1 {
            guard let leading = try query.onlyRows(orderedBy: order, limit: limit, from: start, where: isBehind) else {
                return nil
            }
            rows = leading
        } else if var merge = try query.merge(orderedBy: order, limit: limit, from: start, where: isBehind) {
            rows = try first(limit, of: &merge)
        } else if let leading = try query.leadingRows(
            orderedBy: order, limit: limit, from: start, includingTies: keys.count > 1, where: isBehind)
        {
            found = .now
            rows = try places(of: leading, nil).map { leading[$0] }
        } else {
            return nil
        }
        let isAll = rows.count < limit && boundary == nil
        return OrderedRows(rows: rows, scores: nil, matched: isAll ? rows.count : nil, found: found ?? .now)
    }

    /// The first records of segments' walks; the other keys settle which of those come first that are level.
    private func first(_ limit: Int, of merge: inout OrderedMerge) throws(EvaluationError) -> [SnapshotRow] {
        let others = RowOrdering(self, keys: Array(keys.dropFirst()))
        let areLevel = others.keys.isEmpty && zones == nil
        var rows: [SnapshotRow] = []
        while rows.count < limit {
            let start = rows.count
            guard try merge.next(to: &rows) else { break }
            if rows.count - start == 1 || areLevel { continue }
            let level = Array(rows[start...])
            rows.removeLast(level.count)
            rows += try others.places(of: level, nil).map { level[$0] }
        }
        rows.removeLast(max(0, rows.count - limit))
        return rows
    }

    private init(_ ordering: RowOrdering, keys: [SortKey]) {
        (query, limit, zones) = (ordering.query, ordering.limit, ordering.zones)
        self.keys = keys
        relevance = nil
    }

    // MARK: By sorting

    /// The places of the first of records that come in order of insertion.
    private func places(of rows: [SnapshotRow], _ scores: [Double]?) throws(EvaluationError) -> [Int] {
        let limit = min(limit ?? rows.count, rows.count)
        if rows.count <= 1 { return Array(rows.indices.prefix(limit)) }
        if keys.count == 1, zones == nil, case .relevance = keys[0].criterion, let scores {
            return RelevanceOrder.leading(limit, of: scores, isAscending: keys[0].isAscending)
        }
        let settlesTie = { (a: Int, b: Int) in zones?.compare(rows[a].segment, rows[b].segment) ?? 0 }
        if keys.count == 1, case .recordName = keys[0].criterion, let order = NameOrder(rows, of: query.snapshot) {
            return Array(order.places(isAscending: keys[0].isAscending, settlesTie: settlesTie).prefix(limit))
        }
        let selection = OrderedSelection(
            keys: keys, limit: limit, settlesTie: settlesTie,
            value: { query.value(of: $0, at: rows[$1], score: scores?[$1]) })
        for place in rows.indices { try selection.append(place) }
        return try selection.ordinals()
    }
}

extension SnapshotQuery {
    /// Whether a record comes behind the last one of the page before.
    fileprivate func isBehind(_ boundary: PageBoundary, _ row: SnapshotRow, score: Double?) -> Bool {
        boundary.isBefore(
            { value(of: $0, at: row, score: score) }, zone: { snapshot.zone(of: row) }, sequence: row.sequence)
    }

    /// What a sort key compares of a record; the score is that of the record in this result.
    func value(of criterion: SortKey.Criterion, at row: SnapshotRow, score: Double?) -> FieldValue {
        if case .relevance = criterion { return score.map { .double($0) } ?? .null }
        return RowView(segment: snapshot.segments[row.segment].segment, row: row.row, keys: snapshot.keys)
            .value(of: criterion, in: snapshot)
    }
}

extension SortKey {
    /// The order, where an index may give it.
    fileprivate var rowOrder: RowOrder? {
        switch criterion {
        case .field(let name): .field(name, isAscending: isAscending)
        case .distance(let name, let place): isAscending ? .distance(name, from: place) : nil
        case .recordName: .name(isAscending: isAscending)
        case .relevance: nil
        }
    }
}

/// The segments of a query by the names of their zones: settles the order of records that have all else in common.
private struct ZoneOrder {
    /// The place of each segment's zone.
    private let ranks: [Int: Int]

    /// - Returns: `nil` for the segments of one zone.
    init?(_ query: SnapshotQuery) {
        let zones = query.parts.map { query.snapshot.segments[$0.segment].segment.zoneID }
        guard query.zoneID == nil, let first = zones.first, zones.contains(where: { $0 != first }) else { return nil }
        let order = Set(zones).sorted { $0.isOrdered(before: $1) }
        let places = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
        ranks = Dictionary(
            uniqueKeysWithValues: zip(query.parts, zones).map { ($0.segment, places[$1] ?? 0) })
    }

    /// −1, 0 or 1 as the zone of a segment comes before, is or comes behind that of another.
    func compare(_ a: Int, _ b: Int) -> Int {
        let (a, b) = (ranks[a] ?? 0, ranks[b] ?? 0)
        return a == b ? 0 : a < b ? -1 : 1
    }
}
