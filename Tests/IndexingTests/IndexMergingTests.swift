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

    /// Indexes follow their fields, at whatever place these are; of fields that are gone there are none.
    @Test func fieldsAtOtherPlaces() throws {
        func segment(_ fields: [[String: FieldValue]], from first: Int) throws -> Segment {
            let records = fields.enumerated().map {
                Record(type: "T", id: Record.ID("r\(first + $0)"), fields: $1)
            }
            return try TypeInference(recordType: "T").segment(of: records, zoneID: .default, origin: first + 1)
        }
        let segments = try [
            segment([["gone": 1, "m": 7, "z": "x"], ["gone": 2, "m": 5, "z": "y"], ["m": 6, "z": "x"]], from: 0),
            segment([["z": "y"], ["z": "w"]], from: 10),
        ]
        let shape = try segment([["a": "new", "m": 0, "z": "x"]], from: 20).schema
        let sources = segments.enumerated().map { part, segment in
            let numbers = RunLengthMap()
            for row in 0..<segment.count { numbers.append(part * 10 + row) }
            var deleted = Bitmap(count: segment.count)
            if part == 0 { deleted[0] = true }
            return RowGather.Source(numbers: numbers, deleted: deleted)
        }
        let (rows, _) = RowGather.merging(sources)
        let merged = SegmentIndexes(try Segment.gathered(rows, of: segments, schema: shape, zoneID: .default))
        let old = segments.map { SegmentIndexes($0) }
        for indexes in old {
            for column in indexes.segment.schema.fields.indices { _ = indexes.ordered(column: column) }
            _ = indexes.tokens(column: indexes.segment.schema.position(of: "z"), options: [])
        }
        merged.build(
            like: old,
            from: old.enumerated().map { source, part in
                SegmentIndexes.Part(part, rows: rows.destinations(of: source, count: part.segment.count))
            })
        #expect(Set(shape.fields.map(\.name)) == ["a", "m", "z"] && merged.builtCount == 3)
        let expected: [(field: String, values: [(FieldValue, [UInt32])])] = [
            ("z", [("w", [3]), ("x", [1]), ("y", [0, 2])]), ("m", [(5, [0]), (6, [1])]),
        ]
        for (field, values) in expected {
            let column = try #require(shape.position(of: field))
            let index = try #require(merged.ordered(column: column, options: [], building: false))
            #expect(index.distinctCount == values.count)
            for (value, rows) in values {
                let distinct = try #require(index.distinct(equalTo: value))
                #expect(index.run(ofDistinct: distinct..<distinct + 1).withRows { unsafe Array($0) } == rows)
            }
        }
        #expect(merged.tokens(column: shape.position(of: "z"), options: [], building: false)?.entryCount == 4)
        try merged.verify()
    }
}
