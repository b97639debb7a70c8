// Columns as they are stored: the numbers of the format, what is checked, when structures are the same.

import FoundationEssentials
import Geospatial
import OrdinalSets
import RecordModel
import Testing

@testable import RecordColumns

@Suite struct StoredColumnEdgesTests {
    /// The numbers of the kinds of columns are part of the format: none is ever another's.
    @Test func kindsOfColumnsHaveTheirNumbers() throws {
        let long = (0..<20).map { FieldValue.string("text \($0)") }
        let values: [[FieldValue]] = [
            [.null], [1], [0.5], [1, 0.5], [true], [date(1)], long, ["a"], [.data(Data([1]))],
            [.location(Location(latitude: 1, longitude: 2))], [reference("a")], [[1]], [.object([:])],
        ]
        for (kind, values) in values.enumerated() {
            let blocks = try Column.of("v", count: values.count) { values[$0] }.blocks()
            guard case .number(let number)? = blocks["kind"] else {
                Issue.record("no kind of \(values)")
                continue
            }
            #expect(number == Int64(kind), "\(values)")
        }
    }

    /// So are the marks of parts: a structure of one part `n` is its number, the name with its length, the mark.
    @Test func partsHaveTheirMarks() throws {
        let parts: [BlockTree<BlockPlace>.Part] = [
            .number(3), .bytes([7, 8]), .block(BlockPlace(offset: 1, byteCount: 2, checksum: 3)), .tree(BlockTree()),
            .trees([BlockTree(), BlockTree()]),
        ]
        let contents: [[UInt8]] = [[6], [2, 7, 8], [1, 2, 3, 0, 0, 0, 0, 0, 0, 0], [0], [2, 0, 0]]
        for (mark, part) in parts.enumerated() {
            var tree = BlockTree<BlockPlace>()
            tree["n"] = part
            let binary = try tree.binary()
            #expect(binary == [1, 1, UInt8(ascii: "n"), UInt8(mark)] + contents[mark])
            let read = try BlockTree<BlockPlace>(binary: binary)
            #expect(read.parts.map(\.name) == ["n"] && read.blocks == tree.blocks)
            #expect(throws: BinaryError(.unknownKind(5), offset: 3)) {
                try BlockTree<BlockPlace>(binary: [1, 1, UInt8(ascii: "n"), 5])
            }
        }
    }

    /// The parts of structures are compared one by one, names, kinds and bytes.
    @Test func structuresAreTheSameOrNot() throws {
        func tree(_ fill: (inout WrittenBlocks) throws -> Void) rethrows -> WrittenBlocks {
            var tree = WrittenBlocks()
            try fill(&tree)
            return tree
        }
        let inner = tree { $0.add("n", 1) }
        let trees = [
            tree { _ in }, tree { $0.add("n", 1) }, tree { $0.add("n", 2) }, tree { $0.add("m", 1) },
            tree { $0.add("n", [1, 2] as [UInt32]) }, tree { $0.add("n", [1, 3] as [UInt32]) },
            tree { $0.add("n", [1] as [UInt32]) }, tree { $0.add("n", inner) },
            tree { $0.add("n", tree { $0.add("n", 2) }) }, tree { $0.add("n", [inner]) },
            tree { $0.add("n", [inner, inner]) }, tree { $0.add("n", [inner, tree { $0.add("n", 2) }]) },
            try tree { try $0.add("n", Record.ID("a")) }, try tree { try $0.add("n", Record.ID("b")) },
            tree {
                $0.add("n", 1)
                $0.add("m", 1)
            },
        ]
        for (number, one) in trees.enumerated() {
            for (other, two) in trees.enumerated() {
                #expect(one.isSame(as: two) == (number == other), "\(number) \(other)")
            }
        }
    }

    // MARK: What is checked

    private static func texts(_ texts: [[UInt8]]) -> TextColumn {
        let builder = TextBuilder()
        for text in texts { _ = text.withUnsafeBufferPointer { builder.append($0) } }
        return builder.finish()
    }

    /// What is wrong with a segment of a column, by its part; `nil` where nothing is.
    private static func wrongPart(_ columns: [Column], _ names: TextColumn, _ index: ByteIndex? = nil) -> String? {
        let fields = columns.indices.map { FieldDefinition(name: "f\($0)", type: columns[$0].type) }
        let segment = Segment(
            schema: RecordSchema(recordType: "T", fields: fields), zoneID: .default, columns: columns, names: names,
            nameIndex: index)
        do throws(BlockError) { try segment.verify() } catch { return error.part }
        return nil
    }

    @Test func namesAreCheckedAndFound() {
        let twenty = (0..<20).map { "r\($0 % 19)" }
        let names = TextColumn(twenty)
        #expect(Self.wrongPart([], names) == nil && Self.wrongPart([], TextColumn([])) == nil)
        #expect(Self.wrongPart([], names, ByteIndex(of: names)) == nil && Self.wrongPart([], TextColumn(["é"])) == nil)
        func index(_ rows: [Int]) -> ByteIndex {
            let index = ByteIndex()
            for row in rows { names.withBytes(row) { index.insert(ByteHash.hash($0), row) } }
            return index
        }
        #expect(Self.wrongPart([], names, index(Array(0..<18))) == "segment.nameIndex", "one is not found")
        // The last row has the name of the first, which is the one that is found.
        #expect(Self.wrongPart([], names, index(Array(1..<20))) == "segment.nameIndex", "a later one is found")
        #expect(Self.wrongPart([], names, index(Array(0..<20))) == nil)
        for bad: [[UInt8]] in [[[0xFF]], [[0x61], [0xC3], [0xA9]], [[0xC3, 0xA9], [0x80]]] {
            #expect(Self.wrongPart([], Self.texts(bad)) == "segment.names", "\(bad)")
        }
    }

    @Test func textsOfColumnsAreChecked() {
        let none = ColumnBuffer<UInt32>([0])
        func columns(_ texts: TextColumn) -> [(column: Column, part: String)] {
            let lists = ListColumn(
                offsets: ColumnBuffer([0, 1]), elements: Column(values: .text(texts), presence: nil, count: 1))
            let links = ReferenceColumn(codes: none, names: texts, zones: nil, deletesSelf: Bitmap(count: 1))
            let values: [(Column.Values, String)] = [
                (.text(texts), ""), (.dictionary(DictionaryColumn(codes: none, values: texts)), ""),
                (.reference(links), ""), (.list(lists), ".elements"),
            ]
            return values.map { (Column(values: $0, presence: nil, count: 1), "segment.columns.1" + $1) }
        }
        let plain = Column(values: .bool(Bitmap(count: 1)), presence: nil, count: 1)
        let names = TextColumn(["r"])
        for (column, part) in columns(Self.texts([[0x61, 0xFF]])) {
            #expect(Self.wrongPart([plain, column], names) == part)
        }
        for text in ["a", "é", ""] {
            for (column, _) in columns(TextColumn([text])) { #expect(Self.wrongPart([plain, column], names) == nil) }
        }
        // Byte strings are any bytes.
        let bytes = Column(values: .data(Self.texts([[0xFF]])), presence: nil, count: 1)
        #expect(Self.wrongPart([bytes], names) == nil)
    }

    @Test func whatIsKnownOfColumnsIsChecked() {
        func wrong(
            _ values: Column.Values, _ isASCII: Bool, _ holdsNaN: Bool, _ low: Double? = nil, _ high: Double = 0
        ) -> Bool {
            let zones = low.map { ZoneMap(minima: [$0], maxima: [high]) }
            let column = Column(
                values: values, presence: nil, count: 1,
                facts: ColumnStatistics(isASCII: isASCII, holdsNaN: holdsNaN, zones: zones))
            return Self.wrongPart([column], TextColumn(["r"])) == "segment.columns.0"
        }
        let (plain, accent) = (Column.Values.text(TextColumn(["a"])), Column.Values.text(TextColumn(["é"])))
        #expect(!wrong(plain, true, false) && wrong(plain, false, false))
        #expect(!wrong(accent, false, false) && wrong(accent, true, false))
        #expect(wrong(plain, true, true) && wrong(plain, true, false, 1, 1))
        let numbers = Column.Values.double(ColumnBuffer([0.5]))
        #expect(!wrong(numbers, true, false, 0.5, 0.5) && wrong(numbers, true, true, 0.5, 0.5))
        #expect(wrong(numbers, true, false, 0.25, 0.5) && wrong(numbers, true, false, 0.5, 0.75))
        #expect(wrong(numbers, true, false) && wrong(numbers, false, false, 0.5, 0.5))
        let nan = Column.Values.double(ColumnBuffer([.nan]))
        #expect(!wrong(nan, true, true, .infinity, -.infinity))
        #expect(wrong(nan, true, false, .infinity, -.infinity))
    }

    /// What is known of a column is what was found out before, and found out once where nothing was.
    @Test func factsThatAreKnownAreKept() {
        let column = Column(
            values: .double(ColumnBuffer([0.5])), presence: nil, count: 1,
            facts: ColumnStatistics(isASCII: false, holdsNaN: true, zones: ZoneMap(minima: [1], maxima: [2])))
        #expect(!column.isASCII && column.holdsNaN && column.zoneMap?.minima == [1] && column.zoneMap?.maxima == [2])
        let fresh = Column(values: .double(ColumnBuffer([0.5])), presence: nil, count: 1)
        for _ in 0..<2 {
            #expect(fresh.isASCII && !fresh.holdsNaN && fresh.zoneMap?.minima == [0.5])
        }
    }

    /// The parts of an origin have their places in its number, and a segment its name in those of other users.
    @Test func originsHaveTheirBits() {
        #expect(RowOrigin(file: 1, line: 0).packed == 1 << 40 && RowOrigin(file: 2, line: 3).packed == 2 << 40 | 3)
        #expect(RowOrigin(packed: 5 << 40 | (1 << 40 - 1)) == RowOrigin(file: 5, line: 1 << 40 - 1))
        let limits = RecordLoader.Limits()
        #expect(limits.maximumFields == 4096 && limits.maximumTypes == 1024 && limits.maximumSegmentTypes == 16_384)
        #expect(limits.segmentExtent == 1 << 30 && limits.segmentRows == 1 << 26 && ZoneMap.blockSize == 4096)
    }
}
