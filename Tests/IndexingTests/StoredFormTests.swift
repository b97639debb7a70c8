// Stored structures are checked before they are relied on: each part at the edges of what it may be.

import RecordModel
import Testing
import TextAnalysis

@testable import Indexing
@testable import RecordColumns

@Suite struct StoredFormTests {
    private static func fails(_ read: () throws -> Void) -> Bool {
        do {
            try read()
            return false
        } catch { return error is BlockError }
    }

    /// The rows of one stretch of three bytes, as a list or as a bitmap.
    private struct Stretch: Sendable {
        var rowCount = 70
        var codes: [UInt32] = [9]
        var starts: [Int32] = [-1]
        var counts: [UInt32] = [70]
        var rows: [UInt16] = []
        var words: [UInt64] = [~0, 0x3F]
        var blocks = 1
        var isRight = false

        func read() throws -> TrigramIndex {
            let block = TrigramBlock(
                codes: ColumnBuffer(codes), starts: ColumnBuffer(starts), counts: ColumnBuffer(counts),
                rows: ColumnBuffer(rows), words: ColumnBuffer(words), wordCount: (rowCount + 63) / 64)
            let written = TrigramIndex(rowCount: rowCount, rowBlocks: Array(repeating: block, count: blocks)).blocks
            return try TrigramIndex(from: StoredBlocks.reader(written), rowCount: rowCount)
        }
    }

    private static let stretches: [Stretch] = [
        Stretch(isRight: true), Stretch(words: [~0, 0x7F]), Stretch(words: [~0, 0x3F | 1 << 63]), Stretch(words: [~0]),
        Stretch(counts: [71]), Stretch(starts: [-2]), Stretch(starts: [-2], words: [0, 0, ~0, 0x3F], isRight: true),
        Stretch(starts: [-2], words: [0, 0, ~0, 0x7F]), Stretch(rowCount: 64, counts: [64], words: [~0], isRight: true),
        Stretch(starts: [0], counts: [2], rows: [0, 69], words: [], isRight: true),
        Stretch(starts: [0], counts: [2], rows: [0, 70], words: []),
        Stretch(starts: [0], counts: [3], rows: [0, 69], words: []),
        Stretch(starts: [1], counts: [1], rows: [0, 69], words: [], isRight: true),
        Stretch(starts: [1], counts: [2], rows: [0, 69], words: []), Stretch(codes: [1 << 18]),
        Stretch(codes: [1 << 18 - 1], isRight: true), Stretch(starts: []), Stretch(counts: []), Stretch(blocks: 0),
        Stretch(blocks: 2),
    ]

    @Test(arguments: stretches.indices) func stretchesHoldRowsThatThereAre(_ number: Int) throws {
        let stretch = Self.stretches[number]
        #expect(Self.fails { _ = try stretch.read() } == !stretch.isRight)
        guard stretch.isRight else { return }
        let found = try stretch.read().rowBlocks[0].rows(.codes([stretch.codes[0]]))
        #expect(found.count == Int(stretch.counts[0]) && found.allSatisfy { Int($0) < stretch.rowCount })
    }

    // MARK: Orders and places

