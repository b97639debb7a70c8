// New tables with what those of a store hold, and nothing else: made beside the changes that go on.

import Glibc

/// Tables that will take the place of others. While they are made, nothing but changes of the log is written to those.
struct TableCopy {
    private let source: TableFile
    private let folder: OpenFolder
    private let target: TableFile
    /// The key of the last change that was taken.
    private var lastChange: [UInt8]?

    /// Bytes that are read at once: changes wait for so long.
    private static let pieceByteCount = 1 << 20
    /// Changes that are left for the moment in which others have to wait, and how often it is tried to have no more.
    private static let lateChanges = 16
    private static let attempts = 32

    /// Begins a copy, in place of one that was not finished.
    ///
    /// - Parameter folder: Where the new file is made.
    /// - Throws: `StorageError`.
    init(of source: TableFile, in folder: OpenFolder) throws(StorageError) {
        (self.source, self.folder) = (source, folder)
        Self.remove(folder)
        // All of it is brought to the disk at once, before it counts.
        target = try TableFile(path: folder.path, in: folder, access: .write, durability: .off)
    }

    /// Takes away what is left of the copy.
    func remove() {
        target.close()
        Self.remove(folder)
    }

    private static func remove(_ folder: OpenFolder) {
        let files = StoreFolder(path: folder.path)
        for file in [files.tables, files.readerTable] { folder.remove(StoreFolder.name(of: file)) }
    }

    /// Copies what there is by now, to the disk.
    /// - Throws: `StorageError`.
    mutating func takeAll() throws(StorageError) {
        let last = try target.write { new throws(StorageError) in
            _ = try new.openTables(makes: true)
            // Opened in this order, too: a reader that finds them knows them by it.
            var last: [UInt8]?
            for table in [Table.meta, .state, .log] { last = try take(table, after: nil, into: new) }
            return last
        }
        lastChange = last
        try target.sync()
        // They are looked at before they are used, as all tables are.
        try target.read { _ in }
    }

    /// Copies changes that came since, until few are left.
    /// - Throws: `StorageError`.
    mutating func catchUp() throws(StorageError) {
        for _ in 0..<Self.attempts {
            if try takeChanges() <= Self.lateChanges { return }
        }
    }

    /// Copies the last changes, and brings all to the disk. No more come meanwhile. Nobody has the new file open then.
    /// - Throws: `StorageError`.
    mutating func finish() throws(StorageError) {
        try takeChanges()
        try target.sync()
        target.close()
    }

    /// Copies changes that came since.
    @discardableResult
    private mutating func takeChanges() throws(StorageError) -> Int {
        let (first, source) = (lastChange, source)
        let isComplete = try source.read { old throws(StorageError) in
            try old.entries(of: .log, after: first, byteCount: 1).isEmpty
        }
        // Every commit leaves pages that are not used any more.
        if isComplete { return 0 }
        let (last, count) = try target.write { new throws(StorageError) in
            var count = 0
            let last = try take(.log, after: first, into: new) { count += $0 }
            // The last commit of tables is known by it.
            for (key, value) in try source.read({ old throws(StorageError) in
                try old.entries(of: .meta, after: nil, byteCount: .max)
            }) where key == StoreKeys.through { try new.take(key, value, of: .meta) }
            return (last, count)
        }
        lastChange = last
        return count
    }

    /// Copies the entries of a table behind a key; gives the last key.
    private func take(
        _ table: Table, after key: [UInt8]?, into new: TableTransaction, _ count: (Int) -> Void = { _ in }
    ) throws(StorageError) -> [UInt8]? {
        var last = key
        while true {
            let (first, source) = (last, source)
            let piece = try source.read { old throws(StorageError) in
                try old.entries(of: table, after: first, byteCount: Self.pieceByteCount)
            }
            if piece.isEmpty { return last }
            for (key, value) in piece { try new.take(key, value, of: table) }
            count(piece.count)
            last = piece.last?.key
        }
    }
}
