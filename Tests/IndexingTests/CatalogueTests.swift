// A kind of index that is made here has all that the catalogue gives to the others.

import Geospatial
import OrdinalSets
import RecordModel
import Synchronization
import Testing
import TextAnalysis
import _TestSupport

@testable import Indexing
@testable import RecordColumns

/// The number of rows of each whole number: a kind of index that only tests have.
private final class CountIndex: MergeableIndex {
    static let kind = IndexKind(number: 200, name: "count", mark: .queryable)
    static let buildings = Mutex<[String]>([])

    let counts: [Int64: Int]

    init(_ counts: [Int64: Int]) { self.counts = counts }

    static func build(_ key: IndexKey, of indexes: SegmentIndexes) -> CountIndex? {
        guard let column = indexes.column(of: key), case .int64(let numbers) = column.values else { return nil }
        buildings.withLock { $0.append(indexes.segment.recordType) }
        return CountIndex(
            PresentPositions(column).positions.reduce(into: [:]) { $0[numbers[Int($1)], default: 0] += 1 })
    }

    /// Right where no row is left out.
    static func merging(_ sources: [Source], rowCount: Int) -> CountIndex? {
        if sources.contains(where: { $0.rows.contains(.max) }) { return nil }
        return CountIndex(sources.reduce(into: [:]) { $0.merge($1.index.counts, uniquingKeysWith: +) })
    }

    static func read(
        _: IndexKey, from reader: BlockReader, of indexes: SegmentIndexes
    ) throws(BlockError) -> CountIndex? {
        let values: [Int64] = try reader.array("values")
        let counts: [Int] = try reader.array("counts", count: values.count)
        guard counts.allSatisfy({ 1...indexes.segment.count ~= $0 }) else {
            throw reader.failure("counts", "a count is out of range")
        }
        return CountIndex(Dictionary(zip(values, counts), uniquingKeysWith: { a, _ in a }))
    }

    var blocks: WrittenBlocks {
        var tree = WrittenBlocks()
        let values = counts.keys.sorted()
        tree.add("values", values)
        tree.add("counts", values.map { counts[$0] ?? 0 })
        return tree
    }

    var isOfText: Bool { false }
    var size: (entries: Int, distinct: Int?) { (counts.values.reduce(0, +), counts.count) }
    var byteCount: Int { 16 * counts.count }
}

extension SegmentIndexes {
    fileprivate func counts(_ field: String, building: Bool = true) -> CountIndex? {
        segment.schema.position(of: field).flatMap { index(CountIndex.self, column: $0, building: building) }
    }
}

@Suite struct CatalogueTests {
    private static let catalogue: [any SegmentIndex.Type] = IndexKind.catalogue + [CountIndex.self]

    private static func records(_ numbers: [Int64?], from first: Int = 0) -> [Record] {
        numbers.enumerated().map { row, number in
            var record = Record(type: "T", id: Record.ID("r\(first + row)"))
            if let number { record["n"] = .int64(number) }
            record["text"] = .string("red \(row)")
            return record
        }
    }

    private static func indexes(_ numbers: [Int64?], type: String = "T") throws -> SegmentIndexes {
        let segment = try TypeInference(recordType: type).segment(of: records(numbers), zoneID: .default, origin: 1)
        return SegmentIndexes(segment, catalogue: catalogue)
    }

    private static func reopened(
        _ blocks: WrittenBlocks, over indexes: SegmentIndexes, readsText: Bool = true
    ) throws -> SegmentIndexes {
        let opened = SegmentIndexes(indexes.segment, catalogue: indexes.catalogue)
        try opened.read(from: StoredBlocks.reader(blocks), readsText: readsText)
        return opened
    }

    @Test func numbersAndNamesAreDistinct() {
        let kinds = IndexKind.catalogue.map { $0.kind }
        #expect(kinds.map(\.number) == [0, 1, 2, 3, 4, 5], "numbers are part of the format")
        #expect(Set(kinds.map(\.name)).count == kinds.count)
    }

