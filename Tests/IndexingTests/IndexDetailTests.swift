// Details of indexes: numbers that doubles cannot tell apart, ties, equal keys by any hash, marks at the edge.

import FoundationEssentials
import RecordModel
import Testing
import TextAnalysis

@testable import Indexing
@testable import RecordColumns

@Suite struct IndexDetailTests {
    private static func column(_ values: [FieldValue]) throws -> Column {
        try Column.of("v", count: values.count) { values[$0] }
    }

    private static func rows(_ index: OrderedIndex, _ value: FieldValue) -> [UInt32]? {
        index.distinct(equalTo: value).map { index.run(ofDistinct: $0..<$0 + 1).withRows { unsafe Array($0) } }
    }

    private static let edge: Int64 = 1 << 53

    /// Whole numbers beside fractions are ordered as doubles, where all of them are such.
    @Test func largeNumbersBesideFractionsHaveNoOrder() throws {
        for number in [Self.edge, Self.edge - 1, -Self.edge, -Self.edge + 1] {
            let index = try #require(OrderedIndex.build(over: try Self.column([.int64(number), 0.5, .null, 1])))
            #expect(Self.rows(index, .int64(number)) == [0] && Self.rows(index, 0.5) == [1])
            #expect(Self.rows(index, .double(Double(number))) == [0] && Self.rows(index, .int64(number + 2)) == nil)
            #expect(Self.rows(index, .double(Double(number) * 2)) == nil && index.distinctCount == 3)
        }
        for number in [Self.edge + 1, Self.edge + 3, -Self.edge - 1, .max, .min] {
            #expect(OrderedIndex.build(over: try Self.column([.int64(number), 0.5])) == nil, "\(number)")
            // By themselves, and where they are in rows without a fraction at all, they have one.
            let whole = try #require(OrderedIndex.build(over: try Self.column([.int64(number), 1])))
            #expect(Self.rows(whole, .int64(number)) == [0])
            let beside = number == .max ? number - 1 : number + 1
            #expect(Self.rows(whole, .int64(beside)) == nil, "\(number)")
        }
    }

    /// Zero is one value, whatever its sign; what is no number is one, above all others.
    @Test func zerosAndNumbersThatAreNoneAreOneValueEach() throws {
        let values: [FieldValue] = [
            .double(.nan), 0.0, .double(.infinity), .double(-0.0), -1.5, .double(-.nan), .double(-.infinity),
        ]
        let index = try #require(OrderedIndex.build(over: try Self.column(values)))
        let runs = (0..<index.distinctCount).map { index.run(ofDistinct: $0..<$0 + 1).withRows { unsafe Array($0) } }
        #expect(runs == [[6], [4], [1, 3], [2], [0, 5]])
        #expect(Self.rows(index, .double(-0.0)) == [1, 3] && Self.rows(index, 0) == [1, 3])
        #expect(Self.rows(index, .double(.nan)) == [0, 5] && Self.rows(index, false) == [1, 3])
        func range(_ low: KeyBound?, _ high: KeyBound?) -> [UInt32] {
            index.run(ofDistinct: index.distinct(from: low, to: high)).withRows { unsafe $0.sorted() }
        }
        let zero = KeyBound(.double(-0.0), isInclusive: true)
        #expect(range(zero, zero) == [1, 3] && range(nil, KeyBound(0, isInclusive: false)) == [4, 6])
        #expect(range(KeyBound(.double(.infinity), isInclusive: false), nil) == [0, 5])
    }

    /// Of values that as many rows have the lower comes first, also where there is no room for all.
    @Test func theLowerOfEquallyCommonValuesComesFirst() throws {
        let index = try #require(OrderedIndex.build(over: try Self.column([2, 1, 2, 1, 3, 3, 0, 4, .null])))
        let common: [(limit: Int, values: [FieldValue], counts: [Int])] = [
            (0, [], []), (1, [1], [2]), (2, [1, 2], [2, 2]), (3, [1, 2, 3], [2, 2, 2]),
            (4, [1, 2, 3, 0], [2, 2, 2, 1]), (9, [1, 2, 3, 0, 4], [2, 2, 2, 1, 1]),
        ]
        for (limit, values, counts) in common {
            let found = index.mostCommon(limit)
            #expect(found.map(\.value) == values && found.map(\.count) == counts, "\(limit)")
        }
    }

