// Files that only their owner can read.

import Glibc

/// Files of mode 600, each written in one step: a process that ends meanwhile leaves the one before, or none.
package enum PrivateFile {
    /// Writes a file; its bytes and its name are on the disk when the call returns.
    ///
    /// - Returns: Why it could not be written; `nil` where it was.
    package static func write(_ bytes: [UInt8], to path: String) -> String? {
        let temporary = path + ".new"
        unsafe unlink(temporary)
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return reason(errno) }
        // SAFETY: as many bytes as there are.
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
        let isWritten = count == bytes.count && fsync(file) == 0
        let error = errno
        close(file)
        guard isWritten, unsafe rename(temporary, path) == 0 else {
            let reason = reason(isWritten ? errno : error)
            unsafe unlink(temporary)
            return reason
        }
        syncFolder(of: path)
        return nil
    }

    /// Brings the name of the file to the disk.
    private static func syncFolder(of path: String) {
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// What the system says about a number of an error.
    static func reason(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