    @Test func builtOnceAndSummarised() throws {
        let indexes = try Self.indexes([3, nil, 3, 7], type: "BuiltOnce")
        #expect(indexes.counts("n", building: false) == nil && indexes.builtCount == 0)
        for _ in 0..<2 { #expect(indexes.counts("n")?.counts == [3: 2, 7: 1]) }
        #expect(CountIndex.buildings.withLock { $0.count { $0 == "BuiltOnce" } } == 1)
        #expect(indexes.counts("text") == nil)
        #expect(indexes.builtCount == 1)
        let summary = IndexSummary(kind: CountIndex.kind, field: "n", options: [], entries: 3, distinct: 2, bytes: 32)
        #expect(indexes.summaries == [summary])
    }

    /// Indexes are stored in one order, whatever that is in which they were built.
    @Test func keysHaveOneOrder() {
        let analyses: [WordAnalysis?] = [
            nil, WordAnalysis(TextAnalyzer(language: .english)), WordAnalysis(TextAnalyzer(language: .german)),
        ]
        var keys: [IndexKey] = []
        for kind in IndexKind.catalogue.map({ $0.kind }) {
            for column in [nil, 0, 3] {
                for options: TextOptions in [[], .caseInsensitive] {
                    keys += analyses.map { IndexKey(kind, column: column, options: options, analysis: $0) }
                }
            }
        }
        for (place, key) in keys.enumerated() {
            for (other, another) in keys.enumerated() {
                #expect((key < another) != (another < key) || place == other, "\(key) \(another)")
            }
        }
        var random = SplitMix64(seed: 1)
        let order = keys.sorted()
        for _ in 0..<20 { #expect(keys.shuffled(using: &random).sorted() == order) }
        #expect(order.map(\.kind) == order.map(\.kind).sorted())
    }

    @Test func aSegmentWithoutTheKindHasNone() throws {
        let indexes = try Self.indexes([1])
        let usual = SegmentIndexes(indexes.segment)
        _ = indexes.counts("n")
        #expect(usual.counts("n") == nil)
        #expect(throws: BlockError.self) { try Self.reopened(indexes.blocks, over: usual) }
    }

    @Test func storedReadAndVerified() throws {
        let indexes = try Self.indexes([3, nil, 3, 7])
        _ = (indexes.counts("n"), indexes.ordered(column: 0), indexes.wordPositions(column: 1, options: []))
        let opened = try Self.reopened(indexes.blocks, over: indexes)
        #expect(opened.builtCount == 4)
        #expect(opened.counts("n", building: false)?.counts == [3: 2, 7: 1])
        try opened.verify()
        #expect(opened.blocks.isSame(as: indexes.blocks))
        // What does not depend on Unicode's tables is read whatever they are.
        let other = try Self.reopened(indexes.blocks, over: indexes, readsText: false)
        #expect(other.outdatedCount == 2 && other.counts("n", building: false) != nil)
    }

    @Test func anIndexOfOtherValuesIsFound() throws {
        let other = try Self.indexes([3, 3, 3])
        _ = other.counts("n")
        let opened = try Self.reopened(other.blocks, over: Self.indexes([3, nil, 3, 7]))
        let error = #expect(throws: BlockError.self) { try opened.verify() }
        #expect(error.map { "\($0)" }?.contains("the count index of n is not that of its values") == true)
    }

    private struct Foreign: Sendable {
        let kind: String
        let mine: [FieldValue]
        let others: [FieldValue]

        init(_ kind: String, _ mine: [FieldValue], _ others: [FieldValue]) {
            (self.kind, self.mine, self.others) = (kind, mine, others)
        }

        private static func segment(_ values: [FieldValue]) throws -> SegmentIndexes {
            let records = values.enumerated().map { row, value in
                Record(type: "T", id: Record.ID("r\(row)"), fields: ["row": 0, "v": value])
            }
            return SegmentIndexes(
                try TypeInference(recordType: "T").segment(of: records, zoneID: .default, origin: 1))
        }

        /// The index of the kind over the own values, as if it were that of the others, or of the own ones.
        func opened(overOthers: Bool) throws -> SegmentIndexes {
            let indexes = try Self.segment(mine)
            let column = try #require(indexes.segment.schema.position(of: "v"))
            switch kind {
            case "ordered": _ = indexes.ordered(column: column)
            case "token": _ = indexes.tokens(column: column, options: [])
            case "word position": _ = indexes.wordPositions(column: column, options: [])
            case "spatial": _ = indexes.spatial(column: column)
            case "trigram": _ = indexes.trigrams(column: column)
            default: _ = indexes.nonASCIITerms(column: column)
            }
            try #require(indexes.builtCount > 0)
            let opened = overOthers ? try Self.segment(others) : SegmentIndexes(indexes.segment)
            try opened.read(from: StoredBlocks.reader(indexes.blocks), readsText: true)
            return opened
        }
    }

    /// So long that columns of them are no dictionaries.
    private static func long(_ texts: String...) -> [FieldValue] {
        texts.map { .string($0 + String(repeating: " ", count: 200)) }
    }

    private static func places(_ degrees: Double...) -> [FieldValue] {
        degrees.map { .location(Location(latitude: $0, longitude: 5)) }
    }

    private static let foreign: [Foreign] = [
        Foreign("ordered", [1, 2], [2, 1]), Foreign("ordered", [1, 2], [1, 3]), Foreign("ordered", [1, 1], [1, 2]),
        Foreign("ordered", [1, .null], [.null, 1]), Foreign("ordered", ["a", "b"], ["a", "c"]),
        Foreign("ordered", ["a", "b"], ["b", "a"]), Foreign("ordered", [["a"], ["b"]], [["b"], ["a"]]),
        Foreign("ordered", [0.5, .double(.nan)], [.double(.nan), 0.5]), Foreign("ordered", [1, 1, 2], [1, 2, 2]),
        Foreign("token", ["a b", "c"], ["a c", "b"]), Foreign("word position", ["a b"], ["b a"]),
        Foreign("spatial", places(1, 2), places(2, 1)), Foreign("spatial", places(1), places(1.5)),
        Foreign("trigram", long("abcd", "wxyz"), long("wxyz", "abcd")),
        Foreign("non-ASCII term", long("über", "b"), long("b", "über")),
    ]

    /// Verifying finds that a stored index of each kind is that of other values, whatever is different.
    @Test(arguments: foreign.indices) func indexesOfOtherValuesAreFound(_ number: Int) throws {
        let foreign = Self.foreign[number]
        #expect(throws: Never.self) { try foreign.opened(overOthers: false).verify() }
        let error = #expect(throws: BlockError.self) { try foreign.opened(overOthers: true).verify() }
        let reason = error.map { "\($0)" } ?? ""
        #expect(reason.contains("the \(foreign.kind) index of v is not that of its values"), "\(reason)")
    }

    @Test func aDamagedIndexIsRebuilt() throws {
        let other = try Self.indexes([3, 3, 3, 3, 3])
        _ = other.counts("n")
        let indexes = try Self.indexes([3, nil, 3, 7])
        let opened = try Self.reopened(other.blocks, over: indexes)
        // Each is read on first use, or all at once.
        let looked = try Self.reopened(other.blocks, over: indexes)
        #expect(looked.unreadable.isEmpty)
        looked.readAll()
        #expect(looked.unreadable.count == 1)
        #expect(opened.counts("n", building: false) == nil && opened.unreadable.count == 1)
        #expect(opened.counts("n")?.counts == [3: 2, 7: 1] && opened.unreadable.count == 1)
        #expect(throws: BlockError.self) { try opened.verify() }
    }

    /// - Parameter deleted: Rows of the first part that are left out: then the kind cannot be merged.
    @Test(arguments: [[], [0]]) func mergedOrRebuilt(deleted: [Int]) throws {
        let type = "Merged\(deleted)"
        let shape = TypeInference(recordType: type)
        // The last part has no values, and so no index: nothing of it has to be merged.
        let values: [[Int64?]] = [[3, nil, 3], [7, 3], [nil, nil]]
        let segments = try values.enumerated().map { part, numbers in
            try shape.segment(of: Self.records(numbers, from: part * 10), zoneID: .default, origin: part + 1)
        }
        let sources = segments.enumerated().map { part, segment in
            let numbers = RunLengthMap()
            for row in 0..<segment.count { numbers.append(part * 10 + row) }
            var rows = Bitmap(count: segment.count)
            if part == 0 { for row in deleted { rows[row] = true } }
            return RowGather.Source(numbers: numbers, deleted: rows)
        }
        let (rows, _) = RowGather.merging(sources)
        let merged = SegmentIndexes(
            try Segment.gathered(rows, of: segments, schema: shape.schema, zoneID: .default),
            catalogue: Self.catalogue)
        let parts = segments.map { SegmentIndexes($0, catalogue: Self.catalogue) }
        for part in parts { _ = part.counts("n") }
        merged.build(
            like: parts,
            from: parts.enumerated().map { source, part in
                SegmentIndexes.Part(part, rows: rows.destinations(of: source, count: part.segment.count))
            })
        #expect(merged.counts("n", building: false)?.counts == [3: 3 - deleted.count, 7: 1])
        #expect(CountIndex.buildings.withLock { $0.count { $0 == type } } == (deleted.isEmpty ? 2 : 3))
        try merged.verify()
    }
}
