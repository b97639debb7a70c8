// Copies of a store in other folders.

import Glibc

extension StorageEnvironment {
    /// Copies the store, as it is at one moment, into a folder that does not exist. Whoever writes the store, in this process
    /// or another one, goes on meanwhile.
    ///
    /// The tables are copied first, of one commit; then the files of segments that they name. Where a writer has removed one
    /// of those by then, the tables of a later commit are taken, and the files that the copy lacks.
    ///
    /// - Parameter segments: The numbers of the files that some contents name.
    /// Throws: `StorageError`; then the new folder is as far as the copy came, without tables.
    package func copy(
        to copy: StoreFolder, segments: (StoredContents) throws(StorageError) -> Set<Int>
    ) throws(StorageError) {
        if StoreFolder.exists(copy.path) {
            throw StorageError(
                .notAStore, path: copy.path, "the folder exists already", hint: "name one that does not")
        }
        if copy.lies(in: folder) {
            throw StorageError(
                .notAStore, path: copy.path, "the copy would lie in the store itself", hint: "name a folder beside it")
        }
        try copy.make()
        try copyTables(to: copy, segments: segments)
        for name in try StoreFolder.names(in: folder.assets) where !name.hasPrefix("copy-") {
            let file: SourceFile
            do throws(StorageError) {
                file = try SourceFile("\(folder.assets)/\(name)")
            } catch {
                // A file that no record names any more; a folder, a pipe or a link, which is no asset.
                if error.code == .missing || error.code == .corrupted { continue }
                throw error
            }
            try file.copy(to: "\(copy.assets)/\(name)")
        }
        // The tables get their place last, when they and all that they name are there.
        try SourceFile(copy.newTables.tables).sync()
        guard unsafe rename(copy.newTables.tables, copy.tables) == 0 else {
            throw StorageError(path: copy.tables, "cannot name the file", number: errno)
        }
        for path in [copy.segments, copy.assets] { try StoreFolder.sync(path) }
        try copy.syncNames()
    }

    /// Copies the tables, and the files of segments that the copy names. Files never change: those that were copied before
    /// a writer removed another one need not be copied again, so that each attempt has less to do.
    private func copyTables(
        to copy: StoreFolder, segments: (StoredContents) throws(StorageError) -> Set<Int>
    ) throws(StorageError) {
        var copied: Set<Int> = []
        var attempts = 0
        while true {
            copy.removeNewTables()
            let numbers = try segments(try copyTables(to: copy.newTables))
            do throws(StorageError) {
                for number in numbers.subtracting(copied).sorted() {
                    let file = try SourceFile(SegmentFolder.path(of: number, in: folder.segments))
                    try file.copy(to: SegmentFolder.path(of: number, in: copy.segments))
                    copied.insert(number)
                }
                for number in copied.subtracting(numbers) {
                    unsafe unlink(SegmentFolder.path(of: number, in: copy.segments))
                }
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
    package func files(in part: String) -> (count: Int, bytes: Int) {
        var (count, bytes) = (0, 0)
        for name in (try? Self.names(in: part)) ?? [] {
            count += 1
            bytes += FileIdentity(path: "\(part)/\(name)")?.size ?? 0
        }
        return (count, bytes)
    }
}

/// A file that is open for reading: its bytes are there even when it is removed.
private final class SourceFile {
    private let path: String
    private let descriptor: Int32

    /// Throws: `StorageError`.
    init(_ path: String) throws(StorageError) {
        self.path = path
        descriptor = try StorePart.openFile(path, O_RDONLY)
    }

    deinit { close(descriptor) }

    /// Waits until the file is on the disk.
    /// Throws: `StorageError`.
    func sync() throws(StorageError) {
        guard fsync(descriptor) == 0 else { throw StorageError(path: path, "cannot write the file", number: errno) }
    }

    /// Copies the file, to the disk.
    /// Throws: `StorageError`.
    func copy(to target: String) throws(StorageError) {
        let output = unsafe open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard output >= 0 else { throw StorageError(path: target, "cannot make the file", number: errno) }
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
