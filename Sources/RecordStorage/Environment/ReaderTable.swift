// LMDB's list of readers, which it maps and writes: room that is not there would end the process.

internal import CLMDB
import Glibc

/// The file of the list of readers.
enum ReaderTable {
    /// Bytes of a list for as many readers as there may be, `CLMDB_READERS`: LMDB has 64 for each but one, and 192
    /// more.
    private static let byteCount = (Int(CLMDB_READERS) - 1) * 64 + 192

    /// Gives the file its room on the disk, before LMDB maps it: writing into a mapped file without room is a signal
    /// that ends the process. LMDB itself makes the file longer and no more.
    ///
    /// - Parameter isOptional: Whether the file is left to LMDB where it may not be written.
    /// - Throws: `StorageError`, of code `diskFull` when there is no room.
    static func allocate(_ path: String, in folder: OpenFolder?, isOptional: Bool) throws(StorageError) {
        let file: Int32
        do throws(StorageError) {
            file = try StorePart.openFile(path, O_RDWR | O_CREAT, in: folder)
        } catch {
            if isOptional, error.code == .noPermission || error.code == .readOnly { return }
            throw error
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else {
            throw StorageError(path: path, "cannot look at the file", number: errno)
        }
        if Int(status.st_blocks) * 512 >= byteCount { return }
        // The length stays: a process that has a shorter list mapped would look behind its end.
        let number = clmdb_take_room(file, byteCount)
        // Where room cannot be reserved, LMDB goes on as it can.
        if number == 0 || number == EOPNOTSUPP || number == EINVAL || number == ENODEV || number == ENOSYS { return }
        throw StorageError(path: path, "cannot make the list of readers", number: number)
    }
}

/// Whether a disk has room, where a failed call does not say.
enum DiskRoom {
    /// Bytes that a disk with room has.
    private static let sampleSize = 1 << 16

    /// Whether a folder's disk, or the share of it that its owner has, is full. It is tried: quotas are not looked
    /// up.
    static func isUsedUp(_ path: String) -> Bool {
        // A file without a name, which is gone at once whatever happens.
        let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY
        let file = unsafe open(path, unnamed | O_WRONLY | O_CLOEXEC, 0o600)
        if file >= 0 {
            defer { close(file) }
            let number = posix_fallocate(file, 0, off_t(sampleSize))
            return number == ENOSPC || number == EDQUOT
        }
        if errno == ENOSPC || errno == EDQUOT { return true }
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return false }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) < UInt64(sampleSize)
    }
}
