// Days of the calendar against plain counting, texts of dates that are almost ones, and names that are no zones.

import FoundationEssentials
import Testing

@testable import RecordModel

@Suite struct CalendarEdgesTests {
    private static func length(_ month: Int, _ year: Int) -> Int {
        if month == 2 {
            if year.isMultiple(of: 400) { return 29 }
            if year.isMultiple(of: 100) { return 28 }
            return year.isMultiple(of: 4) ? 29 : 28
        }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The first and the last day of every month, counted month by month, through cycles of 400 years on both sides of
    /// the year 0.
    @Test func daysAreThoseOfCounting() {
        // 2001-01-01 is day 0, and a cycle of 400 years has 146,097 days: seven of them lead back to the year −799.
        var day = -7 * 146_097
        for year in -799...2801 {
            for month in 1...12 {
                let last = Self.length(month, year)
                for (number, since) in [(1, day), (last, day + last - 1)] {
                    let (foundYear, foundMonth, foundDay) = RFC3339.civil(daysSince2001: since)
                    if RFC3339.daysSince2001(year: year, month: month, day: number) == since,
                        foundYear == year, foundMonth == month, foundDay == number
                    {
                        continue
                    }
                    Issue.record("\(year)-\(month)-\(number): \(foundYear)-\(foundMonth)-\(foundDay)")
                    return
                }
                day += last
            }
        }
        #expect(day == 2 * 146_097 + 365)
    }

    private static let texts: [(text: String, seconds: Double?)] = [
        // Marks between the numbers, each alone.
        ("2001/01-01T00:00:00Z", nil), ("2001-01/01T00:00:00Z", nil), ("2001-01-01T00x00:00Z", nil),
        ("2001-01-01T00:00x00Z", nil), ("2001-01-01_00:00:00Z", nil), ("2001-01-01T00:00:00+01x00", nil),
        // The character behind the digit nine is none.
        ("200:-01-01T00:00:00Z", nil), ("2001-01-0:T00:00:00Z", nil), ("2001-01-01T0::00:00Z", nil),
        ("2001-01-01T00:00:00.:Z", nil), ("2001-01-01T00:00:00+0::00", nil), ("2001-01-01T00:00:00+00:0:", nil),
        // Numbers at their ends.
        ("2001-01-01T23:59:60Z", 86_400), ("2001-01-01T00:00:61Z", nil), ("2001-01-01T00:59:00Z", 3_540),
        ("2000-02-29T00:00:00Z", -307 * 86_400), ("2000-02-30T00:00:00Z", nil), ("2001-06-31T00:00:00Z", nil),
        ("2001-12-31T00:00:00Z", 364 * 86_400), ("2001-12-32T00:00:00Z", nil),
        // Zones.
        ("2001-01-01T00:00:00+23:59", -86_340), ("2001-01-01T00:00:00-23:59", 86_340),
        ("2001-01-01T00:00:00-24:00", nil), ("2001-01-01T00:00:00+00:60", nil), ("2001-01-01T00:00:00+00:59", -3_540),
        ("2001-01-01T00:00:00x01:00", nil), ("2001-01-01T00:00:00,01:00", nil), ("2001-01-01T00:00:00+01:00x", nil),
        ("2001-01-01T00:00:00+01:0", nil), ("2001-01-01T00:00:00.5", nil), ("2001-01-01T00:00:00.5+00:00", 0.5),
        ("2001-01-01T00:00:00Z ", nil), ("2001-01-01T00:00:00zz", nil), ("2001-01-01T00:00:00/25Z", nil),
        // Digits of a fraction: of many only the first eighteen count.
        ("2001-01-01T00:00:00.000000000000000001Z", 1e-18), ("2001-01-01T00:00:00.0000000000000000009Z", 0),
        ("2001-01-01T00:00:00.\(String(repeating: "0", count: 400))1Z", 0),
        ("2001-01-01T00:00:00.25\(String(repeating: "0", count: 400))Z", 0.25),
    ]

    @Test(arguments: texts.indices) func textsAreDatesToTheLetter(_ index: Int) {
        let (text, seconds) = Self.texts[index]
        #expect(RFC3339.parse(text) == seconds, "\(text)")
    }

    /// A plain day is one of ten characters; what follows it makes it none, unless it is a whole time.
    @Test func daysAreTenCharacters() {
        for text in ["2001/01-02", "2001-01/02", "200:-01-02", "2001-01-02 ", "2001-01-0", "2000-02-30"] {
            #expect(RFC3339.day(text) == nil && RFC3339.date(text) == nil, "\(text)")
        }
        #expect(RFC3339.day("2001-01-02T00:00:00Z") == nil && RFC3339.day("2000-02-29") == -307 * 86_400)
        #expect(RFC3339.date("2001-01-02T00:00:00Z") == Date(timeIntervalSinceReferenceDate: 86_400))
    }

    /// No less than one digit, no more than it takes: the hundredth before nine ones, and a second that rounds up.
    @Test func fractionsHaveTheDigitsThatTheyNeed() {
        let cases: [(Double, String)] = [
            (0.01, "00.01"), (0.05, "00.05"), (0.000_000_001, "00.000000001"), (0.123_456_789, "00.123456789"),
            (0.9, "00.9"), (0.99, "00.99"), (0.999_999_999, "00.999999999"), (59.5, "59.5"), (1, "01"),
        ]
        for (seconds, text) in cases {
            #expect(RFC3339.format(seconds) == "2001-01-01T00:00:\(text)Z")
            #expect(RFC3339.exactBytes(seconds).map { String(decoding: $0, as: UTF8.self) } == RFC3339.format(seconds))
        }
        #expect(RFC3339.format(1e12) == nil && RFC3339.format(-1e12) == nil && RFC3339.exactBytes(.nan) == nil)
        #expect(RFC3339.format(.infinity) == nil && RFC3339.format(-.infinity) == nil)
    }

    /// Names that no system knows, or that lead elsewhere than to the file of a zone, change nothing.
    @Test(arguments: [
        "", "No/Where", "Europe", "/etc/passwd", "/Europe/Zurich", "../../../etc/passwd", "Europe/../Europe/Zurich",
        "Zürich", "+", "-",
        "+5", "+005", "+15", "+15:00", "+05:60", "+05:5", "+05:030", "+05:30:00", "+0530", "+ab", "+05:ab", "-15:00",
        "+05:", "+:30", "05:30", "++5", "-+5", "+-5", "--5", "+05:+5", "+05:-5", "+٠٥",
    ]) func namesThatAreNoZones(_ name: String) {
        #expect(!CivilZone.use(name), "\(name)")
        #expect(!CivilZone.isElsewhere, "\(name)")
    }

    /// By UTC, which the clocks are that nobody chose.
    @Test(.enabled(if: CivilZone.offset(at: 0) == 0, "the clocks are not those of UTC"))
    func clocksAreThoseOfGreenwich() throws {
        for moment in [-86_400, -1, 0, 1, 86_399] {
            #expect(CivilZone.local(moment) == moment && CivilZone.moment(ofLocal: moment) == moment)
        }
        let date = Date(timeIntervalSinceReferenceDate: -0.5)
        let parts = try #require(CivilZone.components(of: date))
        #expect(parts == (2000, 12, 31))
        #expect(CivilZone.text(of: date) == "2000-12-31T23:59:59.5Z")
        #expect(CivilZone.text(of: Date(timeIntervalSinceReferenceDate: 1e12)) == nil)
        #expect(CivilZone.date("2001-01-02") == Date(timeIntervalSinceReferenceDate: 86_400))
        #expect(CivilZone.components(of: Date(timeIntervalSinceReferenceDate: .infinity)) == nil)
    }
}
