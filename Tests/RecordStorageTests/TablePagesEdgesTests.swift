// Files of tables that are put together here, page by page, as LMDB has them: what is right is taken, and one number
// that is wrong is enough to refuse all.

import FoundationEssentials
import Testing

@testable import RecordStorage

/// A file of tables under construction.
private struct TableImage {
    struct Table {
        var flags: UInt64 = 0
        var depth: UInt64 = 0
        var branches: UInt64 = 0
        var leaves: UInt64 = 0
        var overflows: UInt64 = 0
        var entries: UInt64 = 0
        var root = UInt64.max

        /// 48 bytes; the first four are the size of pages in a head, and nothing elsewhere.
        var bytes: [UInt8] {
            TableImage.bytes(0, 4) + TableImage.bytes(flags, 2) + TableImage.bytes(depth, 2)
                + [branches, leaves, overflows, entries, root].flatMap { TableImage.bytes($0, 8) }
        }
    }

    /// An entry of a leaf; `size` where it is not that of the value, which has pages of its own then.
    struct Entry {
        var key: [UInt8]
        var value: [UInt8] = []
        var flags: UInt64 = 0
        var size: Int?
    }

    let pageSize: Int
    private(set) var bytes: [UInt8]

    init(pages: Int, pageSize: Int = 512) {
        self.pageSize = pageSize
        bytes = [UInt8](repeating: 0, count: pages * pageSize)
    }

    static func bytes(_ number: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    mutating func put(_ number: UInt64, _ size: Int, _ page: Int, _ offset: Int) {
        put(Self.bytes(number, size), page, offset)
    }

    private mutating func put(_ some: [UInt8], _ page: Int, _ offset: Int) {
        let start = page * pageSize + offset
        bytes.replaceSubrange(start..<start + some.count, with: some)
    }

    mutating func cut(toPages count: Int) { bytes.removeLast(bytes.count - count * pageSize) }

    mutating func cut(to count: Int) { bytes.removeLast(bytes.count - count) }

    mutating func head(_ place: Int, number: UInt64, free: Table, main: Table, lastPage: UInt64) {
        put(UInt64(place), 8, place, 0)
        put(8, 2, place, 10)
        put(0xBEEF_C0DE, 4, place, 16)
        put(1, 4, place, 20)
        put(free.bytes, place, 40)
        put(UInt64(pageSize), 4, place, 40)
        put(main.bytes, place, 88)
        put(lastPage, 8, place, 136)
        put(number, 8, place, 144)
    }

    /// Entries lie at the end of a page, the first one last, without a gap.
    private mutating func page(_ page: Int, flags: UInt64, _ nodes: [[UInt8]]) {
        var end = pageSize
        for (index, node) in nodes.enumerated() {
            end -= node.count
            put(node, page, end)
            put(UInt64(end), 2, page, 16 + 2 * index)
        }
        put(UInt64(page), 8, page, 0)
        put(flags, 2, page, 10)
        put(UInt64(16 + 2 * nodes.count), 2, page, 12)
        put(UInt64(end), 2, page, 14)
    }

    mutating func leaf(_ number: Int, _ entries: [Entry]) {
        page(
            number, flags: 2,
            entries.map { entry in
                Self.bytes(UInt64(entry.size ?? entry.value.count), 4) + Self.bytes(entry.flags, 2)
                    + Self.bytes(UInt64(entry.key.count), 2) + entry.key + entry.value
            })
    }

    mutating func branch(_ number: Int, _ children: [(key: String, page: UInt64)]) {
        page(
            number, flags: 1,
            children.map { key, page in
                Self.bytes(page, 6) + Self.bytes(UInt64(key.utf8.count), 2) + Array(key.utf8)
            })
    }

    mutating func overflow(_ page: Int, count: UInt64) {
        put(UInt64(page), 8, page, 0)
        put(4, 2, page, 10)
        put(count, 4, page, 12)
    }

    // MARK: Whole files

    /// A table `a` of two leaves below a branch, one of its values on pages 6 and 7, and a table `b` of numbers; free
    /// pages are 11 and 10.
    static func whole() -> TableImage {
        var image = TableImage(pages: 12)
        let a = Table(depth: 2, branches: 1, leaves: 2, overflows: 2, entries: 4, root: 3)
        let b = Table(flags: 8, depth: 1, leaves: 1, entries: 2, root: 8)
        // Entries at 455 and 398, their tables 9 bytes further.
        image.leaf(
            2,
            [
                Entry(key: Array("a".utf8), value: a.bytes, flags: 2),
                Entry(key: Array("b".utf8), value: b.bytes, flags: 2),
            ])
        // Entries at 503 and 494. The first key stands for nothing.
        image.branch(3, [("x", 4), ("m", 5)])
        // Entries at 501 and 484.
        image.leaf(
            4,
            [
                Entry(key: Array("c".utf8), value: [1, 2]),
                Entry(key: Array("e".utf8), value: bytes(6, 8), flags: 1, size: 600),
            ])
        // Entries at 503 and 493.
        image.leaf(5, [Entry(key: Array("m".utf8)), Entry(key: Array("z".utf8), value: [9])])
        image.overflow(6, count: 2)
        // Entries at 496 and 480.
        image.leaf(8, [Entry(key: bytes(1, 8)), Entry(key: bytes(256, 8))])
        // An entry at 472, its value at 488.
        image.leaf(9, [Entry(key: bytes(3, 8), value: bytes(2, 8) + bytes(11, 8) + bytes(10, 8))])
        let main = Table(depth: 1, leaves: 1, entries: 2, root: 2)
        let free = Table(flags: 8, depth: 1, leaves: 1, entries: 1, root: 9)
        for place in 0..<2 { image.head(place, number: UInt64(4 + place), free: free, main: main, lastPage: 11) }
        return image
    }

    /// Nothing but two heads.
    static func empty(
        _ numbers: (UInt64, UInt64) = (0, 0), lastPage: UInt64 = 1, pageSize: Int = 512
    ) -> TableImage {
        var image = TableImage(pages: 2, pageSize: pageSize)
        image.head(0, number: numbers.0, free: Table(), main: Table(), lastPage: lastPage)
        image.head(1, number: numbers.1, free: Table(), main: Table(), lastPage: lastPage)
        return image
    }

    /// One entry below so many pages.
    static func chain(depth: Int) -> TableImage {
        let last = UInt64(depth + 2)
        var image = TableImage(pages: depth + 3)
        let table = Table(depth: UInt64(depth), branches: UInt64(depth - 1), leaves: 1, entries: 1, root: 3)
        image.leaf(2, [Entry(key: [1], value: table.bytes, flags: 2)])
        for page in 3..<depth + 2 { image.branch(page, [("", UInt64(page + 1))]) }
        image.leaf(depth + 2, [Entry(key: [1])])
        let main = Table(depth: 1, leaves: 1, entries: 1, root: 2)
        for place in 0..<2 { image.head(place, number: UInt64(place), free: Table(), main: main, lastPage: last) }
        return image
    }
}

@Suite struct TablePagesEdgesTests {
    private typealias Patch = (page: Int, offset: Int, size: Int, number: UInt64)

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Why a file is refused; `nil` for one that is taken.
    private func failure(_ image: TableImage, number: UInt64? = 5) throws -> StorageError.Code? {
        let path = try folder.write(image.bytes, "data.mdb")
        do throws(StorageError) {
            var pages = try TablePages(path)
            if let number { try pages.check(number: number) }
            return nil
        } catch { return error.code }
    }

