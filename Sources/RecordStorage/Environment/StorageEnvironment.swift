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
    private let tables: TableFile?
    private let lock: WriterLock?
    private let log = Mutex(Log())
    private let identity: FileIdentity?

    private static let metadataKey = Array("store".utf8)
    private static let throughKey = Array("through".utf8)

    /// Opens a store; a writer makes one where there is none.
    ///
    /// - Parameter metadata: What a new store says about itself.
    /// Throws: `StorageError`.
    package init(
        path: String, mode: Mode, durability: Durability = .full, new metadata: StoreMetadata
    ) throws(StorageError) {
        folder = StoreFolder(path: path)
        (self.mode, self.durability) = (mode, durability)
        if mode == .readWrite {
            try folder.make()
            lock = try WriterLock(path: folder.writerLock)
            tables = try OpenTables.openForWriting(folder, durability)
        } else {
            try folder.checkHoldsStore()
            (lock, tables) = (nil, nil)
        }
        identity = FileIdentity(path: folder.tables)
        do throws(StorageError) {
            if mode == .readWrite { try prepare(metadata) }
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// Finds the tables, or makes them in a store that is new.
    private func prepare(_ metadata: StoreMetadata) throws(StorageError) {
        let last = try read { transaction throws(StorageError) -> UInt64? in
            guard try transaction.openTables(makes: false) else { return nil }
            // Nothing of a store in a newer form is touched.
            _ = try self.metadata(transaction)
            let through = try transaction.value(of: Self.throughKey, in: .meta)
            return try (transaction.lastKey(in: .log) ?? through).map { Self.number($0) } ?? 0
        }
        if let last {
            log.withLock { $0.last = last }
            return
        }
        let bytes = try metadata.bytes(path: folder.path)
        try write { transaction throws(StorageError) in
            _ = try transaction.openTables(makes: true)
            try transaction.put(bytes, for: Self.metadataKey, in: .meta)
            try transaction.put(Self.through(0, transaction), for: Self.throughKey, in: .meta)
        }
    }

    /// Ends all use, and lets another writer in. Nothing happens when it was closed before.
    package func close() {
        tables?.close()
        lock?.release()
    }

    private func read<R: Sendable>(
        _ body: (TableTransaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if let tables { return try tables.read(body) }
        return try OpenTables.read(folder) { tables throws(StorageError) in
            try tables.read { transaction throws(StorageError) in
                var isStore = !transaction.tables.isEmpty
                if !isStore { isStore = try transaction.openTables(makes: false) }
                guard isStore else {
                    throw StorageError(.notAStore, path: folder.path, "nothing was ever stored here")
                }
                return try body(transaction)
            }
        }
    }

    private func write<R: Sendable>(
        _ body: (TableTransaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard let tables else { throw readOnlyError }
        return try tables.write(body)
    }

    private var readOnlyError: StorageError {
        StorageError(.readOnly, path: folder.path, "the store is open for reading only", hint: "open it for writing")
    }

    // MARK: Reading

    /// What the store says about itself.
    /// Throws: `StorageError`.
    package func metadata() throws(StorageError) -> StoreMetadata {
        try read { transaction throws(StorageError) in try metadata(transaction) }
    }

    private func metadata(_ transaction: TableTransaction) throws(StorageError) -> StoreMetadata {
        guard let bytes = try transaction.value(of: Self.metadataKey, in: .meta) else {
            throw StorageError(.corrupted, path: folder.path, "the store does not say which form it has")
        }
        return try StoreMetadata(bytes, path: folder.path)
    }

    /// Reads all that is stored, as of one moment. Complexity: O(bytes).
    /// Throws: `StorageError`.
    package func contents() throws(StorageError) -> StoredContents {
        try read { transaction throws(StorageError) in
            var contents = StoredContents(metadata: try metadata(transaction))
            try transaction.forEach(in: .state) { key, value throws(StorageError) in
                contents.parts[String(decoding: key, as: UTF8.self)] = value
            }
            let through = try transaction.value(of: Self.throughKey, in: .meta) ?? []
            var expected = Self.number(through)
            // Every commit of the tables leaves its number: an older state of them is noticed.
            var commit = Self.number(through.dropFirst(8))
            try transaction.forEach(in: .log) { key, value throws(StorageError) in
                expected += 1
                guard Self.number(key) == expected else {
                    throw StorageError(.corrupted, path: folder.path, "the log lacks change \(expected)")
                }
                commit = max(commit, Self.number(value))
                contents.log.append(Array(value.dropFirst(8)))
            }
            guard try transaction.number == commit else {
                throw StorageError(.corrupted, path: folder.path, "the tables are not those of commit \(commit)")
            }
            return contents
        }
    }

    // MARK: Writing

    /// Number of the last change that was written.
    package var lastChange: UInt64 { log.withLock { $0.last } }

    /// Bytes of the changes written since the last checkpoint.
    package var logByteCount: Int { log.withLock { $0.bytes } }

    /// Writes a change behind all others: when this returns, it is stored as durably as was asked for.
    ///
    /// Throws: `StorageError`; then the change is not stored, unless the disk failed in the middle, after which nothing
    /// can be written until the store is opened anew.
    package func append(_ change: [UInt8]) throws(StorageError) {
        try checkWritable()
        try log.withLock { log throws(StorageError) in
            let number = log.last + 1
            try write { transaction throws(StorageError) in
                try transaction.put(Self.key(transaction.number) + change, for: Self.key(number), in: .log)
            }
            log.last = number
            log.bytes += change.count
        }
    }

    /// Replaces the state by one that holds all changes up to a number, and removes these from the log.
    ///
    /// - Parameter parts: All parts of the state; those that are stored just so are not written again.
    /// Throws: `StorageError`; then nothing has changed.
    package func checkpoint(
        _ parts: [String: [UInt8]], through number: UInt64, metadata: StoreMetadata? = nil
    ) throws(StorageError) {
        try checkWritable()
        tables?.forgetDeadReaders()
        let bytes = try metadata?.bytes(path: folder.path)
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
            try transaction.deletePrefix(of: .log) { Self.number($0) <= number }
            try transaction.put(Self.through(number, transaction), for: Self.throughKey, in: .meta)
            if let bytes { try transaction.put(bytes, for: Self.metadataKey, in: .meta) }
        }
        log.withLock { $0.bytes = 0 }
    }

    /// Throws: `StorageError` of codes `readOnly` and `missing`.
    package func checkWritable() throws(StorageError) {
        guard mode == .readWrite else { throw readOnlyError }
        // A file that was removed can still be written, and all of it would be lost.
        guard let identity, FileIdentity(path: folder.tables) == identity else {
            throw StorageError(
                .missing, path: folder.path, "the folder of the store was removed or replaced while it was open")
        }
    }

    // MARK: The store as a whole

    /// Copies the tables, as of one moment, into a folder that exists.
    /// Throws: `StorageError`.
    package func copyTables(to folder: StoreFolder) throws(StorageError) {
        try withTables { tables throws(StorageError) in try tables.copy(to: folder.path) }
    }

    private func withTables<R: Sendable>(_ body: (TableFile) throws(StorageError) -> R) throws(StorageError) -> R {
        if let tables { return try body(tables) }
        return try OpenTables.read(folder, body)
    }

    /// How large the tables are.
    /// Throws: `StorageError`.
    package func sizes() throws(StorageError) -> StorageSizes {
        var sizes = StorageSizes()
        sizes.tables = try withTables { tables throws(StorageError) in try tables.byteCount() }
        let pageSize = 4096
        let (log, state) = try read { transaction throws(StorageError) in
            (try transaction.sizes(of: .log), try transaction.sizes(of: .state))
        }
        sizes.log = Int(clamping: log.pages) * pageSize
        sizes.state = Int(clamping: state.pages) * pageSize
        sizes.logEntries = Int(clamping: log.entries)
        sizes.free = max(0, sizes.tables - sizes.log - sizes.state)
        return sizes
    }

    // MARK: Numbers as keys

    private static func key(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }

    private static func number(_ key: some Sequence<UInt8>) -> UInt64 {
        key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The number of the last change that the state holds, and of the commit that said so.
    private static func through(_ number: UInt64, _ transaction: TableTransaction) throws(StorageError) -> [UInt8] {
        key(number) + key(try transaction.number)
    }
}
