// Which history of changes a store continues: numbers of changes say something only within one.

internal import CLMDB
import FoundationEssentials
import Glibc
import Synchronization

/// One history of changes, from a store's first to its last.
///
/// A backup, a copy and what a power cut leaves are earlier moments of a store. Whoever writes one of them begins another
/// history, in which the numbers of changes that follow are used again for other changes.
package struct StoreGeneration: Hashable, Sendable, Codable {
    /// The file of tables that a history is written to.
    struct Home: Hashable, Sendable, Codable {
        /// Its number in the file system; that of the device is left out, as it may be another after each start.
        let number: UInt64
        /// When it was made, in nanoseconds since 1970: numbers of files that were removed are given to others. 0 where the
        /// file system does not say.
        let made: Int64

        /// `nil` when there are no tables.
        init?(of folder: StoreFolder) {
            var (number, made): (UInt64, Int64) = (0, 0)
            // SAFETY: the path is passed as a NUL-terminated copy, and both numbers are ours.
            guard unsafe clmdb_file_origin(folder.tables, &number, &made) == 0 else { return nil }
            (self.number, self.made) = (number, made)
        }
    }

    /// Tells the history from all others: random.
    package internal(set) var incarnation: String
    /// Where the history is written; `nil` in a backup that was not opened for writing yet.
    var home: Home?
    /// Whether a writer has the store open, or had it when the process or the machine failed, whose commits did not wait for
    /// the disk: changes that readers were told of may be missing.
    var mayLackChanges = false

    /// A new history in the tables of a folder.
    init(of folder: StoreFolder) {
        incarnation = UUID().uuidString
        home = Home(of: folder)
    }
}

extension StorageEnvironment {
    /// Begins the changes of this writer, and tells which history they are part of: a new one in a restored backup, in a copy,
    /// after a session of durability `normal` or `off` that was not closed, and in a store that only older versions have
    /// written.
    ///
    /// Called before the first change, when all that is stored was read. For a reader, the history is the one that is stored.
    /// - Returns: What tells the history from others; `nil` for a reader of a store that only older versions have written.
    /// Throws: `StorageError`.
    package func beginSession() throws(StorageError) -> String? {
        var metadata = try metadata()
        let stored = metadata.generation
        guard mode == .readWrite else { return stored?.incarnation }
        var generation = stored ?? StoreGeneration(of: folder)
        let home = StoreGeneration.Home(of: folder)
        if generation.mayLackChanges || generation.home == nil || generation.home != home {
            generation = StoreGeneration(of: folder)
        }
        generation.mayLackChanges = durability != .full
        if generation == stored, metadata.format == StoreMetadata.currentFormat { return generation.incarnation }
        (metadata.generation, metadata.format) = (generation, StoreMetadata.currentFormat)
        try write(metadata)
        isSessionMarked.withLock { $0 = generation.mayLackChanges }
        return generation.incarnation
    }

    /// Notes that all changes of this writer are on the disk; the log is locked. What cannot be noted makes the next writer
    /// begin a new history.
    func endSession() {
        isSessionMarked.withLock { isMarked in
            guard isMarked else { return }
            isMarked = false
            do throws(StorageError) {
                guard let owner else { return }
                // Whoever closes is the last one who may write.
                try owner.checkPlace()
                try checkTables(owner)
                // Nothing says that it is complete before it is.
                try tables?.sync()
                var metadata = try metadata()
                metadata.generation?.mayLackChanges = false
                try write(metadata)
            } catch {
                return
            }
        }
    }

    /// Writes what the store says about itself, to the disk.
    private func write(_ metadata: StoreMetadata) throws(StorageError) {
        try write { transaction throws(StorageError) in try transaction.replace(metadata, path: folder.path) }
        try tables?.sync()
    }
}

extension TableFile {
    /// Notes in tables that were copied that nothing was written to them yet.
    ///
    /// - Parameter folder: The folder that they lie in.
    /// Throws: `StorageError`.
    static func markAsCopy(in folder: OpenFolder) throws(StorageError) {
        let tables = try TableFile(path: folder.path, in: folder, access: .write, durability: .full)
        defer {
            tables.close()
            folder.remove(StoreFolder.name(of: StoreFolder(path: folder.path).readerTable))
        }
        try tables.read { transaction throws(StorageError) in _ = try transaction.openTables(makes: false) }
        try tables.write { transaction throws(StorageError) in
            var metadata = try transaction.metadata(path: folder.path)
            metadata.generation?.home = nil
            try transaction.replace(metadata, path: folder.path)
        }
    }
}
