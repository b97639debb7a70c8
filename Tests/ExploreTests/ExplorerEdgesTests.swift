// What pages are shown, without a connection: states of the records, results that are kept, spreads, tickets.

import RecordDatabase
import Synchronization
import Testing

@testable import ExploreServer

/// Records named r0, r1 … in the order given.
enum RowSample {
    static func set(_ rows: [[String: FieldValue]]) throws -> RecordSet {
        try RecordSet(
            records: rows.enumerated().map { number, fields in
                Record(type: "T", id: Record.ID("r\(number)"), fields: fields)
            })
    }

    static func numbers(_ numbers: [Int64]) throws -> RecordSet { try set(numbers.map { ["n": .int64($0)] }) }

    static func explorer(_ records: RecordSet) -> Explorer {
        Explorer(ExploredRecords(name: "t", version: { nil }, load: { nil }), records, ExploreServer.Options())
    }
}

@Suite struct ExplorerEdgesTests {
    private static func blank() throws -> PageQuery { try PageQuery(JSONReader.tree("{}")) }

    @Test func theUsualLimitsAreTenSecondsAndAQuarterOfAGigabyte() {
        let limits = ExploreServer.Options().limits
        #expect(limits.time == .seconds(10) && limits.resultBytes == 268_435_456)
        #expect(ExploreServer.Options(time: .milliseconds(5)).limits.time == .milliseconds(5))
    }

    // MARK: Results

    @Test func eightResultsAreKeptThoseThatWereUsedLast() throws {
        let records = try RowSample.numbers([1])
        let explorer = RowSample.explorer(records)
        let (query, rows) = (try Self.blank(), try records.matchingRows(of: "n > 5", variables: [:]))
        let names = try (0..<8).map { number in
            try #require(explorer.keep(query, rows, [UInt32(number)], version: 1))
        }
        #expect(Set(names).count == 8)
        for round in 1...2 {
            for (number, name) in names.enumerated() {
                #expect(explorer.result(name)?.0.ordinals == [UInt32(number)], "round \(round)")
            }
        }
        #expect(explorer.result(names[0]) != nil)
        let ninth = try #require(explorer.keep(query, rows, [8], version: 1))
        let kept = (names + [ninth]).filter { explorer.result($0) != nil }
        #expect(kept == [names[0]] + names[2...] + [ninth])
        #expect(explorer.result("none") == nil)
    }