    @Test func quantilesHaveAsManyRowsBetweenThem() throws {
        let cases: [(values: [FieldValue], shares: Int, quantiles: [FieldValue])] = [
            ((0...8).map { .int64($0) }, 4, [0, 2, 4, 6, 8]), ([5, 5, 5, 5, 9], 2, [5, 5, 9]),
            ([5, 9, 9, 9, 9], 4, [5, 9, 9, 9, 9]), ([1, 9], 1, [1, 9]), ([7], 3, [7, 7, 7, 7]), ([.null], 3, []),
            (["b", "a", "c", .null], 2, ["a", "b", "c"]), ([3, 1, 1, 2], 3, [1, 1, 2, 3]),
        ]
        for (values, shares, quantiles) in cases {
            let index = try #require(OrderedIndex.build(over: try Self.column(values)))
            #expect(index.quantiles(shares) == quantiles, "\(values)")
        }
    }

    /// A row stands once under each element, and nulls in lists under none.
    @Test func elementsAreCountedOnceARow() throws {
        let index = try #require(
            OrderedIndex.build(over: try Self.column([["b", "a", "b"], [], ["b"], .null, [.null, "c", "c"], ["a"]])))
        #expect(index.isOverLists && index.entryCount == 5 && index.distinctCount == 3)
        #expect(Self.rows(index, "a") == [0, 5] && Self.rows(index, "b") == [0, 2] && Self.rows(index, "c") == [4])
        let single = try #require(OrderedIndex.build(over: try Self.column([["x", "x"], ["y"]])))
        #expect(single.starts == nil && Self.rows(single, "x") == [0] && Self.rows(single, "y") == [1])
    }

    /// References of one zone are found by their names, whatever their action; those of several have no order.
    @Test func referencesAreOfOneZone() throws {
        func reference(_ name: String, _ zone: RecordZone.ID, _ action: RecordReference.Action = .none) -> FieldValue {
            .reference(RecordReference(recordID: Record.ID(name, zoneID: zone), action: action))
        }
        let (own, other) = (RecordZone.ID.default, RecordZone.ID("z", ownerName: "o"))
        for zone in [own, other] {
            let column = try Self.column([reference("b", zone), .null, reference("a", zone, .deleteSelf)])
            let built = try #require(OrderedIndex.build(over: column))
            for index in [built, try built.reopened(over: column)] {
                #expect(index.family == .reference(zone) && Self.rows(index, reference("a", zone)) == [2])
                #expect(Self.rows(index, reference("b", zone, .deleteSelf)) == [0])
                #expect(Self.rows(index, reference("a", zone == own ? other : own)) == nil)
                #expect(Self.rows(index, "a") == nil && Self.rows(index, reference("c", zone)) == nil)
            }
        }
        #expect(OrderedIndex.build(over: try Self.column([reference("a", own), reference("a", other)])) == nil)
        let list = try Self.column([[reference("a", other)], [reference("b", other), reference("a", other)]])
        let lists = try #require(OrderedIndex.build(over: list)).reopened(over: list)
        #expect(Self.rows(lists, reference("a", other)) == [0, 1] && Self.rows(lists, reference("a", own)) == nil)
        // An order of references belongs to a column of such.
        let texts = try Self.column(["a", "b", "c"])
        #expect(throws: BlockError.self) { try lists.reopened(over: texts) }
    }

    /// Three bytes of every branch are needed; of parts that all are needed one is enough.
    @Test func requirementsNeedThreeBytesInEveryBranch() {
        func text(_ text: String) -> RequiredText { .text(Array(text.utf8)) }
        let index = TrigramIndex.build(over: TextColumn(["xabcx", "bcd", "abcbcd", "ab"]))
        let cases: [(requirement: RequiredText, rows: [UInt32]?)] = [
            (.anything, nil), (text("ab"), nil), (text("abc"), [0, 2]), (.any([text("abc"), text("bcd")]), [0, 1, 2]),
            (.any([text("abc"), text("ab")]), nil), (.any([text("abc"), .anything]), nil),
            (.all([text("abc"), text("bcd")]), [2]), (.all([text("ab"), text("abc")]), [0, 2]),
            (.all([text("ab"), .anything]), nil), (text("zzz"), []), (.all([text("abc"), text("zzz")]), []),
            (.all([.any([text("abc"), text("bcd")]), text("bcd")]), [1, 2]),
            (.any([text("zzz"), text("bcd")]), [1, 2]),
        ]
        for (requirement, rows) in cases {
            #expect(index.candidates(requirement) == rows, "\(requirement)")
            #expect(TrigramIndex.canServe(requirement) == (rows != nil), "\(requirement)")
            guard let rows, !rows.isEmpty else { continue }
            #expect(index.candidates(requirement, limit: rows.count) == rows, "\(requirement)")
            #expect(index.candidates(requirement, limit: rows.count - 1) == nil, "\(requirement)")
        }
    }

    /// A key that was folded and hashed before finds what the value finds, in indexes of other processes too.
    @Test func keysFindWhatTheirValuesFind() throws {
        let values: [FieldValue] = ["Straße", "a", "A", "strasse", "ab", .null, "É"]
        for options: TextOptions in [[], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
            let index = try #require(OrderedIndex.build(over: try Self.column(values), options: options))
            let stored = try index.reopened()
            let foreign = try index.reopenedWithoutTable()
            let slots = ColumnBuffer<UInt64>()
            slots.append(repeating: 0, count: 64)
            let table = ByteIndex(slots: slots, count: 0, keys: ByteHash.Keys(first: 5, second: 77_777))
            for distinct in 0..<index.distinctCount {
                guard case .string(let text) = index.key(ofDistinct: distinct) else { continue }
                Array(text.utf8).withUnsafeBufferPointer { table.insert(table.hash($0), distinct) }
            }
            foreign.textPositions.keep(table)
            for value in values + ["STRASSE", "é", "e", "none", "", 5] {
                let expected = index.distinct(equalTo: value)
                for other in [index, stored, foreign] {
                    #expect(other.distinct(equalTo: value) == expected, "\(value) \(options)")
                    #expect(other.distinct(equalTo: EqualityKey(value, options)) == expected, "\(value) \(options)")
                    // A key of another folding is folded anew.
                    let plain = EqualityKey(value, [.diacriticInsensitive])
                    #expect(other.distinct(equalTo: plain) == expected, "\(value) \(options)")
                }
            }
        }
        let number = try #require(OrderedIndex.build(over: try Self.column([3, 1, 2])))
        #expect(number.distinct(equalTo: EqualityKey(2, [])) == 1)
        #expect(number.distinct(equalTo: EqualityKey("2", [])) == nil)
    }

    /// Marks from the first one that there is belong to the letter before them.
    @Test(arguments: ["\u{300}", "\u{301}", "\u{33F}", "\u{340}", "\u{36F}", "\u{483}", "\u{1AB0}", "\u{20D0}"])
    func marksBelongToTheLetterBefore(mark: String) throws {
        let texts = ["x" + mark, "xa", "x", "x" + mark + "a"]
        let index = try #require(OrderedIndex.build(over: try Self.column(texts.map { .string($0) })))
        let rows = index.distinct(beginningWith: "x").flatMap { stretch in
            index.run(ofDistinct: stretch).withRows { unsafe Array($0) }
        }
        #expect(rows.sorted() == [1, 2])
    }

    /// One list of foreign words serves all foldings, each by itself, in whatever order they are asked for.
    @Test func foreignWordsAreFoldedByEachOptions() {
        let words = NonASCIITerms.build(over: TextColumn(["Über", "über", "uber", "ÜBER x", "Ubër"]))
        func rows(_ text: String, _ options: TextOptions) -> [UInt32] {
            let needle = PreparedNeedle(text, options: options)
            let found = words.find(Array(needle.folded.utf8), needle: needle, options: options)
            return Set(found.sure + found.unsure).sorted()
        }
        let all: TextOptions = [.caseInsensitive, .diacriticInsensitive]
        let cases: [(TextOptions, [UInt32])] = [
            (.caseInsensitive, [0, 1, 3]), ([], [1]), (all, [0, 1, 3, 4]), (.diacriticInsensitive, [1]),
            (.caseInsensitive, [0, 1, 3]), (all, [0, 1, 3, 4]), ([], [1]),
        ]
        for (options, expected) in cases {
            #expect(rows("über", options).filter { $0 != 2 } == expected, "\(options.rawValue)")
        }
    }
}

extension OrderedIndex {
    /// The index as it is without what finds its texts.
    fileprivate func reopenedWithoutTable() throws -> OrderedIndex {
        OrderedIndex(
            family: family, order: order, starts: starts, keys: keys, rowCount: rowCount, isOverLists: isOverLists)
    }
}
