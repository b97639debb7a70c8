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

    /// The keys that an index has of a value, by hand: texts are joined of few words, of which the folded forms are here.
    private enum Expected {
        /// The words that fold to others: by case, and by case and marks.
        private static let folded: [String: (byCase: String, byBoth: String)] = [
            "Ab": ("ab", "ab"), "é": ("é", "e"), "E\u{301}": ("é", "e"), "Straße": ("strasse", "strasse"),
        ]

        /// Those of an order, of values or of elements.
        static func keys(_ value: FieldValue, _ options: TextOptions) -> [FieldValue] {
            switch value {
            case .null: []
            case .string(let text): [.string(words(of: text, options).joined(separator: " "))]
            case .list(let elements): elements.flatMap { keys($0, options) }
            default: [value]
            }
        }

        /// The words of a text or a list, whatever their case and marks.
        static func words(_ value: FieldValue) -> [FieldValue] {
            switch value {
            case .string(let text):
                words(of: text, [.caseInsensitive, .diacriticInsensitive]).filter { !$0.isEmpty }.map { .string($0) }
            case .list(let elements): elements.flatMap(words)
            default: []
            }
        }

        /// What is between the blanks of a text, folded.
        private static func words(of text: String, _ options: TextOptions) -> [String] {
            text.split(separator: " ", omittingEmptySubsequences: false).map { word in
                guard let known = folded[String(word)], !options.isEmpty else { return String(word) }
                return options.contains(.diacriticInsensitive) ? known.byBoth : known.byCase
            }
        }
    }

    /// The rows of each key, and no others, by what the records themselves have.
    private static func expectRows(
        _ keys: (Record) -> [FieldValue], of records: [Record], in index: OrderedIndex?, _ name: String
    ) throws {
        let index = try #require(index, "\(name)")
        var expected: [FieldValue: [UInt32]] = [:]
        for (row, record) in records.enumerated() {
            for key in Set(keys(record)) { expected[key, default: []].append(UInt32(row)) }
        }
        let ordered = try expected.keys.sorted { key, next in
            switch (key, next) {
            case (.int64(let key), .int64(let next)): return key < next
            case (.string(let key), .string(let next)): return key < next
            default: throw UnorderedKeys()
            }
        }
        #expect(index.distinctCount == ordered.count, "\(name)")
        #expect(index.entryCount == expected.values.reduce(0) { $0 + $1.count }, "\(name)")
        for (distinct, key) in ordered.enumerated() where distinct < index.distinctCount {
            let rows = index.run(ofDistinct: distinct..<distinct + 1).withRows { unsafe Array($0) }
            #expect(rows == expected[key], "\(name) \(key)")
        }
    }

    private struct UnorderedKeys: Error {}

    /// Segments whose rows are put together, and what is left of them.
    private struct Parts {
        var segments: [Segment] = []
        var sources: [RowGather.Source] = []
        /// The records that are not deleted, by the numbers of their rows.
        var left: [(number: Int, record: Record)] = []
        let shape = TypeInference(recordType: "T")

        init(isInterleaved: Bool) throws {
            var random = SplitMix64(seed: isInterleaved ? 2 : 1)
            for (part, count) in [200, 70, 300].enumerated() {
                let records = IndexMergingTests.records(part * 1000..<part * 1000 + count, &random)
                segments.append(try shape.segment(of: records, zoneID: .default, origin: part + 1))
                let numbers = RunLengthMap()
                var deleted = Bitmap(count: count)
                for row in 0..<count {
                    let number = isInterleaved ? row * 3 + part : part * 1000 + row
                    numbers.append(number)
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        deleted[row] = true
                    } else {
                        left.append((number, records[row]))
                    }
                }
                sources.append(RowGather.Source(numbers: numbers, deleted: deleted))
            }
            left.sort { $0.number < $1.number }
        }
    }

    private static let options: [TextOptions] = [
        [], [.caseInsensitive], [.caseInsensitive, .diacriticInsensitive],
    ]

    /// Indexes of every field, folding and kind.
    private static func everyIndex(of segment: Segment) -> SegmentIndexes {
        let indexes = SegmentIndexes(segment)
        for column in segment.schema.fields.indices {
            for option in options { _ = indexes.ordered(column: column, options: option) }
            _ = indexes.tokens(column: column, options: options[2])
        }
        for column in segment.schema.fields.indices {
            _ = indexes.wordPositions(column: column, options: options[2])
            _ = (indexes.spatial(column: column), indexes.trigrams(column: column))
            _ = indexes.nonASCIITerms(column: column)
        }
        _ = indexes.wordPositions(column: nil, options: options[2])
        _ = indexes.orderedNames()
        return indexes
    }

    /// Rows in sequence and interleaved, with some left out; every field, folding and kind.
    @Test(arguments: [false, true]) func mergedIndexesAreBuiltOnes(isInterleaved: Bool) throws {
        let parts = try Parts(isInterleaved: isInterleaved)
        let (rows, _) = RowGather.merging(parts.sources)
        let merged = try Segment.gathered(rows, of: parts.segments, schema: parts.shape.schema, zoneID: .default)
        #expect(rows.count == merged.count && merged.count == parts.left.count && merged.count < 570)

        let old = parts.segments.map(Self.everyIndex)
        let unique = merged.schema.position(of: "unique") ?? 0
        let uniqueParts = old.enumerated().compactMap { source, part in
            part.ordered(column: unique).map {
                OrderedIndex.Source(index: $0, rows: rows.destinations(of: source, count: part.segment.count))
            }
        }
        #expect(OrderedIndex.merging(uniqueParts, rowCount: merged.count) != nil)

        let indexes = SegmentIndexes(merged)
        let sources = old.enumerated().map { source, part in
            SegmentIndexes.Part(part, rows: rows.destinations(of: source, count: part.segment.count))
        }
        indexes.build(like: [old[0]], from: sources)
        try Self.expectEveryRow(of: parts.left.map(\.record), in: indexes)
        let built = SegmentIndexes(merged)
        for (column, field) in merged.schema.fields.enumerated() {
            for option in Self.options {
                let found = indexes.ordered(column: column, options: option, building: false)
                #expect(Self.same(found, built.ordered(column: column, options: option)), "\(field.name) \(option)")
            }
            let found = indexes.tokens(column: column, options: Self.options[2], building: false)
            let expected = built.tokens(column: column, options: Self.options[2])
            #expect(Self.same(found, expected), "words of \(field.name)")
        }
        let found = indexes.tokens(column: nil, options: Self.options[2], building: false)
        #expect(Self.same(found, built.tokens(column: nil, options: Self.options[2])))
        // Every kind that the parts had is there, and says what one says that is built anew.
        #expect(indexes.builtCount == old[0].builtCount && indexes.summaries.allSatisfy { $0.bytes > 0 })
        for (column, field) in merged.schema.fields.enumerated() {
            let hasPositions = indexes.wordPositions(column: column, options: Self.options[2], building: false) != nil
            let hadThem = old[0].wordPositions(column: column, options: Self.options[2]) != nil
            #expect(hasPositions == hadThem, "\(field.name)")
        }
        #expect(indexes.wordPositions(column: nil, options: Self.options[2], building: false) != nil)
        try indexes.verify()
    }

    /// Orders of every folding, and words, by what the records that are left have.
    private static func expectEveryRow(of records: [Record], in indexes: SegmentIndexes) throws {
        let schema = indexes.segment.schema
        for field in ["few", "unique", "body", "tags", "n"] {
            let column = try #require(schema.position(of: field))
            // Numbers have one order, whatever folds texts.
            for option in field == "n" ? [[]] : options {
                let index = indexes.ordered(column: column, options: option, building: false)
                try expectRows({ Expected.keys($0[field], option) }, of: records, in: index, "\(field) \(option)")
            }
            if field == "n" { continue }
            let words = indexes.tokens(column: column, options: options[2], building: false)
            try expectRows({ Expected.words($0[field]) }, of: records, in: words, "words of \(field)")
        }
        let words = indexes.tokens(column: nil, options: options[2], building: false)
        try expectRows({ $0.fields.values.flatMap(Expected.words) }, of: records, in: words, "all words")
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
