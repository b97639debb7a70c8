// Tables without free room in the place of those that have some.

import Synchronization

extension StorageEnvironment {
    /// A step of `compactTables`, for those who want to look at the store then.
    package enum CompactionStep: Hashable, Sendable {
        /// Readers of other processes are waited for.
        case begun
        /// The new tables hold what the old ones did when they were begun.
        case copied
        /// No other process reads the tables any more.
        case alone
    }

    /// Puts tables without free pages in the place of these. Changes go on beside it, but for the last moment. Readers
    /// of other processes are waited for; whenever the process ends, the tables are the old ones or the new ones.
    ///
    /// - Parameter reached: Called after each step, while nothing is locked that changes need.
    /// - Throws: `StorageError`; then nothing is lost, and the store is open as before.
    package func compactTables(reached: (CompactionStep) -> Void = { _ in }) throws(StorageError) {
        guard let tables, let owner else { throw readOnlyError }
        // Closing waits for the end.
        try writing { () throws(StorageError) in try compactTables(tables, owner, reached) }
    }

    private func compactTables(
        _ tables: TableFile, _ owner: OwnedFolder, _ reached: (CompactionStep) -> Void
    ) throws(StorageError) {
        reached(.begun)
        let end = ContinuousClock.now + patience
        while true {
            // One that was stopped is waited for here, while even the state can be written.
            try owner.gate(patience: patience).leave()
            do throws(StorageError) {
                let old = try maintenance.withLock { _ throws(StorageError) in
                    try compact(tables, owner, reached)
                }
                _ = old?.giveBackRoom()
                return
            } catch {
                guard error.code == .locked, ContinuousClock.now < end else { throw error }
            }
        }
    }

    /// Compacts the tables; gives the old ones, if they are large.
    private func compact(
        _ tables: TableFile, _ owner: OwnedFolder, _ reached: (CompactionStep) -> Void
    ) throws(StorageError) -> RemovedFile? {
        var copy = try TableCopy(of: tables, in: owner.segments)
        defer { copy.remove() }
        try copy.takeAll()
        reached(.copied)
        // Everybody else has closed the file by then, as LMDB's list of readers is about the old one.
        let gate = try owner.gate(patience: patience / 10)
        defer { gate.leave() }
        reached(.alone)
        try copy.catchUp()
        let old = RemovedFile(StoreFolder.name(of: folder.tables), in: owner.root)
        try replaceTables(tables, by: &copy)
        return old
    }
}