    /// An order has keys of its family.
    @Test func ordersHaveKeysOfTheirFamily() throws {
        let cases: [(values: [FieldValue], changes: [(String, Int64)], isRight: Bool)] = [
            (["b", "a"], [], true), (["b", "a"], [("family", 0)], false), (["b", "a"], [("family", 1)], false),
            (["b", "a"], [("family", 3)], false), (["b", "a"], [("family", 4)], false),
            (["b", "a"], [("keys", 0)], false), (["b", "a"], [("keys", 3)], false),
            (["b", "a"], [("options", 256)], false), (["b", "a"], [("options", -1)], false),
            (["b", "a"], [("mayJoin", 2)], false), (["b", "a"], [("isOverLists", 2)], false),
            ([2, 1], [], true), ([2, 1], [("family", 2)], false), ([2, 1], [("family", 3)], false),
            ([2, 1], [("family", 4)], false), ([0.5, 1], [], true), ([0.5, 1], [("family", 2)], false),
            ([0.5, 1], [("keys", 2)], false),
        ]
        for (values, changes, isRight) in cases {
            let column = try Column.of("v", count: values.count) { values[$0] }
            let tree = try #require(OrderedIndex.build(over: column)).blocks.replacing { other in
                for (name, number) in changes { other[name] = .number(number) }
            }
            let reader = StoredBlocks.reader(tree)
            let fails = Self.fails { _ = try OrderedIndex(from: reader, rowCount: values.count, of: column) }
            #expect(fails == !isRight, "\(values) \(changes)")
        }
    }

    /// The places of `x`, 300 times in the first row of two, and of `y`, once in each.
    private struct Places: Sendable {
        var counts: [UInt8] = [255, 1, 1]
        var entries = [0]
        var totals = [300]
        var starts: [UInt32] = [0]
        var lengths: [UInt32] = [301, 1]
        var count = 302
        var isRight = false

        func read(_ index: OrderedIndex) throws -> WordPositions {
            var tree = WrittenBlocks()
            tree.add("counts", counts)
            tree.add("largeEntries", entries)
            tree.add("largeCounts", totals)
            tree.add("blockStarts", starts)
            tree.add("rowLengths", lengths)
            tree.add("halves", (0..<count).map { UInt16($0 < 301 ? $0 : 0) })
            return try WordPositions(from: StoredBlocks.reader(tree), index: index)
        }
    }

    private static let places: [Places] = [
        Places(isRight: true), Places(totals: [301]), Places(totals: [299]), Places(entries: [], totals: []),
        Places(entries: [1]), Places(entries: [3]), Places(entries: [-1]),
        Places(entries: [0, 0], totals: [300, 300]),
        Places(totals: [255], count: 257), Places(totals: [256], count: 258, isRight: true), Places(totals: []),
        Places(counts: [255, 1]), Places(counts: [254, 1, 1]), Places(starts: [1]), Places(starts: []),
        Places(starts: [0, 302]), Places(lengths: [301]), Places(count: 301), Places(count: 303),
    ]

    @Test(arguments: places.indices) func placesAddUpToTheirCounts(_ number: Int) throws {
        let rows = [Array(repeating: "x", count: 300).joined(separator: " ") + " y", "y"]
        let column = try Column.of("v", count: 2) { .string(rows[$0]) }
        let tokenizer = Tokenizer(options: [])
        let index = try #require(OrderedIndex.buildTokens(over: [column], rowCount: 2, tokenizer: tokenizer))
        let places = Self.places[number]
        #expect(Self.fails { _ = try places.read(index) } == !places.isRight)
        guard number == 0 else { return }
        let built = try #require(WordPositions.build(over: [column], index: index, tokenizer: tokenizer))
        #expect(try places.read(index).blocks.isSame(as: built.blocks))
    }

    // MARK: Parts

    private static func tree() throws -> BlockReader {
        var tree = WrittenBlocks()
        tree.add("five", 5)
        tree.add("minus", -1)
        tree.add("one", 1)
        tree.add("two", 2)
        tree.add("bits", bits: .max)
        try tree.add("id", Record.ID("r"))
        tree.add("numbers", [0, 3, 3, 7] as [UInt32])
        tree.add("rising", [0, 3, 4, 7] as [UInt32])
        tree.add("falling", [0, 3, 2, 7] as [UInt32])
        tree.add("late", [1, 2] as [UInt32])
        tree.add("zero", [0] as [UInt32])
        tree.add("none", [] as [UInt32])
        tree.add("short", [1, 9] as [UInt16])
        tree.add("words", [~0, ~0] as [UInt64])
        var inner = WrittenBlocks()
        inner.add("six", 6)
        tree.add("inner", inner)
        tree.add("list", [inner, WrittenBlocks()])
        return StoredBlocks.reader(tree)
    }

    @Test func numbersAreInTheirRange() throws {
        let reader = try Self.tree()
        #expect(try reader.number("five") == 5 && reader.number("five", 5...5) == 5)
        #expect(try reader.number("minus", -1...0) == -1 && reader.bits("bits") == .max && reader.bits("minus") == .max)
        #expect(try reader.flag("one") && reader.structure("inner").number("six") == 6)
        #expect(try reader.structures("list").map { $0.has("six") } == [true, false])
        #expect(try reader.value("id") == Record.ID("r") && reader.has("none") && !reader.has("missing"))
        for range in [0...4, 6...9] { #expect(Self.fails { _ = try reader.number("five", range) }) }
        for name in ["minus", "missing", "numbers", "inner"] { #expect(Self.fails { _ = try reader.number(name) }) }
        #expect(Self.fails { _ = try reader.flag("two") } && Self.fails { _ = try reader.flag("minus") })
        #expect(Self.fails { _ = try reader.value("five", of: Record.ID.self) })
        #expect(Self.fails { _ = try reader.value("id", of: FieldType.self) })
        #expect(Self.fails { _ = try reader.structure("list") } && Self.fails { _ = try reader.structures("inner") })
        let error = #expect(throws: BlockError.self) { try reader.structure("inner").number("seven") }
        #expect(error?.part == "index.inner.seven")
        let second = #expect(throws: BlockError.self) { try reader.structures("list")[1].number("six") }
        #expect(second?.part == "index.list.1.six")
    }

    @Test func blocksHaveTheElementsThatAreExpected() throws {
        let reader = try Self.tree()
        #expect(try reader.array("numbers", of: UInt32.self) == [0, 3, 3, 7])
        #expect(try reader.array("numbers", of: UInt64.self, count: 2).count == 2)
        #expect(try reader.array("none", of: UInt32.self, count: 0) == [])
        for count in [0, 3, 5] {
            #expect(Self.fails { _ = try reader.array("numbers", of: UInt32.self, count: count) })
        }
        #expect(Self.fails { _ = try reader.array("short", of: UInt64.self) })
        #expect(Self.fails { _ = try reader.array("five", of: UInt64.self) })
        #expect(try reader.numbers("numbers", count: 4, below: 8).count == 4)
        #expect(try reader.numbers("none", below: 0).count == 0 && reader.shortNumbers("short", below: 10).count == 2)
        #expect(Self.fails { _ = try reader.numbers("numbers", below: 7) })
        #expect(Self.fails { _ = try reader.numbers("zero", below: 0) })
        #expect(Self.fails { _ = try reader.numbers("numbers", count: 3, below: 8) })
        #expect(Self.fails { _ = try reader.shortNumbers("short", below: 9) })
    }

    @Test func boundsAscendFromNothingToTheEnd() throws {
        let reader = try Self.tree()
        #expect(try reader.bounds("numbers", count: 3, end: 7).count == 4)
        #expect(try reader.bounds("rising", end: 7, isStrict: true).count == 4)
        #expect(try reader.bounds("zero", count: 0, end: 0).count == 1)
        #expect(Self.fails { _ = try reader.bounds("numbers", end: 7, isStrict: true) })
        for (name, end) in [("falling", 7), ("late", 2), ("none", 0), ("numbers", 8), ("numbers", 6), ("zero", 1)] {
            #expect(Self.fails { _ = try reader.bounds(name, end: end) }, "\(name) \(end)")
        }
        for count in [2, 4] { #expect(Self.fails { _ = try reader.bounds("numbers", count: count, end: 7) }) }
        for count in [65, 70, 127, 128] {
            let bitmap = try reader.bitmap("words", count: count)
            #expect(bitmap.count == count && bitmap.cardinality == count)
        }
        for count in [64, 129] { #expect(Self.fails { _ = try reader.bitmap("words", count: count) }) }
        #expect(try reader.optionalBitmap("missing", count: 70) == nil)
        #expect(try reader.optionalBitmap("words", count: 70)?.cardinality == 70)
    }

    private static let runs: [(starts: [Int], values: [Int], count: Int, isRight: Bool)] = [
        ([], [], 0, true), ([0], [5], 3, true), ([0, 2], [5, 0], 3, true), ([0, 2, 3], [1, 1, 1], 4, true),
        ([], [], 1, false), ([0], [5], 0, false), ([1], [5], 3, false), ([0, 0], [5, 6], 3, false),
        ([0, 3], [5, 6], 3, false), ([0, 4], [5, 6], 3, false), ([0, 2, 1], [1, 2, 3], 4, false),
        ([0], [-1], 3, false), ([0], [.max / 4], 3, false), ([0], [.max / 4 - 1], 3, true), ([0, 1], [5], 3, false),
    ]

    @Test(arguments: runs.indices) func runsFollowOneAnother(_ number: Int) throws {
        let (starts, values, count, isRight) = Self.runs[number]
        var tree = WrittenBlocks()
        tree.add("starts", starts)
        tree.add("values", values)
        let reader = StoredBlocks.reader(tree)
        #expect(Self.fails { _ = try RunLengthMap(from: reader, count: count) } == !isRight)
        guard isRight else { return }
        let map = try RunLengthMap(from: reader, count: count)
        #expect(map.count == count && zip(starts, values).allSatisfy { map[$0] == $1 })
        #expect(map.blocks.isSame(as: tree))
    }

    /// What finds texts has room, and numbers of texts that there are.
    @Test func tablesHoldNumbersThatThereAre() throws {
        let full = [UInt64](repeating: 0, count: 8)
        func reads(_ slots: [UInt64], count: Int, below limit: Int) -> Bool {
            var tree = WrittenBlocks()
            tree.add("count", count)
            tree.add("key0", bits: 1)
            tree.add("key1", bits: 3)
            tree.add("slots", slots)
            return !Self.fails { _ = try ByteIndex(from: StoredBlocks.reader(tree), below: limit) }
        }
        func slots(_ numbers: [UInt64]) -> [UInt64] {
            var slots = full
            for (slot, number) in numbers.enumerated() { slots[slot] = 7 << 32 | number }
            return slots
        }
        #expect(reads(full, count: 0, below: 0) && reads(slots([1, 2]), count: 2, below: 2))
        #expect(reads(slots([1, 2, 3, 4]), count: 4, below: 4))
        #expect(!reads(slots([1, 2, 3, 4, 5]), count: 5, below: 5), "half of the slots are empty")
        #expect(!reads(slots([1, 3]), count: 2, below: 2), "a number is too large")
        #expect(!reads(slots([1, 2]), count: 1, below: 2) && !reads(slots([1, 2]), count: 3, below: 2))
        #expect(!reads(slots([1, 0]), count: 2, below: 2), "an entry without a number")
        #expect(!reads(Array(full.prefix(6)), count: 0, below: 0) && !reads([], count: 0, below: 0))
    }

    // MARK: Columns

    private static func column(_ count: Int, _ fill: (inout WrittenBlocks) throws -> Void) -> Column? {
        var tree = WrittenBlocks()
        guard (try? fill(&tree)) != nil else { return nil }
        tree.add("isASCII", 1)
        tree.add("holdsNaN", 0)
        return try? Column(from: StoredBlocks.reader(tree), count: count)
    }

    @Test func columnsHaveAValueForEachRow() {
        func missing(_ words: [UInt64]?, count: Int) -> Column? {
            Self.column(count) { tree in
                tree.add("kind", 0)
                if let words { tree.add("presence", words) }
            }
        }
        #expect(missing([0], count: 3) != nil && missing([1], count: 3) == nil && missing(nil, count: 3) == nil)
        #expect(missing(nil, count: 0) != nil && missing([8], count: 3) != nil, "bits behind the last row say nothing")
        func dictionary(_ texts: [String], _ codes: [UInt32], presence: UInt64? = nil) -> Column? {
            Self.column(codes.count) { tree in
                tree.add("kind", 7)
                tree.add("codes", codes)
                tree.add("values", TextColumn(texts).blocks)
                if let presence { tree.add("presence", [presence]) }
            }
        }
        #expect(dictionary(["a", "b"], [1, 0])?.value(0) == "b" && dictionary(["a", "b"], [2, 0]) == nil)
        #expect(dictionary([], [0], presence: 0)?.value(0) == .null && dictionary([], [0], presence: 1) == nil)
        #expect(dictionary([], [0]) == nil && dictionary([], []) != nil)
        func lists(_ offsets: [UInt32], elements: Int) -> Column? {
            Self.column(2) { tree in
                tree.add("kind", 11)
                tree.add("offsets", offsets)
                tree.add("elementCount", elements)
                let numbers = try Column.of("n", count: elements) { .int64(Int64($0)) }
                tree.add("elements", try numbers.blocks())
            }
        }
        #expect(lists([0, 1, 3], elements: 3)?.value(1) == [1, 2] && lists([0, 3, 3], elements: 3)?.value(1) == [])
        #expect(lists([0, 2, 1], elements: 1) == nil && lists([0, 1, 2], elements: 3) == nil)
        #expect(lists([1, 2, 3], elements: 3) == nil && lists([0, 3], elements: 3) == nil)
        #expect(Self.column(1) { $0.add("kind", 13) } == nil)
    }

    /// `x` has 300 places in a row that has a hundred other words: the entries are in two blocks of 64.
    @Test("A word of many places leaves the places of other blocks as they are")
    func placesOfOtherBlocks() throws {
        let others = (100..<200).map { "w\($0)" }
        let text = (Array(repeating: "x", count: 300) + others).joined(separator: " ")
        let column = try Column.of("v", count: 1) { _ in .string(text) }
        let tokenizer = Tokenizer(options: [])
        let index = try #require(OrderedIndex.buildTokens(over: [column], rowCount: 1, tokenizer: tokenizer))
        let built = try #require(WordPositions.build(over: [column], index: index, tokenizer: tokenizer))
        let opened = try WordPositions(from: StoredBlocks.reader(built.blocks), index: index)
        #expect(opened.wordCount == 400 && index.entryCount == 101)
        #expect((0..<101).map { opened.count(ofEntry: $0) }.sorted() == Array(repeating: 1, count: 100) + [300])
    }
}
