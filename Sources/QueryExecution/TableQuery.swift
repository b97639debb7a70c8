// A predicate prepared for a table: one plan per segment, executed and put together.

package import Indexing
import OrdinalSets
package import PredicateSemantics
package import QueryPlanning
package import RecordColumns
package import RecordModel

/// A table with the indexes of its segments.
package final class IndexedTable: TargetDirectory {
    package let table: RecordTable
    /// The indexes of each segment, built as they are wanted.
    package let indexes: [SegmentIndexes]
    package let addresses = ReferenceAddresses()

    package init(_ table: RecordTable) {
        self.table = table
        indexes = table.segments.map(SegmentIndexes.init)
    }

    /// A table whose segments have indexes already, one for each.
    init(_ table: RecordTable, indexes: [SegmentIndexes]) {
        self.table = table
        self.indexes = indexes
    }

    package var keys: RecordKeys { table.keys }
    package var targetCount: Int { indexes.count }

    package func target(_ number: Int) -> TargetSegment { TargetSegment(indexes[number]) }

    package func address(
        named name: UnsafeBufferPointer<UInt8>, hash: UInt32, zoneID: RecordZone.ID
    ) -> RowAddress? {
        unsafe table.position(named: name, hash: hash, zoneID: zoneID).map { table.address($0) }
    }

    package func find(_ id: Record.ID) -> (segment: Segment, row: Int)? { table.find(id) }

    /// Room taken by the indexes built so far, in bytes.
    package var indexByteCount: Int { indexes.reduce(0) { $0 + $1.byteCount } }
}

/// A predicate that is ready to run over a table, again and again.
package struct TableQuery: Sendable {
    /// The part of a query that one segment answers.
    package struct Part: Sendable {
        /// Index of the segment in the table.
        package let segment: Int
        package let query: SegmentQuery
    }

    package let table: IndexedTable
    package let parts: [Part]
    private let written: BoundPredicate

    /// What the predicate looks for among words.
    var searches: [WordSearch] { written.wordSearches }

    /// Plans a predicate for every segment that it is asked about.
    ///
    /// - Parameters:
    ///   - type: Only records of that type; `nil` for all.
    ///   - usage: Which indexes may be used or built.
    ///   - threads: The most threads that the query uses; those beyond one only for many rows.
    ///   - simplifies: Whether the predicate is simplified first; else it is planned as it is written.
    /// - Complexity: O(conjuncts · log rows) a segment, plus building of indexes.
    package init(
        _ bound: BoundPredicate, over table: IndexedTable, type: String?, usage: SegmentPlanner.IndexUsage,
        context: EvaluationContext, threads: Int = SegmentQuery.availableThreads, simplifies: Bool = true
    ) {
        self.table = table
        written = bound
        let bound = simplifies ? bound.simplified() : bound
        let joins = JoinPlanner(table, usage: usage)
        parts = table.table.segmentIndices(ofType: type).map { index in
            let query = SegmentQuery(
                bound, over: table.indexes[index], in: table, usage: usage, joins: joins, context: context,
                threads: threads)
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

    /// The positions of the records that match, ascending.
    /// - Throws: `EvaluationError` as `count`.
    package func positions() throws(EvaluationError) -> [UInt32] {
        if let whole { return try whole.rows() }
        var positions: [UInt32] = []
        for part in parts { append(try part.query.rows(), of: part, to: &positions) }
        return parts.count > 1 ? ascending(positions) : positions
    }

    /// The first matching positions in an order, equal ones by position; `nil` when no index gives that order, or
    /// sorting what matches is the shorter way, or several segments have a say (see `leadingPositions`).
    /// - Throws: `EvaluationError` as `count`.
    package func positions(orderedBy order: RowOrder, limit: Int) throws(EvaluationError) -> [UInt32]? {
        if let whole { return try whole.rows(orderedBy: order, limit: limit) }
        guard parts.count == 1, let rows = try parts[0].query.rows(orderedBy: order, limit: limit) else { return nil }
        var positions: [UInt32] = []
        append(rows, of: parts[0], to: &positions)
        return positions
    }

    /// Positions, ascending, among which are the first `limit` in an order: the first of every segment. `nil` when that
    /// is no shorter than all that match.
    /// - Throws: `EvaluationError` as `count`.
    package func leadingPositions(orderedBy order: RowOrder, limit: Int) throws(EvaluationError) -> [UInt32]? {
        var positions: [UInt32] = []
        var isShorter = false
        for part in parts {
            if let leading = try part.query.rows(orderedBy: order, limit: limit) {
                isShorter = true
                append(leading, of: part, to: &positions)
            } else {
                append(try part.query.rows(), of: part, to: &positions)
            }
        }
        guard isShorter else { return nil }
        return ascending(positions)
    }

    private func append(_ rows: [UInt32], of part: Part, to positions: inout [UInt32]) {
        table.table.positions(segment: part.segment).append(numbersOf: rows, to: &positions)
    }

    private func ascending(_ positions: [UInt32]) -> [UInt32] {
        if SortedOrdinals.isAscending(positions) { return positions }
        // A bitmap is the way to sort many numbers.
        return positions.count > table.table.count / 64
            ? Bitmap(ordinals: positions, count: table.table.count).ordinals : positions.sorted()
    }

    /// The query of the one segment that holds the whole table: its rows are the positions.
    private var whole: SegmentQuery? {
        parts.count == 1 && table.table.segments.count == 1 ? parts.first?.query : nil
    }
}
