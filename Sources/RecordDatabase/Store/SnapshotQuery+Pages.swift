// Answers page by page, in any order.

import Geospatial
import PredicateSemantics
package import QueryExecution
import RecordColumns
import RecordModel

extension SnapshotQuery {
    /// A stretch of an ordered answer.
    package struct Page: Sendable {
        package var rows: [SnapshotRow]
        /// Where the next page begins; `nil` when there is none.
        package var next: Cursor?
    }

    /// The first matching records behind a cursor.
    ///
    /// - Parameters:
    ///   - keys: The order; records that are equal by all keys come by the names of their zones, those of one zone, and
    ///     all without keys, in order of insertion.
    ///   - cursor: Where an earlier page ended; `nil` for the first page.
    ///   - isPinned: Whether the snapshot is pinned, and the next pages shall be of it too.
    /// Throws: `PageError`.
    /// - Complexity: That of the plan, and O(limit) steps of an index where one gives the order, else O(matches).
    package func page(
        sortedBy keys: [SortKey] = [], limit: Int, after cursor: Cursor? = nil, isPinned: Bool = false
    ) throws(PageError) -> Page {
        let question = fingerprint(keys)
        if let cursor, cursor.question != question || cursor.values.count != keys.count { throw .otherQuestion }
        let values = try SortValues(keys, of: self)
        let boundary = cursor.map {
            PageBoundary(cursor: $0, keys: keys, values: values)
        }
        // One more than is asked for tells whether there is another page.
        let wanted = max(0, limit).addingReportingOverflow(1)
        let rows: [SnapshotRow]
        do throws(EvaluationError) {
            try QueryDeadline.watch.check()
            rows = try self.rows(
                sortedBy: keys, limit: wanted.overflow ? Int.max : wanted.partialValue, boundary, values)
        } catch {
            throw .evaluation(error)
        }
        let page = Array(rows.prefix(max(0, limit)))
        guard rows.count > page.count, let last = page.last else { return Page(rows: page, next: nil) }
        let next = Cursor(
            question: question, values: keys.map { values.value(of: $0.criterion, at: last) },
            zoneName: zoneID == nil && !keys.isEmpty ? snapshot.zoneName(of: last) : nil, sequence: last.sequence,
            version: isPinned ? snapshot.version : nil)
        return Page(rows: page, next: next)
    }

    private func rows(
        sortedBy keys: [SortKey], limit: Int, _ boundary: PageBoundary?, _ values: SortValues
    ) throws(EvaluationError) -> [SnapshotRow] {
        var candidates: [SnapshotRow]?
        if let order = keys.first?.rowOrder, !keys.contains(where: { $0.criterion == .relevance }) {
            let isBehind = boundary.map { boundary in { (row: SnapshotRow) in boundary.isBefore(row) } }
            let value = boundary?.cursor.values.first
            if var merge = try merge(orderedBy: order, limit: limit, from: value, where: isBehind) {
                return try rows(of: &merge, limit: limit, by: Array(keys.dropFirst()), values)
            }
            candidates = try leadingRows(
                orderedBy: order, limit: limit, from: value, includingTies: keys.count > 1, where: isBehind)
        }
        if candidates == nil {
            let all = try rows()
            values.score(all)
            candidates =
                try boundary.map { (boundary) throws(EvaluationError) in
                    try self.rows(of: all, behind: boundary)
                } ?? all
        }
        let rows = candidates ?? []
        return keys.isEmpty ? Array(rows.prefix(limit)) : try ordered(rows, by: keys, limit: limit, values)
    }

    /// The first records of an order that indexes give; the other keys settle which of those come first that are level.
    private func rows(
        of merge: inout OrderedMerge, limit: Int, by keys: [SortKey], _ values: SortValues
    ) throws(EvaluationError) -> [SnapshotRow] {
        var rows: [SnapshotRow] = []
        while rows.count < limit, let level = try merge.next() {
            rows += level.count == 1 ? level : try ordered(level, by: keys, limit: limit - rows.count, values)
        }
        return rows
    }

    /// The first of records that come in order of insertion, in the order of keys.
    private func ordered(
        _ rows: [SnapshotRow], by keys: [SortKey], limit: Int, _ values: SortValues
    ) throws(EvaluationError) -> [SnapshotRow] {
        let zoneOrder = zoneID == nil ? ZoneOrder(snapshot) : nil
        var selection = OrderedSelection(
            keys: keys, limit: min(limit, rows.count),
            settlesTie: { zoneOrder?.compare(rows[$0].segment, rows[$1].segment) ?? 0 },
            value: { values.value(of: $0, at: rows[$1]) })
        for position in rows.indices { try selection.append(position) }
        return try selection.ordinals().map { rows[$0] }
    }

