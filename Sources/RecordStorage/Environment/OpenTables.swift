// The tables that this process has open: LMDB wants a file to be opened at most once in a process at a time.

import Synchronization

/// Opens the tables of stores.
enum OpenTables {
    private struct Entry {
        weak var tables: TableFile?
    }

    private static let writers = Mutex<[FileIdentity: Entry]>([:])

    /// Opens the tables of a folder for its writer.
    /// Throws: `StorageError`.
    static func openForWriting(_ owner: OwnedFolder, _ durability: Durability) throws(StorageError) -> TableFile {
        try writers.withLock { writers throws(StorageError) in
            writers = writers.filter { $0.value.tables?.isOpen == true }
            let tables = try TableFile(
                path: owner.folder.path, in: owner.root, access: .write, durability: durability)
            if let identity = try owner.tables() { writers[identity] = Entry(tables: tables) }
            return tables
        }
    }

    /// Runs a body with the tables of a folder: with those of the writer, if it is in this process, else with tables
    /// that are open for so long.
    /// Throws: `StorageError`.
    static func read<R: Sendable>(
        _ folder: StoreFolder, _ body: (TableFile) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try writers.withLock { writers throws(StorageError) in
            if let identity = try FileIdentity.ofFile(folder.tables), let tables = writers[identity]?.tables,
                tables.isOpen
            {
                return try body(tables)
            }
            let gate = try FolderGate(folder.path, for: .reading)
            defer { gate.leave() }
            var attempts = 0
            while true {
                do throws(StorageError) {
                    let tables = try openForReading(folder)
                    defer { tables.close() }
                    return try body(tables)
                } catch {
                    // A writer may have gone on while its file was looked at.
                    attempts += 1
                    if error.code != .corrupted || attempts == 20 { throw error }
                }
            }
        }
    }

    /// Puts tables that a body fills in the place of those of a writer. Nobody in this process reads them meanwhile.
    /// Throws: `StorageError`.
    static func replace(
        _ tables: TableFile, of owner: OwnedFolder,
        _ fill: (_ old: TableTransaction, _ new: TableTransaction) throws(StorageError) -> Void
    ) throws(StorageError) {
        try writers.withLock { writers throws(StorageError) in
            try tables.replace(in: owner, fill)
            writers = writers.filter { $0.value.tables !== tables }
            if let identity = try owner.tables() { writers[identity] = Entry(tables: tables) }
        }
    }

    private static func openForReading(_ folder: StoreFolder) throws(StorageError) -> TableFile {
        do throws(StorageError) {
            return try TableFile(path: folder.path, access: .read, durability: .full)
        } catch {
            // Where there is no room for the list of readers, either.
            guard [.noPermission, .readOnly, .diskFull].contains(error.code) else { throw error }
            return try TableFile(path: folder.path, access: .readWithoutLock, durability: .full)
        }
    }
}
