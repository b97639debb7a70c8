// The tables of a store: one LMDB environment, from keys to values.

internal import CLMDB
import Glibc
import Synchronization

/// How long a commit waits for the disk.
package enum Durability: String, Hashable, Sendable, CaseIterable {
    /// Until what it wrote is on the disk: nothing that was acknowledged is lost, whatever fails.
    case full
    /// Until its data are on the disk: when the machine fails, the last commit may be lost, as a whole.
    case normal
    /// Not at all: what the process has acknowledged survives its own end, and a failure of the machine may cost the
    /// store.
    case off

    fileprivate var options: UInt32 {
        switch self {
        case .full: 0
        case .normal: UInt32(CLMDB_NO_META_SYNC)
        case .off: UInt32(CLMDB_NO_SYNC)
        }
    }
}

/// A file of tables. In this process one transaction runs at a time; readers of other processes hold up nobody.
final class TableFile: Sendable {
    /// How a file is opened.
    enum Access: Hashable, Sendable {
        case write
        case read
        /// Where not even the list of readers may be written: a writer beside may take pages away from under a
        /// transaction, which checksums then find.
        case readWithoutLock
    }

    // SAFETY: the environment is used by whoever has locked the state, and LMDB's environments belong to no thread.
    @safe private struct State: @unchecked Sendable {
        /// `nil` after `close`, when other tables that took the place of these could not be opened yet, and when there
        /// was no room in the address space to map them again.
        var environment: OpaquePointer?
        var isClosed = false
        var tables: [UInt32] = []
        /// Whether the file got its name and a failure of the machine might still take that away.
        var isNameUncertain = false
        /// Pages that the file had when it was last looked whether readers keep some that are no more.
        var checkedPages: UInt64 = 0
        /// Whether the pages were looked at: LMDB would believe all that they say.
        var isChecked = false
        /// The last commit that this process made or found when it opened the file.
        var lastCommit: UInt64?
    }

    /// The folder that holds the file, where it was when it was opened.
    let path: String
    /// The folder, if it is open.
    private let folder: OpenFolder?
    private let access: Access
    private let durability: Durability
    private let state: Mutex<State>

    /// Address space of a new environment; it grows by doubling.
    private static let firstMapSize = 1 << 30
    private static let largestMapSize = 1 << 46

    /// Opens the file of a folder, which a writer makes if there is none.
    ///
    /// - Parameter folder: The folder, if it is open.
    /// - Throws: `StorageError`.
    init(
        path: String, in folder: OpenFolder? = nil, access: Access, durability: Durability
    ) throws(StorageError) {
        (self.path, self.folder) = (path, folder)
        self.access = access
        self.durability = durability
        let environment = unsafe try Self.open(path, in: folder, access, durability)
        state = Mutex(unsafe State(environment: environment))
    }

    private static func open(
        _ path: String, in folder: OpenFolder?, _ access: Access, _ durability: Durability
    ) throws(StorageError) -> OpaquePointer? {
        let store = StoreFolder(path: path)
        let location = folder?.location ?? path
        // LMDB would wait for a pipe, follow a link, and write its list of readers over what is there.
        for file in [store.tables, store.readerTable] { try StorePart.file.check(file) }
        if try StoreFolder(path: location).holdsStore() { _ = try TablePages(store.tables, in: folder) }
        if access != .readWithoutLock {
            try ReaderTable.allocate(store.readerTable, in: folder, isOptional: access == .read)
        }
        var options = durability.options
        switch access {
        case .write: break
        case .read: options |= UInt32(CLMDB_READ_ONLY)
        case .readWithoutLock: options |= UInt32(CLMDB_READ_ONLY) | UInt32(CLMDB_NO_LOCK)
        }
        var environment: OpaquePointer?
        // SAFETY: on success the environment belongs to the caller, which closes it once.
        let status = unsafe clmdb_open(location, firstMapSize, options, &environment)
        guard status == 0 else { throw error(status, "cannot open the tables", path: path) }
        return unsafe environment
    }

    deinit { close() }

    /// Ends all use. Nothing happens when the file was closed before.
    func close() {
        state.withLock { state in
            Self.letGo(&state)
            state.isClosed = true
        }
    }

    /// Closes the environment, which the next transaction opens again.
    private static func letGo(_ state: inout State) {
        // SAFETY: the environment is open, without a transaction, and is used no more.
        if let environment = unsafe state.environment { unsafe clmdb_close(environment) }
        unsafe state.environment = nil
    }

    /// Whether `close` was not called yet.
    var isOpen: Bool { state.withLock { !$0.isClosed } }

