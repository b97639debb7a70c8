// At most one writer at a time.

import Glibc
import Synchronization

/// The lock on a store that its writer holds; the system lets it go with the process, however that ends.
final class WriterLock: Sendable {
    private let descriptor: Int32
    private let isHeld = Mutex(true)

    private let path: String

    /// Takes the lock of a folder.
    /// - Throws: `StorageError` of code `locked` when someone else has it.
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
        // For people who look: the system knows who holds it.
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        // SAFETY: the array holds as many bytes as it counts.
        _ = unsafe pwrite(descriptor, text, text.count, 0)
    }

    deinit { release() }

    /// Which file is locked; `nil` when it was released.
    /// - Throws: `StorageError` when that cannot be told.
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

    /// A file of the system, of which nobody knows the size.
    private static func text(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var (bytes, piece): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while true {
            // SAFETY: no more is read than the piece holds.
            let count = unsafe read(descriptor, &piece, piece.count)
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece[..<count]
        }
    }

    /// The process that holds the lock, as far as the system tells. The number in the file may be of one that is no
    /// more, while another program, which may only read the file, has locked it.
    private static func holder(_ descriptor: Int32) -> Int32? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, let locks = Self.text(of: "/proc/locks") else {
            return nil
        }
        let device = UInt64(status.st_dev)
        // The parts of a device's number, as the C library packs them.
        let parts = [(device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF), (device & 0xFF) | (device >> 12 & ~0xFF)]
        let name = parts.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) + ":" }.joined() + "\(status.st_ino)"
        for line in locks.split(separator: "\n") {
            // As in `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF`; those who wait have an arrow behind the number.
            let words = line.split(separator: " ")
            guard words.count > 5, words[1] == "FLOCK", words[5] == name, let process = Int32(words[4]), process > 0
            else { continue }
            // It may have ended, and left the lock to a process that it had started.
            return kill(process, 0) == 0 || errno == EPERM ? process : nil
        }
        return nil
    }
}
