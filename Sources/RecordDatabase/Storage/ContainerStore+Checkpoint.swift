// Writing the state of a store, so that its log can be short.

import RecordModel
import RecordStorage
import RecordStore
import Synchronization

extension ContainerStore {
    /// Writes the state in the background when the log has become long. Called by whoever changed something, after all
    /// locks are free; waits only when changes come much faster than the state can be written.
    func checkpointIfNeeded() {
        guard let journal, journal.environment.logByteCount > journal.checkpointByteCount else { return }
        if journal.environment.logByteCount > 4 * journal.checkpointByteCount { return checkpointLater() }
        let isNew = journal.isCheckpointing.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
        guard isNew else { return }
        let work: @Sendable () -> Void = { [self] in
            checkpointLater()
            journal.isCheckpointing.withLock { $0 = false }
        }
        if !BackgroundThread.run(work) { work() }
    }

    /// Writes the state, or leaves it: what cannot be written now stays in the log, and is tried again after the next
    /// change.
    private func checkpointLater() {
        do throws(StorageError) {
            let clock = ContinuousClock()
            let start = clock.now
            try checkpoint()
            FreedMemory.giveBack()
            log.write(.debug, .checkpoint(clock.now - start))
        } catch {
            log.write(.error, .checkpointFailed(DatabaseError(error)))
        }
    }

    /// Writes all of the state, and drops the log up to there. Changes go on meanwhile.
    ///
    /// - Parameter rewrites: Whether segments that got indexes since they were written are written again.
    /// - Throws: `StorageError`; then the log and the state before are what they were.
    func checkpoint(rewrites: Bool = false) throws(StorageError) {
        guard let journal else { return }
        try journal.checkpointing.withLock { _ throws(StorageError) in
            try journal.environment.writing { () throws(StorageError) in
                try writeState(journal, rewrites: rewrites)
            }
        }
    }

    /// As `checkpoint`, for whoever holds `checkpointing` and may write the folder.
    /// - Throws: `StorageError`.
    func writeState(_ journal: Journal, rewrites: Bool) throws(StorageError) {
        // Few large files are better than many small ones.
        for database in databases { database.records.flush() }
        let cut = checkpointSnapshot(journal)
        let (parts, files) = try cut.parts(journal.segments, rewrites: rewrites)
        try journal.environment.checkpoint(parts, through: cut.number, metadata: journal.metadata(identifier))
        counters.countCheckpoint()
        // The state is written: files that cannot be removed now are so after the next one.
        _ = try? journal.segments.removeFiles(except: files)
    }

    /// The data of the store at a moment when nothing is being changed.
    private func checkpointSnapshot(_ journal: Journal) -> CheckpointSnapshot {
        writer.withLock { _ in
            let parts = withDatabases { databases in
                databases.map { database in
                    var state = database.state.withLock { $0 }
                    // It is read from the records again, and a copy would make the next change copy all of it.
                    state.graph = nil
                    return CheckpointSnapshot.Database(
                        origin: database.origin, records: database.records.image, state: state)
                }
            }
            return CheckpointSnapshot(
                number: journal.environment.lastChange, schema: schema.current, roles: roles.withLock { $0 },
                databases: parts)
        }
    }
}
