// Indexes of segments put together are those of the segment that their rows make.

import Geospatial
import OrdinalSets
import RecordColumns
import RecordModel
import Testing
import TextAnalysis
import _TestSupport

@testable import Indexing

@Suite struct IndexMergingTests {
    private static let words = [
        "", "a", "Ab", "ab", "é", "E\u{301}", "Straße", "strasse", "zz top", "東京 タワー", "quick fox",
    ]

    private static func records(_ numbers: Range<Int>, _ random: inout SplitMix64) -> [Record] {
        numbers.map { number in
            var record = Record(type: "T", id: Record.ID("r\(number)"))
            func put(_ field: String, _ value: FieldValue) {
                if Int.random(in: 0..<5, using: &random) > 0 { record[field] = value }
            }
            func word() -> String { words.randomElement(using: &random) ?? "" }
            put("few", .string(word()))
            put("unique", .string("\(word()) \(number * 7919 % 997)"))
            put("body", .string((0..<Int.random(in: 0..<6, using: &random)).map { _ in word() }.joined(separator: " ")))
            put("tags", .list((0..<Int.random(in: 0..<4, using: &random)).map { _ in .string(word()) }))
            put("owner", .reference(RecordReference("r\(Int.random(in: 0..<40, using: &random))")))
            put("n", .int64(Int64.random(in: 0..<20, using: &random)))
            let latitude = Double.random(in: -90...90, using: &random)
            put("place", .location(Location(latitude: latitude, longitude: latitude * 2)))
            return record
        }
    }

    private static func same(_ a: OrderedIndex?, _ b: OrderedIndex?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        guard a.family == b.family, a.distinctCount == b.distinctCount, a.entryCount == b.entryCount else {
            return false
        }
        return (0..<a.distinctCount).allSatisfy { distinct in
            let mine = a.run(ofDistinct: distinct..<distinct + 1).withRows { unsafe Array($0) }
            let other = b.run(ofDistinct: distinct..<distinct + 1).withRows { unsafe Array($0) }
            return mine == other && a.key(ofDistinct: distinct) == b.key(ofDistinct: distinct)
        }
    }

