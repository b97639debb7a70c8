// Which history of changes a store continues: numbers of changes say something only within one.

internal import CLMDB
import FoundationEssentials
import Glibc
import Synchronization

/// One history of changes, from a store's first to its last.
///
/// A backup, a copy and what a power cut leaves are earlier moments of a store. Whoever writes one of them begins
/// another history, whose changes have numbers that no earlier history of the store has given.
package struct StoreGeneration: Hashable, Sendable, Codable {
    /// The file of tables that a history is written to.
    struct Home: Hashable, Sendable, Codable {
        /// Its number in the file system; that of the device is left out, as it may be another after each start.
        let number: UInt64
        /// When it was made, in nanoseconds since 1970: numbers of files that were removed are given to others. 0 where
        /// the file system does not say.
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
    /// Whether a writer has the store open, or had it when the process or the machine failed, whose commits did not
    /// wait for the disk: changes that readers were told of may be missing.
    var mayLackChanges = false
    /// The changes of the history have numbers above this one; `nil` for the first history of a store.
    private(set) var lastForeignChange: Int64?

    /// A new history in the tables of a folder.
    init(of folder: StoreFolder) {
        incarnation = UUID().uuidString
        home = Home(of: folder)
    }

    /// The history after another one of the same store.
    ///
    /// How far the other one came is not known where an earlier moment of it is restored, and the same moment may be
    /// restored again. So numbers go on from the time: 1,024 for each millisecond since 1970, more than are ever given.
    /// Numbers up to 2^53 are kept exactly by everyone who reads them. Where the clock was set back, they go on a
    /// random distance after those from which the other history went on.
    init(of folder: StoreFolder, after other: Self?, date: Date = Date()) {
        self.init(of: folder)
        let earliest = (other?.lastForeignChange ?? 0) + .random(in: 1 << 32..<1 << 40)
        let milliseconds = date.timeIntervalSince1970 * 1000
        let number = (0..<0x1p43).contains(milliseconds) ? Int64(milliseconds) << 10 : 0
        lastForeignChange = number > other?.lastForeignChange ?? 0 ? number : earliest
    }
}

extension StorageEnvironment {
    /// Begins the changes of this writer, and tells which history they are part of: a new one in a restored backup, in
    /// a copy, after a session of durability `normal` or `off` that was not closed, and in a store that only older
    /// versions have written.
    ///
    /// Called before the first change, when all that is stored was read. For a reader, the history is the one that is
    /// stored.
    /// - Returns: What tells the history from others, `nil` for a reader of a store that only older versions have
    ///   written; and the number that all of its changes are above.
    /// - Throws: `StorageError`.
    package func beginSession() throws(StorageError) -> (incarnation: String?, lastForeignChange: Int64) {
        var metadata = try metadata()
        let stored = metadata.generation
        guard mode == .readWrite else { return (stored?.incarnation, stored?.lastForeignChange ?? 0) }
        var generation = stored ?? StoreGeneration(of: folder, after: nil)
        let home = StoreGeneration.Home(of: folder)
        if generation.mayLackChanges || generation.home == nil || generation.home != home {
            generation = StoreGeneration(of: folder, after: generation)
        }
        generation.mayLackChanges = durability != .full
        let session = (generation.incarnation as String?, generation.lastForeignChange ?? 0)
        if generation == stored, metadata.format == StoreMetadata.currentFormat { return session }
        (metadata.generation, metadata.format) = (generation, StoreMetadata.currentFormat)
        try write(metadata)
        isSessionMarked.withLock { $0 = generation.mayLackChanges }
        return session
    }

    /// Notes that all changes of this writer are on the disk; the log is locked. What cannot be noted makes the next
    /// writer begin a new history.
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
    /// - Throws: `StorageError`.
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
