// Who may look at the tables of a store while they are being replaced.

import Glibc

/// A lock on the folder of a store: many readers hold it for as long as they have the tables open, or the writer that puts
/// other tables in their place. The system lets it go with the process.
struct FolderGate {
    enum Passage: Hashable {
        case reading
        case replacing
    }

    private let descriptor: Int32

    /// How often a writer looks whether all readers are gone, and how long it waits in between, in microseconds.
    private static let attempts = 5_000
    private static let pause: UInt32 = 2_000

    /// Waits for the lock; a writer for ten seconds.
    ///
    /// - Parameter location: Another path that leads to the folder.
    /// Throws: `StorageError`, of code `locked` when a reader does not go.
    init(_ path: String, at location: String? = nil, for passage: Passage) throws(StorageError) {
        descriptor = unsafe open(location ?? path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(path: path, "cannot open the folder", number: errno) }
        guard passage == .replacing else {
            // Where folders cannot be locked, none is replaced either.
            while flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
            return
        }
        for _ in 0..<Self.attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                let number = errno
                close(descriptor)
                throw StorageError(path: path, "cannot lock the folder", number: number)
            }
            usleep(Self.pause)
        }
        close(descriptor)
        throw StorageError(
            .locked, path: path, "another process has been reading the tables for more than ten seconds",
            hint: "try again when it is done")
    }

    /// Lets the next one in; called once.
    func leave() { close(descriptor) }
}
