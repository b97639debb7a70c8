// Files written whole: beside the old one, then in its place.

import Glibc

/// Writes whole files.
enum FileWriter {
    /// Puts a text in place of a file's content; a reader sees the old one or the new one, never a part.
    /// - Throws: `CommandError` of status `inputOutput`; the old file is then as it was.
    static func replace(_ path: String, with text: String) throws(CommandError) {
        try replace(path, with: Array(text.utf8))
    }

    /// As `replace(_:with:)`, for bytes.
    static func replace(_ path: String, with bytes: [UInt8]) throws(CommandError) {
        // Through a symbolic link to the file itself, so that the link stays.
        let path = resolved(path)
        var old = stat()
        // SAFETY: the paths are passed as NUL-terminated copies, the structure lives on this frame.
        let mode = unsafe stat(path, &old) == 0 ? old.st_mode & 0o777 : 0o644
        let name = "\(path).\(getpid()).new"
        let descriptor = unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure(path) }
        let isWritten = write(bytes, to: descriptor) && fchmod(descriptor, mode) == 0
        let reason = errno
        let isClosed = close(descriptor) == 0
        // SAFETY: both paths are passed as NUL-terminated copies.
        guard isWritten, isClosed, unsafe rename(name, path) == 0 else {
            if !isWritten { errno = reason }
            let error = failure(path)
            unsafe unlink(name)
            throw error
        }
    }

    private static func resolved(_ path: String) -> String {
        // SAFETY: realpath answers a string of its own, freed here, or NULL.
        guard let text = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var start = 0
        while start < bytes.count {
            // SAFETY: the pointer is used inside the closure only, for the bytes behind `start`.
            let written = unsafe bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe Glibc.write(descriptor, base + start, buffer.count - start)
            }
            if written < 0, errno == EINTR { continue }
            if written < 0 { return false }
            start += written
        }
        return true
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError(.inputOutput, "cannot write '\(path)': \(ErrorNumber.text(errno))")
    }
}
