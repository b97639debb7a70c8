// Every kind of index over columns of every kind, with equal values, gaps, edges and nothing at all.

import FoundationEssentials
import Geospatial
import RecordModel
import Testing
import TextAnalysis
import _TestSupport

@testable import Indexing
@testable import RecordColumns

@Suite struct IndexContractTests {
    private static let words = [
        "", "a", "b", "ab", "Ab", "AB", "é", "E\u{301}", "x\u{301}", "xa", "Straße", "strasse", "東京 タワー", "quick fox",
        "The quick brown fox", "\u{0}", "abcdefgh", "abcdefghi", "e", "ﬁn", "fin", "ΑΣ ας",
    ]

    /// Columns by name; the values of 150 rows are drawn from theirs.
    private static let columns: [(name: String, values: [FieldValue])] = [
        ("whole", [0, 1, -1, 3, .int64(.max), .int64(.min), 7, .null]),
        ("fraction", [0.5, .double(-0.0), 0.0, .double(.infinity), .double(-.infinity), 1e300, .null]),
        ("not a number", [.double(.nan), 1.5, .double(.infinity), .null]), ("mixed", [1, 1.5, 2, 1.0, -3, .null]),
        ("truth", [true, false, .null]),
        ("date", [-1, 0, 0.5, 86_400].map { .date(Date(timeIntervalSinceReferenceDate: $0)) } + [.null]),
        ("text", words.map { .string($0) } + [.null]), ("one text", ["same"]), ("nothing", [.null]),
        ("references", ["r1", "r2", "É", "e"].map { .reference(RecordReference($0)) } + [.null]),
        ("lists", [["b", "a", "b"], [], ["a"], ["É", "é"], .null]),
        ("numbers in lists", [[3, 1, 3], [1], [2.5], .null]),
    ]

    private static func values(_ kinds: [FieldValue], _ random: inout SplitMix64, count: Int = 150) -> [FieldValue] {
        (0..<count).map { _ in kinds.randomElement(using: &random) ?? .null }
    }

    private static func segment(_ values: [FieldValue]) throws -> Segment {
        let builder = RecordLoader()
        for (row, value) in values.enumerated() {
            // A second field keeps rows without a value in the table.
            let fields: [String: FieldValue] = ["row": .int64(Int64(row)), "field": value]
            try builder.append(Record(type: "T", id: Record.ID("\(row)"), fields: fields), origin: row + 1)
        }
        return try #require(builder.finish().segments.first)
    }

    private static func column(_ values: [FieldValue]) throws -> Column {
        try segment(values).column(named: "field") ?? .missing(count: values.count)
    }

    private static func entries(_ value: FieldValue) -> [FieldValue] {
        if case .list(let elements) = value { elements } else { value.isNull ? [] : [value] }
    }

    /// −1, 0 or 1; `nil` for values of different families.
    private static func order(_ a: FieldValue, _ b: FieldValue, _ options: TextOptions) -> Int? {
        switch (a, b) {
        case (.string(let a), .string(let b)): return TextComparison.compare(a, b, options: options)
        case (.date(let a), .date(let b)): return a == b ? 0 : a < b ? -1 : 1
        case (.reference(let a), .reference(let b)): return a == b ? 0 : nil
        default:
            guard let a = a.number, let b = b.number else { return nil }
            return FieldValue.Number.compare(a, b)
        }
    }

    private enum Request {
        case equal(FieldValue)
        case range(KeyBound?, KeyBound?)
        case prefix(String)
    }

