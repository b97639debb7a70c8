// The pages of a file of tables, read without LMDB: whether they are what LMDB will take them for.
//
// LMDB trusts the pages of its file: a changed byte may lead it anywhere. Values carry checksums of ours, and all that
// leads to them is looked at here before LMDB opens it: heads, pages, places of entries, order of keys, free pages.

import Glibc

/// Walks the trees of one state of a file of tables.
struct TablePages {
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let version: UInt32 = 1
    private static let headSize = 16
    private static let tableSize = 48
    private static let noPage = UInt64.max
    private static let pageSizes: Set = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]
    /// Pages that the file may be shorter than its head says: the last ones of a transaction may be left out.
    private static let slack: UInt64 = 1 << 20

    /// What is at the front of the file, twice: LMDB writes them in turn.
    private struct Head {
        let free: Table
        let main: Table
        let lastPage: UInt64
        let number: UInt64
    }

    /// The tree of a table.
    private struct Table {
        let flags: UInt16
        let depth: UInt16
        let pages: (branches: UInt64, leaves: UInt64, overflows: UInt64)
        let entries: UInt64
        let root: UInt64
    }

    private enum Flag {
        static let branch: UInt16 = 1
        static let leaf: UInt16 = 2
        static let overflow: UInt16 = 4
        static let meta: UInt16 = 8
        /// Of an entry: its value has pages of its own.
        static let large: UInt16 = 1
        /// Of an entry: its value is a table.
        static let table: UInt16 = 2
        /// Of a table: its keys are numbers.
        static let numbers: UInt16 = 8
    }

    /// What was found in a tree so far.
    private struct Walk {
        var pages: (branches: UInt64, leaves: UInt64, overflows: UInt64) = (0, 0, 0)
        var entries: UInt64 = 0
        var lastKey: [UInt8]?
        /// Whether the last key is a boundary: the next may be the same.
        var isAtBoundary = false
        let hasNumbers: Bool
    }

    private let file: MappedFile
    private let pageSize: Int
    private let heads: [Head]
    private var lastPage: UInt64 = 0
    /// Pages that a table or the list of free pages has.
    private var taken: Set<UInt64> = []

    /// Reads the heads of a file.
    ///
    /// - Parameter folder: The folder that the file lies in, if that is open.
    /// - Throws: `StorageError` of codes `notAStore`, `incompatibleVersion`, `corrupted`.
    init(_ path: String, in folder: OpenFolder? = nil) throws(StorageError) {
        file = try MappedFile(path, in: folder)
        pageSize = try Self.pageSize(of: file, path)
        let size = pageSize
        var heads: [Head] = []
        for index in 0..<2 { heads.append(try Self.head(of: file, at: index * size, path)) }
        self.heads = heads
    }

    /// The size that both heads give.
    /// - Throws: `StorageError`, of code `notAStore` where nothing says that there ever were tables.
    private static func pageSize(of file: MappedFile, _ path: String) throws(StorageError) -> Int {
        let first = try mark(of: file, at: 0, path)
        var second: (version: UInt32, pageSize: Int)?
        if let first, pageSizes.contains(first.pageSize) {
            second = try mark(of: file, at: first.pageSize, path)
        } else {
            // The head that is left says where it is.
            for size in pageSizes.sorted() where second == nil && size + headSize + 136 <= file.size {
                second = try mark(of: file, at: size, path).flatMap { $0.pageSize == size ? $0 : nil }
            }
        }
        let isNone = first == nil && second == nil
        if isNone, try !isOfStore(path) {
            throw StorageError(.notAStore, path: path, "data.mdb is no file of tables")
        }
        guard let first, let second, first == second, pageSizes.contains(first.pageSize) else {
            throw StorageError(
                .corrupted, path: path, "the heads of the tables are damaged: they do not agree",
                hint: "restore a backup")
        }
        guard first.version == version else {
            throw StorageError(
                .incompatibleVersion, path: path, "the tables are of version \(first.version) of LMDB's form")
        }
        return first.pageSize
    }

    /// What a head says of the file; `nil` for bytes that are no head.
    private static func mark(
        of file: MappedFile, at offset: Int, _ path: String
    ) throws(StorageError) -> (version: UInt32, pageSize: Int)? {
        let bytes = try Bytes(file, offset, headSize + 136, path)
        guard try bytes.u16(10) & Flag.meta != 0, try bytes.u32(16) == magic else { return nil }
        return (try bytes.u32(20), Int(try bytes.u32(40)))
    }

    /// Whether a file lies among others of a store, and so was one of its tables.
    private static func isOfStore(_ path: String) throws(StorageError) -> Bool {
        let folder = StoreFolder(path: String(path.dropLast("/data.mdb".count)))
        if try StoreFolder.exists(folder.readerTable) { return true }
        guard try StoreFolder.exists(folder.segments) else { return false }
        return try folder.files(in: folder.segments).count > 0
    }

    private static func head(of file: MappedFile, at offset: Int, _ path: String) throws(StorageError) -> Head {
        let bytes = try Bytes(file, offset, headSize + 136, path)
        return Head(
            free: try table(bytes, 40), main: try table(bytes, 88), lastPage: try bytes.u64(136),
            number: try bytes.u64(144))
    }

    private static func table(_ bytes: Bytes, _ offset: Int) throws(StorageError) -> Table {
        Table(
            flags: try bytes.u16(offset + 4), depth: try bytes.u16(offset + 6),
            pages: (try bytes.u64(offset + 8), try bytes.u64(offset + 16), try bytes.u64(offset + 24)),
            entries: try bytes.u64(offset + 32), root: try bytes.u64(offset + 40))
    }

    // MARK: Trees

    /// Checks all that the state of a number leads to.
    ///
    /// - Parameter number: The last commit that a transaction sees.
    /// - Throws: `StorageError` of code `corrupted`.
    mutating func check(number: UInt64) throws(StorageError) {
        guard let place = heads.firstIndex(where: { $0.number == number }) else {
            throw damaged("no head is of commit \(number)")
        }
        let (head, other) = (heads[place], heads[1 - place])
        let isNew = head.number == 0 && other.number == 0
        // Beside a writer, the other head may be of the next commit by now.
        let isNext = head.number == other.number &+ 1 || other.number == head.number &+ 1
        guard isNew || (isNext && number % 2 == UInt64(place)) else {
            throw damaged("the heads are of commits \(head.number) and \(other.number)")
        }
        lastPage = head.lastPage
        guard lastPage >= 1, lastPage < UInt64(file.size / pageSize) + Self.slack else {
            throw damaged("there are fewer pages than \(lastPage)")
        }
        taken = [0, 1]
        var tables: [Table] = []
        try walk(head.main, hasNumbers: false) { pages, flags, _, value throws(StorageError) in
            guard flags == Flag.table, value.count == Self.tableSize else {
                throw pages.damaged("an entry among the tables is none")
            }
            tables.append(try Self.table(value, 0))
        }
        for table in tables {
            guard table.flags & ~Flag.numbers == 0 else { throw damaged("a table is of an unknown kind") }
            try walk(table, hasNumbers: table.flags & Flag.numbers != 0) { pages, flags, _, _ throws(StorageError) in
                if flags & ~Flag.large != 0 { throw pages.damaged("an entry is of an unknown kind") }
            }
        }
        try walk(head.free, hasNumbers: true) { pages, flags, key, value throws(StorageError) in
            if flags & ~Flag.large != 0 { throw pages.damaged("an entry is of an unknown kind") }
            try pages.takeFree(key, value, before: number)
        }
    }

    /// Notes the free pages of an entry: their number, and theirs in falling order.
    private mutating func takeFree(_ key: Bytes, _ value: Bytes, before number: UInt64) throws(StorageError) {
        let count = try value.u64(0)
        guard key.count == 8, try key.u64(0) <= number, count < UInt64(value.count / 8) else {
            throw damaged("the list of free pages contradicts itself")
        }
        var last = UInt64.max
        for index in 0..<Int(count) {
            let page = try value.u64(8 + 8 * index)
            guard page < last else { throw damaged("free pages are out of order") }
            try take(page)
            last = page
        }
    }

    private mutating func take(_ page: UInt64) throws(StorageError) {
        guard page >= 2, page <= lastPage else { throw damaged("page \(page) is out of bounds") }
        guard taken.insert(page).inserted else { throw damaged("page \(page) is used twice") }
    }

    private typealias Visitor = (
        _ pages: inout TablePages, _ flags: UInt16, _ key: Bytes, _ value: Bytes
    ) throws(StorageError) -> Void

    private mutating func walk(_ table: Table, hasNumbers: Bool, _ visit: Visitor) throws(StorageError) {
        if table.root == Self.noPage {
            guard table.entries == 0, table.depth == 0 else { throw damaged("a table without pages has entries") }
            return
        }
        // LMDB follows no more levels than this.
        guard table.depth >= 1, table.depth <= 32 else { throw damaged("a table has \(table.depth) levels") }
        var walk = Walk(hasNumbers: hasNumbers)
        try descend(table.root, Int(table.depth), &walk, visit)
        guard walk.entries == table.entries, walk.pages == table.pages else {
            throw damaged("a table has not the entries or pages that it should have")
        }
    }

    private mutating func descend(
        _ page: UInt64, _ level: Int, _ walk: inout Walk, _ visit: Visitor
    ) throws(StorageError) {
        try take(page)
        let bytes = try self.bytes(page, count: 1)
        let (lower, upper) = (Int(try bytes.u16(12)), Int(try bytes.u16(14)))
        guard try bytes.u64(0) == page, lower >= Self.headSize, lower <= upper, upper <= pageSize, lower % 2 == 0,
            try bytes.u16(10) == (level > 1 ? Flag.branch : Flag.leaf)
        else { throw damaged("page \(page) has a wrong head") }
        let count = (lower - Self.headSize) / 2
        guard count >= 1 else { throw damaged("page \(page) has no entries") }
        if level > 1 { walk.pages.branches += 1 } else { walk.pages.leaves += 1 }
        for index in 0..<count {
            let place = Int(try bytes.u16(Self.headSize + 2 * index))
            guard place >= upper else { throw damaged("page \(page) has an entry in its free room") }
            let words = (try bytes.u16(place), try bytes.u16(place + 2), try bytes.u16(place + 4))
            let key = try bytes.part(place + 8, Int(try bytes.u16(place + 6)))
            if level > 1 {
                // The first key of a branch stands for all that come before the second.
                if index > 0 { try checkOrder(key, &walk, isBoundary: true) }
                let child = UInt64(words.0) | UInt64(words.1) << 16 | UInt64(words.2) << 32
                try descend(child, level - 1, &walk, visit)
            } else {
                try checkOrder(key, &walk, isBoundary: false)
                walk.entries += 1
                let size = Int(words.0) | Int(words.1) << 16
                let value = try self.value(
                    bytes, place + 8 + key.count, size, isLarge: words.2 & Flag.large != 0, &walk)
                try visit(&self, words.2, key, value)
            }
        }
    }

    private mutating func value(
        _ bytes: Bytes, _ place: Int, _ size: Int, isLarge: Bool, _ walk: inout Walk
    ) throws(StorageError) -> Bytes {
        if !isLarge { return try bytes.part(place, size) }
        let page = try bytes.u64(place)
        let count = (Self.headSize - 1 + size) / pageSize + 1
        guard page <= lastPage, UInt64(count) <= lastPage - page + 1 else { throw damaged("a value is out of bounds") }
        for offset in 0..<UInt64(count) { try take(page + offset) }
        walk.pages.overflows += UInt64(count)
        let pages = try self.bytes(page, count: count)
        guard try pages.u64(0) == page, try pages.u16(10) == Flag.overflow, try pages.u32(12) == UInt32(count) else {
            throw damaged("page \(page) has a wrong head")
        }
        return try pages.part(Self.headSize, size)
    }

    /// Checks that a key comes behind the keys before it; the boundary of two pages may be the key that follows.
    private func checkOrder(_ key: Bytes, _ walk: inout Walk, isBoundary: Bool) throws(StorageError) {
        let bytes = key.reversed(walk.hasNumbers)
        if walk.hasNumbers, bytes.count != 8 { throw damaged("a number is no number") }
        if let last = walk.lastKey, !last.lexicographicallyPrecedes(bytes) {
            guard !isBoundary, last == bytes, walk.isAtBoundary else { throw damaged("keys are out of order") }
        }
        walk.lastKey = bytes
        walk.isAtBoundary = isBoundary
    }

    private func bytes(_ page: UInt64, count: Int) throws(StorageError) -> Bytes {
        guard page < UInt64(file.size / pageSize) else { throw damaged("page \(page) lies behind the end of the file") }
        return try Bytes(file, Int(page) * pageSize, count * pageSize, file.path)
    }

    fileprivate func damaged(_ reason: String) -> StorageError {
        StorageError(.corrupted, path: file.path, "the tables are damaged: \(reason)", hint: "restore a backup")
    }
}

