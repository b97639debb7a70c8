// Copies of a store in other folders.

import Glibc

extension StorageEnvironment {
    /// Copies the store, as it is at one moment, into a folder that does not exist. Whoever writes the store, in this
    /// process or another one, goes on meanwhile.
    ///
    /// The tables are copied first, of one commit; then the files of segments that they name. Where a writer has
    /// removed one of those by then, the tables of a later commit are taken, and the files that the copy lacks.
    ///
    /// - Parameter segments: The numbers of the files that some contents name.
    /// - Throws: `StorageError`; then the new folder is as far as the copy came, without tables.
    package func copy(
        to copy: StoreFolder, segments: (StoredContents) throws(StorageError) -> Set<Int>
    ) throws(StorageError) {
        if try StoreFolder.exists(copy.path) {
            throw StorageError(
                .notAStore, path: copy.path, "the folder exists already", hint: "name one that does not")
        }
        if copy.lies(in: folder) {
            throw StorageError(
                .notAStore, path: copy.path, "the copy would lie in the store itself", hint: "name a folder beside it")
        }
        guard let owner else {
            let source = (try OpenFolder(folder.segments), try OpenFolder(folder.assets))
            return try copyFiles(from: source, to: CopyFolder(copy), segments: segments)
        }
        // A folder that another store has by now is not mixed with the tables of this one, and closing waits.
        try writing { () throws(StorageError) in
            try copyFiles(
                from: (owner.segments, owner.assets), to: CopyFolder(copy), segments: segments)
        }
    }

    private func copyFiles(
        from source: (segments: OpenFolder, assets: OpenFolder), to copy: CopyFolder,
        segments: (StoredContents) throws(StorageError) -> Set<Int>
    ) throws(StorageError) {
        try copyTables(from: source.segments, to: copy, segments: segments)
        let assets = source.assets
        for name in try assets.names() where !AssetName.isCopy(name) {
            let file: SourceFile
            do throws(StorageError) {
                file = try SourceFile(name, in: assets)
            } catch {
                // A file that no record names any more; a folder, a pipe or a link, which is no asset.
                if error.code == .missing || error.code == .corrupted { continue }
                throw error
            }
            try file.copy(to: name, in: copy.assets)
        }
        try copy.finish()
    }

    /// Copies the tables, and the files of segments that the copy names. Files never change: those that were copied
    /// before a writer removed another one need not be copied again, so that each attempt has less to do.
    private func copyTables(
        from source: OpenFolder, to copy: CopyFolder, segments: (StoredContents) throws(StorageError) -> Set<Int>
    ) throws(StorageError) {
        var copied: Set<Int> = []
        var attempts = 0
        while true {
            copy.segments.remove(CopyFolder.tables)
            let numbers = try segments(try copyTables(to: copy.segments))
            do throws(StorageError) {
                for number in numbers.subtracting(copied).sorted() {
                    let name = SegmentFolder.name(of: number)
                    try SourceFile(name, in: source).copy(to: name, in: copy.segments)
                    copied.insert(number)
                }
                for number in copied.subtracting(numbers) { copy.segments.remove(SegmentFolder.name(of: number)) }
                return
            } catch {
                attempts += 1
                if error.code != .missing || attempts == 100 { throw error }
            }
        }
    }
}

extension StoreFolder {
    /// Number and bytes of the files of a part.
    /// - Throws: `StorageError` when the part cannot be listed, or a file not be looked at.
    package func files(in part: String) throws(StorageError) -> (count: Int, bytes: Int) {
        let folder = try OpenFolder(part)
        var (count, bytes) = (0, 0)
        // A file that a writer removed meanwhile counts no more.
        for name in try folder.names() {
            guard let file = try folder.identity(of: name) else { continue }
            count += 1
            bytes += file.size
        }
        return (count, bytes)
    }
}

/// The folder that a copy is made in. As long as it is not whole, it says so, and is no store to be written.
private struct CopyFolder {
    let segments: OpenFolder
    let assets: OpenFolder
    private let root: OpenFolder
    private let folder: StoreFolder

    static let tables = "data.mdb"
    private var mark: String { StoreFolder.name(of: folder.unfinishedCopy) }

    /// Makes the folder, which must not be there.
    /// - Throws: `StorageError`.
    init(_ folder: StoreFolder) throws(StorageError) {
        self.folder = folder
        if let end = folder.path.lastIndex(of: "/") { try StoreFolder.makeFolder(String(folder.path[..<end])) }
        guard unsafe mkdir(folder.path, 0o755) == 0 else {
            throw StorageError(path: folder.path, "cannot make the folder", number: errno)
        }
        root = try OpenFolder(folder.path)
        // The mark is there before anything else, on the disk too.
        close(try root.makeFile(StoreFolder.name(of: folder.unfinishedCopy)))
        try root.sync()
        segments = try root.makeFolder(StoreFolder.name(of: folder.segments))
        assets = try root.makeFolder(StoreFolder.name(of: folder.assets))
    }

    /// Gives the tables their place, when they and all that they name are on the disk: with them the folder is a
    /// store.
    /// - Throws: `StorageError`.
    func finish() throws(StorageError) {
        try TableFile.markAsCopy(in: segments)
        try SourceFile(Self.tables, in: segments).sync()
        for part in [segments, assets] { try part.sync() }
        try folder.syncNames()
        guard try segments.place(Self.tables, as: Self.tables, in: root) else {
            throw StorageError(path: folder.tables, "cannot name the file", number: EEXIST)
        }
        // The mark goes last: without it and the tables, the folder would be taken for a damaged store.
        try root.sync()
        root.remove(mark)
        try root.sync()
    }
}

/// A file that is open for reading: its bytes are there even when it is removed.
private final class SourceFile {
    private let path: String
    private let descriptor: Int32

    /// - Throws: `StorageError`.
    init(_ name: String, in folder: OpenFolder) throws(StorageError) {
        path = "\(folder.path)/\(name)"
        descriptor = try StorePart.openFile(path, O_RDONLY, in: folder)
    }

    deinit { close(descriptor) }

    /// Waits until the file is on the disk.
    /// - Throws: `StorageError`.
    func sync() throws(StorageError) {
        guard fsync(descriptor) == 0 else { throw StorageError(path: path, "cannot write the file", number: errno) }
    }

    /// Copies the file, to the disk.
    /// - Throws: `StorageError`.
    func copy(to name: String, in folder: OpenFolder) throws(StorageError) {
        let target = "\(folder.path)/\(name)"
        let output = try folder.makeFile(name)
        defer { close(output) }
        while true {
            let count = sendfile(output, descriptor, nil, FileWriting.syncByteCount)
            if count == 0 { break }
            if count < 0, errno == EINTR { continue }
            // All at once at the end would keep whoever saves beside waiting.
            guard count > 0, fdatasync(output) == 0 else {
                throw StorageError(path: target, "cannot write the file", number: errno)
            }
        }
        guard fsync(output) == 0 else { throw StorageError(path: target, "cannot write the file", number: errno) }
    }
}
