// The pieces that orders and groups are made of, each against a plain way to the same: the first of many, numbers of
// words and texts, distinct values, bins, and what tells queries apart.

import Deadlines
import FoundationEssentials
import Geospatial
import PredicateSemantics
import RecordColumns
import RecordModel
import RecordStore
import Testing
import _TestSupport

@testable import QueryExecution

@Suite struct ResultPieceEdgesTests {
    // MARK: Orders

    /// The first places of scores, of which many are equal; these come in their order.
    @Test func bestScoresComeFirst() {
        var random = SplitMix64(seed: 1)
        for count in [0, 1, 2, 3, 7, 40, 200] {
            let scores = (0..<count).map { _ in Double(Int.random(in: -9...9, using: &random)) / 2 }
            for limit in [0, 1, 2, 3, 6, 39, 40, 200, 500] {
                for isAscending in [true, false] {
                    let places = scores.indices.sorted { a, b in
                        if scores[a] == scores[b] { return a < b }
                        return (scores[a] < scores[b]) == isAscending
                    }
                    let found = RelevanceOrder.leading(limit, of: scores, isAscending: isAscending)
                    #expect(found == Array(places.prefix(limit)), "\(limit) of \(count)")
                    var top = TopRows(limit: limit)
                    top.insert(scores: scores, isAscending: isAscending)
                    #expect(top.rows() == places.prefix(limit).map { UInt32($0) }, "\(limit) of \(count)")
                }
            }
        }
    }

