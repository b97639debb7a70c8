// Names of zones as `--time-zone` takes them, by the first edge of a histogram; and clocks that nobody chose.

import Testing

struct TimeZoneEdgesTests {
    private static let noon = "2026-01-01T12:00:00Z"

    /// The name of a zone, a moment, a unit of the calendar, and when that unit began by the clocks of the zone.
    static let zones: [(name: String, moment: String, unit: String, start: String)] = [
        ("UTC", noon, "day", "2026-01-01T00:00:00Z"), ("utc", noon, "day", "2026-01-01T00:00:00Z"),
        ("z", noon, "day", "2026-01-01T00:00:00Z"), ("Gmt", noon, "day", "2026-01-01T00:00:00Z"),
        ("+00", noon, "day", "2026-01-01T00:00:00+00:00"), ("+05:30", noon, "day", "2026-01-01T00:00:00+05:30"),
        ("-05:30", noon, "day", "2026-01-01T00:00:00-05:30"), ("-00:30", noon, "day", "2026-01-01T00:00:00-00:30"),
        ("+14", noon, "day", "2026-01-02T00:00:00+14:00"), ("+14:59", noon, "day", "2026-01-02T00:00:00+14:59"),
        ("Etc/GMT+5", noon, "day", "2026-01-01T00:00:00-05:00"),
        // Mean time of the place, 34 minutes and 8 seconds ahead: no distance of whole minutes, so it is told in UTC.
        ("Europe/Zurich", "1850-06-01T00:00:00Z", "year", "1849-12-31T23:25:52Z"),
    ]

    @Test(arguments: zones.indices) func unitsBeginByTheClocksOfTheZone(_ index: Int) throws {
        let (name, moment, unit, start) = Self.zones[index]
        let run = try CommandRun(
            ["query", "--histogram", "at:\(unit)", "--time-zone", name, "-o", "csv"],
            input: "{\"at\":\"\(moment)\"}\n")
        #expect(run.lines.dropFirst().first?.split(separator: ",").first.map(String.init) == start, "\(name) \(run)")
    }

    /// Days of predicates are those of UTC, whatever the clocks of the machine.
    @Test(arguments: ["at >= '2018-11-04'", "day(at) == 4"])
    func clocksOfTheMachineDoNotCount(_ predicate: String) throws {
        let input =
            #"{"id":"a","at":"2018-11-03T23:59:59Z"}"# + "\n" + #"{"id":"b","at":"2018-11-04T00:00:00Z"}"# + "\n"
        let run = try CommandRun(
            ["query", predicate, "-o", "ids"], input: input, environment: ["TZ": "America/Sao_Paulo"])
        #expect(run.lines == ["b"], "\(run)")
    }
}
