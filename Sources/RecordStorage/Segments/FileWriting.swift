// Writing a file in one go: whole under its name, or not there.

import Glibc

/// A new file that gets its name when it is whole.
struct FileWriting: ~Copyable {
    private let path: String
    private let folder: OpenFolder
    private var name: String { StoreFolder.name(of: path) }
    private var temporaryName: String { name + ".new" }
    private let descriptor: Int32
    private var isDone = false
    /// Bytes written so far.
    private(set) var offset = 0
    /// What is gathered to be written at once.
    private var pending: [UInt8] = []
    private static let pendingLimit = 1 << 18
    /// Whether the file is to be on the disk at the end.
    private let syncs: Bool
    /// Bytes after which what was written is brought to the disk: all of a large file at once would keep the disk, and
    /// whoever saves beside, busy for long.
    static let syncByteCount = 4 << 20
    private var unsynced = 0

    /// Begins a file. A temporary file that an interrupted writer of the same name left is replaced.
    ///
    /// - Parameters:
    ///   - folder: The folder that the file will lie in, if that is open.
    ///   - sync: Whether file and name are on the disk when `finish` returns.
    /// - Throws: `StorageError`.
    init(_ path: String, in folder: OpenFolder?, sync: Bool) throws(StorageError) {
        let end = path.lastIndex(of: "/")
        let parent = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = if let folder { folder } else { try OpenFolder(parent) }
        let descriptor = try folder.makeFile(StoreFolder.name(of: path) + ".new")
        (self.path, self.folder, self.descriptor, syncs) = (path, folder, descriptor, sync)
    }

    deinit {
        close(descriptor)
        if !isDone { folder.remove(temporaryName) }
    }

    /// Appends bytes.
    /// - Throws: `StorageError`.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        offset += bytes.count
        if bytes.count < Self.pendingLimit {
            unsafe pending.append(contentsOf: bytes)
            if pending.count >= Self.pendingLimit { try flush() }
            return
        }
        try flush()
        try unsafe write(bytes)
    }

    /// Appends zeros up to an offset.
    /// - Throws: `StorageError`.
    mutating func pad(to end: Int) throws(StorageError) {
        let count = max(0, end - offset)
        pending.append(contentsOf: repeatElement(0, count: count))
        offset += count
    }

    private mutating func flush() throws(StorageError) {
        let bytes = pending
        pending.removeAll(keepingCapacity: true)
        try unsafe bytes.withUnsafeBufferPointer { bytes throws(StorageError) in
            try unsafe write(UnsafeRawBufferPointer(bytes))
        }
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard let start = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            // SAFETY: the rest of the bytes begins at `done`.
            let count = unsafe Glibc.write(descriptor, start + done, min(bytes.count - done, Self.syncByteCount))
            if count > 0 {
                done += count
                unsynced += count
                if syncs, unsynced >= Self.syncByteCount {
                    guard fdatasync(descriptor) == 0 else {
                        throw StorageError(path: path, "cannot bring the file to the disk", number: errno)
                    }
                    unsynced = 0
                }
            } else if count == 0 || errno != EINTR {
                // Nothing at all is written where there is no room.
                throw StorageError(path: path, "cannot write the file", number: count == 0 ? ENOSPC : errno)
            }
        }
    }

    /// Writes the head of the file, which was left out, and gives the file its name, which no other file may have.
    /// - Throws: `StorageError`.
    consuming func finish(head: [UInt8]) throws(StorageError) {
        try flush()
        let count = unsafe head.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == head.count else {
            throw StorageError(path: path, "cannot write the file", number: count < 0 ? errno : ENOSPC)
        }
        if syncs, fsync(descriptor) != 0 {
            throw StorageError(path: path, "cannot bring the file to the disk", number: errno)
        }
        guard try folder.place(temporaryName, as: name) else {
            throw StorageError(path: path, "cannot name the file", number: EEXIST)
        }
        isDone = true
        if syncs { try folder.sync() }
    }
}
