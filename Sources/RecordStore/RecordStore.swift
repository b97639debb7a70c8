// Records that are read and written at the same time.
//
// A store is a list of sealed segments, each with its indexes and its deleted rows, published as an immutable snapshot.
// A commit turns its records into one small segment per type and zone, marks the rows that these replace as deleted,
// and publishes a new snapshot: all of it becomes visible at once. Readers take the snapshot there is and are never
// waited for. Small segments are read by column; merging in tiers keeps their number logarithmic, and builds for the
// merged segment the indexes that its parts had.
//
// A record has a sequence number from its insertion to its deletion, whatever segment it is in: results come in
// that order, and an update does not move a record.
//
// Rejected: one open segment that grows in place (readers would have to be kept from buffers that move), and changing
// columns in place (every index of the segment would have to take changes).

import OrdinalSets
package import RecordColumns
package import RecordModel
import Synchronization

/// A set of records that takes commits. May be used from any thread; commits go one after another.
package final class RecordStore: Sendable {
    /// Held by whoever writes; who writes several stores at once holds several.
    let writerLock = Mutex<Void>(())
    /// Used by whoever holds `writerLock`.
    private let writer: RecordWriter
    private let published: Mutex<Snapshot>
    /// Held while segments are merged in the background or by `flush`.
    let merging = Mutex<Void>(())
    /// Held while all segments are merged, which goes on beside `merging`.
    let mergingAll = Mutex<Void>(())
    /// The segments that are being merged under `mergingAll`; changed by whoever holds `merging` and the writer's lock,
    /// or has put the merged ones in their place.
    let taken = Mutex<Set<ObjectIdentifier>>([])
    let merger = Mutex(MergerState())

    /// An empty store.
    package init() {
        writer = RecordWriter(shapes: [:], nextSequence: 0)
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
        var shapes: [String: TypeInference] = [:]
        for schema in schemas { shapes[schema.recordType] = TypeInference(schema) }
        writer = RecordWriter(shapes: shapes, nextSequence: nextSequence)
        published = Mutex(Snapshot(version: 0, segments: segments, schemas: schemas))
    }

    /// The records as they are now, and the number of the first record that is new. Waits for commits.
    package var image: (snapshot: Snapshot, nextSequence: Int) {
        writerLock.withLock { _ in (snapshot, writer.nextSequence) }
    }

    /// The records as they are now. Complexity: O(1); waits for nobody.
    package var snapshot: Snapshot { published.withLock { $0 } }

    func publish(_ snapshot: Snapshot) { published.withLock { $0 = snapshot } }

    // MARK: Commits

    /// Makes all changes of a batch, or none.
    ///
    /// When commits come faster than segments are merged, a commit waits for merging.
    ///
    /// - Parameter confirm: Called with the new segments when all that can fail is done, and nobody
    ///   sees any change yet.
    /// - Throws: `CommitError`; then nothing has changed.
    /// - Complexity: O(values of the batch), and O(rows / 64) for each segment in which a row is replaced.
    package func commit(
        _ batch: RecordBatch, confirm: (_ added: [StoredSegment]) -> Bool = { _ in true }
    ) throws(CommitError) {
        try writing { writer throws(CommitError) in
            try writer.stage(batch, confirm: confirm)
            writer.publish()
        }
    }

    /// Calls a body that stages commits, one after another, and publishes them together; what it stages and does not
    /// publish is forgotten. Others write when it has returned.
    package func writing<Result: Sendable, Failure: Error>(
        _ body: (RecordWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let writer = beginWriting()
        defer { endWriting() }
        return try body(writer)
    }

    /// Begins to write, for those who write many stores at once; others wait until `endWriting()` on the same thread.
    /// When commits come faster than segments are merged, this waits for merging.
    package func beginWriting() -> RecordWriter {
        if isOverdue { flush() }
        // SAFETY: `endWriting()` unlocks it, on the same thread: its callers call both in pairs, with `defer`.
        writerLock._unsafeLock()
        writer.begin(self)
        return writer
    }

    /// Ends what `beginWriting()` began; what is staged and not published is forgotten.
    package func endWriting() {
        writer.end()
        // SAFETY: locked by `beginWriting()`, on this thread.
        writerLock._unsafeUnlock()
        startMergerIfNeeded()
    }
}