    @Test(arguments: columns.indices) func orderedIndexes(_ number: Int) throws {
        let (name, kinds) = Self.columns[number]
        var random = SplitMix64(seed: UInt64(number) + 1)
        var checker = IndexChecker()
        for options in [TextOptions(), .caseInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized] {
            let values = Self.values(kinds, &random)
            let column = try Self.column(values)
            let built = try #require(OrderedIndex.build(over: column, options: options), "\(name)")
            let index = options.contains(.caseInsensitive) ? try built.reopened(over: column) : built
            let strangers: [FieldValue] = [
                .null, "zz", 4, .data(.init()), .location(Location(latitude: 0, longitude: 0)),
            ]
            let sought = kinds.flatMap(Self.entries) + strangers
            var requests = sought.map { Request.equal($0) } + [.range(nil, nil)]
            for bound in sought where index.family != .reference(.default) {
                for isInclusive in [true, false] {
                    let (a, b) = (KeyBound(bound, isInclusive: isInclusive), KeyBound(sought[0], isInclusive: true))
                    requests += [.range(a, nil), .range(nil, a), .range(a, b), .range(b, a)]
                }
            }
            if case .text = index.family { requests += Self.words.map { .prefix(String($0.prefix(2))) } }
            func runs(_ request: Request) -> [PostingSlice] {
                switch request {
                case .equal(let value):
                    index.distinct(equalTo: value).map { [index.run(ofDistinct: $0..<$0 + 1)] } ?? []
                case .range(let low, let high): [index.run(ofDistinct: index.distinct(from: low, to: high))]
                case .prefix(let text): index.distinct(beginningWith: text).map { index.run(ofDistinct: $0) }
                }
            }
            func meets(_ value: FieldValue, _ request: Request) -> Bool {
                switch request {
                case .equal(let sought): return Self.order(value, sought, options) == 0
                case .prefix(let text):
                    guard case .string(let value) = value else { return false }
                    return PreparedNeedle(text, options: options).isPrefix(of: value.utf8.span)
                case .range(let low, let high):
                    let below = low.map { bound in
                        Self.order(value, bound.value, options).map { $0 > 0 || (bound.isInclusive && $0 == 0) }
                            ?? false
                    }
                    let above = high.map { bound in
                        Self.order(value, bound.value, options).map { $0 < 0 || (bound.isInclusive && $0 == 0) }
                            ?? false
                    }
                    return below ?? true && above ?? true
                }
            }
            checker.check(
                CheckedIndex(
                    name: "\(name) \(options.rawValue)", requests: requests,
                    lookup: { request in
                        let rows = runs(request).flatMap { run in unsafe run.withRows { unsafe $0.map { Int($0) } } }
                        return index.isOverLists ? Set(rows).sorted() : rows
                    },
                    scan: { request in
                        values.indices.filter { Self.entries(values[$0]).contains { meets($0, request) } }
                    },
                    count: { request in
                        let count = runs(request).reduce(0) { $0 + $1.count }
                        return index.isOverLists ? 0...count : count...count
                    }))
            let half = values.count / 2
            let halves = try [values[..<half], values[half...]].enumerated().compactMap { part, values in
                OrderedIndex.build(over: try Self.column(Array(values)), options: options).map { index in
                    OrderedIndex.Source(index: index, rows: values.indices.map { UInt32($0) })
                }
            }
            checker.check(index, name, halves: halves)
        }
        #expect(checker.found > 0 || name == "nothing")
    }