    /// The rows of each distinct value, and no others, by what the records themselves have.
    private static func expectRows(of field: String, in segment: Segment, _ indexes: SegmentIndexes) throws {
        let column = try #require(segment.schema.position(of: field))
        let index = try #require(indexes.ordered(column: column, options: [], building: false))
        var expected: [FieldValue: [UInt32]] = [:]
        for row in 0..<segment.count where segment.columns[column].value(row) != .null {
            expected[segment.columns[column].value(row), default: []].append(UInt32(row))
        }
        #expect(index.distinctCount == expected.count, "\(field)")
        var keys: [FieldValue] = []
        for distinct in 0..<index.distinctCount {
            let rows = index.run(ofDistinct: distinct..<distinct + 1).withRows { unsafe Array($0) }
            let value = segment.columns[column].value(Int(try #require(rows.first)))
            #expect(rows == expected[value], "\(field) \(value)")
            keys.append(value)
        }
        for (key, next) in zip(keys, keys.dropFirst()) {
            switch (key, next) {
            case (.int64(let key), .int64(let next)): #expect(key < next)
            case (.string(let key), .string(let next)): #expect(key < next)
            default: Issue.record("\(key) before \(next)")
            }
        }
    }

    /// Rows in sequence and interleaved, with some left out; every field, folding and kind.
    @Test(arguments: [false, true]) func mergedIndexesAreBuiltOnes(isInterleaved: Bool) throws {
        var random = SplitMix64(seed: isInterleaved ? 2 : 1)
        let shape = TypeInference(recordType: "T")
        var segments: [Segment] = []
        var sources: [RowGather.Source] = []
        for part in 0..<3 {
            let count = [200, 70, 300][part]
            segments.append(
                try shape.segment(
                    of: Self.records(part * 1000..<part * 1000 + count, &random), zoneID: .default, origin: part + 1))
            let numbers = RunLengthMap()
            var deleted = Bitmap(count: count)
            for row in 0..<count {
                numbers.append(isInterleaved ? row * 3 + part : part * 1000 + row)
                if Int.random(in: 0..<4, using: &random) == 0 { deleted[row] = true }
            }
            sources.append(RowGather.Source(numbers: numbers, deleted: deleted))
        }
        let (rows, _) = RowGather.merging(sources)
        let merged = try Segment.gathered(rows, of: segments, schema: shape.schema, zoneID: .default)
        #expect(rows.count == merged.count && merged.count < 570)

        let options: [TextOptions] = [[], [.caseInsensitive], [.caseInsensitive, .diacriticInsensitive]]
        let old = segments.map { SegmentIndexes($0) }
        for indexes in old {
            for column in merged.schema.fields.indices {
                for option in options { _ = indexes.ordered(column: column, options: option) }
                _ = indexes.tokens(column: column, options: options[2])
            }
            for column in merged.schema.fields.indices {
                _ = indexes.wordPositions(column: column, options: options[2])
                _ = (indexes.spatial(column: column), indexes.trigrams(column: column))
                _ = indexes.nonASCIITerms(column: column)
            }
            _ = indexes.wordPositions(column: nil, options: options[2])
            _ = indexes.orderedNames()
        }
        let unique = merged.schema.position(of: "unique") ?? 0
        let uniqueParts = old.enumerated().compactMap { source, part in
            part.ordered(column: unique).map {
                OrderedIndex.Source(index: $0, rows: rows.destinations(of: source, count: part.segment.count))
            }
        }
        #expect(OrderedIndex.merging(uniqueParts, rowCount: merged.count) != nil)

        let indexes = SegmentIndexes(merged)
        let parts = old.enumerated().map { source, part in
            SegmentIndexes.Part(part, rows: rows.destinations(of: source, count: part.segment.count))
        }
        indexes.build(like: [old[0]], from: parts)
        let built = SegmentIndexes(merged)
        for (column, field) in merged.schema.fields.enumerated() {
            for option in options {
                let found = indexes.ordered(column: column, options: option, building: false)
                #expect(Self.same(found, built.ordered(column: column, options: option)), "\(field.name) \(option)")
            }
            let found = indexes.tokens(column: column, options: options[2], building: false)
            #expect(Self.same(found, built.tokens(column: column, options: options[2])), "words of \(field.name)")
        }
        for field in ["few", "unique", "n"] { try Self.expectRows(of: field, in: merged, indexes) }
        let found = indexes.tokens(column: nil, options: options[2], building: false)
        #expect(Self.same(found, built.tokens(column: nil, options: options[2])))
        // Every kind that the parts had is there, and says what one says that is built anew.
        #expect(indexes.builtCount == old[0].builtCount && indexes.summaries.allSatisfy { $0.bytes > 0 })
        for (column, field) in merged.schema.fields.enumerated() {
            let hasPositions = indexes.wordPositions(column: column, options: options[2], building: false) != nil
            #expect(hasPositions == (old[0].wordPositions(column: column, options: options[2]) != nil), "\(field.name)")
        }
        #expect(indexes.wordPositions(column: nil, options: options[2], building: false) != nil)
        try indexes.verify()
    }

    /// Only orders of texts of one folding are merged, all of values or all of elements; others are rebuilt.
    @Test func whatCannotBeMergedIsRebuilt() throws {
        func source(
            _ values: [FieldValue], _ options: TextOptions = [], from first: UInt32 = 0
        ) throws -> OrderedIndex.Source {
            let column = try Column.of("v", count: values.count) { values[$0] }
            let index = try #require(OrderedIndex.build(over: column, options: options))
            return OrderedIndex.Source(index: index, rows: (0..<UInt32(values.count)).map { first + $0 })
        }
        let refused = [
            [try source(["a"]), try source(["b"], .caseInsensitive, from: 1)],
            [try source(["a"]), try source([["b"]], from: 1)], [try source([1]), try source([2], from: 1)],
            [try source(["a"]), try source([2], from: 1)], [],
        ]
        for sources in refused { #expect(OrderedIndex.merging(sources, rowCount: 2) === nil) }
        let merged = try #require(
            OrderedIndex.merging([try source(["b"], from: 1), try source(["b", "a"], from: 2)], rowCount: 4))
        let rows = (0..<merged.distinctCount).map { merged.rows(at: merged.positions(ofDistinct: $0..<$0 + 1)) }
        #expect(rows == [[3], [1, 2]] && merged.entryCount == 3)
    }
}
