// Tables without free room in the place of those that have some.

import Synchronization

extension StorageEnvironment {
    /// A step of `compactTables`, for those who want to look at the store then.
    package enum CompactionStep: Hashable, Sendable {
        /// The new tables hold what the old ones did when they were begun.
        case copied
        /// No other process reads the tables any more.
        case alone
    }

    /// Puts tables without free pages in the place of these. Changes go on beside it, but for the last moment. Readers of
    /// other processes are waited for; whenever the process ends, the tables are the old ones or the new ones.
    ///
    /// - Parameter reached: Called after each step, while nothing is locked that changes need.
    /// Throws: `StorageError`; then nothing is lost, and the store is open as before.
    package func compactTables(reached: (CompactionStep) -> Void = { _ in }) throws(StorageError) {
        guard let tables else { throw readOnlyError }
        try maintenance.withLock { _ throws(StorageError) in
            try checkWritable()
            var copy = try TableCopy(of: tables, in: folder.newTables)
            defer { copy.remove() }
            try copy.takeAll()
            reached(.copied)
            // Everybody else has closed the file by then, as LMDB's list of readers is about the old one.
            let gate = try FolderGate(folder.path, for: .replacing, patience: patience)
            defer { gate.leave() }
            reached(.alone)
            try copy.catchUp()
            try replaceTables(tables, by: &copy)
        }
    }
}
