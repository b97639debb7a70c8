// A folder by its descriptor: work done through it stays in that folder, even when its path changes.

import Glibc

/// A folder that is open. Names are those of its entries; no path is followed, so that a folder that was moved is still
/// this one, and another that got its path is not touched.
package final class OpenFolder: Sendable {
    /// Where the folder was when it was opened: for messages.
    package let path: String
    /// Valid as long as this object is held.
    package let descriptor: Int32

    /// Opens a folder.
    ///
    /// - Parameter parent: The folder that it is an entry of, if that is open; then no link is followed.
    /// - Throws: `StorageError`.
    package init(_ path: String, in parent: OpenFolder? = nil) throws(StorageError) {
        self.path = path
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        descriptor =
            if let parent {
                unsafe openat(parent.descriptor, StoreFolder.name(of: path), flags | O_NOFOLLOW)
            } else {
                unsafe open(path.isEmpty ? "." : path, flags)
            }
        guard descriptor >= 0 else {
            let number = errno
            if parent != nil { try StorePart.folder.check(path) }
            throw StorageError(path: path, "cannot open the folder", number: number)
        }
    }

    deinit { close(descriptor) }

    private func path(of name: String) -> String { "\(path)/\(name)" }

    /// A path of the folder that holds wherever it is moved to, for who takes nothing else; its path without `/proc`.
    var location: String {
        let name = "/proc/self/fd/\(descriptor)"
        guard let here = try? FileIdentity.ofFile(name), here == (try? identity()) else { return path }
        return name
    }

    // MARK: Entries

    /// Which folder this is.
    /// - Throws: `StorageError`.
    func identity() throws(StorageError) -> FileIdentity {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw StorageError(path: path, "cannot look at the folder", number: errno)
        }
        return FileIdentity(status)
    }

    /// Which file or folder has a name; `nil` when none has. A link is not followed.
    /// - Throws: `StorageError` when that cannot be told.
    package func identity(of name: String) throws(StorageError) -> FileIdentity? {
        var status = stat()
        if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return FileIdentity(status) }
        if errno == ENOENT { return nil }
        throw StorageError(path: path(of: name), "cannot look at the file", number: errno)
    }

    /// Names of the entries, in no order.
    /// - Throws: `StorageError`; a folder that cannot be listed is not an empty one.
    package func names() throws(StorageError) -> [String] {
        // A descriptor of its own: that of the folder has one place in the list for all who use it.
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw StorageError(path: path, "cannot list the folder", number: errno) }
        return try StoreFolder.names(of: copy, path: path)
    }

    /// Makes a file to be written; one that has the name, finished or not, is removed and not written over: it may be a
    /// link to something else.
    ///
    /// - Returns: The descriptor, which is the caller's.
    /// - Throws: `StorageError`.
    package func makeFile(_ name: String) throws(StorageError) -> Int32 {
        unsafe unlinkat(descriptor, name, 0)
        let file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { throw StorageError(path: path(of: name), "cannot create the file", number: errno) }
        return file
    }

    /// Removes a file.
    ///
    /// - Returns: Whether it was there, and is not any more.
    @discardableResult
    package func remove(_ name: String) -> Bool { unsafe unlinkat(descriptor, name, 0) == 0 }

    /// Makes a folder in this one.
    /// - Throws: `StorageError`, also when something has the name.
    func makeFolder(_ name: String) throws(StorageError) -> OpenFolder {
        guard unsafe mkdirat(descriptor, name, 0o755) == 0 else {
            throw StorageError(path: path(of: name), "cannot make the folder", number: errno)
        }
        return try OpenFolder(path(of: name), in: self)
    }

    /// Gives a file another name, in this folder or another one. A file that has this name already stays what it is.
    ///
    /// - Returns: Whether the name was free.
    /// - Throws: `StorageError`.
    package func place(_ name: String, as newName: String, in target: OpenFolder? = nil) throws(StorageError) -> Bool {
        let folder = target ?? self
        // Unlike a renaming, a link never takes the place of a file.
        if unsafe linkat(descriptor, name, folder.descriptor, newName, 0) == 0 {
            // Under its old name it is an unfinished file, which the next writer removes.
            remove(name)
            return true
        }
        if errno == EEXIST { return false }
        // Some file systems have no links.
        guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK else {
            throw StorageError(path: folder.path(of: newName), "cannot name the file", number: errno)
        }
        if try folder.identity(of: newName) != nil { return false }
        guard unsafe renameat(descriptor, name, folder.descriptor, newName) == 0 else {
            throw StorageError(path: folder.path(of: newName), "cannot name the file", number: errno)
        }
        return true
    }

    /// Brings the names of the entries to the disk.
    /// - Throws: `StorageError`.
    package func sync() throws(StorageError) {
        guard fsync(descriptor) == 0 else { throw StorageError(path: path, "cannot write the folder", number: errno) }
    }
}
