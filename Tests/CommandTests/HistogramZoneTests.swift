// Histograms by the clocks of a zone, against Foundation's calendar.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

struct HistogramZoneTests {
    /// Zones, and a moment about which their clocks change, or nothing does.
    static let zones: [(name: String, around: String)] = [
        ("Europe/Zurich", "2026-03-29T01:00:00Z"), ("Europe/Zurich", "2026-10-25T01:00:00Z"),
        ("America/New_York", "2025-11-02T06:00:00Z"), ("Asia/Kolkata", "2026-01-01T00:00:00Z"),
        // Clocks that leave midnight out, and some that leave a day out.
        ("America/Sao_Paulo", "2018-11-04T03:00:00Z"), ("Asia/Beirut", "2022-03-26T22:00:00Z"),
        ("Pacific/Apia", "2011-12-30T10:00:00Z"), ("-03:30", "2026-06-01T00:00:00Z"),
    ]

    private static func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        let seconds = zone == "-03:30" ? TimeZone(secondsFromGMT: -12_600) : TimeZone(identifier: zone)
        calendar.timeZone = try #require(seconds)
        calendar.firstWeekday = 2
        return calendar
    }

    @Test(arguments: zones.indices) func partsAreThoseOfTheCalendar(_ index: Int) throws {
        let (zone, around) = Self.zones[index]
        let calendar = try Self.calendar(zone)
        let centre = try #require(Self.date(around))
        var random = SeededGenerator(seed: UInt64(index))
        let dates = (0..<400).map { number in
            let reach = number < 200 ? 200_000 : 86_400 * 20
            return centre.addingTimeInterval(Double(Int.random(in: -reach...reach, using: &random)))
        }
        let input = dates.map { "{\"at\":\"\($0.ISO8601Format())\"}\n" }.joined()
        let units: [(name: String, unit: Calendar.Component)] = [
            ("hour", .hour), ("day", .day), ("week", .weekOfYear), ("month", .month), ("year", .year),
        ]
        for (name, unit) in units {
            let run = try CommandRun(
                ["query", "--histogram", "at:\(name)", "--time-zone", zone, "-o", "csv"], input: input)
            #expect(run.lines.first == "from,below,count", "\(run)")
            var found: [Date: Int] = [:]
            var end: String?
            for line in run.lines.dropFirst() {
                let cells = line.split(separator: ",").map(String.init)
                #expect(end == nil || end == cells[0], "\(zone) \(line)")
                end = cells[1]
                let start = try #require(Self.date(cells[0]), "\(line)")
                // The clocks of the zone, with their distance from UTC.
                let distance = calendar.timeZone.secondsFromGMT(for: start)
                #expect(cells[0].hasSuffix(Self.distance(distance)), "\(zone) \(line)")
                if cells[2] != "0" { found[start] = Int(cells[2]) }
            }
            var expected: [Date: Int] = [:]
            for date in dates {
                let start = try #require(calendar.dateInterval(of: unit, for: date)?.start)
                expected[start, default: 0] += 1
            }
            #expect(found == expected, "\(zone) \(name)")
        }
    }

    private static func date(_ text: String) -> Date? { try? Date(text, strategy: .iso8601) }

    private static func distance(_ seconds: Int) -> String {
        let (hours, minutes) = (String(100 + abs(seconds) / 3_600), String(100 + abs(seconds) / 60 % 60))
        return "\(seconds < 0 ? "-" : "+")\(hours.suffix(2)):\(minutes.suffix(2))"
    }

    /// Days of 23 and 25 hours, in a table and at the prompt.
    @Test func daysHaveTheHoursOfTheirClocks() throws {
        let folder = try TemporaryFolder()
        let moments = (0..<24 * 40).map { hour in
            Date(timeIntervalSince1970: 1_774_000_800 + Double(hour) * 3_600).ISO8601Format()
        }
        let file = try folder.file("h.ndjson", moments.map { "{\"at\":\"\($0)\"}\n" }.joined())
        let call = ["query", "--histogram", "at:day", file, "-o", "table"]
        let table = try CommandRun(call + ["--time-zone", "Europe/Zurich"])
        #expect(table.lines.contains { $0.hasPrefix("2026-03-29  2026-03-30     23  ") }, "\(table)")
        #expect(table.lines.contains { $0.hasPrefix("2026-03-30  2026-03-31     24  ") }, "\(table)")
        #expect(try CommandRun(call).lines.contains { $0.hasPrefix("2026-03-29  2026-03-30     24  ") })
        let prompt = try CommandRun(
            ["repl", file, "--time-zone", "Europe/Zurich"], input: ".mode csv\n.histogram at:day\n")
        #expect(prompt.lines.contains("2026-03-29T00:00:00+01:00,2026-03-30T00:00:00+02:00,23"), "\(prompt)")
    }

    /// A day whose midnight the clocks leave out begins when they go on, in predicates, too.
    @Test(arguments: [
        ("at >= '2018-11-04'", "b"), ("at < '2018-11-04'", "a"), ("day(at) == 3", "a"), ("day(at) == 4", "b"),
    ]) func daysWithoutMidnight(_ predicate: String, _ id: String) throws {
        let input =
            #"{"id":"a","at":"2018-11-04T02:59:59Z"}"# + "\n" + #"{"id":"b","at":"2018-11-04T03:00:00Z"}"# + "\n"
        let run = try CommandRun(["query", predicate, "--time-zone", "America/Sao_Paulo", "-o", "ids"], input: input)
        #expect(run.lines == [id], "\(run)")
    }
}
