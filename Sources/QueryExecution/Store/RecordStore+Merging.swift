// Merging beside commits and readers.

import Indexing
import OrdinalSets
import QueryPlanning
import RecordColumns
import Synchronization

extension RecordStore {
    /// Merges until the number of segments is as it should be. Returns when that is done.
    package func flush() {
        while mergeNext() {}
    }

    /// Merges all segments of each type and zone into one and drops deleted rows. Commits wait meanwhile, readers do not.
    package func merge() {
        merging.withLock { _ in
            writer.withLock { _ in
                let snapshot = snapshot
                let segments = MergePolicy.mergingAll(snapshot.segments, snapshot.schemas)
                publish(Snapshot(version: snapshot.version + 1, segments: segments, schemas: snapshot.schemas))
            }
        }
    }

    /// Starts the background thread, if there is something to merge and it is not at work.
    func startMergerIfNeeded() {
        guard MergePolicy.next(in: snapshot.segments) != nil else { return }
        let isNew = isMergerRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isNew else { return }
        let isStarted = BackgroundThread.run { [self] in
            BackgroundThread.lowerPriority()
            repeat { flush() } while !isMergerDone()
        }
        if !isStarted {
            isMergerRunning.withLock { $0 = false }
            flush()
        }
    }

    /// Whether nothing is left to merge; if so, the next commit that brings something starts a new thread.
    private func isMergerDone() -> Bool {
        isMergerRunning.withLock { isRunning in
            isRunning = MergePolicy.next(in: snapshot.segments) != nil
            return !isRunning
        }
    }

    /// Merges the segments that need it most; false when there are none.
    private func mergeNext() -> Bool {
        merging.withLock { _ in
            let before = snapshot
            guard let parts = MergePolicy.next(in: before.segments) else { return false }
            guard let merged = MergePolicy.merged(parts, before.schemas, indexedLike: before.segments) else {
                writer.withLock { _ in seal(parts) }
                return true
            }
            writer.withLock { _ in replace(parts, by: merged) }
            return true
        }
    }

    /// Puts merged segments in the place of their parts, without the rows that were deleted while they were merged.
    private func replace(_ parts: [StoredSegment], by merged: [StoredSegment]) {
        let now = snapshot
        let kept = now.segments.filter { stored in !parts.contains { $0.isSame(as: stored) } }
        let replacements = merged.compactMap { merged in
            var merged = merged
            for part in parts {
                let current = now.segments.first { $0.isSame(as: part) }
                Self.carryDeletions(from: part, to: current, into: &merged)
            }
            return merged.liveCount == 0 ? nil : merged
        }
        publish(Snapshot(version: now.version + 1, segments: kept + replacements, schemas: now.schemas))
    }

    /// Takes segments that do not fit into one out of merging.
    private func seal(_ parts: [StoredSegment]) {
        let now = snapshot
        let segments = now.segments.map { stored in
            var stored = stored
            if parts.contains(where: { $0.isSame(as: stored) }) { stored.isComplete = true }
            return stored
        }
        publish(Snapshot(version: now.version + 1, segments: segments, schemas: now.schemas))
    }

    /// Deletes from a merged segment what was deleted from a part since; a part that is gone has lost all of its rows.
    private static func carryDeletions(
        from part: StoredSegment, to current: StoredSegment?, into merged: inout StoredSegment
    ) {
        if let current, current.deleted?.count == part.deleted?.count { return }
        var deleted = merged.deleted ?? DeletedRows(of: merged.segment.count)
        for row in 0..<part.segment.count where part.isLive(row) && !(current?.isLive(row) ?? false) {
            if let row = merged.segment.row(named: part.segment.names.string(row)) { deleted.insert(row) }
        }
        merged.deleted = deleted
    }
}
