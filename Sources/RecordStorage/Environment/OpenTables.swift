// The tables that this process has open: LMDB wants a file to be opened at most once in a process at a time.

import Synchronization

/// Opens the tables of stores.
enum OpenTables {
    private struct Entry {
        weak var tables: TableFile?
    }

    private static let writers = Mutex<[FileIdentity: Entry]>([:])

    /// Opens the tables of a folder for its writer.
    /// - Throws: `StorageError`.
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
    ///
    /// - Parameter patience: How long is waited for a writer that puts other tables in their place.
    /// - Throws: `StorageError`.
    static func read<R: Sendable>(
        _ folder: StoreFolder, patience: Duration, _ body: (TableFile) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if let result = try readOfWriter(folder, body) { return result }
        // Waited for without the lock: other stores are opened meanwhile.
        let gate = try FolderGate(folder.path, for: .reading, patience: patience)
        defer { gate.leave() }
        return try writers.withLock { writers throws(StorageError) in
            if let tables = try writer(of: folder, among: writers) { return try body(tables) }
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

    private static func readOfWriter<R: Sendable>(
        _ folder: StoreFolder, _ body: (TableFile) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try writers.withLock { writers throws(StorageError) in
            guard let tables = try writer(of: folder, among: writers) else { return nil }
            return try body(tables)
        }
    }

    private static func writer(
        of folder: StoreFolder, among writers: [FileIdentity: Entry]
    ) throws(StorageError) -> TableFile? {
        guard let identity = try FileIdentity.ofFile(folder.tables), let tables = writers[identity]?.tables else {
            return nil
        }
        return tables.isOpen ? tables : nil
    }

    /// Puts finished tables in the place of those of a writer. Nobody in this process reads them meanwhile.
    /// - Throws: `StorageError`.
    static func replace(_ tables: TableFile, of owner: OwnedFolder) throws(StorageError) {
        try writers.withLock { writers throws(StorageError) in
            defer {
                writers = writers.filter { $0.value.tables !== tables }
                if let identity = try? owner.tables() { writers[identity] = Entry(tables: tables) }
            }
            try tables.replace(in: owner)
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
