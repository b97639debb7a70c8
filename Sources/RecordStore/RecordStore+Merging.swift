// Merging beside commits and readers.

import Glibc
import Indexing
import OrdinalSets
import RecordColumns
import RecordModel
import Synchronization

/// What is known of the thread that merges.
struct MergerState {
    var isRunning = false
    /// How many segments there were in tiers when it had nothing left to do.
    var settledCount = 0
}

extension RecordStore {
    /// How long commits have to pause until segments are merged that would not have to be.
    private static var pause: (microseconds: UInt32, mostCommits: Int) { (250_000, 8) }

    /// Merges until the number of segments is as it should be. Returns when that is done.
    package func flush() {
        while mergeNext() {}
    }

    /// Merges all segments of each type and zone into one and drops deleted rows, beside commits and readers.
    package func merge() { merge { _ in } }

    /// As `merge()`.
    ///
    /// - Parameter write: Called, beside commits, with each segment that this leaves alone, and with each merged one
    ///   before anybody else sees it: what long work it needs, such as a file, is done then.
    /// - Throws: What `write` throws; then the segments that are still to be merged stay as they are.
    package func merge<Failure: Error>(
        beforePublishing write: (StoredSegment) throws(Failure) -> Void
    ) throws(Failure) {
        try mergingAll.withLock { _ throws(Failure) in
            let groups = Set(snapshot.segments.map(\.group)).sorted {
                ($0.recordType, $0.zoneID.zoneName) < ($1.recordType, $1.zoneID.zoneName)
            }
            for group in groups {
                // The background goes on merging what commits bring meanwhile, and leaves these alone.
                let (parts, schemas) = take(group)
                defer { taken.withLock { $0 = [] } }
                let isMerged = parts.count == 1 && parts[0].deleted == nil
                // Whoever saves goes first; here no lock is held that a save needs.
                let merged =
                    isMerged
                    ? nil : BackgroundThread.waitAside { MergePolicy.merged(parts, schemas, indexedLike: parts) }
                guard let merged else {
                    for part in parts { try write(part) }
                    continue
                }
                for segment in merged { try write(segment) }
                replace(parts, by: merged)
            }
        }
    }

    /// Takes all segments of a type and zone out of other merging.
    private func take(_ group: CommitPlan.Group) -> (parts: [StoredSegment], schemas: [RecordSchema]) {
        merging.withLock { _ in
            writerLock.withLock { _ in
                let parts = snapshot.segments.filter { $0.group == group }
                taken.withLock { $0 = Set(parts.map { ObjectIdentifier($0.indexes) }) }
                return (parts, snapshot.schemas)
            }
        }
    }

    /// The segments that `merge` has not taken.
    func untaken(_ segments: [StoredSegment]) -> [StoredSegment] {
        let taken = taken.withLock { $0 }
        return taken.isEmpty ? segments : segments.filter { !taken.contains(ObjectIdentifier($0.indexes)) }
    }

    /// Whether a commit has to wait for merging.
    package var isOverdue: Bool { MergePolicy.isOverdue(untaken(snapshot.segments)) }

    /// Starts the background thread, if there is something to merge and it is not at work.
    func startMergerIfNeeded() {
        let segments = snapshot.segments
        // Most commits change no segment that is in a tier.
        let count = MergePolicy.tieredCount(segments)
        let isNew = merger.withLock { merger in
            guard !merger.isRunning, merger.settledCount != count || MergePolicy.next(in: untaken(segments)) != nil
            else { return false }
            merger.isRunning = true
            return true
        }
        guard isNew else { return }
        // A store that nobody uses any more does not wait for a pause.
        let isStarted = BackgroundThread.runAside { [weak self] in
            var version: Int?
            while let next = self?.mergeForAWhile(since: version) {
                version = next
                usleep(Self.pause.microseconds)
            }
        }
        if !isStarted {
            merger.withLock { $0.isRunning = false }
            flush()
        }
    }

