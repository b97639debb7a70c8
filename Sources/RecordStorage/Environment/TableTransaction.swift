// One transaction over the tables of a store.

internal import CLMDB
internal import CXXHash

/// The tables of a store.
enum Table: String, CaseIterable {
    /// What the store is: its format, and the libraries that wrote it.
    case meta
    /// The changes that the state does not hold yet, by number.
    case log
    /// The state after some change, in parts.
    case state

    fileprivate var index: Int {
        switch self {
        case .meta: 0
        case .log: 1
        case .state: 2
        }
    }
}

/// Reads and writes entries; every value is stored behind a checksum of it and its key. Used by one thread, inside the
/// body that it is given to.
@safe final class TableTransaction {
    private var handle: OpaquePointer?
    /// The numbers by which LMDB knows the tables; empty until they were opened.
    private(set) var tables: [UInt32]
    /// The folder that holds the file.
    let path: String
    /// Whether it is a writing one that is used for reading, because the list of readers is full.
    private let onlyReads: Bool
    /// Whether it failed because the address space is used up.
    private(set) var isFull = false

    /// Bytes in front of each value.
    private static let checksumSize = 8

    init(_ handle: OpaquePointer, _ tables: [UInt32], path: String, onlyReads: Bool = false) {
        unsafe self.handle = handle
        self.tables = tables
        self.path = path
        self.onlyReads = onlyReads
    }

    private func check(_ status: Int32, _ action: String) throws(StorageError) {
        if status == 0 { return }
        isFull = status == Int32(CLMDB_MAP_FULL)
        throw TableFile.error(status, action, path: path)
    }

    private var open: OpaquePointer {
        get throws(StorageError) {
            guard let handle = unsafe handle else {
                throw StorageError(.ioFailure, path: path, "the transaction has ended")
            }
            return unsafe handle
        }
    }

    /// The number of the last commit that a reader sees, and the own number of a writer.
    var number: UInt64 {
        get throws(StorageError) { unsafe clmdb_number(try open) - (onlyReads ? 1 : 0) }
    }

    func commit() throws(StorageError) {
        let handle = unsafe try open
        unsafe self.handle = nil
        // SAFETY: the handle is used no more, as LMDB requires whatever the result.
        try check(unsafe clmdb_commit(handle), "cannot write the changes")
    }

    func abort() {
        // SAFETY: as in `commit`.
        if let handle = unsafe handle { unsafe clmdb_abort(handle) }
        unsafe handle = nil
    }

    // MARK: Tables

    /// Finds the tables; false when there are none, and they are not to be made.
    func openTables(makes: Bool) throws(StorageError) -> Bool {
        var numbers: [UInt32] = []
        for table in Table.allCases {
            var number: UInt32 = 0
            let status = unsafe clmdb_table(try open, table.rawValue, makes ? 1 : 0, &number)
            if status == Int32(CLMDB_NOT_FOUND), numbers.isEmpty { return false }
            try check(status, "cannot open the table \(table.rawValue)")
            numbers.append(number)
        }
        tables = numbers
        return true
    }

    private func number(of table: Table) throws(StorageError) -> UInt32 {
        guard table.index < tables.count else {
            throw StorageError(.ioFailure, path: path, "the table \(table.rawValue) was not opened")
        }
        return tables[table.index]
    }

    // MARK: Entries

    /// The value of a key, or `nil`.
    /// - Throws: `StorageError`, of code `corrupted` for bytes that were not written so.
    func value(of key: [UInt8], in table: Table) throws(StorageError) -> [UInt8]? {
        var bytes: UnsafeRawPointer?
        var count = 0
        let status = unsafe clmdb_get(try open, try number(of: table), key, key.count, &bytes, &count)
        if status == Int32(CLMDB_NOT_FOUND) { return nil }
        try check(status, "cannot read the table \(table.rawValue)")
        // SAFETY: LMDB gives so many bytes, which stay until the transaction writes or ends.
        return unsafe try payload(of: key, UnsafeRawBufferPointer(start: bytes, count: count), table)
    }

