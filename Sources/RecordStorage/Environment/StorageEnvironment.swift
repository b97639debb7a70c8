// A store on disk: a log of changes and a state, of which the state holds all changes up to some number.
//
// A change is written to the log in one transaction before it counts. From time to time all of the state is written in
// parts, together with the removal of the log entries that it holds (a checkpoint). Opening reads the state and applies
// what is left of the log. What a change or a part of the state says is up to the caller: bytes here.

import Glibc
import Synchronization

/// What a store holds: the parts of its state, and the changes after it.
package struct StoredContents: Sendable {
    package var metadata: StoreMetadata
    /// The parts of the state by their names; empty for a new store.
    package var parts: [String: [UInt8]] = [:]
    /// The changes in their order.
    package var log: [[UInt8]] = []
}

/// How large a store is on disk, in bytes.
package struct StorageSizes: Hashable, Sendable {
    /// The file of tables, its free pages too.
    package var tables = 0
    /// Changes that the state does not hold yet.
    package var log = 0
    package var state = 0
    /// Pages of the tables that will be used again.
    package var free = 0
    package var logEntries = 0
}

/// The folder of a store, open for one writer or for reading. May be used from any thread.
package final class StorageEnvironment: Sendable {
    package enum Mode: Hashable, Sendable {
        /// Opens or makes a store, for the only writer there may be.
        case readWrite
        /// Opens a store that is there, beside a writer or not.
        case readOnly
    }

    private struct Log {
        /// Number of the last change.
        var last: UInt64 = 0
        /// Bytes of changes since the last checkpoint.
        var bytes = 0
    }

    package let folder: StoreFolder
    package let mode: Mode
    package let durability: Durability
    /// The tables of a writer; a reader opens them each time.
    let tables: TableFile?
    /// What lets the folder's files be written; `nil` for a reader.
    package let owner: OwnedFolder?
    private let log = Mutex(Log())
    /// Held while the state is written or all tables are copied: then nothing else than the log changes.
    let maintenance = Mutex<Void>(())
    /// How long is waited for other processes that read the tables or replace them.
    let patience: Duration
    /// The file of tables, while it is open.
    private let identity: Mutex<FileIdentity?>
    /// Whether the tables say that a session is under way whose commits do not wait for the disk.
    let isSessionMarked = Mutex(false)

    /// Opens a store; a writer makes one where there is none.
    ///
    /// - Parameters:
    ///   - metadata: What a new store says about itself.
    ///   - patience: How long is waited for other processes that read the tables or replace them; another value than
    ///     ten seconds is for tests.
    /// - Throws: `StorageError`.
    package init(
        path: String, mode: Mode, durability: Durability = .full, new metadata: StoreMetadata,
        patience: Duration = .seconds(10)
    ) throws(StorageError) {
        folder = StoreFolder(path: path)
        self.patience = patience
        (self.mode, self.durability) = (mode, durability)
        if mode == .readWrite {
            try folder.make()
            try folder.checkParts()
            let owner = try OwnedFolder(folder)
            self.owner = owner
            for file in [folder.tables, folder.readerTable] { owner.segments.remove(StoreFolder.name(of: file)) }
            if try owner.tables() == nil { try Self.makeTables(in: owner, metadata, durability) }
            tables = try OpenTables.openForWriting(owner, durability)
            identity = Mutex(try owner.tables())
        } else {
            try folder.checkHoldsStore()
            try folder.checkParts()
            (owner, tables) = (nil, nil)
            identity = Mutex(nil)
        }
        do throws(StorageError) {
            if mode == .readWrite {
                try findLog()
                try settleFiles()
            }
        } catch {
            close()
            throw error
        }
    }

    /// Opens a store that is there, for reading.
    /// - Throws: `StorageError`.
    package convenience init(reading path: String) throws(StorageError) {
        try self.init(path: path, mode: .readOnly, new: StoreMetadata(identifier: "", assetFolder: ""))
    }

    deinit { close() }

    /// Makes the tables of a new store, and gives them their place when they are whole: tables that are there and hold
    /// nothing are damaged ones.
    /// - Throws: `StorageError`, of code `corrupted` where a store lacks nothing but its tables.
    private static func makeTables(
        in owner: OwnedFolder, _ metadata: StoreMetadata, _ durability: Durability
    ) throws(StorageError) {
        let folder = owner.folder
        guard try owner.segments.names().isEmpty, try owner.assets.names().isEmpty else {
            throw StorageError(
                .corrupted, path: folder.tables, "the tables are missing, and files of records are there",
                hint: "restore a backup")
        }
        let name = StoreFolder.name(of: folder.tables)
        defer { for file in [name, StoreFolder.name(of: folder.readerTable)] { owner.segments.remove(file) } }
        let new = try TableFile(
            path: folder.segments, in: owner.segments, access: .write, durability: durability == .off ? .off : .full)
        defer { new.close() }
        var metadata = metadata
        metadata.generation = StoreGeneration(of: StoreFolder(path: folder.segments))
        let bytes = try metadata.bytes(path: folder.path)
        try new.write { transaction throws(StorageError) in
            _ = try transaction.openTables(makes: true)
            try transaction.put(bytes, for: StoreKeys.metadata, in: .meta)
            try transaction.put(transaction.through(0), for: StoreKeys.through, in: .meta)
        }
        new.close()
        guard try owner.segments.place(name, as: name, in: owner.root) else {
            throw StorageError(path: folder.tables, "cannot name the file", number: EEXIST)
        }
        if durability != .off { try folder.syncNames() }
    }

    /// Finds where the log ends.
    private func findLog() throws(StorageError) {
        let known = try read { transaction throws(StorageError) in
            guard try transaction.openTables(makes: false) else { throw Self.emptyTablesError(folder) }
            // Nothing of a store in a newer form is touched.
            _ = try transaction.metadata(path: folder.path)
            let through = try transaction.value(of: StoreKeys.through, in: .meta)
            // What an earlier writer left in the log counts: else one that never ends well would never write a state.
            return Log(
                last: try (transaction.lastKey(in: .log) ?? through).map { StoreKeys.number($0) } ?? 0,
                bytes: Int(clamping: try transaction.sizes(of: .log).bytes))
        }
        log.withLock { $0 = known }
    }

    private static func emptyTablesError(_ folder: StoreFolder) -> StorageError {
        StorageError(.corrupted, path: folder.tables, "the tables hold nothing", hint: "restore a backup")
    }

    /// Ends all use, and lets another writer in. Nothing happens when it was closed before.
    package func close() {
        owner?.close {
            // No change comes between the note that all are on the disk and the end.
            log.withLock { _ in
                endSession()
                tables?.close()
            }
        }
    }

    func read<R: Sendable>(
        _ body: (TableTransaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if let tables { return try tables.read(body) }
        return try OpenTables.read(folder, patience: patience) { tables throws(StorageError) in
            try tables.read { transaction throws(StorageError) in
                var isStore = !transaction.tables.isEmpty
                if !isStore { isStore = try transaction.openTables(makes: false) }
                guard isStore else { throw Self.emptyTablesError(folder) }
                return try body(transaction)
            }
        }
    }

    func write<R: Sendable>(
        _ body: (TableTransaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard let tables else { throw readOnlyError }
        return try tables.write(body)
    }

    package var readOnlyError: StorageError {
        StorageError(.readOnly, path: folder.path, "the store is open for reading only", hint: "open it for writing")
    }

    // MARK: Reading

    /// What the store says about itself.
    /// - Throws: `StorageError`.
    package func metadata() throws(StorageError) -> StoreMetadata {
        try read { transaction throws(StorageError) in try transaction.metadata(path: folder.path) }
    }

    /// Reads all that is stored, as of one moment. Complexity: O(bytes).
    /// - Throws: `StorageError`.
    package func contents() throws(StorageError) -> StoredContents {
        try read { transaction throws(StorageError) in try transaction.contents(path: folder.path) }
    }

    // MARK: Writing

    /// Number of the last change that was written.
    package var lastChange: UInt64 { log.withLock { $0.last } }

    /// Bytes of the changes written since the last checkpoint.
    package var logByteCount: Int { log.withLock { $0.bytes } }

    /// Writes changes behind all others, together: when this returns, they are stored with the chosen durability.
    ///
    /// - Parameter fileByteCount: Size of the files that the changes name, and that are not part of the state yet.
    /// - Throws: `StorageError`; then none of the changes is stored, unless the disk failed in the middle, after which
    ///   nothing can be written until the store is reopened.
    package func append(_ changes: [[UInt8]], beside fileByteCount: Int = 0) throws(StorageError) {
        if changes.isEmpty { return }
        try log.withLock { log throws(StorageError) in
            try checkIdentity()
            let (last, isOver) = log.last.addingReportingOverflow(UInt64(changes.count))
            if isOver { throw StorageError(.corrupted, path: folder.path, "the log has no number left") }
            let first = log.last + 1
            try write { transaction throws(StorageError) in
                for (offset, change) in changes.enumerated() {
                    let number = StoreKeys.key(first + UInt64(offset))
                    try transaction.put(transaction.logEntry(change), for: number, in: .log)
                }
            }
            log.last = last
            // Files cost no reading of the log, but they stay until a state is written that does without them.
            log.bytes += changes.reduce(fileByteCount / 4) { $0 + $1.count }
        }
    }

    /// Writes one change.
    /// - Throws: `StorageError`, as for several.
    package func append(_ change: [UInt8]) throws(StorageError) { try append([change]) }

    /// Replaces the state by one that holds all changes up to a number, and removes these from the log.
    ///
    /// - Parameter parts: All parts of the state; those that are stored just so are not written again.
    /// - Throws: `StorageError`; then nothing has changed.
    package func checkpoint(
        _ parts: [String: [UInt8]], through number: UInt64, metadata: StoreMetadata? = nil
    ) throws(StorageError) {
        try checkWritable()
        tables?.forgetDeadReaders()
        try maintenance.withLock { _ throws(StorageError) in
            try writeState(parts, through: number, metadata: metadata)
        }
        log.withLock { $0.bytes = 0 }
        try syncState()
    }

    private func writeState(
        _ parts: [String: [UInt8]], through number: UInt64, metadata: StoreMetadata?
    ) throws(StorageError) {
        try write { transaction throws(StorageError) in
            var gone: [[UInt8]] = []
            var unchanged: Set<String> = []
            try transaction.forEach(in: .state) { key, value throws(StorageError) in
                let name = String(decoding: key, as: UTF8.self)
                if parts[name] == value { unchanged.insert(name) }
                if parts[name] == nil { gone.append(key) }
            }
            for key in gone { try transaction.delete(key, in: .state) }
            for (name, value) in parts where !unchanged.contains(name) {
                try transaction.put(value, for: Array(name.utf8), in: .state)
            }
            try transaction.deletePrefix(of: .log) { StoreKeys.number($0) <= number }
            try transaction.put(transaction.through(number), for: StoreKeys.through, in: .meta)
            if var metadata {
                metadata.generation = try transaction.metadata(path: folder.path).generation
                try transaction.put(metadata.bytes(path: folder.path), for: StoreKeys.metadata, in: .meta)
            }
        }
    }

    /// Makes the last commit last where commits do not wait for that: before files go that only an older state names.
    /// - Throws: `StorageError`.
    package func syncState() throws(StorageError) {
        if durability == .normal { try tables?.sync() }
    }

    /// - Throws: `StorageError` of codes `readOnly` and `missing`.
    package func checkWritable() throws(StorageError) {
        // While the tables are being replaced they are neither the old ones nor the new ones.
        try log.withLock { _ throws(StorageError) in
            guard let owner else { throw readOnlyError }
            try owner.writing { () throws(StorageError) in try checkTables(owner) }
        }
    }

    /// Runs a body that writes, names or removes files of the store.
    /// - Throws: `StorageError` of the body, and as `checkWritable`.
    package func writing<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        try checkWritable()
        guard let owner else { throw readOnlyError }
        return try owner.writing(body)
    }

    private func checkIdentity() throws(StorageError) {
        guard let owner else { throw readOnlyError }
        try owner.checkLock()
        try checkTables(owner)
    }

    /// A file that was removed can still be written, and all of it would be lost.
    func checkTables(_ owner: OwnedFolder) throws(StorageError) {
        guard let identity = identity.withLock({ $0 }), try owner.tables() == identity else {
            throw OwnedFolder.replaced(folder)
        }
    }

    // MARK: The store as a whole

    /// Copies the tables, as of one moment, into a folder that exists, and tells what they hold.
    /// - Throws: `StorageError`.
    func copyTables(to folder: OpenFolder) throws(StorageError) -> StoredContents {
        try withTables { tables throws(StorageError) in try tables.copy(to: folder) }
        let copy = try TableFile(path: folder.path, in: folder, access: .readWithoutLock, durability: .full)
        defer { copy.close() }
        return try copy.read { transaction throws(StorageError) in
            guard try transaction.openTables(makes: false) else {
                throw StorageError(.notAStore, path: self.folder.path, "nothing was ever stored here")
            }
            return try transaction.contents(path: self.folder.path)
        }
    }

    private func withTables<R: Sendable>(_ body: (TableFile) throws(StorageError) -> R) throws(StorageError) -> R {
        if let tables { return try body(tables) }
        return try OpenTables.read(folder, patience: patience, body)
    }

    /// Puts a copy of the tables in their place, with the last changes.
    /// - Throws: `StorageError`.
    func replaceTables(_ tables: TableFile, by copy: inout TableCopy) throws(StorageError) {
        // No change comes between the last one that is copied and the first one that is written to the copy.
        try log.withLock { _ throws(StorageError) in
            try checkIdentity()
            guard let owner else { throw readOnlyError }
            try copy.finish()
            defer { identity.withLock { $0 = try? owner.tables() } }
            try OpenTables.replace(tables, of: owner)
        }
    }

    /// How large the tables are.
    /// - Throws: `StorageError`.
    package func sizes() throws(StorageError) -> StorageSizes {
        var sizes = StorageSizes()
        sizes.tables = try withTables { tables throws(StorageError) in try tables.byteCount() }
        let (log, state, free) = try read { transaction throws(StorageError) in
            (try transaction.sizes(of: .log), try transaction.sizes(of: .state), try transaction.freeByteCount())
        }
        sizes.log = Int(clamping: log.bytes)
        sizes.state = Int(clamping: state.bytes)
        sizes.logEntries = Int(clamping: log.entries)
        sizes.free = Int(clamping: free)
        return sizes
    }
}