    private func rows(
        of all: [SnapshotRow], behind boundary: PageBoundary
    ) throws(EvaluationError) -> [SnapshotRow] {
        let watch = QueryDeadline.watch
        var rows: [SnapshotRow] = []
        for (position, row) in all.enumerated() {
            if position % 1024 == 1023 { try watch.check() }
            if boundary.isBefore(row) { rows.append(row) }
        }
        return rows
    }

    /// A hash of the question that is the same in every process (FNV-1a).
    private func fingerprint(_ keys: [SortKey]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for part in [question] + keys.map({ "\($0.criterion) \($0.isAscending)" }) {
            for byte in part.utf8 + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return hash
    }
}

extension SortKey {
    /// The order, where an index may give it.
    var rowOrder: RowOrder? {
        switch criterion {
        case .field(let name): .field(name, isAscending: isAscending)
        case .distance(let name, let place): isAscending ? .distance(name, from: place) : nil
        case .recordName: .name(isAscending: isAscending)
        case .relevance: nil
        }
    }
}

/// The segments of a snapshot by the names of their zones: settles the order of records that have all else in common.
private struct ZoneOrder {
    /// The place of each segment's zone.
    private let ranks: [Int]

    init(_ snapshot: Snapshot) {
        let zones = snapshot.segments.map(\.segment.zoneID)
        let order = Set(zones).sorted { a, b in
            a.zoneName == b.zoneName ? a.ownerName < b.ownerName : a.zoneName < b.zoneName
        }
        let places = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
        ranks = zones.map { places[$0] ?? 0 }
    }

    /// −1, 0 or 1 as the zone of a segment comes before, is or comes behind that of another.
    func compare(_ a: Int, _ b: Int) -> Int { ranks[a] == ranks[b] ? 0 : ranks[a] < ranks[b] ? -1 : 1 }
}

extension Snapshot {
    /// The name of the zone that a record is in.
    fileprivate func zoneName(of row: SnapshotRow) -> String { segments[row.segment].segment.zoneID.zoneName }

    /// What a sort key compares of a record.
    func value(of criterion: SortKey.Criterion, at row: SnapshotRow) -> FieldValue {
        RowView(segment: segments[row.segment].segment, row: row.row, keys: keys).value(of: criterion, in: self)
    }
}

/// What sort keys compare of the records of a snapshot.
private final class SortValues {
    private let query: SnapshotQuery
    /// What scores need; `nil` when no key asks for them.
    private let relevance: QueryRelevance?
    private var scores: [SnapshotRow: Double] = [:]

    /// Throws: `PageError.noWords`.
    init(_ keys: [SortKey], of query: SnapshotQuery) throws(PageError) {
        self.query = query
        guard keys.contains(where: { $0.criterion == .relevance }) else {
            relevance = nil
            return
        }
        relevance = query.relevance()
        if relevance == nil { throw .noWords }
    }

    /// Scores records, which come in order of insertion, if a key asks for that.
    func score(_ rows: [SnapshotRow]) {
        guard let relevance else { return }
        scores = Dictionary(zip(rows, query.scores(of: rows, by: relevance))) { first, _ in first }
    }

    func zoneName(of row: SnapshotRow) -> String { query.snapshot.zoneName(of: row) }

    func value(of criterion: SortKey.Criterion, at row: SnapshotRow) -> FieldValue {
        if case .relevance = criterion { return scores[row].map { .double($0) } ?? .null }
        return query.snapshot.value(of: criterion, at: row)
    }
}

/// The last record of the page before, compared with those that may follow.
private struct PageBoundary {
    let cursor: Cursor
    private let keys: [SortKey]
    private let prepared: [FieldValue]
    private let values: SortValues
    /// Whether a record of the same zone that is level has the identifier of the last one, and was deleted and saved
    /// again since.
    private let isLevelSame: Bool

    init(cursor: Cursor, keys: [SortKey], values: SortValues) {
        self.cursor = cursor
        self.keys = keys
        self.values = values
        isLevelSame = keys.contains { $0.criterion == .recordName }
        prepared = zip(keys, cursor.values).map { $0.prepared($1) }
    }

    /// Whether the boundary stands before a record.
    func isBefore(_ row: SnapshotRow) -> Bool {
        for (key, value) in zip(keys, prepared) {
            let order = key.compare(prepared: value, key.prepared(values.value(of: key.criterion, at: row)))
            if order != 0 { return order < 0 }
        }
        if let zoneName = cursor.zoneName {
            let other = values.zoneName(of: row)
            if zoneName != other { return zoneName < other }
        }
        return !isLevelSame && cursor.sequence < row.sequence
    }
}

extension RecordStore {
    /// The snapshot that the next page of a cursor is of: the pinned one, or the records as they are now.
    /// Throws: `PageError.snapshotGone`.
    package func snapshot(for cursor: Cursor?) throws(PageError) -> Snapshot {
        guard let version = cursor?.version else { return snapshot }
        guard let pinned = pinnedSnapshot(version: version) else { throw .snapshotGone(version: version) }
        return pinned
    }
}