/// Some bytes of a file; every read is checked. Offsets and sizes are of numbers without a sign.
private struct Bytes {
    private let file: MappedFile
    private let start: Int
    let count: Int
    private let path: String

    /// - Throws: `StorageError` of code `corrupted` for bytes that the file does not have.
    init(_ file: MappedFile, _ start: Int, _ count: Int, _ path: String) throws(StorageError) {
        guard unsafe count == 0 || file.bytes(start, count) != nil else {
            throw StorageError(
                .corrupted, path: path, "the file of tables was cut off", hint: "restore a backup")
        }
        (self.file, self.start, self.count, self.path) = (file, start, count, path)
    }

    func part(_ offset: Int, _ size: Int) throws(StorageError) -> Bytes {
        guard offset <= count, size <= count - offset else { throw outside }
        return try Bytes(file, start + offset, size, path)
    }

    func u16(_ offset: Int) throws(StorageError) -> UInt16 { UInt16(truncatingIfNeeded: try number(offset, 2)) }
    func u32(_ offset: Int) throws(StorageError) -> UInt32 { UInt32(truncatingIfNeeded: try number(offset, 4)) }
    func u64(_ offset: Int) throws(StorageError) -> UInt64 { try number(offset, 8) }

    private func number(_ offset: Int, _ size: Int) throws(StorageError) -> UInt64 {
        guard offset <= count - size, let bytes = unsafe file.bytes(start + offset, size) else {
            throw outside
        }
        // SAFETY: there are `size` bytes.
        return unsafe bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// All of the bytes, from the last to the first if so wanted.
    func reversed(_ isReversed: Bool) -> [UInt8] {
        // SAFETY: the range was checked when this was made, and is copied.
        guard let bytes = unsafe file.bytes(start, count) else { return [] }
        return isReversed ? unsafe bytes.reversed() : unsafe Array(bytes)
    }

    private var outside: StorageError {
        StorageError(.corrupted, path: path, "the tables are damaged: a part lies outside of its page")
    }
}
