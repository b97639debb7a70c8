// A large file that loses its name: its room is given back in pieces.
//
// A file system frees all of a file when its last user goes, and tells the disk of it (discard). For a gigabyte that
// takes some tenths of a second, in which commits wait for the same disk.

internal import CLMDB
import Glibc

/// A file whose name is being removed. Holds the file open, so that no other user's end frees all of it at once.
package final class RemovedFile: Sendable {
    /// Bytes that are freed at once. Smaller files need no care.
    package static let pieceByteCount = 16 << 20

    private let descriptor: Int32
    private let pieceByteCount: Int

    /// Opens a file before its name is removed; `nil` for a small one, and for one that cannot be written.
    package init?(_ name: String, in folder: OpenFolder, pieceByteCount: Int = RemovedFile.pieceByteCount) {
        var status = stat()
        let isFound = unsafe fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
        guard isFound, status.st_mode & S_IFMT == S_IFREG, status.st_size > pieceByteCount else { return nil }
        self.pieceByteCount = pieceByteCount
        descriptor = unsafe openat(folder.descriptor, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Frees the file from its end, with pauses in which others use the disk, if it has no name and no other user.
    /// Where the file system cannot tell who uses it, the file is left to go as a whole, with its last user.
    ///
    /// - Returns: Whether it is over: false while somebody else has the file open or mapped.
    package func giveBackRoom() -> Bool {
        var status = stat()
        // One that still has a name, which may be a link that somebody made to keep it, stays as it is.
        guard unsafe fstat(descriptor, &status) == 0, status.st_nlink == 0 else { return true }
        let users = clmdb_other_users(descriptor)
        if users == Int32(CLMDB_SOME_USERS) { return false }
        guard users == Int32(CLMDB_NO_USERS) else { return true }
        let clock = ContinuousClock()
        var size = Int(status.st_size)
        while size > pieceByteCount {
            size -= pieceByteCount
            let start = clock.now
            guard ftruncate(descriptor, off_t(size)) == 0 else { return true }
            let microseconds = (clock.now - start) / .microseconds(1)
            usleep(UInt32(min(max(microseconds, 0), 100_000)))
        }
        return true
    }
}