    private static func patched(_ patches: [Patch]) -> TableImage {
        var image = TableImage.whole()
        for patch in patches { image.put(patch.number, patch.size, patch.page, patch.offset) }
        return image
    }

    @Test func wholeFilesAreTaken() throws {
        for number in [4, 5] as [UInt64] { #expect(try failure(.whole(), number: number) == nil) }
        // Both states, one after the other.
        var pages = try TablePages(folder.write(TableImage.whole().bytes, "data.mdb"))
        try pages.check(number: 5)
        try pages.check(number: 4)
        for numbers in [(0, 0), (0, 1), (2, 1), (.max - 1, .max)] as [(UInt64, UInt64)] {
            for number in [numbers.0, numbers.1] {
                #expect(try failure(.empty(numbers), number: number) == nil, "\(numbers)")
            }
        }
        for pageSize in [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536] {
            #expect(try failure(.empty(pageSize: pageSize), number: 0) == nil, "\(pageSize)")
        }
        for depth in [2, 3, 32] { #expect(try failure(.chain(depth: depth), number: 1) == nil, "\(depth)") }
        #expect(try failure(.chain(depth: 33), number: 1) == .corrupted)
        // The last pages of a transaction may be left out: here the free ones, or a million of them.
        var short = TableImage.whole()
        short.cut(toPages: 10)
        #expect(try failure(short) == nil)
        #expect(try failure(.empty(lastPage: 1 + 1 << 20), number: 0) == nil)
    }

    /// Numbers that may be others.
    private static let right: [[Patch]] = [
        // A page without free room, and a boundary between the keys on both sides.
        [(4, 14, 2, 20)], [(3, 502, 1, 0x66)],
        // Sizes of a value that just need the pages that it has.
        [(4, 484, 2, 497)], [(4, 484, 2, 1_008)],
        // The value is on one page, which is the last; or free pages are of this commit, or fewer.
        [
            (4, 484, 2, 496), (4, 493, 8, 11), (11, 0, 8, 11), (11, 10, 2, 4), (11, 12, 4, 1), (2, 488, 8, 1),
            (9, 496, 8, 10), (9, 504, 8, 7),
        ],
        [(9, 480, 8, 5)], [(9, 488, 8, 1)], [(9, 488, 8, 0)],
        // The other head is of the next commit by now.
        [(0, 144, 8, 6)],
    ]

    @Test(arguments: right.indices) func numbersThatMayBeOthers(_ index: Int) throws {
        #expect(try failure(Self.patched(Self.right[index])) == nil)
    }

    /// Numbers of which each makes the file a damaged one.
    private static let wrong: [[Patch]] = [
        // Heads: commits, the last page, what is said of the tree of tables and of that of free pages.
        [(0, 144, 8, 7)], [(0, 144, 8, 5)], [(0, 144, 8, 0)], [(0, 144, 8, 5), (1, 144, 8, 4)], [(1, 144, 8, 6)],
        [(1, 136, 8, 0)], [(1, 136, 8, 10)], [(1, 136, 8, 12 + 1 << 20)],
        [(1, 94, 2, 0)], [(1, 94, 2, 2)], [(1, 96, 8, 1)], [(1, 104, 8, 2)], [(1, 112, 8, 1)], [(1, 120, 8, 3)],
        [(1, 46, 2, 0)], [(1, 48, 8, 1)], [(1, 56, 8, 2)], [(1, 64, 8, 1)], [(1, 72, 8, 2)], [(1, 80, 8, .max)],
        [(1, 80, 8, .max), (1, 46, 2, 0)], [(1, 80, 8, .max), (1, 72, 8, 0)], [(1, 80, 8, 12)], [(1, 80, 8, 1)],
        [(1, 80, 8, 0)], [(1, 80, 8, 8)],
        // Heads of pages: number, kind, bounds of the free room.
        [(4, 0, 8, 5)], [(4, 10, 2, 1)], [(3, 10, 2, 2)], [(4, 12, 2, 21)], [(4, 12, 2, 16)], [(4, 12, 2, 14)],
        [(4, 12, 2, 18)], [(4, 14, 2, 18)], [(4, 14, 2, 486)], [(4, 14, 2, 600)],
        // A page without entries, of a table that has none.
        [(8, 12, 2, 16), (2, 439, 8, 0)],
        // Entries out of order, or there twice; numbers by their value.
        [(4, 16, 2, 484), (4, 18, 2, 501)], [(5, 18, 2, 503)], [(8, 18, 2, 496)], [(8, 16, 2, 480), (8, 18, 2, 496)],
        [(2, 18, 2, 455)],
        // Boundaries below the key before them, level with it, and above the one behind.
        [(3, 502, 1, 0x64)], [(3, 502, 1, 0x65)], [(3, 502, 1, 0x6E)],
        // Children: one twice, one behind the last page, by each of the three words of its number.
        [(3, 494, 2, 4)], [(3, 494, 2, 12)], [(3, 496, 2, 1)], [(3, 498, 2, 1)],
        // What is said of a table: kind, levels, pages, entries, root.
        [(2, 468, 2, 4)], [(2, 468, 2, 8)], [(2, 470, 2, 1)], [(2, 470, 2, 3)], [(2, 472, 8, 2)], [(2, 480, 8, 3)],
        [(2, 488, 8, 1)], [(2, 496, 8, 5)], [(2, 504, 8, 5)], [(2, 413, 2, 0)],
        // Entries that are no tables, and tables among entries.
        [(2, 459, 2, 0)], [(2, 459, 2, 6)], [(2, 398, 2, 49)], [(2, 398, 2, 47)], [(4, 505, 2, 2)], [(8, 500, 2, 2)],
        [(9, 476, 2, 2)], [(4, 505, 2, 4)],
        // Sizes of values and keys.
        [(5, 493, 2, 20)], [(5, 495, 2, 1)], [(5, 499, 2, 100)], [(8, 486, 2, 7)], [(9, 478, 2, 7)],
        // A value on pages of its own: which they are, how many, and what these say.
        [(4, 493, 8, 8)], [(4, 493, 8, 11)], [(4, 493, 8, 12)], [(4, 493, 8, 1)], [(4, 484, 2, 496)],
        [(4, 484, 2, 1_009)], [(6, 0, 8, 7)], [(6, 10, 2, 2)], [(6, 12, 4, 1)], [(6, 12, 4, 3)],
        // Free pages: of a later commit, more than there are, out of order, out of bounds, or in use.
        [(9, 480, 8, 6)], [(9, 488, 8, 3)], [(9, 496, 8, 10), (9, 504, 8, 11)], [(9, 504, 8, 11)], [(9, 496, 8, 12)],
        [(9, 504, 8, 1)], [(9, 504, 8, 0)], [(9, 504, 8, 8)], [(9, 504, 8, 7)], [(9, 504, 8, 9)], [(9, 504, 8, 2)],
    ]

    @Test(arguments: wrong.indices) func numbersThatDamageAFile(_ index: Int) throws {
        #expect(try failure(Self.patched(Self.wrong[index])) == .corrupted)
    }

    /// What is told of a damaged file: the first thing that is wrong.
    private static let reasons: [(patches: [Patch], reason: String)] = [
        ([(9, 504, 8, 11)], "free pages are out of order"), ([(9, 504, 8, 1)], "page 1 is out of bounds"),
        ([(9, 504, 8, 8)], "page 8 is used twice"), ([(4, 12, 2, 14)], "page 4 has a wrong head"),
        ([(4, 12, 2, 16)], "page 4 has no entries"), ([(4, 14, 2, 600)], "page 4 has a wrong head"),
        ([(4, 14, 2, 512)], "page 4 has an entry in its free room"), ([(4, 484, 2, 4_000)], "a value is out of bounds"),
        // Of two pages, where one is left.
        ([(4, 493, 8, 11)], "a value is out of bounds"),
    ]

    private func reason(_ image: TableImage) throws -> String? {
        let path = try folder.write(image.bytes, "data.mdb")
        do throws(StorageError) {
            var pages = try TablePages(path)
            try pages.check(number: 5)
            return nil
        } catch { return error.reason }
    }

    @Test(arguments: reasons.indices) func whatIsToldOfADamagedFile(_ index: Int) throws {
        let (patches, reason) = Self.reasons[index]
        #expect(try self.reason(Self.patched(patches)) == "the tables are damaged: \(reason)")
    }

    /// A page that is in use begins where the file ends.
    @Test func whatIsToldOfAFileThatIsTooShort() throws {
        var short = TableImage.whole()
        short.cut(toPages: 9)
        #expect(try reason(short) == "the tables are damaged: page 9 lies behind the end of the file")
    }

    @Test func commitsThatNoHeadIsOf() throws {
        for number in [3, 6, 0] as [UInt64] { #expect(try failure(.whole(), number: number) == .corrupted) }
        #expect(try failure(.empty((0, 7)), number: 0) == .corrupted)
        #expect(try failure(.empty((0, 7)), number: 7) == .corrupted)
        #expect(try failure(.empty(lastPage: 0), number: 0) == .corrupted)
        #expect(try failure(.empty(lastPage: 2 + 1 << 20), number: 0) == .corrupted)
        // Pages that are in use are not there.
        var short = TableImage.whole()
        short.cut(toPages: 9)
        #expect(try failure(short) == .corrupted)
    }

    /// Two heads that do not agree are damaged ones; two that are none are those of a store where there is more of it.
    @Test func headsThatAreNone() throws {
        let cases: [(patches: [Patch], code: StorageError.Code)] = [
            ([(0, 20, 4, 2), (1, 20, 4, 2)], .incompatibleVersion), ([(1, 20, 4, 2)], .corrupted),
            ([(0, 40, 4, 1024)], .corrupted), ([(1, 40, 4, 1024)], .corrupted),
            ([(0, 40, 4, 600), (1, 40, 4, 600)], .corrupted), ([(0, 16, 4, 1)], .corrupted),
            ([(1, 16, 4, 1)], .corrupted), ([(0, 10, 2, 0)], .corrupted), ([(1, 10, 2, 4)], .corrupted),
            ([(0, 16, 4, 1), (1, 16, 4, 1)], .notAStore), ([(0, 10, 2, 0), (1, 10, 2, 0)], .notAStore),
        ]
        for (number, item) in cases.enumerated() {
            #expect(try failure(Self.patched(item.patches), number: nil) == item.code, "\(number)")
        }
        // The second head ends with the file, or is not all there.
        var image = Self.patched([(0, 16, 4, 1)])
        image.cut(to: 512 + 152)
        #expect(try failure(image, number: nil) == .corrupted)
        image.cut(to: 512 + 151)
        #expect(try failure(image, number: nil) == .notAStore)
        var zeros = TableImage(pages: 2)
        zeros.cut(to: 640)
        #expect(try failure(zeros, number: nil) == .notAStore)
        zeros.cut(to: 100)
        #expect(try failure(zeros, number: nil) == .corrupted)
    }

    @Test func whatLiesBesideTellsAStore() throws {
        let zeros = TableImage(pages: 2)
        try FileManager.default.createDirectory(atPath: folder.file("segments"), withIntermediateDirectories: true)
        #expect(try failure(zeros, number: nil) == .notAStore)
        _ = try folder.write([1], "segments/1.segment")
        #expect(try failure(zeros, number: nil) == .corrupted)
        _ = try folder.write([], "lock.mdb")
        #expect(try failure(zeros, number: nil) == .corrupted)
    }
}
