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
        guard descriptor >= 0 else { throw failure(path, ErrorNumber.text(errno)) }
        var reason: String?
        if case .failed(let text) = ByteWriter.write(bytes, to: descriptor) { reason = text }
        if fchmod(descriptor, mode) != 0 { reason = reason ?? ErrorNumber.text(errno) }
        // What the disk has no room for may be told as late as here.
        if close(descriptor) != 0 { reason = reason ?? ErrorNumber.text(errno) }
        // SAFETY: both paths are passed as NUL-terminated copies.
        if reason == nil, unsafe rename(name, path) != 0 { reason = ErrorNumber.text(errno) }
        if let reason {
            unsafe unlink(name)
            throw failure(path, reason)
        }
    }

    private static func resolved(_ path: String) -> String {
        // SAFETY: realpath returns a string of its own, freed here, or NULL.
        guard let text = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    private static func failure(_ path: String, _ reason: String) -> CommandError {
        CommandError(.inputOutput, "cannot write '\(path)': \(reason)")
    }
}