    /// Stores a value, in place of an earlier one of the key. Complexity: O(bytes + log entries).
    /// - Throws: `StorageError`.
    func put(_ value: [UInt8], for key: [UInt8], in table: Table) throws(StorageError) {
        var room: UnsafeMutableRawPointer?
        let size = Self.checksumSize + value.count
        let status = unsafe clmdb_reserve(try open, try number(of: table), key, key.count, &room, size)
        try check(status, "cannot write the table \(table.rawValue)")
        guard let room = unsafe room else { return }
        // SAFETY: LMDB gave room for so many bytes, to be filled before anything else is written.
        unsafe room.storeBytes(of: Self.checksum(key, value).littleEndian, as: UInt64.self)
        unsafe value.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            unsafe (room + Self.checksumSize).copyMemory(from: source, byteCount: bytes.count)
        }
    }

    /// Takes an entry away, if there is one.
    /// - Throws: `StorageError`.
    func delete(_ key: [UInt8], in table: Table) throws(StorageError) {
        let status = unsafe clmdb_delete(try open, try number(of: table), key, key.count)
        if status != Int32(CLMDB_NOT_FOUND) { try check(status, "cannot write the table \(table.rawValue)") }
    }

    /// The entries of a table from a key on, up to so many bytes of values, but at least one if there is one.
    /// - Throws: `StorageError`, of code `corrupted` for bytes that were not written so.
    func entries(
        of table: Table, after key: [UInt8]?, byteCount: Int
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        try unsafe withCursor(table) { cursor throws(StorageError) in
            var entries: [(key: [UInt8], value: [UInt8])] = []
            var size = 0
            var next = unsafe try entry(of: table) {
                // The key that is right behind another one has a zero more.
                if let from = key.map({ $0 + [0] }) {
                    unsafe clmdb_cursor_seek(cursor, from, from.count, $0, $1, $2, $3)
                } else {
                    unsafe clmdb_cursor_next(cursor, $0, $1, $2, $3)
                }
            }
            while let (key, value) = unsafe next, size < byteCount {
                entries.append((key, unsafe try payload(of: key, value, table)))
                size += value.count
                unsafe next = try entry(of: table) { unsafe clmdb_cursor_next(cursor, $0, $1, $2, $3) }
            }
            return entries
        }
    }

    /// Visits all entries of a table in order of keys.
    /// - Throws: `StorageError`, of code `corrupted` for bytes that were not written so.
    func forEach(
        in table: Table, _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Void
    ) throws(StorageError) {
        unsafe try visit(table) { _, key, value throws(StorageError) in
            try body(key, unsafe payload(of: key, value, table))
            return true
        }
    }

    /// The key of the last entry of a table, or `nil`.
    /// - Throws: `StorageError`.
    func lastKey(in table: Table) throws(StorageError) -> [UInt8]? {
        unsafe try withCursor(table) { cursor throws(StorageError) in
            unsafe try entry(of: table) { unsafe clmdb_cursor_last(cursor, $0, $1, $2, $3) }?.key
        }
    }

    /// Takes away the entries at the beginning of a table whose keys pass a test.
    /// - Throws: `StorageError`.
    func deletePrefix(of table: Table, where isDeleted: ([UInt8]) -> Bool) throws(StorageError) {
        unsafe try visit(table) { cursor, key, _ throws(StorageError) in
            guard isDeleted(key) else { return false }
            try check(unsafe clmdb_cursor_delete(cursor), "cannot write the table \(table.rawValue)")
            return true
        }
    }

    /// Bytes of the pages of a table, and its entries.
    /// - Throws: `StorageError`.
    func sizes(of table: Table) throws(StorageError) -> (bytes: UInt64, entries: UInt64) {
        var (bytes, entries): (UInt64, UInt64) = (0, 0)
        let status = unsafe clmdb_table_sizes(try open, try number(of: table), &bytes, &entries)
        try check(status, "cannot measure the table \(table.rawValue)")
        return (bytes, entries)
    }

    /// Bytes of the pages that no table has any more; 0 where they cannot be told, as a reader has no place in the
    /// list.
    /// - Throws: `StorageError`. Complexity: O(transactions that left such pages).
    func freeByteCount() throws(StorageError) -> UInt64 {
        if onlyReads { return 0 }
        var bytes: UInt64 = 0
        try check(unsafe clmdb_free_bytes(try open, &bytes), "cannot measure the free room")
        return bytes
    }

    private func visit(
        _ table: Table,
        _ body: (OpaquePointer, _ key: [UInt8], _ value: UnsafeRawBufferPointer) throws(StorageError) -> Bool
    ) throws(StorageError) {
        unsafe try withCursor(table) { cursor throws(StorageError) in
            while let (key, value) = try unsafe entry(of: table, { unsafe clmdb_cursor_next(cursor, $0, $1, $2, $3) }) {
                guard try unsafe body(cursor, key, value) else { return }
            }
        }
    }

    private func withCursor<R>(
        _ table: Table, _ body: (OpaquePointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        var cursor: OpaquePointer?
        try check(
            unsafe clmdb_cursor_open(try open, try number(of: table), &cursor),
            "cannot read the table \(table.rawValue)")
        guard let cursor = unsafe cursor else {
            throw StorageError(.ioFailure, path: path, "cannot read the table \(table.rawValue)")
        }
        // SAFETY: the cursor is closed once, before its transaction ends.
        defer { unsafe clmdb_cursor_close(cursor) }
        return try unsafe body(cursor)
    }

    private typealias Step = (
        UnsafeMutablePointer<UnsafeRawPointer?>, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeRawPointer?>,
        UnsafeMutablePointer<Int>
    ) -> Int32

    /// The entry that a cursor moves to; `nil` behind the last.
    private func entry(
        of table: Table, _ step: Step
    ) throws(StorageError) -> (key: [UInt8], value: UnsafeRawBufferPointer)? {
        var (key, value): (UnsafeRawPointer?, UnsafeRawPointer?)
        var (keyCount, valueCount) = (0, 0)
        let status = unsafe step(&key, &keyCount, &value, &valueCount)
        if status == Int32(CLMDB_NOT_FOUND) { return nil }
        try check(status, "cannot read the table \(table.rawValue)")
        // SAFETY: LMDB gives so many bytes; the key is copied, the value used before the next step.
        return unsafe (
            Array(UnsafeRawBufferPointer(start: key, count: keyCount)),
            UnsafeRawBufferPointer(start: value, count: valueCount)
        )
    }

    // MARK: Checksums

    private func payload(
        of key: [UInt8], _ bytes: UnsafeRawBufferPointer, _ table: Table
    ) throws(StorageError) -> [UInt8] {
        guard bytes.count >= Self.checksumSize else { throw damaged(table) }
        // SAFETY: the count was checked.
        let checksum = unsafe UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let payload = unsafe [UInt8](bytes[Self.checksumSize...])
        guard Self.checksum(key, payload) == checksum else { throw damaged(table) }
        return payload
    }

    private func damaged(_ table: Table) -> StorageError {
        StorageError(
            .corrupted, path: path, "an entry of the table \(table.rawValue) is not as it was written",
            hint: "restore a backup")
    }

    private static func checksum(_ key: [UInt8], _ value: [UInt8]) -> UInt64 {
        // SAFETY: arrays hold as many bytes as they count.
        unsafe cxxhash_checksum(value, value.count) &* 31 &+ cxxhash_checksum(key, key.count)
    }
}