    /// Sixty-four megabytes, four bytes for each ordinal and each row that matches; the last result in any case.
    @Test func resultsThatAreLargeTogetherAreForgotten() throws {
        let records = try RowSample.numbers([1])
        let query = try Self.blank()
        let one = try records.matchingRows(of: "n == 1", variables: [:])
        let none = try records.matchingRows(of: "n > 5", variables: [:])
        let explorer = RowSample.explorer(records)
        let quarter = [UInt32](repeating: 0, count: 4 << 20)
        let names = try (0..<4).map { _ in try #require(explorer.keep(query, none, quarter, version: 1)) }
        #expect(names.filter { explorer.result($0) != nil } == names)
        let small = try #require(explorer.keep(query, one, [], version: 1))
        #expect((names + [small]).filter { explorer.result($0) != nil } == names[1...] + [small])

        let other = RowSample.explorer(records)
        let large = [UInt32](repeating: 0, count: (16 << 20) + 1)
        let first = try #require(other.keep(query, none, large, version: 1))
        #expect(other.result(first)?.0.ordinals.count == large.count)
        let second = try #require(other.keep(query, none, large, version: 1))
        #expect(other.result(first) == nil && other.result(second) != nil)
    }

    @Test func resultsAreThoseOfTheRecordsAsTheyAre() throws {
        let records = try RowSample.numbers([1])
        let (query, rows) = (try Self.blank(), try records.matchingRows(of: "n == 1", variables: [:]))
        let explorer = RowSample.explorer(records)
        #expect(explorer.current.version == 1 && explorer.current.records.count == 1)
        let old = try #require(explorer.keep(query, rows, [0], version: 1))
        #expect(explorer.keep(query, rows, [0], version: 0) == nil)
        let state = explorer.replace(try RowSample.numbers([1, 2]))
        #expect(state.version == 2 && state.records.count == 2)
        #expect(explorer.current.version == 2 && explorer.current.records.count == 2)
        #expect(explorer.result(old) == nil)
        #expect(explorer.keep(query, rows, [0], version: 1) == nil)
        let new = try #require(explorer.keep(query, rows, [0], version: 2))
        #expect(new != old && explorer.result(new)?.1.version == 2)
    }

    /// Names may have blanks in them: a type and a field are two names, not one text.
    @Test func spreadsAreOfTheirTypeAndField() throws {
        let records = try RecordSet(
            records: [("A", "b c", 1), ("A", "b c", 5), ("A b", "c", 70), ("A b", "c", 90)].enumerated().map {
                Record(type: $1.0, id: Record.ID("r\($0)"), fields: [$1.1: .int64($1.2)])
            })
        let explorer = RowSample.explorer(records)
        for (type, field, lowest) in [("A", "b c", 1.0), ("A b", "c", 70), ("A", "b c", 1)] {
            let spread = try explorer.spread(of: field, type: type, in: explorer.current)
            #expect(spread.range.lowerBound == lowest && spread.counts.reduce(0, +) == 2, "\(type), \(field)")
        }
    }

    @Test func oneResultIsCompletedTheOthersAreNot() throws {
        let records = try RowSample.numbers([1])
        let (query, rows) = (try Self.blank(), try records.matchingRows(of: "n == 1", variables: [:]))
        let explorer = RowSample.explorer(records)
        let names = try (0..<3).map { number in
            try #require(explorer.keep(query, rows, [UInt32(number)], version: 1))
        }
        explorer.complete(names[1], [7, 8])
        explorer.complete("none", [9])
        #expect(names.map { explorer.result($0)?.0.ordinals } == [[0], [7, 8], [2]])
    }

    // MARK: Spreads

    /// Of whole numbers that are close each has a bin of its own, of all others sixty bins are one range.
    @Test func binsOfASpread() throws {
        let whole: [(numbers: [Int64], bins: Int)] = [
            ([5], 1), ([5, 5], 1), ([0, 1], 2), ([100, 103, 103], 4), ([-3, 0], 4), ([0, 57], 58), ([0, 58], 59),
            ([0, 59], 60), ([0, 60], 60), ([0, 61], 60), ([-500, 700], 60),
        ]
        for (numbers, bins) in whole {
            let explorer = RowSample.explorer(try RowSample.numbers(numbers))
            let spread = try explorer.spread(of: "n", type: nil, in: explorer.current)
            #expect(spread.counts.count == bins, "\(numbers)")
            #expect(spread.counts.reduce(0, +) == numbers.count, "\(numbers)")
            #expect(spread.counts.first == numbers.count { $0 == numbers.min() }, "\(numbers)")
        }
        let close = RowSample.explorer(try RowSample.numbers([100, 103, 103]))
        #expect(try close.spread(of: "n", type: nil, in: close.current).counts == [1, 0, 0, 2])
        let fractions = RowSample.explorer(try RowSample.set([["n": 0.0], ["n": 3.5]]))
        #expect(try fractions.spread(of: "n", type: nil, in: fractions.current).counts.count == 60)
    }

    /// A page that still looks at the records before them is not told of the new ones, nor the other way round.
    @Test func eachStateHasItsOwnSpreads() throws {
        let explorer = RowSample.explorer(try RowSample.numbers([0, 1]))
        let old = explorer.current
        // What was counted of the old ones is not what the new ones have.
        #expect(try explorer.spread(of: "n", type: nil, in: old).counts == [1, 1])
        let new = explorer.replace(try RowSample.numbers([0, 1, 2, 2]))
        for round in 1...2 {
            #expect(try explorer.spread(of: "n", type: nil, in: old).counts == [1, 1], "round \(round)")
            #expect(try explorer.spread(of: "n", type: nil, in: new).counts == [1, 1, 2], "round \(round)")
        }
    }

    // MARK: Calls and tickets

    private final class Counter: Sendable {
        let count = Atomic(0)
        func add() { count.add(1, ordering: .sequentiallyConsistent) }
        var value: Int { count.load(ordering: .sequentiallyConsistent) }
    }

    @Test func theFirstCallIsToldOnce() throws {
        let explorer = RowSample.explorer(try RowSample.numbers([1]))
        let (early, late) = (Counter(), Counter())
        explorer.onFirstCall { early.add() }
        #expect(early.value == 0)
        for _ in 1...2 {
            explorer.noteCall()
            #expect(early.value == 1)
        }
        explorer.onFirstCall { late.add() }
        #expect(late.value == 1, "who comes late is told at once")
        explorer.noteCall()
        #expect(early.value == 1 && late.value == 1)
    }

    @Test func whatWasToldOfTheFirstCallIsLetGo() throws {
        let explorer = RowSample.explorer(try RowSample.numbers([1]))
        weak var known: Counter?
        do {
            let counter = Counter()
            known = counter
            explorer.onFirstCall { counter.add() }
        }
        let wasKept = known != nil
        explorer.noteCall()
        let isKept = known != nil
        #expect(wasKept && !isKept)
    }

    /// A hundred downloads may wait, each for half a minute and for one reader.
    @Test func ticketsOfDownloads() throws {
        let tickets = ExportTickets()
        let query = try Self.blank()
        let before = ContinuousClock.now
        let keys = (0..<100).map { _ in tickets.add(query, .csv) }
        let after = ContinuousClock.now
        #expect(Set(keys).count == 100)
        #expect(tickets.take(tickets.add(query, .json)) == nil, "there are a hundred")
        for key in keys {
            let ticket = try #require(tickets.take(key))
            #expect(ticket.format == .csv)
            #expect((before + .seconds(30)...after + .seconds(30)).contains(ticket.deadline))
            #expect(tickets.take(key) == nil)
        }
        #expect(tickets.take(tickets.add(query, .json))?.format == .json)
    }
}
