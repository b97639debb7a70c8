// Dates as text.

import FoundationEssentials
import Testing

@testable import RecordModel

@Suite struct RFC3339Tests {
    @Test func reads() {
        let cases: [(String, Double?)] = [
            ("2001-01-01T00:00:00Z", 0), ("2001-01-01t00:00:00z", 0), ("2001-01-01 00:00:01Z", 1),
            ("2001-01-01T02:00:00+02:00", 0), ("2000-12-31T23:30:00-00:30", 0), ("1970-01-01T00:00:00Z", -978_307_200),
            ("2000-12-31T23:59:60Z", 0), ("2004-02-29T00:00:00Z", 99_705_600),
            ("0000-01-01T00:00:00Z", -63_145_526_400 + 0),
            ("9999-12-31T23:59:59.999Z", 252_423_993_599.999), ("2001-01-01T00:00:00.5Z", 0.5),
            ("2001-01-01T00:00:00.500000000000000000000001Z", 0.5),
            ("2001-01-01", nil), ("2001-01-01T00:00:00", nil), ("2001-01-01T00:00:00.Z", nil),
            ("2001-01-01T24:00:00Z", nil),
            ("2001-02-29T00:00:00Z", nil), ("2001-13-01T00:00:00Z", nil), ("2001-00-01T00:00:00Z", nil),
            ("2001-01-01T00:00:00+24:00", nil), ("2001-01-01T00:00:00ZZ", nil), ("2001-01-01T00:60:00Z", nil),
            ("20010101T000000Z", nil), ("", nil), ("2001-01-01X00:00:00Z", nil), ("2001-01-01T00:00:00+0100", nil),
        ]
        for (text, seconds) in cases { #expect(RFC3339.parse(text) == seconds, "\(text)") }
        #expect(RFC3339.date("2001-01-02") == Date(timeIntervalSinceReferenceDate: 86_400))
        #expect(RFC3339.date("2001-02-29") == nil)
    }

    @Test func printsAndReadsBack() {
        var (state, printed): (UInt64, Int) = (7, 0)
        for round in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let whole = Double(Int64(truncatingIfNeeded: state >> 20) % 252_000_000_000) * (round % 2 == 0 ? 1 : -0.25)
            let seconds = round % 3 == 0 ? (whole / 1000).rounded() / 1000 : whole.rounded()
            guard let text = RFC3339.format(seconds) else { continue }
            printed += 1
            #expect(RFC3339.parse(text) == seconds, "\(seconds) \(text)")
            let parts = RFC3339.components(of: Date(timeIntervalSinceReferenceDate: seconds))
            #expect(parts.map { text.hasPrefix(String($0.year).count == 4 ? "\($0.year)-" : "0") } == true)
        }
        #expect(printed > 15_000)
        let cases: [(Double, String?)] = [
            (0, "2001-01-01T00:00:00Z"), (0.25, "2001-01-01T00:00:00.25Z"), (-0.5, "2000-12-31T23:59:59.5Z"),
            (99_705_600, "2004-02-29T00:00:00Z"), (.nan, nil), (.infinity, nil), (1e12, nil), (252_423_993_600, nil),
            (773_280_000.1, "2025-07-04T00:00:00.1Z"), (1e-300, "2001-01-01T00:00:00.000000000Z"),
        ]
        for (seconds, text) in cases { #expect(RFC3339.format(seconds) == text) }
    }
}
