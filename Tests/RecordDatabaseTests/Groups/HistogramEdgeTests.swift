// Edges of histograms by the calendar, where units change, and what numbers and dates count as.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct HistogramEdgeTests {
    private static func date(_ seconds: Double) -> FieldValue {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    private static func set(_ values: [FieldValue]) throws -> RecordSet {
        try RecordSet(
            records: values.enumerated().map { Record(type: "N", id: Record.ID("n\($0)"), fields: ["n": $1]) })
    }

    /// Two dates, bins, and the edges around them; in seconds since a Monday, the first of January 2001.
    private static let calendar: [(dates: [Double], bins: HistogramBins, edges: [Double])] = [
        ([3599, 7200], .hour, [0, 3600, 7200, 10_800]), ([-1, 86_400], .day, [-86_400, 0, 86_400, 172_800]),
        ([604_799, 604_800], .week, [0, 604_800, 1_209_600]),
        // From December to February.
        ([-1, 31 * 86_400], .month, [-31 * 86_400, 0, 31 * 86_400, 59 * 86_400]),
        ([-1, 0], .year, [-366 * 86_400, 0, 365 * 86_400]),
    ]

    @Test(arguments: calendar.indices) func partsOfTheCalendar(_ index: Int) throws {
        let (dates, bins, edges) = Self.calendar[index]
        let found = try Self.set(dates.map(Self.date)).histogram(of: "n", bins: bins)
        #expect(found.isDate && found.edges == edges.map(Self.date))
        #expect(found.counts.first == 1 && found.counts.count == edges.count - 1)
    }

    /// The longest range that a unit is chosen for, and the next second, from 2001 on: how many bins there are.
    private static let automatic: [(days: Double, below: Int, from: Int)] = [
        (2, 48, 3), (60, 60, 9), (300, 43, 10), (5 * 366, 61, 6),
    ]

    @Test(arguments: automatic.indices) func unitsByTheLengthOfTheRange(_ index: Int) throws {
        let (days, below, from) = Self.automatic[index]
        for (end, count) in [(days * 86_400 - 1, below), (days * 86_400, from)] {
            let found = try Self.set([Self.date(0), Self.date(end)]).histogram(of: "n", bins: .automatic)
            #expect(found.counts.count == count && found.counts.first == 1 && found.counts.last == 1)
        }
    }

    @Test func asManyBinsAsMayBe() throws {
        let found = try Self.set([0, 1]).histogram(of: "n", bins: 65_536)
        #expect(found.counts.count == 65_536 && found.counts.first == 1 && found.counts.last == 1)
    }

    /// Round bins are whole ones around a range, and count what is in them.
    @Test func roundBinsAroundARange() throws {
        let found = try Self.set([0, 5, 20]).histogram(of: "n", bins: .round(4), within: 1...8)
        #expect(found.range == 0...10 && found.counts == [1, 0, 1, 0, 0] && found.outsideCount == 1)
    }

    /// Edges are numbers where the distance from the first to the last one is none that a double holds.
    @Test func edgesThatAreFarApart() throws {
        let set = try Self.set([.double(-1e308), .double(1e308)])
        let found = try set.histogram(of: "n", bins: 2, within: -1.5e308...1.5e308)
        #expect(found.edges == [.double(-1.5e308), .double(0), .double(1.5e308)] && found.counts == [1, 1])
    }

    /// Where the schema does not tell, numbers go before dates, and dates are such with a range, too.
    @Test func numbersBeforeDates() throws {
        let values = ["3", "{'$date':100,'since':2001}", "{'$date':200,'since':2001}"]
        let mixed = try RecordSet.mixed(values.map { "{'n':\($0)}" }).histogram(of: "n", bins: 1)
        #expect(!mixed.isDate && mixed.range == 3...3 && mixed.counts == [1])
        #expect(mixed.missingCount == 2 && mixed.otherKindCount == 2)
        let nested = try Self.set([10, 60].map { .object(["at": Self.date($0)]) })
        for (range, expected) in [(nil, [10, 35, 60]), (0...100, [0, 50, 100])] as [(ClosedRange<Double>?, [Double])] {
            let found = try nested.histogram(of: "n.at", bins: 2, within: range)
            #expect(found.isDate && found.edges == expected.map(Self.date) && found.counts == [1, 1])
        }
    }

    /// Of a list of dates a record counts once in each bin that one of them is in.
    @Test func listsOfDates() throws {
        let lists: [[Double]] = [[0, 5], [5, 20, 6], [20]]
        let set = try Self.set(lists.map { .list($0.map(Self.date)) })
        let found = try set.histogram(of: "n", bins: 2)
        let edges = [0.0, 10, 20].map(Self.date)
        #expect(found.isDate && found.edges == edges && found.counts == [2, 2])
    }

    /// Counts of values as groups: in the order of values, and none where two of them are one.
    @Test func groupsOfCounts() throws {
        let groups = RecordGroup.groups(of: [("b", 2), (10, 1), (.null, 3), ("a", 5), (9.5, 4)])
        #expect(groups?.map(\.keys) == [[.null], [9.5], [10], ["a"], ["b"]])
        #expect(groups?.map(\.count) == [3, 4, 1, 5, 2])
        #expect(RecordGroup.groups(of: [(1, 2), ("a", 1), (1.0, 3)]) == nil)
        #expect(try Self.set([1, 2]).group(by: ["n"], limit: -1) == [])
    }
}