    /// What a call of LMDB failed for.
    static func error(_ status: Int32, _ action: String, path: String) -> StorageError {
        switch Int(status) {
        case Int(CLMDB_VERSION_MISMATCH):
            StorageError(.incompatibleVersion, path: path, "\(action): the tables are of another version of LMDB")
        case Int(CLMDB_INVALID):
            StorageError(.notAStore, path: path, "\(action): data.mdb is no file of tables")
        case Int(CLMDB_PANIC):
            StorageError(
                .ioFailure, path: path, "\(action): an earlier write failed half-way", hint: "open the store again")
        case Int(CLMDB_NOT_FOUND), Int(CLMDB_PAGE_NOT_FOUND), Int(CLMDB_CORRUPTED):
            StorageError(.corrupted, path: path, "\(action): the tables contradict themselves")
        case Int(CLMDB_READERS_FULL):
            StorageError(
                .locked, path: path, "\(action): so many processes read the tables that the list of readers is full",
                hint: "try again when some of them are done")
        case Int(CLMDB_MAP_FULL):
            StorageError(
                .diskFull, path: path, "\(action): the tables find no address space to grow into",
                hint: "raise the limit of the process's address space and try again: what was stored is unharmed")
        // That is all LMDB says of a disk that took a part of what was written.
        case Int(EIO) where DiskRoom.isUsedUp(path): StorageError(path: path, action, number: ENOSPC)
        case ..<0: StorageError(.ioFailure, path: path, "\(action): LMDB gives error \(status)")
        default: StorageError(path: path, action, number: status)
        }
    }

    // MARK: Transactions

