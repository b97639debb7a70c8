// Histograms of months: as many as a histogram may have, and one more.

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
}
