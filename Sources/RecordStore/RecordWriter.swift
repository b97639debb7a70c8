// Commits of a store before anybody else sees them.
//
// A commit is staged on the records as the ones staged before it leave them, and all that are staged are published as
// one snapshot: what has to be done once before they count, such as writing a log to the disk, is done for all of them.

import OrdinalSets
import RecordColumns
import RecordModel
import Synchronization

/// The one writer of a store at a time.
// SAFETY: used only by whoever holds the store's lock of writing, inside `RecordStore.writing`.
package final class RecordWriter: @unchecked Sendable {
    /// What is staged.
    private struct Staged {
        var snapshot: Snapshot
        var nextSequence: Int
        /// The types that commits taught something about.
        var types: Set<String> = []
        /// Whether small segments are merged, and only publishing is left.
        var isPrepared = false
    }

    private var shapes: [String: TypeInference]
    /// The number of the first record that is new, without what is staged.
    private(set) var nextSequence: Int
    /// Numbers commits from 1: the origins of what they taught about fields.
    private var commits = 0
    private var staged: Staged?
    /// Set while the store's lock is held.
    private var store: RecordStore?

    init(shapes: [String: TypeInference], nextSequence: Int) {
        (self.shapes, self.nextSequence) = (shapes, nextSequence)
    }

    func begin(_ store: RecordStore) { self.store = store }

    func end() {
        discard()
        store = nil
    }

    /// The records with all that is staged.
    package var snapshot: Snapshot {
        staged?.snapshot ?? store?.snapshot ?? Snapshot(version: 0, segments: [], schemas: [])
    }

    // MARK: Staging

    /// Makes all changes of a batch, or none, behind those that are staged.
    ///
    /// - Parameter confirm: Called with the new segments when all that can fail is done.
    /// - Throws: `CommitError`; then nothing has changed.
    package func stage(
        _ batch: RecordBatch, confirm: (_ added: [StoredSegment]) -> Bool
    ) throws(CommitError) {
        let before = snapshot
        let kept = before.withoutZones(batch.deletedZones)
        let plan = try CommitPlan(batch, on: kept, nextSequence: staged?.nextSequence ?? nextSequence)
        commits += 1
        let added = try segments(plan, batch, on: kept)
        guard confirm(added.segments) else {
            for shape in added.shapes { shape.rollBack(origin: commits) }
            throw .notConfirmed
        }
        for shape in added.shapes {
            shape.accept()
            shapes[shape.recordType] = shape
        }
        var next = staged ?? Staged(snapshot: before, nextSequence: nextSequence)
        next.types.formUnion(added.shapes.map(\.recordType))
        next.nextSequence = plan.nextSequence
        next.snapshot = kept.with(added.segments, removing: plan.removed, added.shapes.map(\.schema))
        next.isPrepared = false
        staged = next
    }

    /// Does what publishing would need time for.
    package func prepare() {
        guard let snapshot = staged?.snapshot, staged?.isPrepared == false, let store else { return }
        staged?.isPrepared = true
        let free = store.untaken(snapshot.segments)
        guard var segments = MergePolicy.mergingSmall(free, snapshot.schemas) else { return }
        if free.count < snapshot.segments.count {
            segments += snapshot.segments.filter { stored in !free.contains { $0.isSame(as: stored) } }
        }
        staged?.snapshot = Snapshot(version: snapshot.version, segments: segments, schemas: snapshot.schemas)
    }

    /// Makes what is staged the records that everybody sees.
    package func publish() {
        prepare()
        guard let staged, let store else { return }
        self.staged = nil
        nextSequence = staged.nextSequence
        store.publish(staged.snapshot)
    }

    /// Forgets what is staged.
    package func discard() {
        guard let staged, let store else { return }
        self.staged = nil
        // What the commits taught about their types is forgotten, too: the records that stay tell what is known.
        for type in staged.types { shapes[type] = store.snapshot.schema(ofType: type).map { TypeInference($0) } }
    }

    // MARK: Segments

    /// The new segments of a commit, and what they taught about their types, which is not accepted yet.
    private func segments(
        _ plan: CommitPlan, _ batch: RecordBatch, on snapshot: Snapshot
    ) throws(CommitError) -> (segments: [StoredSegment], shapes: [TypeInference]) {
        var segments: [StoredSegment] = []
        var shapes: [TypeInference] = []
        // The order in which types and zones get their segments, fields and numbers does not depend on chance.
        let groups = plan.groups.sorted {
            ($0.group.recordType, $0.group.zoneID.zoneName) < ($1.group.recordType, $1.group.zoneID.zoneName)
        }
        var recordType = ""
        func isKnown(_ recordType: String) -> Bool {
            !batch.rewrittenTypes.contains(recordType)
                && snapshot.segments.contains { $0.segment.recordType == recordType }
        }
        do throws(ColumnError) {
            for changes in groups {
                recordType = changes.group.recordType
                let shape = shape(of: recordType, isKnown: isKnown(recordType), among: &shapes)
                segments += try Self.segments(changes, on: snapshot, shape, origin: commits)
            }
            var sequence = plan.firstRow
            for rows in batch.rows {
                recordType = rows.recordType
                let shape = shape(of: recordType, isKnown: isKnown(recordType), among: &shapes)
                let segment = try shape.segment(
                    columns: rows.columns, names: rows.names, zoneID: rows.zoneID, origin: commits)
                segments.append(
                    StoredSegment(segment, sequences: RunLengthMap(sequence..<sequence + rows.count)))
                sequence += rows.count
            }
        } catch {
            for shape in shapes { shape.rollBack(origin: commits) }
            throw .column(error, recordType: recordType)
        }
        return (segments, shapes)
    }

    /// What is known of a type, and from now on part of what a commit teaches.
    ///
    /// - Parameter isKnown: Whether there are records of the type that stay as they are.
    private func shape(
        of recordType: String, isKnown: Bool, among shapes: inout [TypeInference]
    ) -> TypeInference {
        if let known = shapes.first(where: { $0.recordType == recordType }) { return known }
        let shape = (isKnown ? self.shapes[recordType] : nil) ?? TypeInference(recordType: recordType)
        shapes.append(shape)
        return shape
    }

    private static func segments(
        _ changes: CommitPlan.Changes, on snapshot: Snapshot, _ shape: TypeInference, origin: Int
    ) throws(ColumnError) -> [StoredSegment] {
        var segments: [StoredSegment] = []
        let zoneID = changes.group.zoneID
        if !changes.saved.isEmpty {
            let sequences = RunLengthMap()
            for saved in changes.saved { sequences.append(saved.sequence) }
            let segment = try shape.segment(
                of: changes.saved.map(\.record), beside: changes.saved.map(\.entries), zoneID: zoneID,
                origin: origin)
            segments.append(StoredSegment(segment, sequences: sequences))
        }
        if !changes.changed.isEmpty {
            let sequences = RunLengthMap()
            var rows = RowGather()
            // Only segments that are read from: each is searched for every field.
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

extension Snapshot {
    /// The snapshot after a commit.
    ///
    /// - Parameters:
    ///   - added: The new segments.
    ///   - removed: Rows that count no more, by segment.
    ///   - changed: The fields of the types that the commit taught something about.
    fileprivate func with(
        _ added: [StoredSegment], removing removed: [Int: [Int]], _ changed: [RecordSchema]
    ) -> Snapshot {
        var kept: [StoredSegment] = []
        kept.reserveCapacity(segments.count + added.count)
        kept += segments
        for (index, rows) in removed {
            var deleted = kept[index].deleted ?? DeletedRows(of: kept[index].segment.count)
            for row in rows { deleted.insert(row) }
            kept[index].deleted = deleted
        }
        if !removed.isEmpty { kept.removeAll { $0.liveCount == 0 } }
        kept += added
        var schemas = schemas
        for schema in changed {
            if let known = schemas.firstIndex(where: { $0.recordType == schema.recordType }) {
                schemas[known] = schema
            } else {
                schemas.append(schema)
            }
        }
        return Snapshot(version: version + 1, segments: kept, schemas: schemas)
    }
}
