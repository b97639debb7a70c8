// At most one writer at a time.

import Glibc
import Synchronization

/// The lock on a store that its writer holds; the system lets it go with the process, however that ends.
final class WriterLock: Sendable {
    private let descriptor: Int32
    private let isHeld = Mutex(true)

    private let path: String

    /// Takes the lock of a folder.
    /// Throws: `StorageError` of code `locked` when someone else has it.
    init(path: String, in folder: OpenFolder) throws(StorageError) {
        self.path = path
        descriptor = try StorePart.openFile(path, O_RDWR | O_CREAT, "cannot open the lock file", in: folder)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // From here on the descriptor is closed by `deinit`.
            let number = errno
            guard number == EWOULDBLOCK else { throw StorageError(path: path, "cannot lock the store", number: number) }
            let holder = Self.holder(descriptor).map { $0 == getpid() ? "this process" : "process \($0)" }
            throw StorageError(
                .locked, path: path, "\(holder ?? "another process") has the store open for writing",
                hint: "close it there, or open the store for reading only")
        }
        // Who holds it is for messages only.
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        // SAFETY: the array holds as many bytes as it counts.
        _ = unsafe pwrite(descriptor, text, text.count, 0)
    }

    deinit { release() }

    /// Which file is locked; `nil` when it was released.
    /// Throws: `StorageError` when that cannot be told.
    func identity() throws(StorageError) -> FileIdentity? {
        try isHeld.withLock { isHeld throws(StorageError) in
            guard isHeld else { return nil }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                throw StorageError(path: path, "cannot look at the file", number: errno)
            }
            return FileIdentity(status)
        }
    }

    /// Lets the next writer in. Nothing happens when that was done before.
    func release() {
        isHeld.withLock { isHeld in
            guard isHeld else { return }
            isHeld = false
            // A child process has the descriptor too until it runs its program: closing ours would leave it the lock.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// The process whose number the lock file holds.
    private static func holder(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        // SAFETY: no more is read than the buffer holds.
        let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer.prefix(count).prefix { $0 != 10 }, as: UTF8.self))
    }
}
