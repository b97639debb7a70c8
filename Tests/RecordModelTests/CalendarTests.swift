// Where the units of the calendar begin, and the first and last dates that have a text.

import FoundationEssentials
import Testing

@testable import RecordModel

@Suite struct CalendarTests {
    private static let day = 86_400.0

    /// Ranges in seconds since Monday, 2001-01-01, and the starts of the units about them.
    private static let units: [(unit: CivilZone.Unit, range: ClosedRange<Double>, starts: [Double])] = [
        (.hour, 0...0, [0, 3600]), (.hour, -0.5...0, [-3600, 0, 3600]), (.hour, 3599.5...3599.5, [0, 3600]),
        (.day, -0.5 ... -0.5, [-day, 0]), (.day, 0...day, [0, day, 2 * day]), (.day, -day ... -1, [-day, 0]),
        // A Sunday, two Mondays and a Sunday before 2001, and the same behind.
        (.week, -day ... -day, [-7 * day, 0]), (.week, -7 * day ... -7 * day, [-7 * day, 0]),
        (.week, -8 * day ... -8 * day, [-14 * day, -7 * day]),
        (.week, -14 * day ... -14 * day, [-14 * day, -7 * day]), (.week, 0...0, [0, 7 * day]),
        (.week, 6 * day...6 * day, [0, 7 * day]), (.week, 7 * day...7 * day, [7 * day, 14 * day]),
        // December 2000, and February of a leap year.
        (.month, -day ... -day, [-31 * day, 0]), (.month, 0...0, [0, 31 * day]),
        (.month, -320 * day ... -320 * day, [-335 * day, -306 * day]),
        (.year, -1 ... -1, [-366 * day, 0]), (.year, 0...0, [0, 365 * day]),
        (.year, -367 * day...0, [-731 * day, -366 * day, 0, 365 * day]),
    ]

    @Test(.enabled(if: CivilZone.offset(at: 0) == 0, "the clocks are not those of UTC"), arguments: units.indices)
    func unitsBegin(_ index: Int) {
        let (unit, range, starts) = Self.units[index]
        #expect(CivilZone.starts(of: unit, around: range) == starts, "\(unit) \(range)")
    }

    @Test func unitsEndWithTheYearsThatHaveNumbers() {
        for unit: CivilZone.Unit in [.hour, .day, .week, .month, .year] {
            #expect(CivilZone.starts(of: unit, around: 0...1e12) == nil)
            #expect(CivilZone.starts(of: unit, around: -1e12...0) == nil)
        }
    }

    /// A cycle of the calendar is 146,097 days for 400 years.
    private static let cycle = 146_097 * day

    @Test func datesHaveYearsOfFourDigits() {
        func parts(_ seconds: Double) -> [Int]? {
            RFC3339.components(of: Date(timeIntervalSinceReferenceDate: seconds)).map {
                [$0.year, $0.month, $0.day, $0.hour, $0.minute, $0.second]
            }
        }
        // From 2001 it is thirty cycles back to −9999, five to 1, and twenty on to 10001, the year before which is a
        // leap year.
        #expect(parts(-30 * Self.cycle) == [-9999, 1, 1, 0, 0, 0] && parts(-30 * Self.cycle - 1) == nil)
        #expect(parts(-5 * Self.cycle) == [1, 1, 1, 0, 0, 0])
        #expect(parts(-5 * Self.cycle - 0.5) == [0, 12, 31, 23, 59, 59])
        #expect(parts(-6 * Self.cycle - 1) == [-400, 12, 31, 23, 59, 59])
        let end = 20 * Self.cycle - 366 * Self.day
        #expect(parts(end - 0.25) == [9999, 12, 31, 23, 59, 59] && parts(end) == nil)
        #expect(RFC3339.format(end - 1) == "9999-12-31T23:59:59Z" && RFC3339.format(end) == nil)
        let first = -5 * Self.cycle - 366 * Self.day
        #expect(RFC3339.format(first) == "0000-01-01T00:00:00Z" && RFC3339.format(first - 1) == nil)
    }

    /// A fraction of nothing but nines is a whole second; a date is exact where its text gives the same number.
    @Test func fractionsAreRounded() {
        #expect(RFC3339.format(0.9999999999) == "2001-01-01T00:00:01Z")
        #expect(RFC3339.format(-1e-10) == "2001-01-01T00:00:00Z")
        #expect(RFC3339.format(86_399.9999999999) == "2001-01-02T00:00:00Z")
        #expect(RFC3339.format(0.999) == "2001-01-01T00:00:00.999Z")
        #expect(RFC3339.exactBytes(0.25) == Array("2001-01-01T00:00:00.25Z".utf8))
        #expect(RFC3339.exactBytes(-0.5) == Array("2000-12-31T23:59:59.5Z".utf8))
        #expect(RFC3339.exactBytes(1e-300) == nil && RFC3339.exactBytes(-1e-10) == nil)
    }

    private static let texts: [(text: String, seconds: Int?)] = [
        ("2001-01-01", 0), ("2000-12-31", -86_400), ("2000-02-29", -307 * 86_400), ("1900-02-29", nil),
        ("2100-02-29", nil), ("2001-04-31", nil), ("2001-04-30", 119 * 86_400), ("2001-12-31", 364 * 86_400),
        ("2001-01-32", nil), ("2001-01-00", nil), ("2001-00-01", nil), ("2001/01/01", nil), ("2001-01-1", nil),
        ("2001-01-011", nil), ("200a-01-01", nil),
    ]

    @Test(arguments: texts.indices) func daysAreThoseOfTheCalendar(_ index: Int) {
        let (text, seconds) = Self.texts[index]
        #expect(RFC3339.day(text) == seconds, "\(text)")
    }
}
