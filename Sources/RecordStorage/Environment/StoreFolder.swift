// The folder of a store: where its parts lie, and which folders may become one.

import Glibc

/// The folder that a store lives in.
///
///     data.mdb, lock.mdb   the tables (LMDB)
///     writer.lock          held by the process that writes
///     segments/            records and their indexes, files that never change
///     assets/              bytes beside records, files named by their digests
package struct StoreFolder: Hashable, Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    package var tables: String { path + "/data.mdb" }
    var readerTable: String { path + "/lock.mdb" }
    /// Where tables are that are not finished yet.
    var newTables: StoreFolder { StoreFolder(path: segments) }
    var writerLock: String { path + "/writer.lock" }
    package var segments: String { path + "/segments" }
    package var assets: String { path + "/assets" }

    /// Whether there are tables.
    package var holdsStore: Bool { unsafe access(tables, F_OK) == 0 }

    /// Makes the folder with its parts, unless they are there.
    /// Throws: `StorageError` of code `notAStore` for a file, and for a folder that holds something else.
    package func make() throws(StorageError) {
        if Self.exists(path) {
            try checkIsFolder()
            let others = try Self.names(in: path).filter { !Self.partNames.contains($0) }
            if !holdsStore, let other = others.first {
                throw StorageError(
                    .notAStore, path: path, "the folder holds other files, \(other) among them",
                    hint: "name a folder that does not exist, or an empty one")
            }
        }
        for folder in [path, segments, assets] { try Self.makeFolder(folder) }
    }

    /// Makes a folder, and those that it lies in, unless they are there.
    private static func makeFolder(_ path: String) throws(StorageError) {
        if exists(path) || path.isEmpty { return }
        if let end = path.lastIndex(of: "/") { try makeFolder(String(path[..<end])) }
        guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw StorageError(path: path, "cannot make the folder", number: errno)
        }
    }

    /// Checks that there is a store.
    /// Throws: `StorageError` of codes `missing`, `notAStore`, `noPermission`.
    package func checkHoldsStore() throws(StorageError) {
        try checkIsFolder()
        guard unsafe access(tables, F_OK) != 0 else { return }
        if errno != ENOENT { throw StorageError(path: tables, "cannot open the tables", number: errno) }
        throw StorageError(.notAStore, path: path, "the folder holds no data.mdb", hint: "name the folder of a store")
    }

    /// Checks that the parts of the folder which are folders lie in it: files are made and removed there.
    /// Throws: `StorageError` of code `corrupted`.
    func checkParts() throws(StorageError) {
        for folder in [segments, assets] { try StorePart.folder.check(folder) }
    }

    private func checkIsFolder() throws(StorageError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw StorageError(path: path, "cannot open the folder", number: errno)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw StorageError(.notAStore, path: path, "a store is a folder, and this is a file")
        }
    }

    /// Removes tables that were never finished.
    func removeNewTables() {
        for file in [newTables.tables, newTables.readerTable] { unsafe unlink(file) }
    }

    private static let partNames: Set<String> = ["data.mdb", "lock.mdb", "writer.lock", "segments", "assets"]

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Whether the folder, which need not be there, is within another one, whatever names lead to them.
    func lies(in other: StoreFolder) -> Bool {
        guard let outer = Self.resolved(other.path) else { return false }
        var ancestor = path[...]
        let start = path.hasPrefix("/") ? "/" : "."
        while true {
            if let inner = Self.resolved(ancestor.isEmpty ? start : String(ancestor)) {
                return inner == outer || inner.hasPrefix(outer + "/")
            }
            guard !ancestor.isEmpty else { return false }
            ancestor = ancestor.prefix(upTo: ancestor.lastIndex(of: "/") ?? ancestor.startIndex)
        }
    }

    /// The path of what is there without links and dots, `nil` where nothing is.
    private static func resolved(_ path: String) -> String? {
        // SAFETY: the path is passed as a NUL-terminated copy; the result is ours, copied and freed.
        guard let name = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(name) }
        return unsafe String(cString: name)
    }

    /// Names of the entries of a folder, in no order.
    /// Throws: `StorageError`.
    static func names(in path: String) throws(StorageError) -> [String] {
        guard let folder = unsafe opendir(path) else {
            throw StorageError(path: path, "cannot list the folder", number: errno)
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            // SAFETY: the name of an entry ends with a zero, and is copied before the next is read.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes the names of the folder's parts last, and its own, as far as the folder above lets itself be read.
    /// Throws: `StorageError`.
    func syncNames() throws(StorageError) {
        try Self.sync(path)
        try? Self.sync(path + "/..")
    }

    /// Makes the names of a folder's entries last.
    /// Throws: `StorageError`.
    package static func sync(_ path: String) throws(StorageError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(path: path, "cannot open the folder", number: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StorageError(path: path, "cannot write the folder", number: errno) }
    }
}

/// Tells a file or folder from all others of the machine, whatever its name.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
    /// Bytes of a file.
    let size: Int

    static func == (a: FileIdentity, b: FileIdentity) -> Bool { a.device == b.device && a.number == b.number }

    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(number)
    }

    /// `nil` when there is no such file.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int(status.st_size)
    }
}
