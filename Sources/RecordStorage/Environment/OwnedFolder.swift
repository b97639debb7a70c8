// The folder of a store as its writer has it: locked, and by its descriptor.

import Dispatch
import Glibc
import Synchronization

/// What lets a process write the files of a store. Every file that a writer makes, names or removes passes here:
/// whoever has closed the store, or whose folder is not at its path any more, leaves all files as they are.
package final class OwnedFolder: Sendable {
    package let folder: StoreFolder
    let root: OpenFolder
    package let segments: OpenFolder
    package let assets: OpenFolder
    private let lock: WriterLock
    private let isClosed = Mutex(false)
    /// Writings under way: closing waits for them, for then the next writer comes.
    private let writings = DispatchGroup()

    /// Takes a folder that has its parts.
    /// - Throws: `StorageError`, of code `locked` when someone else writes the store.
    init(_ folder: StoreFolder) throws(StorageError) {
        self.folder = folder
        root = try OpenFolder(folder.path)
        segments = try OpenFolder(folder.segments, in: root)
        assets = try OpenFolder(folder.assets, in: root)
        lock = try WriterLock(path: folder.writerLock, in: root)
        // A folder that was replaced on the way would be two.
        try check()
    }

    /// Ends all use and lets the next writer in, when the writings that are under way are done. Nothing happens when it
    /// was closed before.
    ///
    /// - Parameter ending: What there is to do before the next writer comes.
    func close(_ ending: () -> Void) {
        isClosed.withLock { $0 = true }
        writings.wait()
        ending()
        lock.release()
    }

    /// Runs a body that makes, names or removes files of the folder.
    /// - Throws: `StorageError` of the body; of code `missing`, before anything is written, when the store was closed,
    ///   or its folder or lock removed, moved or replaced.
    package func writing<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        try begin()
        defer { end() }
        return try body()
    }

    /// As the beginning of `writing`; `end` is called once when it is done.
    /// - Throws: `StorageError` of code `missing`; then there is nothing to end.
    package func begin() throws(StorageError) {
        let isOpen = isClosed.withLock { isClosed in
            if !isClosed { writings.enter() }
            return !isClosed
        }
        guard isOpen else { throw closedError }
        do throws(StorageError) {
            try check()
        } catch {
            end()
            throw error
        }
    }

    /// Ends what `begin` began.
    package func end() { writings.leave() }

    // MARK: Whose folder it is

    /// Checks that the folder with its lock and its parts is the one at the path.
    private func check() throws(StorageError) {
        try checkLock()
        for part in [segments, assets] {
            guard try root.identity(of: StoreFolder.name(of: part.path)) == part.identity() else {
                throw Self.replaced(folder)
            }
        }
    }

    /// Checks that the folder is the one at the path, and its lock the one that this writer has: with another one
    /// there, or none, another process may write.
    /// - Throws: `StorageError` of code `missing`.
    func checkLock() throws(StorageError) {
        if isClosed.withLock({ $0 }) { throw closedError }
        try checkPlace()
    }

    /// As `checkLock`, whether it was closed or not.
    /// - Throws: `StorageError` of code `missing`.
    func checkPlace() throws(StorageError) {
        guard try FileIdentity.ofFile(folder.path) == root.identity() else { throw Self.replaced(folder) }
        guard try root.identity(of: StoreFolder.name(of: folder.writerLock)) == lock.identity() else {
            throw StorageError(
                .missing, path: folder.writerLock,
                "the lock of the store was removed or replaced while it was open: another process may be writing",
                hint: "open the store again")
        }
    }

    /// Which file the tables are; `nil` when there are none.
    /// - Throws: `StorageError` when that cannot be told.
    func tables() throws(StorageError) -> FileIdentity? {
        try root.identity(of: StoreFolder.name(of: folder.tables))
    }

    /// The gate of the folder, for putting other tables in the place of its own.
    /// - Throws: `StorageError`, of code `locked` when those who read the tables do not go.
    func gate(patience: Duration) throws(StorageError) -> FolderGate {
        try FolderGate(folder.path, at: root.location, for: .replacing, patience: patience)
    }

    private var closedError: StorageError { StorageError(.missing, path: folder.path, "the store was closed") }

    static func replaced(_ folder: StoreFolder) -> StorageError {
        StorageError(
            .missing, path: folder.path, "the folder of the store was removed, moved or replaced while it was open",
            hint: "put it back, or open the store that is there now")
    }
}
