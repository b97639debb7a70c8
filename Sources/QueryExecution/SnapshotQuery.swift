// A predicate prepared for a snapshot.

import Indexing
package import PredicateSemantics
package import QueryPlanning
import RecordColumns
package import RecordModel
package import RecordStore

/// A predicate that is ready to run over a snapshot, again and again.
///
/// An object, as an order and its boundary would otherwise copy all that it refers to.
package final class SnapshotQuery: Sendable {
    /// The part of a query that runs on one segment.
    struct Part: Sendable {
        /// Index of the segment in the snapshot.
        let segment: Int
        let query: SegmentQuery
    }

    package let snapshot: Snapshot
    let parts: [Part]
    private let predicate: QueryPredicate
    private let recordType: String?
    /// The zone of the records; `nil` for all zones.
    package let zoneID: RecordZone.ID?

    /// What the predicate looks for among words.
    var searches: [WordSearch] { predicate.bound.wordSearches }

    /// How a query runs.
    package struct Settings: Sendable {
        /// Which indexes may be used or built.
        let usage: SegmentPlanner.IndexUsage
        let context: EvaluationContext
        /// The most threads that the query uses; those beyond one only for very many rows.
        let threads: Int
        /// Whether the predicate is simplified first; else it is planned as it is written.
        let simplifies: Bool

        package init(
            usage: SegmentPlanner.IndexUsage = .all, context: EvaluationContext = .current(),
            threads: Int = SegmentQuery.availableThreads, simplifies: Bool = true
        ) {
            (self.usage, self.context, self.threads, self.simplifies) = (usage, context, threads, simplifies)
        }
    }

    /// Plans a predicate for every segment.
    ///
    /// - Parameters:
    ///   - type: Only records of that type; `nil` for all.
    ///   - zoneID: Only records of that zone; `nil` for all.
    /// - Complexity: O(conjuncts · log rows) a segment, plus building of indexes.
    package convenience init(
        _ bound: BoundPredicate, over snapshot: Snapshot, type: String?, zoneID: RecordZone.ID? = nil,
        settings: Settings = Settings()
    ) {
        let simplified = settings.simplifies ? bound.simplified() : bound
        let joins = JoinPlanner(snapshot, usage: settings.usage)
        self.init(.bound(bound), over: snapshot, type: type, zoneID: zoneID) { stored in
            SegmentQuery(
                simplified, over: QueriedRows(stored: stored, snapshot: snapshot, settings: settings), joins: joins)
        }
    }

    /// Plans a predicate for every segment, or looks up the values of its template.
    ///
    /// - Parameters: As above.
    /// - Complexity: As above.
    package convenience init(
        _ predicate: QueryPredicate, over snapshot: Snapshot, type: String?, zoneID: RecordZone.ID? = nil,
        settings: Settings
    ) {
        switch predicate {
        case .bound(let bound):
            self.init(bound, over: snapshot, type: type, zoneID: zoneID, settings: settings)
        case .template(let filled):
            // Of many segments few have a value that is looked for: nothing is planned for the others.
            let wanted = WantedValues(filled, settings.usage, snapshot)
            self.init(predicate, over: snapshot, type: type, zoneID: zoneID, except: wanted.areLacking) { stored in
                let rows = QueriedRows(stored: stored, snapshot: snapshot, settings: settings)
                guard let found = wanted.rows(of: stored) else { return SegmentQuery(filled, over: rows) }
                return found.isEmpty ? nil : SegmentQuery(found, of: filled, over: rows)
            }
        }
    }

    private init(
        _ predicate: QueryPredicate, over snapshot: Snapshot, type: String?, zoneID: RecordZone.ID?,
        except isLacking: (Int) -> Bool = { _ in false }, _ query: (StoredSegment) -> SegmentQuery?
    ) {
        (self.snapshot, self.predicate, recordType, self.zoneID) = (snapshot, predicate, type, zoneID)
        var parts: [Part] = []
        for index in snapshot.segments.indices where !isLacking(index) {
            let stored = snapshot.segments[index]
            guard type == nil || stored.segment.recordType == type, zoneID == nil || stored.segment.zoneID == zoneID
            else { continue }
            if let query = query(stored) { parts.append(Part(segment: index, query: query)) }
        }
        self.parts = parts
    }

    /// How many records match.
    /// - Throws: `EvaluationError` from the first record of a segment that the predicate has no meaning for.
    package func count() throws(EvaluationError) -> Int {
        var total = 0
        for part in parts { total += try part.query.count() }
        return total
    }

    /// What cursors are tied to.
    func fingerprint(sortedBy keys: [SortKey]) -> QueryFingerprint {
        QueryFingerprint(predicate, ofType: recordType, zoneID: zoneID, sortedBy: keys)
    }
}
