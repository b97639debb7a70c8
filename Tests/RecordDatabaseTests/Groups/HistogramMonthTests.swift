// Histograms of months and years: as many as a histogram may have, and one more; and the end of the calendar.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct HistogramMonthTests {
    /// 65,536 months are 5,461 years and four months.
    @Test(arguments: [("6461-04-30", true), ("6461-05-01", false)])
    func asManyMonthsAsMayBe(_ last: String, _ fits: Bool) throws {
        let dates = try ["1000-01-01", last].map { try #require(RFC3339.date($0)) }
        let set = try RecordSet(
            records: dates.enumerated().map { Record(type: "N", id: Record.ID("n\($0)"), fields: ["d": .date($1)]) })
        if fits {
            let found = try set.histogram(of: "d", bins: .month)
            let end = try #require(RFC3339.date("6461-05-01"))
            #expect(found.counts.count == 65_536 && found.counts.first == 1 && found.counts.last == 1)
            #expect(found.edges.last == .date(end))
        } else {
            let error = #expect(throws: RecordPredicateError.self) { try set.histogram(of: "d", bins: .month) }
            #expect(error?.description.contains("65537 bins") == true, "\(String(describing: error))")
        }
    }

    /// Bins up to the last second of 9999, from some date or from that second itself, and how many they are.
    private static let last: [(from: String?, bins: HistogramBins, count: Int)] = [
        (nil, .year, 1), (nil, .month, 1), (nil, .automatic, 1), ("2020-05-01", .year, 7980),
        ("2020-05-01", .automatic, 7980), ("5000-05-01", .month, 59_996), ("9998-11-30", .automatic, 14),
    ]

    /// The last year that is written ends where the next one would begin.
    @Test(arguments: last.indices) func theLastYearHasAnEnd(_ index: Int) throws {
        let (first, bins, count) = Self.last[index]
        let texts = [first, "9999-12-31T23:59:59Z"].compactMap(\.self)
        let dates = try texts.map { try #require(RFC3339.date($0)) }
        let set = try RecordSet(
            records: dates.enumerated().map { Record(type: "N", id: Record.ID("n\($0)"), fields: ["d": .date($1)]) })
        let found = try set.histogram(of: "d", bins: bins)
        let day = try #require(RFC3339.date("9999-12-31"))
        #expect(found.edges.last == .date(day + 86_400))
        #expect(found.counts.count == count && found.counts.first == 1 && found.counts.last == 1)
        #expect(found.counts.reduce(0, +) == dates.count)
    }
}