    @Test func wordIndexes() throws {
        var random = SplitMix64(seed: 21)
        let values = Self.values(Self.words.map { .string($0) } + [.null], &random)
        let lists = Self.values([["quick", "ab fox"], [], .null, ["x", "x"]], &random)
        var checker = IndexChecker()
        for options in [TextOptions(), [.caseInsensitive, .diacriticInsensitive]] {
            let built = try #require(
                OrderedIndex.buildTokens(
                    over: [try Self.column(values), try Self.column(lists)], rowCount: values.count,
                    tokenizer: Tokenizer(options: options)))
            let index = options.isEmpty ? built : try built.reopened()
            let tokenizer = Tokenizer(options: options)
            let terms = zip(values, lists).map { value, list -> Set<String> in
                var terms: Set<String> = []
                for case .string(let text) in Self.entries(value) + Self.entries(list) {
                    terms.formUnion(tokenizer.terms(of: text))
                }
                return terms
            }
            let requests = ["quick", "fox", "ab", "é", "strasse", "東京", "missing", ""].map {
                TextFolding.fold($0, options)
            }
            func run(_ term: String) -> PostingSlice? {
                index.distinct(equalTo: .string(term)).map { index.run(ofDistinct: $0..<$0 + 1) }
            }
            checker.check(
                CheckedIndex(
                    name: "words", requests: requests,
                    lookup: { run($0).map { run in unsafe run.withRows { unsafe $0.map { Int($0) } } } ?? [] },
                    scan: { term in values.indices.filter { terms[$0].contains(term) } },
                    count: { term in (run(term)?.count ?? 0)...(run(term)?.count ?? 0) }))
            checker.check(index, "words", halves: [])
        }
        #expect(checker.found > 50)
    }

    /// Over more rows than one block has.
    @Test(arguments: [150, 66_000]) func trigramIndexes(rowCount: Int) throws {
        var random = SplitMix64(seed: 22)
        let texts = (0..<rowCount).map { row in
            let word = Self.words.randomElement(using: &random) ?? ""
            return row % 7 == 0 ? "\(word) \(row)" : word + (Self.words.randomElement(using: &random) ?? "")
        }
        let index = try TrigramIndex.build(over: TextColumn(texts)).reopened()
        let all = ["fox", "quick", "Straße", "stras", "東京", "abcdefghi", "nowhere", "ΑΣ ας", "ab", "", "13", "k b"]
        // Many rows are scanned for each.
        let needles = rowCount > 1000 ? Array(all.prefix(5)) : all
        let options: [TextOptions] = [[], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]]
        var conditions: [TextCondition] = []
        for options in options {
            conditions += needles.flatMap { needle -> [TextCondition] in
                let prepared = PreparedNeedle(needle, options: options)
                return [.contains(prepared), .endsWith(prepared), .like(LikePattern("*\(needle)?*", options: options))]
            }
        }
        for pattern in [".*quick.*", "(The|quick) .*", "[a-z]*fgh.", "a.c", ".*(fox|brown)+ ?[0-9]*"] {
            if let expression = try? RegularExpression(pattern, options: []) { conditions.append(.matches(expression)) }
        }
        let requested = conditions.filter { TrigramIndex.canServe($0.requirement) }
        #expect(requested.count > 20 && requested.count < conditions.count)
        var checker = IndexChecker()
        checker.check(
            CheckedIndex(
                name: "trigrams", requests: requested,
                lookup: { index.candidates($0.requirement)?.map { Int($0) } ?? [] },
                scan: { condition in texts.indices.filter { (try? condition.holds(for: texts[$0].utf8.span)) ?? false }
                },
                count: { _ in 0...index.rowCount }, isFilter: true))
        #expect(checker.found > 50)
        for condition in requested {
            let rows = index.candidates(condition.requirement) ?? []
            #expect(rows == rows.sorted())
            #expect(index.candidates(condition.requirement, limit: rows.count)?.count == rows.count)
            if !rows.isEmpty { #expect(index.candidates(condition.requirement, limit: rows.count - 1) == nil) }
        }
        // Rows that have a word by the standard library are among the candidates, which are not all rows.
        for word in needles where word.utf8.count > 3 && word.utf8.allSatisfy({ $0 < 0x80 }) {
            let condition = TextCondition.contains(PreparedNeedle(word, options: .caseInsensitive))
            let rows = Set(index.candidates(condition.requirement) ?? [])
            let expected = texts.indices.filter { texts[$0].lowercased().contains(word.lowercased()) }
            #expect(rows.isSuperset(of: expected.map { UInt32($0) }), "\(word)")
            #expect(rows.count < rowCount, "\(word)")
            #expect(expected.isEmpty == (word == "nowhere"), "\(word)")
        }
    }

    /// What one block held says nothing of the next.
    @Test func trigramBlocksStandAlone() {
        let texts = TextColumn(["abcabc", "bcd", "xyz", "abcabc", "bcd", "xyzabc"])
        var builder = TrigramBlockBuilder()
        for (rows, expected) in [
            (0..<3, [0: "abc bca cab", 1: "bcd", 2: "xyz"]),
            (3..<6, [0: "abc bca cab", 1: "bcd", 2: "xyz yza zab abc"]),
        ] {
            let block = builder.block(of: texts, rows: rows)
            var found: [Int: Set<UInt32>] = [:]
            for position in 0..<block.codes.count {
                let code = block.codes[position]
                for row in block.rows(.codes([code])) { found[Int(row), default: []].insert(code) }
            }
            #expect(
                found
                    == expected.mapValues { stretches in
                        Set(stretches.split(separator: " ").flatMap { Trigram.codes(of: Array($0.utf8)) })
                    })
        }
    }

    @Test func spatialIndexes() throws {
        var random = SplitMix64(seed: 23)
        let places = [(0.0, 0.0), (0, 0.01), (50.45, 30.52), (90, 12), (-90, -170), (-17.7, 179.99), (-17.7, -179.99)]
            .map {
                Location(latitude: $0.0, longitude: $0.1)
            }
        let values = Self.values(places.map { .location($0) } + [.null], &random)
        let segment = try Self.segment(values)
        let position = try #require(segment.schema.position(of: "field"))
        let tree = try #require(SegmentIndexes(segment).spatial(column: position)).reopened(rowCount: values.count)
        func place(_ row: Int) -> Location? { if case .location(let place) = values[row] { place } else { nil } }
        let ranges: [DistanceRange] = [
            .atMost(0), .below(1500), .atMost(2e7), .all, .empty, .above(5000), .between(1000, 50_000), .below(.nan),
        ]
        var checker = IndexChecker()
        checker.check(
            CheckedIndex(
                name: "places",
                requests: places.flatMap { place in ranges.map { DistanceTest(center: place, range: $0) } },
                lookup: { test in
                    var rows: [UInt32] = []
                    tree.select(test, location: { place(Int($0)) ?? places[0] }, into: &rows)
                    return rows.map { Int($0) }
                },
                scan: { test in values.indices.filter { row in place(row).map { test.containsExactly($0) } ?? false } },
                count: { test in
                    let count = tree.count(test) { place(Int($0)) ?? places[0] }
                    return max(count, tree.countBounds(test).lowerBound)...min(count, tree.countBounds(test).upperBound)
                }))
        #expect(checker.found > 500)
    }
}
