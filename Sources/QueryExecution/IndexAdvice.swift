// Queries that read rows: which index would help, how much, and what to say when such queries are rejected.

import Indexing
package import PredicateSemantics
package import PredicateSyntax
package import QueryPlanning
import RecordColumns
import RecordStore

/// An index that a query misses.
package struct MissingIndex: Sendable {
    package let index: IndexCandidate
    /// The part of the predicate that it would serve.
    package let part: BoundNode
    /// Rows that are read for want of it.
    package var rowsRead: Int
    /// About how many would be read with it: those for which the part holds, by a sample.
    package var rowsNeeded: Int
}

/// A part of a predicate for which every row is read.
package struct ScannedPart: Sendable {
    package let node: BoundNode
    package let reason: UnservedPart.Reason
    /// The index that would serve the part.
    package let index: IndexCandidate?
}

/// A query that would read every row was rejected.
package struct ScanRejection: Error, Sendable {
    /// What is read for.
    package let part: ScannedPart
    /// Rows that would be read.
    package let rows: Int
}

extension [SegmentQuery] {
    /// The indexes that would at least halve the rows that are read, the greatest help first.
    /// - Complexity: O(parts that are read), each on a sample of rows.
    package var missingIndexes: [MissingIndex] {
        var found: [MissingIndex] = []
        for query in self {
            for scan in query.residualScans {
                for part in scan.parts {
                    guard let index = query.index(for: part) else { continue }
                    let needed = Swift.min(scan.rows, query.estimate(part.node))
                    if let known = found.firstIndex(where: { $0.index == index && $0.part.isSame(as: part.node) }) {
                        found[known].rowsRead += scan.rows
                        found[known].rowsNeeded += needed
                    } else {
                        found.append(
                            MissingIndex(index: index, part: part.node, rowsRead: scan.rows, rowsNeeded: needed))
                    }
                }
            }
        }
        return found.filter { $0.rowsNeeded <= $0.rowsRead / 2 }
            .sorted { $0.rowsRead - $0.rowsNeeded > $1.rowsRead - $1.rowsNeeded }
    }

    /// Why the query would be rejected where full scans are; `nil` when indexes rule rows out everywhere.
    ///
    /// - Parameter smallest: Segments of fewer rows may be read: they are too small to be indexed.
    fileprivate func scanRejection(smallest: Int) -> ScanRejection? {
        for query in self where query.plan.isFullScan && query.indexes.segment.count >= smallest {
            let parts = query.scannedParts
            guard let part = parts.first(where: { $0.index != nil }) ?? parts.first else { continue }
            let rows = filter { $0.plan.isFullScan }.reduce(0) { $0 + $1.indexes.segment.count }
            return ScanRejection(part: part, rows: rows)
        }
        return nil
    }

    /// The parts of the predicate for which every row is read, each once.
    package var scannedParts: [ScannedPart] {
        var parts: [ScannedPart] = []
        for query in self where query.plan.isFullScan {
            for part in query.scannedParts
            where !parts.contains(where: { $0.node.isSame(as: part.node) }) {
                parts.append(part)
            }
        }
        return parts
    }
}

extension SegmentQuery {
    /// Where the plan reads rows.
    fileprivate var residualScans: [ResidualScan] { plan.residualScans(rowCount: rowCount) }

    /// The parts of the predicate for which every row is read, as they are written.
    fileprivate var scannedParts: [ScannedPart] {
        let parts = residualScans.filter(\.isFullScan).flatMap(\.parts)
        return parts.sorted { $0.node.span.lowerBound < $1.node.span.lowerBound }.map {
            ScannedPart(node: $0.node, reason: $0.reason, index: index(for: $0))
        }
    }

    /// The index that would serve a part.
    fileprivate func index(for part: UnservedPart) -> IndexCandidate? {
        guard part.reason == .noIndex, case .comparison(let comparison) = part.node else { return nil }
        return planner.candidate(for: comparison)
    }

    /// About how many rows satisfy a part of the predicate, by a sample.
    fileprivate func estimate(_ node: BoundNode) -> Int {
        executor.sample { (row) throws(EvaluationError) in try executor.evaluator.holds(node, row: row) }
    }
}

extension SnapshotQuery {
    /// The queries of the segments.
    package var segmentQueries: [SegmentQuery] { parts.map(\.query) }

    /// Why the query would be rejected where full scans are; segments too small to be indexed may be read.
    package var scanRejection: ScanRejection? {
        segmentQueries.scanRejection(smallest: snapshot.isSealed ? 1 : Snapshot.indexedRows)
    }
}

extension BoundNode {
    /// The place in the predicate's text from the first comparison to the last.
    package var span: SourceSpan {
        switch self {
        case .constant: .none
        case .not(let inner): inner.span
        case .comparison(let comparison): comparison.span
        case .and(let nodes), .or(let nodes): nodes.reduce(.none) { $0.union($1.span) }
        }
    }
}
