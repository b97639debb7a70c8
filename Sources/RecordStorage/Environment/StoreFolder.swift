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
    var writerLock: String { path + "/writer.lock" }
    /// There as long as a copy is being made.
    var unfinishedCopy: String { path + "/unfinished-copy" }
    package var segments: String { path + "/segments" }
    package var assets: String { path + "/assets" }

    /// Whether there are tables.
    /// - Throws: `StorageError` when that cannot be told: then there is no saying that there are none.
    package func holdsStore() throws(StorageError) -> Bool { try Self.exists(tables) }

    /// The last part of a path.
    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// Makes the folder with its parts, unless they are there.
    /// - Throws: `StorageError` of code `notAStore` for a file, and for a folder that holds something else.
    package func make() throws(StorageError) {
        if try Self.exists(path) {
            try checkIsFolder()
            try checkIsNoUnfinishedCopy()
            let others = try holdsStore() ? [] : foreignNames()
            // A writer beside may have made the store meanwhile.
            if let other = others.first, try !holdsStore() {
                throw StorageError(
                    .notAStore, path: path, "the folder holds other files, \(other) among them",
                    hint: "name a folder that does not exist, or an empty one")
            }
        }
        for folder in [path, segments, assets] { try Self.makeFolder(folder) }
    }

    /// Names of what lies in the folder and its part of assets, and is no store's.
    /// - Throws: `StorageError` when the folder cannot be listed.
    private func foreignNames() throws(StorageError) -> [String] {
        // What is no folder, or is not there, holds nothing.
        let assets = (try? Self.names(in: assets)) ?? []
        return try Self.names(in: path).filter { !Self.partNames.contains($0) }
            + assets.filter { !AssetName.isOfStore($0) }.map { "assets/" + $0 }
    }

    /// Makes a folder, and those that it lies in, unless they are there.
    static func makeFolder(_ path: String) throws(StorageError) {
        if path.isEmpty { return }
        if try exists(path) { return }
        if let end = path.lastIndex(of: "/") { try makeFolder(String(path[..<end])) }
        guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw StorageError(path: path, "cannot make the folder", number: errno)
        }
    }

    /// Checks that there is a store.
    /// - Throws: `StorageError` of codes `missing`, `notAStore`, `noPermission`.
    package func checkHoldsStore() throws(StorageError) {
        try checkIsFolder()
        if try holdsStore() { return }
        try checkIsNoUnfinishedCopy()
        throw StorageError(.notAStore, path: path, "the folder holds no data.mdb", hint: "name the folder of a store")
    }

    /// - Throws: `StorageError` of code `notAStore` for a backup that never came to its end.
    private func checkIsNoUnfinishedCopy() throws(StorageError) {
        guard try Self.exists(unfinishedCopy), try !holdsStore() else { return }
        throw StorageError(
            .notAStore, path: path, "the folder is a backup that was interrupted before it was whole",
            hint: "remove the folder, and make the backup again")
    }

    /// Checks that the parts of the folder which are folders lie in it: files are made and removed there.
    /// - Throws: `StorageError` of code `corrupted`.
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

    private static let partNames: Set<String> = [
        "data.mdb", "lock.mdb", "writer.lock", "segments", "assets", "unfinished-copy",
    ]

    /// Whether something has a path.
    /// - Throws: `StorageError` when that cannot be told.
    static func exists(_ path: String) throws(StorageError) -> Bool {
        var status = stat()
        if unsafe lstat(path, &status) == 0 { return true }
        if errno == ENOENT { return false }
        throw StorageError(path: path, "cannot look at the file", number: errno)
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
    /// - Throws: `StorageError`.
    static func names(in path: String) throws(StorageError) -> [String] { try OpenFolder(path).names() }

    /// Names of the entries of a folder, in no order.
    ///
    /// - Parameter descriptor: The folder's, which is closed.
    /// - Throws: `StorageError`.
    static func names(of descriptor: Int32, path: String) throws(StorageError) -> [String] {
        guard let folder = unsafe fdopendir(descriptor) else {
            let number = errno
            close(descriptor)
            throw StorageError(path: path, "cannot list the folder", number: number)
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            // The end of a list and a failure differ in this alone.
            errno = 0
            guard let entry = unsafe readdir(folder) else {
                if errno == 0 { return names }
                throw StorageError(path: path, "cannot list the folder", number: errno)
            }
            // SAFETY: the name of an entry ends with a zero, and is copied before the next is read.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Makes the names of the folder's parts last, and its own, as far as the folder above lets itself be read.
    /// - Throws: `StorageError`.
    func syncNames() throws(StorageError) {
        try Self.sync(path)
        try? Self.sync(path + "/..")
    }

    /// Makes the names of a folder's entries last.
    /// - Throws: `StorageError`.
    package static func sync(_ path: String) throws(StorageError) {
        try OpenFolder(path).sync()
    }
}

/// Tells a file or folder from all others of the machine, whatever its name.
package struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
    /// Bytes of a file.
    let size: Int

    package static func == (a: FileIdentity, b: FileIdentity) -> Bool { a.device == b.device && a.number == b.number }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(number)
    }

    /// `nil` when there is no such file.
    /// - Throws: `StorageError` when that cannot be told.
    static func ofFile(_ path: String) throws(StorageError) -> FileIdentity? {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return FileIdentity(status) }
        if errno == ENOENT { return nil }
        throw StorageError(path: path, "cannot look at the file", number: errno)
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int(status.st_size)
    }
}