    /// Merges what has to be, and what may be where commits paused.
    ///
    /// - Parameter version: The version of the snapshot some time ago.
    /// - Returns: The version now; `nil` when nothing is left to do: the next commit that brings something starts a new
    ///   thread.
    private func mergeForAWhile(since version: Int?) -> Int? {
        flush()
        if let version, snapshot.version - version <= Self.pause.mostCommits {
            while mergeParts(chosenBy: MergePolicy.nextInPause) { flush() }
        }
        return merger.withLock { merger in
            let segments = untaken(snapshot.segments)
            merger.settledCount = MergePolicy.tieredCount(segments)
            merger.isRunning = MergePolicy.next(in: segments) != nil || MergePolicy.nextInPause(in: segments) != nil
            return merger.isRunning ? snapshot.version : nil
        }
    }

    /// Merges the segments that need it most; false when there are none.
    private func mergeNext() -> Bool { mergeParts(chosenBy: MergePolicy.next) }

    /// Merges the segments that a policy chooses; false when there are none.
    private func mergeParts(chosenBy choose: ([StoredSegment]) -> [StoredSegment]?) -> Bool {
        merging.withLock { _ in
            let before = snapshot
            guard let parts = choose(untaken(before.segments)) else { return false }
            guard let merged = MergePolicy.merged(parts, before.schemas, indexedLike: before.segments) else {
                writerLock.withLock { _ in seal(parts) }
                return true
            }
            replace(parts, by: merged)
            return true
        }
    }

    /// Puts merged segments in the place of their parts, without the rows that were deleted while they were merged.
    private func replace(_ parts: [StoredSegment], by merged: [StoredSegment]) {
        // Most of what was deleted is looked up before commits have to wait.
        var change = MergedChange(parts, merged)
        change.carryDeletions(of: snapshot)
        writerLock.withLock { _ in
            let now = snapshot
            change.carryDeletions(of: now)
            let kept = now.segments.filter { stored in !parts.contains { $0.isSame(as: stored) } }
            publish(
                Snapshot(version: now.version + 1, segments: kept + change.replacements, schemas: now.schemas))
        }
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
}

/// Merged segments, and how far they know what was deleted from their parts.
private struct MergedChange {
    /// The parts as they were when they were last looked at; `nil` for one that is gone, with all of its rows.
    private var parts: [StoredSegment?]
    private var merged: [StoredSegment]

    init(_ parts: [StoredSegment], _ merged: [StoredSegment]) { (self.parts, self.merged) = (parts, merged) }

    /// The merged segments that have a row left.
    var replacements: [StoredSegment] { merged.filter { $0.liveCount > 0 } }

    /// Deletes from the merged segments what was deleted from their parts since. Complexity: O(rows / 64 + those rows).
    mutating func carryDeletions(of now: Snapshot) {
        // Of a zone that was deleted nothing is looked up.
        let isGone = !now.segments.contains { stored in parts.contains { $0?.isSame(as: stored) == true } }
        if isGone { merged = [] }
        for (index, part) in parts.enumerated() {
            guard let part, !isGone else { continue }
            let current = now.segments.first { $0.isSame(as: part) }
            parts[index] = current
            if let current, current.deleted?.count == part.deleted?.count { continue }
            let gone = Self.rows(deletedFrom: part, since: current)
            for index in merged.indices {
                var deleted = merged[index].deleted ?? DeletedRows(of: merged[index].segment.count)
                for row in gone {
                    let row = merged[index].segment.row(named: part.segment.names.string(row))
                    if let row { deleted.insert(row) }
                }
                merged[index].deleted = deleted
            }
        }
    }

    /// The live rows of a segment that are none any more.
    private static func rows(deletedFrom part: StoredSegment, since current: StoredSegment?) -> [Int] {
        guard let now = current?.deleted?.rows.words else {
            return (0..<part.segment.count).filter(part.isLive)
        }
        let before = part.deleted?.rows.words
        var rows: [Int] = []
        for (index, word) in now.enumerated() {
            var word = word & ~(before?[index] ?? 0)
            while word != 0 {
                rows.append(index * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
        return rows
    }
}
