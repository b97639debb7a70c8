// A store that changes from a writer that does not wait for the disk to one that does.

import Glibc

extension StorageEnvironment {
    /// Notes that files of the store may not be on the disk, for a writer that does not wait for it; brings them there
    /// for one that does, before it promises anything about changes that rest on them.
    /// - Throws: `StorageError` when they cannot be brought to the disk.
    func settleFiles() throws(StorageError) {
        let isNoted = try read { transaction throws(StorageError) in
            try transaction.value(of: StoreKeys.unsynced, in: .meta) != nil
        }
        guard durability != .off else {
            if !isNoted { try note(true) }
            return
        }
        guard isNoted, let owner else { return }
        try owner.writing { () throws(StorageError) in
            for folder in [owner.segments, owner.assets] {
                for name in try folder.names() { try Self.sync("\(folder.path)/\(name)", in: folder) }
                try folder.sync()
            }
            try Self.sync(folder.tables, in: owner.root)
            try folder.syncNames()
        }
        // Should this fail, the next writer syncs all files once more.
        try? note(false)
    }

    private func note(_ isUnsynced: Bool) throws(StorageError) {
        // What is written here would make an older state look like the last one.
        _ = try contents()
        try write { transaction throws(StorageError) in
            if isUnsynced {
                try transaction.put([], for: StoreKeys.unsynced, in: .meta)
            } else {
                try transaction.delete(StoreKeys.unsynced, in: .meta)
            }
            // Every commit leaves its number.
            let through = try transaction.value(of: StoreKeys.through, in: .meta) ?? []
            try transaction.put(transaction.through(StoreKeys.number(through)), for: StoreKeys.through, in: .meta)
        }
        try syncState()
    }

    /// Brings a file to the disk; what is no file, or is gone, is nothing of the store's.
    private static func sync(_ path: String, in folder: OpenFolder) throws(StorageError) {
        let file: Int32
        do throws(StorageError) {
            file = try StorePart.openFile(path, O_RDONLY, in: folder)
        } catch {
            if error.code == .missing || error.code == .corrupted { return }
            throw error
        }
        defer { Glibc.close(file) }
        guard fsync(file) == 0 else {
            throw StorageError(path: path, "cannot bring the file to the disk", number: errno)
        }
    }
}
