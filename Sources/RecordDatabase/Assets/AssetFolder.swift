// The folder that keeps the bytes of assets, each file named by the digest of what is in it.

import FoundationEssentials
import Glibc
import RecordModel
import RecordStorage
import Synchronization

/// The asset files of a store. Equal bytes are kept once. May be used from any thread.
///
/// Files that no record names are removed by `sweep`; those of saves under way are held until the save is done.
final class AssetFolder: Sendable {
    private struct Contents {
        /// How many saves under way use a file, by its name.
        var held: [String: Int] = [:]
        /// The files that this object made, where others make some in the same folder; `nil` where nobody else does.
        var made: Set<String>?
        /// How many copies of the whole folder are under way.
        var copies = 0
    }

    /// Who may write the folder.
    enum Access: Sendable {
        /// Whoever has this object.
        case unowned
        /// The writer of a store, while it has the store open.
        case owned(OwnedFolder)
        /// Nobody: the folder is that of a store which is open for reading.
        case readOnly
    }

    let path: String
    private let access: Access
    /// Whether the folder goes with the store.
    private let isTemporary: Bool
    /// Where files come from that are not there; `nil` where there is nothing but the folder.
    let source: (any AssetSource)?
    /// Whether files are on the disk when they were stored.
    private let syncs: Bool
    private let contents: Mutex<Contents>
    /// Called between the pieces of a file that is copied: for tests of files that change meanwhile.
    let whileCopying = Mutex<(@Sendable () -> Void)?>(nil)

    private static let pieceSize = 1 << 18

    /// - Parameters:
    ///   - url: The folder; `nil` for one in the system's temporary folder that goes with the store.
    ///   - syncs: Whether files are on the disk when they were stored.
    ///   - source: Where the files are kept, where this folder, which goes with the store, has copies of them.
    init(_ url: URL?, syncs: Bool = false, access: Access = .unowned, source: (any AssetSource)? = nil) {
        isTemporary = url == nil || source != nil
        (self.syncs, self.access, self.source) = (syncs, access, source)
        let isShared = if case .unowned = access { true } else { false }
        contents = Mutex(Contents(made: isShared ? [] : nil))
        path = url?.path ?? FileManager.default.temporaryDirectory.path + "/record-assets-" + UUID().uuidString
    }

