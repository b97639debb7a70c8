// Records that are read and written at the same time.
//
// A store is a list of sealed segments, each with its indexes and its deleted rows, published as an immutable snapshot.
// A commit turns its records into one small segment per type and zone, marks the rows that these replace as deleted,
// and publishes a new snapshot: all of it becomes visible at once. Readers take the snapshot there is and are never
// waited for. Small segments are read by column; merging in tiers keeps their number logarithmic, and builds for the
// merged segment the indexes that its parts had.
//
// A record has a sequence number from its insertion to its deletion, whatever segment it stands in: answers come in that
// order, and an update does not move a record.
//
// Rejected: one open segment that grows in place (readers would have to be kept from buffers that move), and changing
// columns in place (every index of the segment would have to take changes).

import OrdinalSets
package import RecordColumns
package import RecordModel
import Synchronization

/// A set of records that takes commits. May be used from any thread; commits go one after another.
package final class RecordStore: Sendable {
    /// What only one writer at a time uses.
    struct Writer: ~Copyable {
        var shapes: [String: TypeShape] = [:]
        var nextSequence = 0
        /// Numbers commits from 1: the origins of what they taught about fields.
        var commits = 0
    }

    let writer: Mutex<Writer>
    private let published: Mutex<Snapshot>
    /// Held while segments are merged in the background or by `flush`.
    let merging = Mutex<Void>(())
    /// Held while all segments are merged, which goes on beside `merging`.
    let mergingAll = Mutex<Void>(())
    /// The segments that are being merged under `mergingAll`; changed by whoever holds `merging` and the writer's lock, or
    /// has put the merged ones in their place.
    let taken = Mutex<Set<ObjectIdentifier>>([])
    let isMergerRunning = Mutex(false)

    /// An empty store.
    package init() {
        writer = Mutex(Writer())
        published = Mutex(Snapshot(version: 0, segments: [], schemas: []))
    }

    /// A store of the records of files, in their order.
    package convenience init(_ loaded: LoadedSegments) {
        let segments = zip(loaded.segments, loaded.positions).map { StoredSegment($0, sequences: $1) }
        self.init(segments: segments, schemas: loaded.schemas, nextSequence: loaded.count)
    }

    /// A store of the records that another one had.
    ///
    /// - Parameters:
    ///   - segments: Its segments with their deleted rows, of record types that `schemas` has.
    ///   - nextSequence: The number of the first record that is new.
    package init(segments: [StoredSegment], schemas: [RecordSchema], nextSequence: Int) {
        var shapes: [String: TypeShape] = [:]
        for schema in schemas { shapes[schema.recordType] = TypeShape(schema) }
        writer = Mutex(Writer(shapes: shapes, nextSequence: nextSequence))
        published = Mutex(Snapshot(version: 0, segments: segments, schemas: schemas))
    }

    /// The records as they are now, and the number of the first record that is new. Waits for commits.
    package var image: (snapshot: Snapshot, nextSequence: Int) { writer.withLock { (snapshot, $0.nextSequence) } }

    /// The records as they are now. Complexity: O(1); waits for nobody.
    package var snapshot: Snapshot { published.withLock { $0 } }

    func publish(_ snapshot: Snapshot) { published.withLock { $0 = snapshot } }

    // MARK: Commits

    /// Makes all changes of a batch, or none.
    ///
    /// When commits come faster than segments are merged, a commit waits for merging.
    ///
    /// - Parameter confirm: Has the last word: called with the new segments when all that can fail is done, and nobody sees
    ///   any change yet.
    /// Throws: `CommitError`; then nothing has changed.
    /// - Complexity: O(values of the batch), and O(rows / 64) for each segment in which a row is replaced.
    @discardableResult
    package func commit(
        _ batch: RecordBatch, confirm: (_ added: [StoredSegment]) -> Bool = { _ in true }
    ) throws(CommitError) -> CommitSummary {
        if MergePolicy.isOverdue(untaken(snapshot.segments)) { flush() }
        let summary = try writer.withLock { writer throws(CommitError) in
            let prepared = try prepare(batch, &writer)
            guard confirm(prepared.segments) else {
                for shape in prepared.shapes { shape.rollBack(origin: writer.commits) }
                throw .notConfirmed
            }
            return publish(prepared, &writer)
        }
        startMergerIfNeeded()
        return summary
    }

    /// A commit with which nothing can go wrong any more, and that nobody sees yet.
    private struct Prepared {
        let plan: CommitPlan
        /// Number of records in deleted zones.
        let deletedCount: Int
        /// The records without those zones.
        let snapshot: Snapshot
        let segments: [StoredSegment]
        /// What the commit taught about types.
        let shapes: [TypeShape]
    }

    private func prepare(_ batch: RecordBatch, _ writer: inout Writer) throws(CommitError) -> Prepared {
        let current = snapshot
        let snapshot = current.withoutZones(batch.deletedZones)
        let plan = try CommitPlan(batch, on: snapshot, nextSequence: writer.nextSequence)
        writer.commits += 1
        let added = try segments(plan, batch.rows, on: snapshot, writer)
        let deletedCount = batch.deletedZones.isEmpty ? 0 : current.count - snapshot.count
        return Prepared(
            plan: plan, deletedCount: deletedCount, snapshot: snapshot, segments: added.segments, shapes: added.shapes)
    }

    private func publish(_ prepared: Prepared, _ writer: inout Writer) -> CommitSummary {
        for shape in prepared.shapes {
            shape.accept()
            writer.shapes[shape.recordType] = shape
        }
        writer.nextSequence = prepared.plan.nextSequence
        let snapshot = prepared.snapshot
        var kept = snapshot.segments
        for (index, rows) in prepared.plan.removed {
            var deleted = kept[index].deleted ?? DeletedRows(of: kept[index].segment.count)
            for row in rows { deleted.insert(row) }
            kept[index].deleted = deleted
        }
        kept.removeAll { $0.liveCount == 0 }
        var schemas = snapshot.schemas
        for schema in prepared.shapes.map(\.schema) {
            if let known = schemas.firstIndex(where: { $0.recordType == schema.recordType }) {
                schemas[known] = schema
            } else {
                schemas.append(schema)
            }
        }
        let free = untaken(kept)
        let segments =
            MergePolicy.mergingSmall(free + prepared.segments, schemas)
            + (free.count == kept.count ? [] : kept.filter { stored in !free.contains { $0.isSame(as: stored) } })
        publish(Snapshot(version: snapshot.version + 1, segments: segments, schemas: schemas))
        var summary = prepared.plan.summary
        summary.deleted += prepared.deletedCount
        summary.version = snapshot.version + 1
        return summary
    }

    /// The new segments of a commit, and what they taught about their types, which is not accepted yet.
    private func segments(
        _ plan: CommitPlan, _ rows: [NewRows], on snapshot: Snapshot, _ writer: borrowing Writer
    ) throws(CommitError) -> (segments: [StoredSegment], shapes: [TypeShape]) {
        var segments: [StoredSegment] = []
        var shapes: [TypeShape] = []
        // The order in which types and zones get their segments, fields and numbers does not depend on chance.
        let groups = plan.groups.sorted {
            ($0.group.recordType, $0.group.zoneID.zoneName) < ($1.group.recordType, $1.group.zoneID.zoneName)
        }
        var recordType = ""
        do throws(ColumnError) {
            for changes in groups {
                recordType = changes.group.recordType
                let shape = Self.shape(of: recordType, among: &shapes, writer)
                segments += try Self.segments(changes, on: snapshot, shape, origin: writer.commits)
            }
            var sequence = plan.firstRow
            for rows in rows {
                recordType = rows.recordType
                let shape = Self.shape(of: recordType, among: &shapes, writer)
                let segment = try shape.segment(
                    columns: rows.columns, names: rows.names, zoneID: rows.zoneID, origin: writer.commits)
                segments.append(
                    StoredSegment(segment, sequences: RunMap(sequence..<sequence + rows.count)))
                sequence += rows.count
            }
        } catch {
            for shape in shapes { shape.rollBack(origin: writer.commits) }
            throw .column(error, recordType: recordType)
        }
        return (segments, shapes)
    }

    /// What is known of a type, and from now on part of what a commit teaches.
    private static func shape(
        of recordType: String, among shapes: inout [TypeShape], _ writer: borrowing Writer
    ) -> TypeShape {
        if let known = shapes.first(where: { $0.recordType == recordType }) { return known }
        let shape = writer.shapes[recordType] ?? TypeShape(recordType: recordType)
        shapes.append(shape)
        return shape
    }

    private static func segments(
        _ changes: CommitPlan.Changes, on snapshot: Snapshot, _ shape: TypeShape, origin: Int
    ) throws(ColumnError) -> [StoredSegment] {
        var segments: [StoredSegment] = []
        let zoneID = changes.group.zoneID
        if !changes.saved.isEmpty {
            let sequences = RunMap()
            for saved in changes.saved { sequences.append(saved.sequence) }
            let segment = try shape.segment(
                of: changes.saved.map(\.record), beside: changes.saved.map(\.entries), zoneID: zoneID,
                origin: origin)
            segments.append(StoredSegment(segment, sequences: sequences))
        }
        if !changes.changed.isEmpty {
            let sequences = RunMap()
            var rows = RowGathering()
            // Only segments that are read from: each is asked for every field.
            var sources: [Int: Int] = [:]
            var read: [Segment] = []
            for change in changes.changed {
                let source = sources[change.row.segment] ?? read.count
                if source == read.count {
                    sources[change.row.segment] = source
                    read.append(snapshot.segments[change.row.segment].segment)
                }
                sequences.append(change.row.sequence)
                rows.append(source: source, rows: change.row.row..<change.row.row + 1)
            }
            let segment = try shape.segment(
                gathering: rows, of: read, changes: changes.changed.map(\.values), zoneID: zoneID, origin: origin)
            segments.append(StoredSegment(segment, sequences: sequences))
        }
        return segments
    }
}
