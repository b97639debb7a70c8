// What is stored under the names of a store's files and folders.
//
// A folder may come from a stranger: there, a pipe would keep its reader waiting, a device would never end, and a link
// would lead to what is none of the store's, for its bytes to be given away or overwritten.

import Glibc

/// What a store has under a name.
enum StorePart {
    case file
    case folder

    /// Checks that nothing else has the name. A link is something else, wherever it leads; nothing at all is right.
    /// - Throws: `StorageError` of code `corrupted`, or why it cannot be told.
    func check(_ path: String) throws(StorageError) {
        var status = stat()
        if unsafe lstat(path, &status) == 0 { return try check(status.st_mode, of: path) }
        if errno != ENOENT { throw StorageError(path: path, "cannot look at the file", number: errno) }
    }

    private func check(_ mode: mode_t, of path: String) throws(StorageError) {
        let (expected, name) = self == .file ? (S_IFREG, "a regular file") : (S_IFDIR, "a folder")
        if mode & S_IFMT == expected { return }
        throw StorageError(
            .corrupted, path: path, "expected \(name), found \(Self.name(of: mode))", hint: "restore a backup")
    }

    private static func name(of mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFREG: "a file"
        case S_IFDIR: "a folder"
        case S_IFLNK: "a symbolic link"
        case S_IFIFO: "a pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }

    /// Opens a regular file, and neither waits for anybody nor follows a link.
    ///
    /// - Parameters:
    ///   - flags: How it is opened, as `open` has it.
    ///   - action: What is tried, for the message.
    ///   - folder: The folder that the file lies in, if that is open.
    /// - Returns: The descriptor, which is the caller's.
    /// - Throws: `StorageError`, of code `corrupted` where something else has the name.
    static func openFile(
        _ path: String, _ flags: Int32, _ action: String = "cannot open the file", in folder: OpenFolder? = nil
    ) throws(StorageError) -> Int32 {
        // Without O_NONBLOCK a pipe would keep the call waiting; to a regular file it means nothing.
        let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor =
            if let folder {
                unsafe openat(folder.descriptor, StoreFolder.name(of: path), flags, 0o644)
            } else {
                unsafe open(path, flags, 0o644)
            }
        guard descriptor >= 0 else {
            let number = errno
            // The system would speak of too many links, or of a missing device.
            try file.check(path)
            throw StorageError(path: path, action, number: number)
        }
        do throws(StorageError) {
            try checkOpened(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func checkOpened(_ descriptor: Int32, _ path: String) throws(StorageError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw StorageError(path: path, "cannot look at the file", number: errno)
        }
        try file.check(status.st_mode, of: path)
    }
}