    deinit {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Whether a file is one of the folder.
    func owns(_ asset: Asset) -> Bool { asset.path.hasPrefix(path + "/") }

    // MARK: Copying

    /// Copies the file of an asset into the folder and holds the copy; one that is there already is only held.
    /// - Throws: `DatabaseError` of codes `assetFileNotFound`, `assetNotAvailable`, `assetFileModified`.
    func store(_ asset: Asset) throws(DatabaseError) -> Asset {
        if owns(asset) {
            hold(name(of: asset))
            guard unsafe Glibc.access(asset.path, R_OK) == 0 else {
                release([name(of: asset)])
                throw DatabaseError(.assetNotAvailable, "the file of an asset was removed")
            }
            return Asset(path: asset.path, size: asset.size)
        }
        let folder = try begin()
        defer { end() }
        let temporary = AssetName.ofNewCopy()
        defer { folder.remove(temporary) }
        let (digest, size) = try copy(asset.path, to: temporary, in: folder)
        hold(digest)
        do throws(StorageError) {
            try place(temporary, as: digest, in: folder)
            if syncs { try folder.sync() }
        } catch {
            release([digest])
            throw Self.unwritable(error)
        }
        return Asset(path: path + "/" + digest, size: size)
    }

    /// The name of a file of the folder: the digest of its bytes.
    func name(of asset: Asset) -> String { String(asset.path.dropFirst(path.count + 1)) }

    /// Gives a file its name when it is whole. Where the name is taken, the same bytes have it.
    /// - Throws: `StorageError`.
    func place(_ temporary: String, as digest: String, in folder: OpenFolder) throws(StorageError) {
        guard try folder.place(temporary, as: digest) else { return }
        contents.withLock { _ = $0.made?.insert(digest) }
    }

    // MARK: Who may write

    /// The folder, to be written until `end` is called once.
    /// - Throws: `DatabaseError`; then there is nothing to end.
    func begin() throws(DatabaseError) -> OpenFolder {
        do throws(StorageError) {
            return try open()
        } catch {
            throw Self.unwritable(error)
        }
    }

    private func open() throws(StorageError) -> OpenFolder {
        switch access {
        case .owned(let owner):
            try owner.begin()
            return owner.assets
        case .readOnly:
            throw StorageError(.readOnly, path: path, "the store is open for reading only")
        case .unowned:
            try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            return try OpenFolder(path)
        }
    }

    func end() { if case .owned(let owner) = access { owner.end() } }

    /// Why an asset cannot be kept: in the words of its store where that may be mended.
    static func unwritable(_ error: StorageError) -> DatabaseError {
        switch error.code {
        case .diskFull, .missing, .readOnly, .locked: DatabaseError(error)
        default: DatabaseError(.assetNotAvailable, "the asset folder cannot be written", hint: error.reason)
        }
    }

    /// Removes what a process left that ended while it copied files.
    /// - Throws: `StorageError` when the folder cannot be listed, or is not the writer's.
    func removeUnfinishedCopies() throws(StorageError) {
        let folder = try open()
        defer { end() }
        for name in try folder.names() where AssetName.isCopy(name) { folder.remove(name) }
    }

    private func copy(
        _ source: String, to target: String, in folder: OpenFolder
    ) throws(DatabaseError) -> (digest: String, size: Int64) {
        // Without O_NONBLOCK a pipe would keep the save waiting for a writer.
        let input = unsafe Glibc.open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard input >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? DatabaseError(.assetFileNotFound, "the file of an asset does not exist")
                : DatabaseError(.assetNotAvailable, "the file of an asset cannot be read")
        }
        defer { close(input) }
        let output: Int32
        do throws(StorageError) { output = try folder.makeFile(target) } catch { throw Self.unwritable(error) }
        defer { close(output) }
        let before = try FileStamp(input)
        var digest = SHA256()
        var total: Int64 = 0
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            // SAFETY: no more is read than the buffer holds.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(input, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw DatabaseError(.assetNotAvailable, "the file of an asset cannot be read") }
            if count == 0 { break }
            digest.update(buffer[..<count])
            try write(buffer[..<count], to: output)
            total += Int64(count)
            whileCopying.withLock { $0 }?()
        }
        guard try FileStamp(input) == before, total == before.size else {
            throw DatabaseError(.assetFileModified, "the file of an asset was changed while it was saved")
        }
        if syncs, fsync(output) != 0 { throw unwritable(errno) }
        return (digest.hexDigest(), total)
    }

    private func unwritable(_ number: Int32) -> DatabaseError {
        Self.unwritable(StorageError(path: path, "cannot write the file of an asset", number: number))
    }

    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(DatabaseError) {
        var rest = bytes
        while !rest.isEmpty {
            // SAFETY: no more is written than the buffer holds.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unwritable(count == 0 ? ENOSPC : errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// What is wrong with the file of an asset, which has the digest of its bytes as its name; `nil` when nothing is.
    func fault(ofFileAt path: String) -> String? {
        let isOwn = path.hasPrefix(self.path + "/")
        // Without O_NONBLOCK a pipe would keep the reader waiting for a writer. Copies leave links among our own out.
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (isOwn ? O_NOFOLLOW : 0))
        guard file >= 0 else {
            let number = errno
            if number == ENOENT { return "the file of an asset is not there" }
            return number == ELOOP ? "an asset is no file" : "an asset cannot be read"
        }
        defer { close(file) }
        guard (try? FileStamp(file)) != nil else { return "an asset is no file" }
        guard isOwn else { return nil }
        var digest = SHA256()
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            // SAFETY: no more is read than the buffer holds.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0 { return "an asset cannot be read" }
            if count == 0 { break }
            digest.update(buffer[..<count])
        }
        return digest.hexDigest() == path.dropFirst(self.path.count + 1) ? nil : "the bytes of an asset were changed"
    }

    /// Bytes of all files that are named by their digests. Complexity: O(files).
    var byteCount: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.reduce(0) { total, name in
            guard AssetName.isDigest(name) else { return total }
            var status = stat()
            // SAFETY: the path is passed as a NUL-terminated copy, the structure lives on this frame.
            return unsafe stat("\(path)/\(name)", &status) == 0 ? total + Int(status.st_size) : total
        }
    }

    // MARK: Files in use

    private func hold(_ name: String) { contents.withLock { $0.held[name, default: 0] += 1 } }

    /// Ends the hold that saves had on files.
    func release(_ names: [String]) {
        contents.withLock { contents in
            for name in names {
                let count = (contents.held[name] ?? 1) - 1
                contents.held[name] = count == 0 ? nil : count
            }
        }
    }

    /// Ends the hold on the files of assets.
    func release(_ assets: [Asset]) { release(assets.map(name)) }

    /// Runs a body that copies the folder: no file that the copy may need is removed meanwhile.
    func keepingFiles<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        contents.withLock { $0.copies += 1 }
        defer { contents.withLock { $0.copies -= 1 } }
        return try body()
    }

    /// Removes the files that no record and no save under way names. In a folder that others use, too, those of others
    /// stay.
    ///
    /// - Parameter live: The paths that records name, among files of some names at least; called once no new save can
    ///   hold a file.
    /// - Returns: How many were removed: none while the folder is copied.
    /// - Throws: `StorageError` when the folder cannot be listed, or is not the writer's any more; then none was.
    func sweep(live: (_ names: [String]) -> Set<String>) throws(StorageError) -> Int {
        try contents.withLock { contents throws(StorageError) in
            if contents.copies > 0 { return 0 }
            let folder = try open()
            defer { end() }
            let (held, made) = (contents.held, contents.made)
            let unheld = try folder.names().filter {
                AssetName.isDigest($0) && held[$0] == nil && (made?.contains($0) ?? true)
            }
            if unheld.isEmpty { return 0 }
            let live = live(unheld)
            let removed = unheld.filter { !live.contains(path + "/" + $0) && folder.remove($0) }
            contents.made?.subtract(removed)
            return removed.count
        }
    }
}

/// What tells that a file was not changed.
private struct FileStamp: Equatable {
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    init(_ descriptor: Int32) throws(DatabaseError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw DatabaseError(.assetNotAvailable, "the file of an asset cannot be read")
        }
        size = Int64(status.st_size)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
}