    private static func snapshot(_ fields: [[String: FieldValue]]) throws -> Snapshot {
        let loader = RecordLoader()
        for (row, fields) in fields.enumerated() {
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        return Snapshot(loader.finish())
    }

    /// The first rows by a column, and with them all that are level with the last.
    @Test(arguments: ["n", "d", "at"]) func firstRowsOfAColumn(_ field: String) throws {
        var random = SplitMix64(seed: 2)
        let numbers = (0..<120).map { _ in Int.random(in: -6...6, using: &random) }
        let snapshot = try Self.snapshot(
            numbers.map {
                [
                    "n": .int64(Int64($0)), "d": .double(Double($0) / 4), "t": "x",
                    "at": .date(Date(timeIntervalSinceReferenceDate: Double($0))),
                ]
            })
        let segment = snapshot.segments[0].segment
        let column = segment.columns[try #require(segment.schema.position(of: field))]
        let rows = (0..<120).filter { $0 % 4 != 1 }.map { UInt32($0) }
        for isAscending in [true, false] {
            let order = rows.sorted { a, b in
                let (first, second) = (numbers[Int(a)], numbers[Int(b)])
                return first == second ? a < b : (first < second) == isAscending
            }
            for limit in [0, 1, 2, 5, 30, 89, 90, 91] {
                var top = TopRows(limit: limit)
                let isTaken = top.insert(rows, of: column, isAscending: isAscending)
                #expect(top.rows() == Array(order.prefix(limit)), "\(limit)")
                var level = TopRows(limit: limit)
                let isTakenAgain = level.insert(rows, of: column, isAscending: isAscending)
                #expect(isTaken && isTakenAgain)
                let last = limit == 0 || limit > 90 ? nil : numbers[Int(order[limit - 1])]
                let expected = rows.filter { row in
                    last.map { isAscending ? numbers[Int(row)] <= $0 : numbers[Int(row)] >= $0 } ?? true
                }
                #expect(level.rows(levelWithLastOf: rows, column, isAscending) == expected, "\(limit)")
            }
        }
        var top = TopRows(limit: 5)
        let texts = segment.columns[try #require(segment.schema.position(of: "t"))]
        let isTaken = top.insert(rows, of: texts, isAscending: true)
        #expect(!isTaken && top.rows().isEmpty)
    }

    /// By several keys, then as ties are settled, then as they came; of a limited result the first.
    @Test func ordinalsAreInTheOrderOfTheirKeys() throws {
        var random = SplitMix64(seed: 3)
        let orders: [[SortKey]] = [
            [], [.ascending("a")], [.descending("a")], [.descending("a"), .ascending("b")],
            [.ascending("b"), .descending("a"), .ascending("c")],
        ]
        for count in [0, 1, 2, 9, 64] {
            let values = (0..<count).map { _ in
                ["a", "b", "c"].map { ($0, Int.random(in: 0...3, using: &random)) }
            }.map { Dictionary(uniqueKeysWithValues: $0) }
            func number(_ key: SortKey, _ ordinal: Int) -> Int {
                guard case .field(let name) = key.criterion else { return 0 }
                return values[ordinal][name] ?? 0
            }
            for (keys, areSettled) in orders.flatMap({ [($0, false), ($0, true)] }) {
                // Settled, odd ones come first.
                let settles = { (a: Int, b: Int) in areSettled ? b % 2 - a % 2 : 0 }
                let sorted = (0..<count).sorted { a, b in
                    for key in keys where number(key, a) != number(key, b) {
                        return (number(key, a) < number(key, b)) == key.isAscending
                    }
                    return settles(a, b) == 0 ? a < b : settles(a, b) < 0
                }
                for limit in [nil, 0, 1, 2, 5, 63, 64, 65] as [Int?] {
                    let selection = OrderedSelection(keys: keys, limit: limit, settlesTie: settles) {
                        criterion, ordinal in
                        .int64(Int64(number(SortKey(criterion), ordinal)))
                    }
                    for ordinal in 0..<count { try selection.append(ordinal) }
                    #expect(try selection.ordinals() == Array(sorted.prefix(limit ?? count)), "\(keys) \(count)")
                }
            }
        }
    }

    /// Of 2,000 ordinals 200 are wanted, and the first ones are the best: those behind cost one comparison each.
    @Test func lateOrdinalsAreComparedOnce() throws {
        var looks = 0
        let selection = OrderedSelection(keys: [.ascending("a"), .ascending("b")], limit: 200) { criterion, ordinal in
            looks += 1
            return criterion == .field("a") ? 0 : .int64(Int64(ordinal))
        }
        for ordinal in 0..<2_000 { try selection.append(ordinal) }
        // Three for each: its first key, and the second ones of both that are compared.
        #expect(looks < 10_000)
        #expect(try selection.ordinals() == Array(0..<200))
    }

    /// However long an order takes, the time of its query ends it: while rows come, and while they are sorted.
    @Test func ordersEndWithTheirTime() {
        for (count, isSorted) in [(3_000, false), (1_000, true)] {
            let error = #expect(throws: EvaluationError.self) {
                try QueryDeadline.run(within: .zero) { () throws(EvaluationError) in
                    let selection = OrderedSelection(keys: [.ascending("a")], limit: nil) { _, ordinal in
                        .int64(Int64(ordinal * 7_919 % 1_009))
                    }
                    for ordinal in 0..<count { try selection.append(ordinal) }
                    if isSorted { _ = try selection.ordinals() }
                }
            }
            #expect(error?.kind == .timeLimit, "\(count)")
        }
    }

    /// Names that share their beginnings, and whose ends lie around the sixteenth byte; those of two zones are level.
    @Test func namesAreInTheOrderOfTheirBytes() throws {
        var random = SplitMix64(seed: 4)
        var names: Set<String> = []
        for _ in 0..<150 {
            let length = Int.random(in: 1...19, using: &random)
            let end = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                ["a", "b", "~"][Int.random(in: 0...2, using: &random)]
            }
            names.insert(String(repeating: "a", count: length) + end.joined())
        }
        let store = RecordStore()
        var batch = RecordBatch()
        for name in names.sorted().shuffled(using: &random) {
            for zone in ["Y", "X"] { batch.save(Record(type: "T", id: Record.ID(name, zoneID: RecordZone.ID(zone)))) }
        }
        try store.commit(batch)
        let snapshot = store.snapshot
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: "TRUEPREDICATE"))
        let query = SnapshotQuery(
            bound, over: snapshot, type: "T", settings: .init(usage: .none, context: .unused))
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for isAscending in [true, false] {
            let expected = (isAscending ? sorted : sorted.reversed()).flatMap { ["X \($0)", "Y \($0)"] }
            for limit in [3, 1_000] {
                let rows = try query.page(sortedBy: [SortKey(.recordName, isAscending: isAscending)], limit: limit).rows
                let found = rows.map(snapshot.recordID).map { "\($0.zoneID.zoneName) \($0.recordName)" }
                #expect(found == Array(expected.prefix(limit)))
            }
        }
    }

    // MARK: Groups

    /// Words and texts get numbers as they first come, and keep them.
    @Test func wordsAndTextsKeepTheirNumbers() {
        var random = SplitMix64(seed: 5)
        let kinds: [(UInt64) -> UInt64] = [{ $0 % 3_000 }, { ($0 % 3_000) << 52 }, { $0 }, { $0 % 2 == 0 ? 0 : .max }]
        for kind in kinds {
            var (table, known): (CodeTable, [UInt64: Int]) = (CodeTable(), [:])
            for _ in 0..<6_000 {
                let word = kind(random.next())
                let expected = known[word] ?? known.count
                known[word] = expected
                if table.number(of: word) == expected { continue }
                Issue.record("\(word)")
                break
            }
            #expect(table.words.count == known.count && table.words.enumerated().allSatisfy { known[$1] == $0 })
        }
        let texts = (0..<2_000).map { "text \($0 % 701)" } + ["", "text", "text 1", ""]
        let bytes = texts.flatMap(\.utf8)
        bytes.withUnsafeBufferPointer { bytes in
            var (table, known, start): (QueryExecution.TextTable, [String: Int], Int) = (.init(), [:], 0)
            for text in texts {
                let end = start + text.utf8.count
                let expected = known[text] ?? known.count
                known[text] = expected
                #expect(table.number(of: UnsafeBufferPointer(rebasing: bytes[start..<end])) == expected, "\(text)")
                start = end
            }
        }
    }

    private struct Word: Hashable {
        let family: GroupedWords.Family
        let word: UInt64
    }

    /// Different words of a group, equal ones of two families apart; in few groups of many words, and the other way.
    @Test(arguments: [(1, 5, 3), (1, 30_000, 9_000), (3, 20_000, 6_000), (3_000, 6_000, 4), (70_000, 100, 2)])
    func wordsOfGroupsAreCountedOnce(groupCount: Int, count: Int, distinct: Int) throws {
        var random = SplitMix64(seed: 6)
        let families: [GroupedWords.Family] = [.whole, .fraction, .date, .other]
        var words = GroupedWords()
        let watch = QueryDeadline.watch
        #expect(try words.distinctCounts(groupCount: groupCount, watch: watch).allSatisfy { $0 == 0 })
        var expected = [Set<Word>](repeating: [], count: groupCount)
        for _ in 0..<count {
            let number = UInt64.random(in: 0..<UInt64(distinct), using: &random)
            let word = Word(family: families[Int(number % 4)], word: number < 8 ? number / 4 : .max - number / 4)
            let group = min(Int.random(in: 0..<groupCount, using: &random), .random(in: 0..<groupCount, using: &random))
            words.append((word.family, word.word), group)
            expected[group].insert(word)
        }
        #expect(try words.distinctCounts(groupCount: groupCount, watch: watch) == expected.map { Int64($0.count) })
    }

    /// With so many groups the large ones are not parted: there is a look behind each of them.
    @Test func countsOfWordsEndWithTheirTime() throws {
        let groupCount = 5_000
        var words = GroupedWords()
        for group in 0..<3 {
            for word in 0..<5_000 { words.append((.whole, UInt64(word)), group) }
        }
        for (looks, isEnough) in [(3, false), (100, true)] {
            func counted() throws -> [Int64] {
                try words.distinctCounts(groupCount: groupCount, watch: QueryDeadline.watch)
            }
            let counts = try? Deadline.run(looks: looks, failure: { $0 as any Error }, counted)
            #expect((counts != nil) == isEnough, "\(looks)")
            if let counts { #expect(counts[0...3] == [5_000, 5_000, 5_000, 0]) }
        }
    }

    /// Values that are equal as keys of groups have one number; a whole number is shown as one where any is.
    @Test func equalValuesHaveOneNumber() {
        func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        func place(_ latitude: Double, altitude: Double? = nil) -> FieldValue {
            let details = altitude.map { Location.Details(altitude: $0) }
            return .location(Location(latitude: latitude, longitude: 2, details: details))
        }
        let other = RecordReference(recordID: Record.ID("r"), action: .deleteSelf)
        let rows: [[FieldValue]] = [
            [.null], [2.0, 2, 2.0], [1, 1.0], [2.5, 2.5], [.double(.nan), .double(-.nan), .double(.signalingNaN)],
            [.double(-0.0), 0.0], [.double(0x1p63)], [.int64(.max)], [.int64(.min), .double(-0x1p63)],
            [date(2), date(2)], [date(-0.0), date(0)], [date(.nan), date(-.nan)], ["2"], ["é", "e\u{301}"],
            [.reference(RecordReference("r")), .reference(other)], [.reference(RecordReference("q"))],
            [place(1), place(1, altitude: 5)], [place(.nan), place(.nan, altitude: 5)], [place(3)],
        ]
        var values = DistinctValues()
        for _ in 0..<2 {
            for (number, row) in rows.enumerated() {
                for value in row { #expect(values.number(of: value) == number, "\(value)") }
            }
        }
        #expect(values.values.count == rows.count && values.values[1] == 2 && values.values[2] == 1)
        guard case .double(let zero) = values.values[5] else {
            Issue.record("\(values.values[5])")
            return
        }
        #expect(zero.sign == .plus)
    }

    // MARK: Bins

    /// Bins of equal widths, or between edges that are given; the last has its upper edge.
    @Test func binsOfNumbers() {
        func spread(_ bins: Int, _ low: Double, _ high: Double) -> NumberSpread { NumberSpread(low...high, bins: bins) }
        let huge = Double.greatestFiniteMagnitude
        let cases: [(spread: NumberSpread, count: Int, bins: [(Double, Int?)])] = [
            (
                spread(5, 0, 10), 5,
                [(0, 0), (1.99, 0), (2, 1), (9.99, 4), (10, 4), (10.01, nil), (-0.01, nil), (.nan, nil)]
            ),
            (spread(7, 5, 5), 1, [(5, 0), (4.9, nil), (5.1, nil)]), (spread(0, 0, 8), 1, [(0, 0), (8, 0), (9, nil)]),
            (spread(1, -4, 4), 1, [(-4, 0), (4, 0)]),
            (spread(4, -4, 4), 4, [(-4, 0), (-2, 1), (0, 2), (3.9, 3), (4, 3)]),
            // The width is no number that is finite.
            (spread(2, -huge, huge), 2, [(-huge, 0), (-1e300, 0), (1e300, 1), (huge, 1), (.infinity, nil)]),
            // So small a width that 1,000 bins of it are none.
            (spread(1_000, 0, 1e-306), 1_000, [(0, 0), (5.001e-307, 500), (1e-306, 999), (2e-306, nil)]),
            (
                NumberSpread(edges: [0, 1, 10, 11, 20, 21]), 5,
                [
                    (0, 0), (0.9, 0), (1, 1), (9.9, 1), (10, 2), (11, 3), (19, 3), (20, 4), (21, 4), (21.1, nil),
                    (-1, nil),
                ]
            ),
            (NumberSpread(edges: [3, 4]), 1, [(3, 0), (4, 0), (5, nil)]),
            (NumberSpread(edges: [3]), 1, [(3, 0), (4, nil)]),
            (NumberSpread(edges: []), 1, [(0, 0), (1, nil)]),
        ]
        for (number, item) in cases.enumerated() {
            #expect(item.spread.counts == [Int](repeating: 0, count: item.count), "\(number)")
            for (value, bin) in item.bins { #expect(item.spread.bin(of: value) == bin, "\(number): \(value)") }
        }
    }

    // MARK: Cursors

    /// FNV-1a of 64 bits over type, zone and predicate, and over each key; all parts end with a zero. Kept cursors rely
    /// on it.
    @Test func queriesAreToldApartByTheirHash() throws {
        func hash(_ parts: [String]) -> UInt64 {
            parts.flatMap { Array($0.utf8) + [0] }.reduce(14_695_981_039_346_656_037) { hash, byte in
                (hash ^ UInt64(byte)).multipliedReportingOverflow(by: 1_099_511_628_211).partialValue
            }
        }
        let bound = try Binder().bind(RecordPredicate(format: "n == 1"))
        let zone = RecordZone.ID("Z", ownerName: "o")
        let keys = [SortKey.ascending("n"), SortKey(.recordName, isAscending: false)]
        let ends = keys.map { "\($0.criterion) \($0.isAscending)" }
        let cases: [(type: String?, zone: RecordZone.ID?, keys: [SortKey], parts: [String])] = [
            ("T", zone, keys, ["T Z o \(bound)"] + ends), (nil, zone, [], [" Z o \(bound)"]),
            ("T", nil, [keys[1]], ["T   \(bound)", ends[1]]),
        ]
        for (type, zone, keys, parts) in cases {
            let query = QueryFingerprint(.bound(bound), ofType: type, zoneID: zone, sortedBy: keys)
            #expect(query.value == hash(parts), "\(parts)")
            #expect(query == query.known && query.known.value == query.value)
            let kept = try JSONDecoder().decode([QueryFingerprint].self, from: JSONEncoder().encode([query]))
            #expect(kept == [query])
        }
    }
}