    /// Runs a body that sees one state of the tables.
    /// - Throws: `StorageError` of the body; `missing` when the file was closed.
    func read<R: Sendable>(_ body: (TableTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
        try state.withLock { state throws(StorageError) in try run(&state, writes: false, body) }
    }

    /// Runs a body whose changes count together, or not at all when it throws. It may be run several times.
    /// - Throws: `StorageError` of the body, or why the changes could not be written.
    func write<R: Sendable>(_ body: (TableTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
        try state.withLock { state throws(StorageError) in try run(&state, writes: true, body) }
    }

    private func run<R>(
        _ state: inout State, writes: Bool, _ body: (TableTransaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let environment = unsafe try ready(&state)
        if writes { try prepareWriting(&state) }
        while true {
            let transaction = unsafe try begin(environment, &state, writes: writes)
            do throws(StorageError) {
                if !state.isChecked, !writes {
                    var pages = try TablePages(StoreFolder(path: path).tables, in: folder)
                    try pages.check(number: transaction.number)
                    state.isChecked = true
                }
                let number = try transaction.number
                if writes, let last = state.lastCommit, number != last &+ 1 { throw foreignCommitError }
                let result = try body(transaction)
                try transaction.commit()
                if writes || state.lastCommit == nil { state.lastCommit = number }
                state.tables = transaction.tables
                return result
            } catch {
                transaction.abort()
                guard transaction.isFull, unsafe grow(environment, &state) else { throw error }
            }
        }
    }

    /// What this process knows of the tables is not all that they hold: its next change would take the number of
    /// another's.
    private var foreignCommitError: StorageError {
        StorageError(
            .locked, path: path, "another process wrote the store while this one had it open for writing",
            hint: "open the store again; nothing but its own process may remove writer.lock")
    }

    /// The environment; opened now if that failed after the tables were replaced, or if they could not be mapped.
    private func ready(_ state: inout State) throws(StorageError) -> OpaquePointer {
        guard !state.isClosed else { throw StorageError(.missing, path: path, "the store was closed") }
        if unsafe state.environment == nil { try reopen(&state) }
        guard let environment = unsafe state.environment else {
            throw StorageError(.missing, path: path, "the tables are not open")
        }
        return unsafe environment
    }

    /// - Throws: `StorageError` when what is written might be in a file that the machine forgets.
    private func prepareWriting(_ state: inout State) throws(StorageError) {
        if state.isNameUncertain {
            try syncNames()
            state.isNameUncertain = false
        }
        guard let environment = unsafe state.environment else { return }
        var (pages, size): (UInt64, UInt64) = (0, 0)
        // A file that has grown may have done so for readers that are no more.
        guard unsafe clmdb_sizes(environment, &pages, &size) == 0, pages > state.checkedPages else { return }
        state.checkedPages = pages
        _ = unsafe clmdb_forget_dead_readers(environment)
    }

    private func begin(
        _ environment: OpaquePointer, _ state: inout State, writes: Bool
    ) throws(StorageError) -> TableTransaction {
        var handle: OpaquePointer?
        // SAFETY: the environment is open while the state is locked; no other transaction is.
        var status = unsafe clmdb_begin(environment, writes ? 0 : 1, &handle)
        if status == Int32(CLMDB_MAP_RESIZED) {
            status = unsafe map(0, environment, &state)
            if status == 0 { status = unsafe clmdb_begin(environment, writes ? 0 : 1, &handle) }
        }
        // A writing transaction needs no place in the list of readers.
        let isBorrowed = status == Int32(CLMDB_READERS_FULL) && access == .write
        if isBorrowed { status = unsafe clmdb_begin(environment, 0, &handle) }
        guard status == 0, let handle = unsafe handle else {
            throw Self.error(status, "cannot begin a transaction", path: path)
        }
        return unsafe TableTransaction(handle, state.tables, path: path, onlyReads: isBorrowed)
    }

    /// Doubles the address space; false when that cannot be.
    private func grow(_ environment: OpaquePointer, _ state: inout State) -> Bool {
        // SAFETY: the environment is open, and its one transaction has ended.
        let size = unsafe clmdb_map_size(environment)
        guard size < Self.largestMapSize else { return false }
        return unsafe map(size * 2, environment, &state) == 0
    }

    /// Gives the environment another size of its map, 0 for that of the file. LMDB unmaps the tables before: where it
    /// finds no room then, their environment is let go, for whatever uses it would read what is not there.
    private func map(_ size: Int, _ environment: OpaquePointer, _ state: inout State) -> Int32 {
        let status = unsafe clmdb_set_map_size(environment, size)
        if status != 0 { Self.letGo(&state) }
        return status
    }

    // MARK: The file as a whole

    /// Writes a copy of one state of all tables into a folder.
    /// - Throws: `StorageError`.
    func copy(to folder: OpenFolder) throws(StorageError) {
        let location = folder.location
        unsafe try use("cannot copy the tables", to: folder.path) { environment in
            unsafe clmdb_copy(environment, location)
        }
    }

    /// Gives the place of this file to another one, whose pages have been looked at. Nobody else has this one open. At
    /// every instant the store has one of both files, whole.
    ///
    /// - Parameter owner: The folder of this file. The other file is in its part of segments; nobody has it open.
    /// - Throws: `StorageError`; then the file is the old one or the new one. If it could not be opened again, the next
    ///   transaction tries to.
    func replace(in owner: OwnedFolder) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            try owner.checkLock()
            _ = unsafe try ready(&state)
            Self.letGo(&state)
            // Its number is that of another file.
            state.lastCommit = nil
            let (new, store) = (StoreFolder(path: owner.segments.location), StoreFolder(path: owner.root.location))
            // Whoever reads without the gate keeps the list of readers of the old file: its numbers are not those of
            // the new.
            unsafe unlink(store.readerTable)
            let failure = unsafe rename(new.tables, store.tables) == 0 ? 0 : errno
            state.isNameUncertain = failure == 0
            try reopen(&state)
            state.isChecked = failure == 0
            if failure != 0 { throw StorageError(path: path, "cannot name the new tables", number: failure) }
            try syncNames()
            state.isNameUncertain = false
        }
    }

    private func reopen(_ state: inout State) throws(StorageError) {
        (state.tables, state.isChecked, state.checkedPages) = ([], false, 0)
        unsafe state.environment = try Self.open(path, in: folder, access, durability)
        do throws(StorageError) {
            guard let environment = unsafe state.environment else { throw emptyError }
            let transaction = unsafe try begin(environment, &state, writes: false)
            defer { transaction.abort() }
            guard try transaction.openTables(makes: false) else { throw emptyError }
            // Their numbers hold for other transactions, too, when this one ends well.
            try transaction.commit()
            state.tables = transaction.tables
        } catch {
            Self.letGo(&state)
            throw error
        }
    }

    private var emptyError: StorageError {
        StorageError(.corrupted, path: path, "the tables hold nothing", hint: "restore a backup")
    }

    /// Waits until all commits are on the disk.
    /// - Throws: `StorageError`.
    func sync() throws(StorageError) {
        unsafe try use("cannot write the tables") { environment in unsafe clmdb_sync(environment) }
    }

    /// Lets pages go that readers kept who are no more.
    func forgetDeadReaders() {
        unsafe try? use("cannot check readers") { environment in unsafe clmdb_forget_dead_readers(environment) }
    }

    /// Bytes of the file that hold or held something.
    /// - Throws: `StorageError`.
    func byteCount() throws(StorageError) -> Int {
        var (pages, size): (UInt64, UInt64) = (0, 0)
        unsafe try use("cannot measure the tables") { environment in unsafe clmdb_sizes(environment, &pages, &size) }
        return Int(clamping: pages.multipliedReportingOverflow(by: size).partialValue)
    }

    /// Brings the name of the file to the disk.
    private func syncNames() throws(StorageError) {
        if let folder { try folder.sync() } else { try StoreFolder.sync(path) }
    }

    private func use(
        _ action: String, to target: String? = nil, _ body: (OpaquePointer) -> Int32
    ) throws(StorageError) {
        let status = try state.withLock { state throws(StorageError) in unsafe body(try ready(&state)) }
        if status != 0 { throw Self.error(status, action, path: target ?? path) }
    }
}
